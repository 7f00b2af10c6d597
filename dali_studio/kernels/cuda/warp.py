"""Affine warps: a part that begins a chain, and alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import headers
from dali_studio.kernels.cuda.stream import GpuStream

_ROW = np.dtype([("matrix", np.float32, 6), ("fill", np.float32)], align=True)
_ROW_OF_GIVEN = np.dtype([("matrix", np.uint64), ("fill", np.float32)], align=True)
_NEAREST = 0


def warp_part(matrices: NDArray[np.float32], interp: int, fill: float | None) -> Part:
    """The pixels that the (N, 2, 3) matrices point at (`kernels.cpu.warp.warp_affine`).

    The CPU kernel steps along a row by repeated addition, as nvidia.dali does there; this one computes each position
    by itself, as on nvidia.dali's GPU: positions differ in the last bits.
    """
    row = np.empty(len(matrices), _ROW)
    row["matrix"], row["fill"] = matrices.reshape(len(matrices), 6), 0.0 if fill is None else fill
    return _part(row, interp, fill, 0)


@dataclass(frozen=True, slots=True)
class Affine:
    """The map of a step from output to input points.

    Attributes
    ----------
    matrices : ndarray
        (N, 2, 3), as for `warp_part`.
    interp : int or None
        Filter; ``None`` for a map of pixels onto pixels, which takes any.
    fill : float or None
        What lies outside; ``None`` repeats the edge.
    """

    matrices: NDArray[Any]
    interp: int | None = None
    fill: float | None = None


def composed_part(maps: Sequence[Affine]) -> Part:
    """One resampling for steps in order, with the filter and the border of the last that has one.

    Approximate: pixels are interpolated once instead of several times, and borders of earlier steps do not show.
    """
    product = _square(maps[0].matrices)
    for step in maps[1:]:
        product = product @ _square(step.matrices)
    last = next((step for step in reversed(maps) if step.interp is not None), maps[-1])
    interp = _NEAREST if last.interp is None else last.interp
    return warp_part(product[:, :2].astype(np.float32), interp, last.fill)


def _square(matrices: NDArray[Any]) -> NDArray[np.float64]:
    """(N, 3, 3): with the row that keeps products affine."""
    made = np.zeros((len(matrices), 3, 3))
    made[:, :2], made[:, 2, 2] = matrices, 1.0
    return made


def scaling(low: NDArray[Any], scale: NDArray[Any]) -> NDArray[np.float64]:
    """(N, 2, 3) matrices to low + scale * p; both (N, 2) as (y, x)."""
    made = np.zeros((len(low), 2, 3))
    made[:, 0, 0], made[:, 1, 1] = scale[:, 1], scale[:, 0]
    made[:, :, 2] = low[:, ::-1]
    return made


def warp_affine(
    src: Batch, out: Batch, matrices: NDArray[np.float32] | Batch, interp: int, fill: float | None,
    stream: GpuStream, *, invert: bool = False,
) -> None:  # fmt: skip
    """Launch `warp_part` alone.

    Matrices in device memory may be the opposite maps (`invert`), and are not checked: nobody waits for them.
    """
    if isinstance(matrices, Batch):
        part = given_part(matrices.addresses.astype(np.uint64), interp, fill, invert=invert)
    else:
        part = warp_part(matrices, interp, fill)
    chains.run(src, out, [part], (), stream)


def given_part(addresses: NDArray[np.uint64], interp: int, fill: float | None, *, invert: bool) -> Part:
    """As `warp_part`, with matrices at (N,) addresses in device memory."""
    row = np.empty(len(addresses), _ROW_OF_GIVEN)
    row["matrix"], row["fill"] = addresses, 0.0 if fill is None else fill
    return _part(row, interp, fill, 2 if invert else 1)


def _part(row: NDArray[Any], interp: int, fill: float | None, given: int) -> Part:
    nearest = interp == _NEAREST
    flags = (int(nearest), int(fill is not None), given)
    return Part("Warp", "source", (*headers("warp"), part_text("warp")), row, flags=flags, patch=not nearest)
