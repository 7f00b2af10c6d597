"""The compiled loops of `resample`."""

from __future__ import annotations

import numba
import numpy as np
from numba import float32, intp

from dali_studio.kernels.cpu.jit import ArrayKernel, readable, writable
from dali_studio.kernels.cpu.simd import (
    address,
    item,
    load1,
    load4,
    load16,
    muladd,
    multiply,
    put,
    spread1,
    spread4,
    spread16,
    store1,
    store16,
)
from dali_studio.kernels.cpu.simd_normalize import normalize_row
from dali_studio.kernels.cpu.simd_pixels import (
    join3,
    join4,
    store12,
)

_PAD = 16  # floats behind a scratch row that a vector may touch


@numba.njit(forceinline=True)
def _vertical(src, offset, stride, weights, first, taps, count, row):
    """row[i] = sum over k of weights[first + k] * src[offset + k * stride + i], for i < count."""
    i = 0
    while i + 64 <= count:
        at = offset + i
        weight = spread16(weights, first)
        a, b = multiply(load16(src, at), weight), multiply(load16(src, at + 16), weight)
        c, d = multiply(load16(src, at + 32), weight), multiply(load16(src, at + 48), weight)
        for k in range(1, taps):
            at += stride
            weight = spread16(weights, first + k)
            a, b = muladd(load16(src, at), weight, a), muladd(load16(src, at + 16), weight, b)
            c, d = muladd(load16(src, at + 32), weight, c), muladd(load16(src, at + 48), weight, d)
        store16(row, i, a)
        store16(row, i + 16, b)
        store16(row, i + 32, c)
        store16(row, i + 48, d)
        i += 64
    while i < count and count >= 16:
        i = min(i, count - 16)  # the last vector overlaps the one before it
        a = multiply(load16(src, offset + i), spread16(weights, first))
        for k in range(1, taps):
            a = muladd(load16(src, offset + i + k * stride), spread16(weights, first + k), a)
        store16(row, i, a)
        i += 16
    while i < count:
        e = multiply(load1(src, offset + i), spread1(weights, first))
        for k in range(1, taps):
            e = muladd(load1(src, offset + i + k * stride), spread1(weights, first + k), e)
        store1(row, i, e)
        i += 1


@numba.njit(forceinline=True)
def _pixel(row, at, step, weights, first, taps):
    """The weighted sum of `taps` pixels of 4 lanes that begin at `at`, `step` floats apart."""
    total = multiply(load4(row, at), spread4(weights, first))
    for k in range(1, taps):
        total = muladd(load4(row, at + k * step), spread4(weights, first + k), total)
    return total


@numba.njit(forceinline=True)
def _horizontal(row, starts, weights, taps, channels, out, offset, width):
    """out[offset:] = the row filtered along x, rounded to the dtype of `out`, `width` pixels."""
    if channels == 3 and width >= 4:
        x = 0
        while x < width:
            x = min(x, width - 4)  # the last four pixels overlap the ones before them
            w = x * taps
            a = _pixel(row, item(starts, x) * 3, 3, weights, w, taps)
            b = _pixel(row, item(starts, x + 1) * 3, 3, weights, w + taps, taps)
            c = _pixel(row, item(starts, x + 2) * 3, 3, weights, w + 2 * taps, taps)
            d = _pixel(row, item(starts, x + 3) * 3, 3, weights, w + 3 * taps, taps)
            store12(out, offset + 3 * x, join3(a, b, c, d))
            x += 4
    elif channels == 4 and width >= 4:
        x = 0
        while x < width:
            x = min(x, width - 4)
            w = x * taps
            a = _pixel(row, item(starts, x) * 4, 4, weights, w, taps)
            b = _pixel(row, item(starts, x + 1) * 4, 4, weights, w + taps, taps)
            c = _pixel(row, item(starts, x + 2) * 4, 4, weights, w + 2 * taps, taps)
            d = _pixel(row, item(starts, x + 3) * 4, 4, weights, w + 3 * taps, taps)
            store16(out, offset + 4 * x, join4(a, b, c, d))
            x += 4
    else:
        for x in range(width):
            at = item(starts, x) * channels
            for channel in range(channels):
                e = multiply(load1(row, at + channel), spread1(weights, x * taps))
                for k in range(1, taps):
                    e = muladd(load1(row, at + channel + k * channels), spread1(weights, x * taps + k), e)
                store1(out, offset + x * channels + channel, e)


