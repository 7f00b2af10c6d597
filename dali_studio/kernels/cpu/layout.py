"""Crop, pad and flip of one image; `crop_mirror_normalize` is offered here too.

Arrays are (H, W, C) for layout "HWC" and (C, H, W) for "CHW".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.normalize import crop_mirror_normalize, normalize_coefficients
from dali_studio.kernels.cpu.views import Array, as_hwc, fill_channels, overlap, packed_rows

__all__ = ["crop_mirror_normalize", "crop_pad", "flip", "normalize_coefficients"]


def crop_pad(src: Array, out: Array, anchor: tuple[int, ...], fill_values: Any = 0.0, layout: str = "HWC") -> None:
    """Copies the window of `src` that begins at `anchor` into `out` of the same dtype; outside it writes the fill.

    Parameters
    ----------
    anchor : (y, x)
        May be negative; the window may be larger than `src`.
    fill_values : float or sequence
        One for all channels, or one a channel (0 for channels without one).
    """
    source, target = as_hwc(src, layout), as_hwc(out, layout)
    (y0, y1), (x0, x1) = (overlap(anchor[axis], target.shape[axis], source.shape[axis]) for axis in (0, 1))
    if (y0, x0, y1, x1) != (0, 0, *target.shape[:2]):
        fill_channels(target, fill_values)
    if y1 > y0 and x1 > x0:
        target[y0:y1, x0:x1] = source[anchor[0] + y0 : anchor[0] + y1, anchor[1] + x0 : anchor[1] + x1]


def flip(
    src: Array,
    out: Array,
    horizontal: bool = True,
    vertical: bool = False,
    depthwise: bool = False,
    layout: str = "HWC",
) -> None:
    """Mirrors the axes W, H and D of an array of any dtype; `out` has the same shape and dtype.

    Parameters
    ----------
    layout : str
        Letters of the axes; those that are not flipped are kept ("HWC", "CHW", "DHWC", "CDHW", "FHWC", ...).
    """
    if src.shape != out.shape or src.dtype != out.dtype:
        raise ValueError(
            f"The input is {src.dtype} of shape {src.shape}, the output {out.dtype} of shape {out.shape}. "
            "Give an output of the same type and shape."
        )
    if not out.flags.c_contiguous:
        raise ValueError("The output must lie in C order without gaps. Flip into a new array and copy that.")
    kind = _BITS[src.dtype.itemsize]
    source, target = (_volumes(array.view(kind), layout) for array in (src, out))
    kernel("flip", kind)(source if packed_rows(source) else source.copy(), target, horizontal, vertical, depthwise)


def _volumes(array: Array, layout: str) -> Array:
    """The axes (C, D, H, W, c): all before D and H are planes, all behind W are channels."""
    first, end = layout.index("D" if "D" in layout else "H"), layout.index("W") + 1
    shape, depth = array.shape, () if "D" in layout else (1,)
    return array.reshape(math.prod(shape[:first]), *depth, *shape[first:end], math.prod(shape[end:]))


_BITS = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
