"""Normalisation of one row for the numba loops of `resample_loops`; everything else uses `normalize.hpp`."""

from __future__ import annotations

import numba

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
