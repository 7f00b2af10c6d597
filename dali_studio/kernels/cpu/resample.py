"""Separable resizing of one image, and the same fused with crop, mirror and normalisation.

Conventions
-----------
Pixel i covers [i, i+1) (its centre is i + 0.5). The *full* output has `full_size` pixels and covers the region of
interest of the input; `out` is the window of it that begins at `window`, so a crop that follows costs nothing.
The size of the full output is decided by the caller. Rows are filtered vertically first, on contiguous memory and only
over the columns that are needed, then horizontally, or the other way round where that is much less work; between the
passes values stay float32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.views import Array, packed_rows
from dali_studio.kernels.cpu.weights import FILTERS, LONGEST, PLACES, Interp

#: Elements that fill a vector.
_WIDE = 16


def _planes(array: Array, layout: str) -> Array:
    """(P, H, W, C): a channel-first image is C planes of one channel; the axes before H and W are planes, too."""
    if layout == "HWC":
        return array[None]
    if layout == "CHW":
        return array[..., None]
    first = layout.find("HW")
    if first < 0:
        raise ValueError(f"layout {layout!r} is not known here. Use one with H and W, such as 'HWC' or 'CHW'.")
    shape = array.shape
    return array.reshape(math.prod(shape[:first]), *shape[first : first + 2], math.prod(shape[first + 2 :]))


def as_rows(inner: int) -> bool:
    """Whether an axis that is resized alone counts as rows of `inner` elements; otherwise it is a row of pixels."""
    return inner >= _WIDE


def resize_axes(
    src: Array, out: Array, first: int, kinds: Sequence[int], roi: Sequence[float], *, antialias: bool
) -> None:
    """Resizes one to three axes of an array, which follow each other.

    Parameters
    ----------
    src, out : array
        As `resize` has them, of any number of axes; `out` in C order without gaps.
    first : int
        The first of the axes.
    kinds : sequence of two int
        `Interp` of an axis that shrinks, and of one that does not.
    roi : sequence of float
        Begins of the region in all these axes, then ends.
    """
    count = len(roi) // 2
    end = first + count
    if not out.size:
        return
    if not src.size:
        raise ValueError(f"An array of shape {src.shape} cannot be resized: it has no elements.")
    spatial = [tuple(array.shape[first:end]) for array in (src, out)]
    if max(map(max, spatial)) > LONGEST:
        raise ValueError(f"An axis has {LONGEST} elements at most; here are {spatial[0]} and {spatial[1]}.")
    shapes = [(math.prod(array.shape[:first]), *axes, math.prod(array.shape[end:]))
              for array, axes in zip((src, out), spatial, strict=True)]  # fmt: skip
    region = tuple(roi)
    if count == 1:  # rows are filtered by vectors of what follows them, if there is enough of it
        rows = as_rows(shapes[0][-1])
        shapes = [(planes, *((size, 1) if rows else (1, size)), inner) for planes, size, inner in shapes]
        region = (roi[0], 0.0, roi[1], 1.0) if rows else (0.0, roi[0], 1.0, roi[1])
    source, target = np.ascontiguousarray(src).reshape(shapes[0]), out.reshape(shapes[1])
    if count <= len("HW"):
        _call("resize", source, target, *region, *target.shape[1:3], 0, 0, False, *kinds, antialias, count == 1)
    else:
        _call("resize_volume", source, target, np.array(region, np.float64), *kinds, antialias)


def _call(name: str, source: Array, target: Array, *options: Any) -> None:
    """Call a kernel, again while it needs more scratch memory than there is."""
    call = kernel(name, source.dtype, target.dtype)
    given = (source, target, *options, FILTERS, PLACES)
    needed = call(*given, scratch())
    while needed:
        needed = call(*given, scratch(needed))


def resize(
    src: Array,
    out: Array,
    interp_min: int = Interp.LINEAR,
    interp_mag: int = Interp.LINEAR,
    antialias: bool = True,
    roi: tuple[float, float, float, float] | None = None,
    window: tuple[int, int] = (0, 0),
    full_size: tuple[int, int] | None = None,
    mirror: bool = False,
    layout: str = "HWC",
) -> None:
    """Resizes an image, or the window of the result that is wanted, into `out`.

    Parameters
    ----------
    src : array of uint8, int16, uint16 or float32
        Any row stride; pixels of a row contiguous; may be read-only. At least one pixel.
    out : array of the type of `src`, uint8 or float32
        Rounded and saturated. Halves become even; of uint8 up where nvidia.dali's vectors do not reach.
    interp_min, interp_mag : int
        `Interp` of an axis that shrinks, and of one that does not.
    antialias : bool
        Widen the filter by the scale along an axis that shrinks; NN never is.
    roi : (y0, x0, y1, x1), optional
        Region of the input that the full output covers, in pixel-corner coordinates; a start above its end flips.
        Pixels beside it are read where the filter reaches them; beyond the image the edge repeats.
    window : (y, x)
        Where `out` begins in the full output.
    full_size : (h, w), optional
        Size of the full output; default: that of `out`.
    mirror : bool
        Reverse the window's columns (after cutting it).
    layout : str
        "HWC" or "CHW", of both arrays.
    """
    source, target = _planes(src, layout), _planes(out, layout)
    planes, in_height, in_width, channels = source.shape
    out_planes, height, width, out_channels = target.shape
    if planes != out_planes or channels != out_channels:
        raise ValueError(f"The input {src.shape} and the output {out.shape} have different channels (layout {layout}).")
    if not target.size:
        return
    full, (top, left) = (height, width) if full_size is None else full_size, window
    if not (packed_rows(source) and packed_rows(target)):
        raise ValueError("The pixels of a row must lie one after the other: the last two axes contiguous.")
    if not (in_height and in_width):
        raise ValueError(f"An image of {(in_height, in_width)} pixels cannot be resized: it has none.")
    if max(in_height, in_width, *full) > LONGEST:
        raise ValueError(f"An axis has {LONGEST} pixels at most; here are {(in_height, in_width)} and {tuple(full)}.")
    if not (0 <= top <= full[0] - height and 0 <= left <= full[1] - width):
        raise ValueError(
            f"The window of {(height, width)} pixels at {tuple(window)} leaves the full size {tuple(full)}."
        )
    if not (0 <= interp_min < len(Interp) and 0 <= interp_mag < len(Interp)):
        raise ValueError(f"Interp is 0 to {len(Interp) - 1}; given are {interp_min} and {interp_mag}.")
    region = (0.0, 0.0, in_height, in_width) if roi is None else roi
    _call("resize", source, target, *region, *full, top, left, mirror, interp_min, interp_mag, antialias, False)
