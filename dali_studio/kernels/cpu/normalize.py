"""Crop, mirror and normalise one image in one pass."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import float32, intp, types

from dali_studio.kernels.cpu.convert import to_float16
from dali_studio.kernels.cpu.jit import ArrayKernel, readable, writable
from dali_studio.kernels.cpu.simd import (
    load1,
    load16,
    multiply,
    spread1,
    spread16,
    store1_away,
    store16_away,
    subtract,
)
from dali_studio.kernels.cpu.simd_pixels import (
    load16x3,
    reverse,
    store16x3_away,
)
from dali_studio.kernels.cpu.views import Array, as_hwc, fill_channels, overlap


@numba.njit(forceinline=True)
def _normalize_interleaved(src, at, out, to, width, mean, scale, mirrored, to_planes, plane):
    """Three interleaved channels, 16 pixels at a time, into interleaved or planar ones. `width` >= 16."""
    m0, m1, m2 = spread16(mean, 0), spread16(mean, 1), spread16(mean, 2)
    s0, s1, s2 = spread16(scale, 0), spread16(scale, 1), spread16(scale, 2)
    x = 0
    while x < width:
        x = min(x, width - 16)  # the last vector overlaps the one before it
        red, green, blue = load16x3(src, at + 3 * x)
        red = multiply(subtract(red, m0), s0)
        green = multiply(subtract(green, m1), s1)
        blue = multiply(subtract(blue, m2), s2)
        target = x
        if mirrored:
            red, green, blue = reverse(red), reverse(green), reverse(blue)
            target = width - 16 - x
        if to_planes:
            store16_away(out, to + target, red)
            store16_away(out, to + target + plane, green)
            store16_away(out, to + target + 2 * plane, blue)
        else:
            store16x3_away(out, to + 3 * target, red, green, blue)
        x += 16


@numba.njit(forceinline=True)
def _normalize_plane(src, at, out, to, width, mean, scale, channel, mirrored):
    """One contiguous row of one channel. `width` >= 16."""
    m, s = spread16(mean, channel), spread16(scale, channel)
    x = 0
    while x < width:
        x = min(x, width - 16)
        value = multiply(subtract(load16(src, at + x), m), s)
        if mirrored:
            store16_away(out, to + width - 16 - x, reverse(value))
        else:
            store16_away(out, to + x, value)
        x += 16


@numba.njit(forceinline=True)
def normalize_row(src, at, steps, out, to, out_steps, width, channels, mean, scale, mirrored):
    """out = round((src - mean) * scale) over one row; `steps` are the (pixel, channel) strides in elements."""
    step_x, step_c = steps
    out_x, out_c = out_steps
    if channels == 3 and step_x == 3 and step_c == 1 and width >= 16 and (out_x == 1 or (out_x == 3 and out_c == 1)):
        _normalize_interleaved(src, at, out, to, width, mean, scale, mirrored, out_x == 1, out_c)
    elif step_x == 1 and out_x == 1 and width >= 16:
        for channel in range(channels):
            _normalize_plane(
                src, at + channel * step_c, out, to + channel * out_c, width, mean, scale, channel, mirrored
            )
    else:
        for channel in range(channels):
            m, s = spread1(mean, channel), spread1(scale, channel)
            for x in range(width):
                target = width - 1 - x if mirrored else x
                value = multiply(subtract(load1(src, at + x * step_x + channel * step_c), m), s)
                store1_away(out, to + target * out_x + channel * out_c, value)


def _normalize(src, out, y0, x0, mean, scale, mirrored):
    """Windows of (H, W, C) views; the window of `src` that begins at (y0, x0) lies inside it."""
    height, width, channels = out.shape
    item = src.itemsize
    src_row, steps = src.strides[0] // item, (src.strides[1] // item, src.strides[2] // item)
    item = out.itemsize
    out_row, out_steps = out.strides[0] // item, (out.strides[1] // item, out.strides[2] // item)
    for y in range(height):
        at = (y0 + y) * src_row + x0 * steps[0]
        normalize_row(src, at, steps, out, y * out_row, out_steps, width, channels, mean, scale, mirrored)


_NORMALIZE = ArrayKernel(
    _normalize,
    lambda i, o: (readable(i, 3), writable(o, 3), intp, intp, float32[::1], float32[::1], types.boolean),
)


def normalize_coefficients(mean: Any, std: Any, scale: float = 1.0, shift: float = 0.0) -> tuple[Array, Array]:
    """The two float32 arrays with which (x - mean) / std * scale + shift becomes (x - a) * b, as nvidia.dali rounds it.

    Parameters
    ----------
    mean, std : array_like of float
        One value a channel, or a batch of such rows; broadcast against each other.

    Returns
    -------
    (mean, inv_std) : two float32 arrays of the broadcast shape
        To be given to `crop_mirror_normalize`.
    """
    mean32, std32 = np.broadcast_arrays(np.asarray(mean, np.float32), np.asarray(std, np.float32))
    inverse = np.float32(scale) / std32
    return np.ascontiguousarray(mean32 - np.float32(shift) / inverse), np.ascontiguousarray(inverse)


def crop_mirror_normalize(
    src: Array,
    out: Array,
    anchor: tuple[int, int] = (0, 0),
    crop: tuple[int, int] | None = None,
    mirror: bool = False,
    mean: Array | None = None,
    inv_std: Array | None = None,
    scale: float = 1.0,
    shift: float = 0.0,
    out_layout: str = "CHW",
    fill_values: Any = 0.0,
    src_layout: str = "HWC",
) -> None:
    """Cuts a window, mirrors it left to right and normalises it: (src - mean) * inv_std * scale + shift.

    Parameters
    ----------
    src : array, any of uint8, int8, uint16, int16, int32, float16, float32; read-only and strided arrays are welcome
    out : array of uint8, int8, float16 or float32
        The result. Integers are rounded half away from zero and saturated. More channels than `src` has are padding.
    anchor : (y, x)
        First pixel of the window; may lie outside `src`.
    crop : (h, w), optional
        Size of the window; `out` has this size. Default: that of `out`.
    mean, inv_std : (C,) float32 arrays
        Subtracted, then multiplied. `normalize_coefficients` gives the ones that equal nvidia.dali's bit for bit,
        scale and shift included.
    fill_values : float or sequence
        Written, not normalised, outside `src` and into padding channels: one for all, or one a channel and 0 elsewhere.
    """
    source, target = as_hwc(src, src_layout), as_hwc(out, out_layout)
    height, width, channels = target.shape
    if crop is not None and tuple(crop) != (height, width):
        raise ValueError(f"crop {tuple(crop)} and the output {(height, width)} differ; they must be the same.")
    if source.shape[2] > channels:
        raise ValueError(f"The input has {source.shape[2]} channels, the output only {channels}.")
    means = np.zeros(source.shape[2], np.float32) if mean is None else np.ascontiguousarray(mean, np.float32)
    factors = np.ones(source.shape[2], np.float32) if inv_std is None else np.ascontiguousarray(inv_std, np.float32)
    if means.size != source.shape[2] or factors.size != source.shape[2]:
        raise ValueError(
            f"mean has {means.size}, inv_std {factors.size} values for {source.shape[2]} channels. Give one a channel."
        )
    if scale != 1.0 or shift != 0.0:
        factors = factors * np.float32(scale)
        means = means - np.float32(shift) / factors
    (y_begin, y_end), (x_begin, x_end) = (
        overlap(anchor[0], height, source.shape[0]),
        overlap(anchor[1], width, source.shape[1]),
    )
    whole = y_begin == 0 and x_begin == 0 and y_end == height and x_end == width
    if not whole or channels > source.shape[2]:
        fill_channels(target, fill_values)
    if mirror:
        inside = target[y_begin:y_end, width - x_end : width - x_begin, : source.shape[2]]
    else:
        inside = target[y_begin:y_end, x_begin:x_end, : source.shape[2]]
    if inside.size:
        _normalize_into(source, inside, anchor[0] + y_begin, anchor[1] + x_begin, means, factors, bool(mirror))


_BAND = 16  # rows that pass through a float32 scratch where numba has no float16


def _normalize_into(src: Array, out: Array, y0: int, x0: int, mean: Array, factor: Array, mirror: bool) -> None:
    if src.dtype != np.float16 and out.dtype != np.float16:
        _NORMALIZE.for_dtypes(src.dtype, out.dtype)(src, out, y0, x0, mean, factor, mirror)
        return
    height, width, _ = out.shape
    for y in range(0, height, _BAND):
        band = out[y : y + _BAND]
        rows = src[y0 + y : y0 + y + len(band), x0 : x0 + width]
        rows = rows.astype(np.float32) if src.dtype == np.float16 else rows
        if out.dtype == np.float16:
            scratch, half = np.empty_like(band, np.float32), np.empty_like(band)  # in the output's order of axes
            _NORMALIZE.for_dtypes(rows.dtype, scratch.dtype)(rows, scratch, 0, 0, mean, factor, mirror)
            to_float16(scratch.ravel("K"), half.ravel("K"))
            band[...] = half
        else:
            _NORMALIZE.for_dtypes(rows.dtype, out.dtype)(rows, band, 0, 0, mean, factor, mirror)
