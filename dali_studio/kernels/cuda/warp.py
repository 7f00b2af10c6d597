"""Affine warps over batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.stream import GpuStream

_POINTERS = ("src", "dst", "given")
_INTS = ("in_h", "in_w", "out_h", "out_w", "channels", "unused")
_ITEM = np.dtype(
    [
        *((name, np.uint64) for name in _POINTERS),
        *((name, np.int32) for name in _INTS),
        ("matrix", np.float32, 6),
    ],
    align=True,
)
_NEAREST = 0
_TILE = (32, 32)  # rows and columns of a block


def warp_affine(
    src: DeviceBatch,
    out: DeviceBatch,
    matrices: NDArray[np.float32] | DeviceBatch,
    interp: int,
    fill: float | None,
    stream: GpuStream,
    *,
    invert: bool = False,
) -> None:
    """Fill `out` with the pixels that the (N, 2, 3) matrices point at (`kernels.cpu.warp.warp_affine`).

    Matrices in device memory may be the opposite maps (`invert`), and are not checked: nobody waits for them.

    The CPU kernel steps along a row by repeated addition, as nvidia.dali does there; this one computes each position
    by itself, as on nvidia.dali's GPU: positions differ in the last bits.
    """
    pixels = [batch.shapes[:, :2].prod(axis=1).max(initial=0) for batch in (src, out)]
    if max(pixels) >= 1 << 31:
        raise ValueError(f"an image has {max(pixels)} pixels; a warp on a GPU takes fewer than 2^31")
    items = np.zeros(len(src), _ITEM)
    items["src"], items["dst"] = src.pointers, out.pointers
    items["in_h"], items["in_w"], items["channels"] = src.shapes.T
    items["out_h"], items["out_w"] = out.shapes[:, 0], out.shapes[:, 1]
    given = isinstance(matrices, DeviceBatch)
    if given:
        items["given"] = matrices.pointers
    else:
        items["matrix"] = matrices.reshape(len(src), 6)
    blocks = -(-out.shapes[:, 0] // _TILE[0]) * -(-out.shapes[:, 1] // _TILE[1])
    macros = {
        "IN": src.dtype,
        "OUT": out.dtype,
        "NEAREST": interp == _NEAREST,
        "FILLED": fill is not None,
        "BYTES": src.dtype == np.uint8,
        "GIVEN": given,
        "INVERT": given and invert,
    }
    stream.launch(
        "warp", items, blocks * 256, np.float32(0.0 if fill is None else fill), macros=macros
    )