@numba.njit(forceinline=True)
def _column_span(starts, taps):
    """The columns [low, high) that any output pixel reads."""
    low, high = starts[0], starts[0]
    for start in starts:
        low, high = min(low, start), max(high, start)
    return low, high + taps


def _resample(src, out, y_starts, y_weights, x_starts, x_weights):
    """Filters planes (P, H, W, C) into `out` (P, h, w, C), whose last two axes are contiguous in both."""
    planes, height, width, channels = out.shape
    x_taps, y_taps = x_weights.shape[1], y_weights.shape[1]
    low, high = _column_span(x_starts, x_taps)
    starts = x_starts - low
    count = (high - low) * channels
    row = np.empty(count + _PAD, np.float32)
    src_plane, src_row = src.strides[0] // src.itemsize, src.strides[1] // src.itemsize
    out_plane, out_row = out.strides[0] // out.itemsize, out.strides[1] // out.itemsize
    for plane in range(planes):
        for y in range(height):
            offset = plane * src_plane + y_starts[y] * src_row + low * channels
            _vertical(src, offset, src_row, y_weights, y * y_taps, y_taps, count, row)
            _horizontal(row, starts, x_weights, x_taps, channels, out, plane * out_plane + y * out_row, width)


def _resample_normalize(src, out, y_starts, y_weights, x_starts, x_weights, mean, factor):
    """The same for one plane, with a normalisation of each rounded row while it is in the cache."""
    height, width, channels = out.shape
    x_taps, y_taps = x_weights.shape[1], y_weights.shape[1]
    low, high = _column_span(x_starts, x_taps)
    starts = x_starts - low
    count = (high - low) * channels
    row, pixels = np.empty(count + _PAD, np.float32), np.empty(width * channels, np.uint8)
    src_row, out_row = src.strides[0] // src.itemsize, out.strides[0] // out.itemsize
    steps = out.strides[1] // out.itemsize, out.strides[2] // out.itemsize
    for y in range(height):
        _vertical(src, y_starts[y] * src_row + low * channels, src_row, y_weights, y * y_taps, y_taps, count, row)
        _horizontal(row, starts, x_weights, x_taps, channels, pixels, 0, width)
        normalize_row(pixels, 0, (channels, 1), out, y * out_row, steps, width, channels, mean, factor, False)


@numba.njit(forceinline=True)
def _copy_pixels(src, at, out, to, starts, width, channels):
    for x in range(width):
        start = at + item(starts, x) * channels
        for channel in range(channels):
            put(out, to + x * channels + channel, item(src, start + channel))


def _nearest(src_array, out_array, y_starts, x_starts):
    """Copies the chosen pixels of planes (P, H, W, C)."""
    planes, height, width, channels = out_array.shape
    src_plane, src_row = src_array.strides[0] // src_array.itemsize, src_array.strides[1] // src_array.itemsize
    out_plane, out_row = out_array.strides[0] // out_array.itemsize, out_array.strides[1] // out_array.itemsize
    src, out, starts = address(src_array), address(out_array), address(x_starts)
    for plane in range(planes):
        for y in range(height):
            at, to = plane * src_plane + y_starts[y] * src_row, plane * out_plane + y * out_row
            if channels == 3:  # a constant unrolls the inner loop
                _copy_pixels(src, at, out, to, starts, width, 3)
            elif channels == 1:
                _copy_pixels(src, at, out, to, starts, width, 1)
            else:
                _copy_pixels(src, at, out, to, starts, width, channels)


_AXIS = (intp[::1], float32[:, ::1])
RESAMPLE = ArrayKernel(_resample, lambda i, o: (readable(i, 4), writable(o, 4), *_AXIS, *_AXIS))
RESAMPLE_NORMALIZE = ArrayKernel(
    _resample_normalize, lambda i, o: (readable(i, 3), writable(o, 3), *_AXIS, *_AXIS, float32[::1], float32[::1])
)
NEAREST = ArrayKernel(_nearest, lambda i, o: (readable(i, 4), writable(o, 4), intp[::1], intp[::1]))
