"""Crop, pad and flip of one image; `crop_mirror_normalize` is offered here too.

Arrays are (H, W, C) for layout "HWC" and (C, H, W) for "CHW".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from dali_studio.kernels.cpu.jit import ArrayKernel, readable, writable
from dali_studio.kernels.cpu.normalize import crop_mirror_normalize, normalize_coefficients
from dali_studio.kernels.cpu.simd import (
    item,
    put,
)
from dali_studio.kernels.cpu.simd_pixels import (
    copy16x3_reversed,
)
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


def _flip_rows(src, out, vertical):
    """Horizontal flip of (H, W, C) windows whose last two axes are contiguous."""
    height, width, channels = out.shape
    src_row, out_row = src.strides[0] // src.itemsize, out.strides[0] // out.itemsize
    for y in range(height):
        at = (height - 1 - y if vertical else y) * src_row
        to = y * out_row
        if channels == 3:
            x = 0
            while x < width and width >= 16:
                x = min(x, width - 16)
                copy16x3_reversed(src, at + 3 * x, out, to + 3 * (width - 16 - x))
                x += 16
            while x < width:
                for channel in range(3):
                    put(out, to + 3 * (width - 1 - x) + channel, item(src, at + 3 * x + channel))
                x += 1
        else:
            for x in range(width):
                for channel in range(channels):
                    value = item(src, at + x * channels + channel)
                    put(out, to + (width - 1 - x) * channels + channel, value)


_FLIP = ArrayKernel(_flip_rows, lambda i, o: (readable(i, 3), writable(o, 3), types.boolean))


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
    flipped = {"W": horizontal, "H": vertical, "D": depthwise}
    wanted = [axis for axis, letter in enumerate(layout) if flipped.get(letter)]
    if layout == "HWC" and horizontal and packed_rows(src) and packed_rows(out) and src.dtype.itemsize <= 4:
        same_size = _BITS[src.dtype.itemsize]
        _FLIP.for_dtypes(same_size, same_size)(src.view(same_size), out.view(same_size), bool(vertical))
    else:
        out[...] = np.flip(src, wanted)


_BITS = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16), 4: np.dtype(np.uint32)}
