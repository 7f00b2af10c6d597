"""Linear colour transforms and the brightness and contrast rule, pixel by pixel.

All arithmetic is float32 without fused multiply-add, in a fixed order, so that rounded results equal nvidia.dali's.
`src` and `out` may be the same array.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import float32, float64, intp

from dali_studio.kernels.cpu.jit import ArrayKernel, readable, short_kernel, writable
from dali_studio.kernels.cpu.simd import (
    add,
    load1,
    load16,
    multiply,
    spread1,
    spread16,
    store1_away,
    store16_away,
)
from dali_studio.kernels.cpu.simd_pixels import (
    load16x3,
    store16x3_away,
)
from dali_studio.kernels.cpu.views import Array, alike, packed_rows

#: RGB to YIQ, as nvidia.dali's hue, saturation and value are defined. Hue turns the plane of I and Q.
_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]], np.float32).astype(np.float64)
_RGB = np.linalg.inv(_YIQ)


@numba.njit(forceinline=True)
def _combine16(matrix, row, red, green, blue):
    total = add(multiply(spread16(matrix, row), red), multiply(spread16(matrix, row + 1), green))
    return add(add(total, multiply(spread16(matrix, row + 2), blue)), spread16(matrix, row + 3))


@numba.njit(forceinline=True)
def _combine1(matrix, row, red, green, blue):
    total = add(multiply(spread1(matrix, row), red), multiply(spread1(matrix, row + 1), green))
    return add(add(total, multiply(spread1(matrix, row + 2), blue)), spread1(matrix, row + 3))


def _linear(src, out, rows, pixels, src_row, out_row, matrix):
    """Rows of packed three-channel pixels; a full vector never overlaps another, so in place is safe."""
    for row in range(rows):
        at, to = row * src_row, row * out_row
        x = 0
        while x + 16 <= pixels:
            red, green, blue = load16x3(src, at + 3 * x)
            store16x3_away(
                out,
                to + 3 * x,
                _combine16(matrix, 0, red, green, blue),
                _combine16(matrix, 4, red, green, blue),
                _combine16(matrix, 8, red, green, blue),
            )
            x += 16
        while x < pixels:
            r, g, b = load1(src, at + 3 * x), load1(src, at + 3 * x + 1), load1(src, at + 3 * x + 2)
            store1_away(out, to + 3 * x, _combine1(matrix, 0, r, g, b))
            store1_away(out, to + 3 * x + 1, _combine1(matrix, 4, r, g, b))
            store1_away(out, to + 3 * x + 2, _combine1(matrix, 8, r, g, b))
            x += 1


def _scale(src, out, rows, count, src_row, out_row, factors):
    """Rows of `count` elements: out = src * factors[0] + factors[1]."""
    factor, offset = spread16(factors, 0), spread16(factors, 1)
    for row in range(rows):
        at, to = row * src_row, row * out_row
        i = 0
        while i + 32 <= count:
            first, second = load16(src, at + i), load16(src, at + i + 16)
            store16_away(out, to + i, add(multiply(first, factor), offset))
            store16_away(out, to + i + 16, add(multiply(second, factor), offset))
            i += 32
        while i < count:
            store1_away(out, to + i, add(multiply(load1(src, at + i), spread1(factors, 0)), spread1(factors, 1)))
            i += 1


_ROWS = (intp, intp, intp, intp)
_LINEAR = ArrayKernel(_linear, lambda i, o: (readable(i, 3), writable(o, 3), *_ROWS, float32[:, ::1]))
_SCALE = ArrayKernel(_scale, lambda i, o: (readable(i, 3), writable(o, 3), *_ROWS, float32[::1]))


def _rows(src: Array, out: Array, unit: int) -> tuple[int, int, int, int]:
    """(rows, units a row, row strides in elements); an image without gaps is one long row."""
    if src.shape != out.shape:
        raise ValueError(
            f"The input has the shape {src.shape}, the output {out.shape}. Give an output of the same shape."
        )
    for array in (src, out):
        if not packed_rows(array):
            raise ValueError("The pixels of a row must lie one after the other (layout HWC, last two axes contiguous).")
    height = src.shape[0]
    units = src.shape[1] * src.shape[2] // unit
    if src.flags.c_contiguous and out.flags.c_contiguous:
        return 1, height * units, 0, 0
    return height, units, src.strides[0] // src.itemsize, out.strides[0] // out.itemsize


def linear_color(src: Array, out: Array, matrix: Any) -> None:
    """out = round(M[:, :3] @ (r, g, b) + M[:, 3]) for every pixel of an (H, W, 3) image.

    Parameters
    ----------
    src, out : (H, W, 3) arrays of uint8, int16, int32, float16 or float32
        Integers are rounded half away from zero and saturated. `out` may be `src`.
    matrix : (3, 4) or (3, 3) array_like of float
        Rows are output channels; a fourth column is added.
    """
    if src.shape[2] != 3:
        raise ValueError(f"A colour transform needs 3 channels, the image has {src.shape[2]}.")
    weights = np.zeros((3, 4), np.float32)
    weights[:, : np.shape(matrix)[1]] = matrix
    _apply(_LINEAR, src, out, 3, weights)


def _apply(kernel: ArrayKernel, src: Array, out: Array, unit: int, factors: Array) -> None:
    if out.dtype == np.float16:
        single = np.empty(out.shape, np.float32)
        _apply(kernel, src, single, unit, factors)
        with np.errstate(over="ignore"):  # what is too large is infinite
            out[...] = single
        return
    wide = src.astype(np.float32) if src.dtype == np.float16 else src  # numba has no float16
    rows = _rows(wide, out, unit)
    kernel.for_dtypes(wide.dtype, out.dtype)(wide, out, *rows, factors)


def hsv_matrix(hue: Any, saturation: Any, value: Any) -> Array:
    """The RGB matrices of hue rotation, saturation and value.

    In YIQ space: the plane of I and Q is turned by `hue` and scaled by `saturation`, then everything by `value`.

    Parameters
    ----------
    hue : array_like, degrees
    saturation, value : array_like
        Factors. All three broadcast against each other.

    Returns
    -------
    (N, 3, 3) float32 array, or (3, 3) for three scalars
    """
    angle, factor, gain = alike(*(np.asarray(argument, np.float32) for argument in (hue, saturation, value)))
    radians = np.deg2rad(angle.astype(np.float64))
    made = np.empty((*angle.shape, 3, 3), np.float32)
    cosine, sine = np.atleast_1d(np.cos(radians)), np.atleast_1d(np.sin(radians))
    _turned()(cosine, sine, np.atleast_1d(factor), np.atleast_1d(gain), _RGB, _YIQ, made.reshape(-1, 3, 3))
    return made


@short_kernel(
    readable(float64, 1), readable(float64, 1), readable(float32, 1), readable(float32, 1), readable(float64, 2),
    readable(float64, 2), writable(float32, 3),
)  # fmt: skip
def _turned(cosines, sines, factors, gains, left, right, made):
    """left @ [[gain, 0, 0], [0, cosine, sine], [0, -sine, cosine]] @ right, with factor and gain in cosine and sine."""
    for i in range(len(made)):
        factor, gain = np.float64(factors[i]), np.float64(gains[i])
        cosine, sine = cosines[i] * factor * gain, sines[i] * factor * gain
        for row in range(3):
            x = left[row, 0] * gain
            y = left[row, 1] * cosine - left[row, 2] * sine
            z = left[row, 1] * sine + left[row, 2] * cosine
            for column in range(3):
                made[i, row, column] = x * right[0, column] + y * right[1, column] + z * right[2, column]


def brightness_contrast(src: Array, out: Array, mult: float, add: float) -> None:
    """out = round(src * mult + add), saturated.

    Parameters
    ----------
    src, out : (H, W, C) arrays of uint8, int16, int32 or float32
        Any pair of types. `out` may be `src`.
    mult, add : float
        From `brightness_contrast_coefficients`, taken as float32.
    """
    _apply(_SCALE, src, out, 1, np.array([mult, add], np.float32))


def _half_range(dtype: Any) -> np.float32:
    kind = np.dtype(dtype)
    return (
        np.float32(0.5) if kind.kind == "f" else np.float32(2.0 ** (8 * kind.itemsize - (1 if kind.kind == "u" else 2)))
    )


def _full_range(dtype: Any) -> np.float32:
    kind = np.dtype(dtype)
    return np.float32(1.0) if kind.kind == "f" else np.float32(np.iinfo(kind).max)


def brightness_contrast_coefficients(
    brightness: Any, brightness_shift: Any, contrast: Any, contrast_center: Any, in_dtype: Any, out_dtype: Any
) -> tuple[Array, Array]:
    """The factors of shift * range + brightness * (center + contrast * (in - center)) as in * mult + add.

    Parameters
    ----------
    brightness, brightness_shift, contrast : array_like
        Broadcast against each other.
    contrast_center : array_like or None
        None is half of the input type's range: 128 for uint8, 16384 for int16, 2^30 for int32, 0.5 for floats.
    in_dtype, out_dtype : dtype
        The shift is in units of the output type's range: 255, 32767, 2^31 - 1 or 1.0.

    Returns
    -------
    (mult, add) : float32 arrays of the broadcast shape
    """
    given = np.full(np.shape(brightness), _half_range(in_dtype)) if contrast_center is None else contrast_center
    inputs = (np.asarray(argument, np.float32) for argument in (brightness, brightness_shift, contrast, given))
    gain, shift, slope, center = alike(*inputs)
    offset = gain * (center - slope * center) + shift * _full_range(out_dtype)
    return np.asarray(gain * slope, np.float32), np.asarray(offset, np.float32)
