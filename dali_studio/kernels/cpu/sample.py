"""Images at points that maps or homographies give. Points (x, y) count from the centre of pixel (0, 0)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array
from dali_studio.kernels.cpu.weights import Interp

#: Channels that images may have.
MAX_CHANNELS = 4


def _arguments(interp: int, border: Border, fill: NDArray[np.float32]) -> tuple[int, int, Array]:
    if interp not in (Interp.NN, Interp.LINEAR, Interp.CUBIC):
        raise ValueError(f"Images are sampled with NN, LINEAR or CUBIC, not {Interp(interp).name}.")
    return int(interp), int(border), fill


def mapped(
    src: Array, out: Array, across: NDArray[np.float32], down: NDArray[np.float32], interp: int, shift: float,
    border: Border, fill: NDArray[np.float32],
) -> None:  # fmt: skip
    """Fills `out` with the image at the points of two maps.

    Parameters
    ----------
    src, out : (H, W, C) and (h, w, C) arrays of uint8, uint16, int16 or float32
        Without gaps, of at most four channels. Integers are rounded half to even and saturated.
    across, down : (h, w) float32 arrays
        x and y of the points.
    interp : int
        `Interp.NN`, `Interp.LINEAR` or `Interp.CUBIC`.
    shift : float
        Is taken off x and y.
    border : Border
    fill : (4,) float32 array
        Colour beyond the edges for `Border.CONSTANT`; taps are replaced by it one by one.
    """
    maps = (np.ascontiguousarray(one) for one in (across, down))
    kernel("sample_mapped", src.dtype)(
        np.ascontiguousarray(src), out, *maps, shift, *_arguments(interp, border, fill)
    )


def is_coarse(interp: int, dtype: np.dtype[Any], channels: int) -> bool:
    """Whether the points of homographies are rounded to 1/32 of a pixel.

    OpenCV, which nvidia.dali calls, does so for int16 and two channels, but not for cubic filters.
    """
    return interp != Interp.CUBIC and (dtype == np.int16 or channels == 2)


def homography(
    src: Array, out: Array, matrix: NDArray[np.float64], interp: int, border: Border, fill: NDArray[np.float32]
) -> None:
    """Fills `out` with the image at the points that a (3, 3) matrix gives for its pixels; the rest as in `mapped`."""
    coarse = is_coarse(interp, src.dtype, src.shape[2])
    kernel("sample_homography", src.dtype)(
        np.ascontiguousarray(src), out, np.ascontiguousarray(matrix, np.float64).reshape(9), coarse,
        *_arguments(interp, border, fill),
    )  # fmt: skip
