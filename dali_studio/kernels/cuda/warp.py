"""Affine warps: a part that begins a chain, and alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream

_ROW = np.dtype([("matrix", np.float32, 6), ("fill", np.float32)], align=True)
_NEAREST = 0


def warp_part(matrices: NDArray[np.float32], interp: int, fill: float | None) -> Part:
    """The pixels that the (N, 2, 3) matrices point at (`kernels.cpu.warp.warp_affine`).

    The CPU kernel steps along a row by repeated addition, as nvidia.dali does there; this one computes each position
    by itself, as on nvidia.dali's GPU: positions differ in the last bits.
    """
    row = np.empty(len(matrices), _ROW)
    row["matrix"], row["fill"] = matrices.reshape(len(matrices), 6), 0.0 if fill is None else fill
    return Part("Warp", "source", part_text("warp"), row, flags=(int(interp == _NEAREST), int(fill is not None)))


def warp_affine(
    src: DeviceBatch,
    out: DeviceBatch,
    matrices: NDArray[np.float32],
    interp: int,
    fill: float | None,
    stream: GpuStream,
) -> None:
    """Launch `warp_part` alone."""
    chains.run(src, out, [warp_part(matrices, interp, fill)], (), stream)
