"""Affine warps of batches of volumes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.weights import Interp
from dali_studio.kernels.cuda.stream import THREADS, GpuStream

_EXTENTS = ("depth", "height", "width", "channels", "out_depth", "out_height", "out_width")
_ITEM = np.dtype(
    [("from", np.uint64), ("to", np.uint64), ("matrix", np.uint64), *((name, np.int32) for name in _EXTENTS),
     ("fill", np.float32)], align=True
)  # fmt: skip
#: Planes, rows and columns that a block computes.
_BLOCK = (4, 8, 32)
#: What extents are below where their kernels are quicker.
_SHORT = 4_194_000


def warp_volume(
    src: Batch, out: Batch, matrices: NDArray[np.float32] | Batch, interp: int, fill: float | None,
    stream: GpuStream, *, invert: bool = False,
) -> None:  # fmt: skip
    """Warp volumes by (N, 3, 4) matrices (`kernels.cpu.warp_volume.warp_volume`).

    Matrices in device memory may be the opposite maps (`invert`). Each position is computed by itself, where the CPU
    steps along a row as nvidia.dali does there: positions differ in the last bits.
    """
    items = np.zeros(len(src), _ITEM)
    items["from"], items["to"], items["fill"] = src.addresses, out.addresses, 0.0 if fill is None else fill
    for column, name in enumerate(_EXTENTS):
        items[name] = src.shapes[:, column] if column < 4 else out.shapes[:, column - 4]
    if isinstance(matrices, Batch):
        kept = None
        items["matrix"] = matrices.addresses
    else:
        kept, (address,) = stream.upload(np.ascontiguousarray(matrices))
        items["matrix"] = address + np.arange(len(src)) * matrices[0].nbytes
    few = int(src.counts.max(initial=0)) < 1 << 31 and int(src.shapes[:, :3].max(initial=0)) < _SHORT
    macros = {"IN": src.dtype, "OUT": out.dtype, "NN": interp == Interp.NN, "FILLED": fill is not None,
              "INVERTED": invert, "FEW": few, "ONE": few and bool((src.shapes[:, 3] == 1).all())}  # fmt: skip
    blocks = -(-out.shapes[:, :3] // _BLOCK)
    stream.launch("warp_volume", items, blocks.prod(axis=1) * THREADS, macros=macros)
    del kept  # back to the pool of this stream, whose next user comes after the kernel
