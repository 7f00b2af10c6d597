"""Affine warps of one image, and the geometry of a rotation.

Coordinates are (x, y) in pixel-corner units: the centre of pixel i is i + 0.5. A matrix maps output to input.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import float32, float64, int64, types

from dali_studio.kernels.cpu.jit import ArrayKernel, readable, short_kernel, writable
from dali_studio.kernels.cpu.simd import (
    add,
    address,
    broadcast1,
    broadcast4,
    item,
    load1,
    load4,
    multiply,
    store1_away,
    store16_away,
    subtract,
)
from dali_studio.kernels.cpu.simd_pixels import (
    join3,
    join4,
    pack4,
    store12_away,
)
from dali_studio.kernels.cpu.views import Array, alike, packed_rows
from dali_studio.kernels.cpu.weights import Interp


@numba.njit(forceinline=True)
def _lerp4(src, at, row, step, qx, qy):
    """Two by two pixels of 4 lanes; qx, qy are the weights of the right and the lower ones."""
    right, left = broadcast4(qx), broadcast4(np.float32(1.0) - qx)
    above = add(multiply(load4(src, at), left), multiply(load4(src, at + step), right))
    below = add(multiply(load4(src, at + row), left), multiply(load4(src, at + row + step), right))
    return add(above, multiply(subtract(below, above), broadcast4(qy)))


@numba.njit(forceinline=True)
def _tap(src, row, height, width, channels, y, x, channel, filled, fill):
    """One element as a one-lane vector; outside the image the fill, or else the nearest pixel."""
    if filled and (x < 0 or y < 0 or x >= width or y >= height):
        return broadcast1(fill)
    x, y = min(max(x, 0), width - 1), min(max(y, 0), height - 1)
    return load1(src, y * row + x * channels + channel)


@numba.njit(forceinline=True)
def _lerp1(src, row, height, width, channels, y, x, channel, qx, qy, filled, fill):
    right, left = broadcast1(qx), broadcast1(np.float32(1.0) - qx)
    above = add(
        multiply(_tap(src, row, height, width, channels, y, x, channel, filled, fill), left),
        multiply(_tap(src, row, height, width, channels, y, x + 1, channel, filled, fill), right),
    )
    below = add(
        multiply(_tap(src, row, height, width, channels, y + 1, x, channel, filled, fill), left),
        multiply(_tap(src, row, height, width, channels, y + 1, x + 1, channel, filled, fill), right),
    )
    return add(above, multiply(subtract(below, above), broadcast1(qy)))


@numba.njit(forceinline=True)
def _bilinear(src, row, height, width, channels, sx, sy, filled, fill):
    """One pixel of 3 or 4 channels at (sx, sy)."""
    sx, sy = sx - np.float32(0.5), sy - np.float32(0.5)
    fx, fy = np.floor(sx), np.floor(sy)
    x, y = int(fx), int(fy)
    qx, qy = sx - fx, sy - fy
    # four lanes are read: of three channels the last one belongs to the next pixel, which must exist
    if x >= 0 and y >= 0 and y + 1 < height and x + 5 - channels < width:
        return _lerp4(src, y * row + x * channels, row, channels, qx, qy)
    if filled and (x < -1 or y < -1 or x >= width or y >= height):
        return broadcast4(fill)
    return _bilinear_at_edge(src, row, height, width, channels, y, x, qx, qy, filled, fill)


@numba.njit(forceinline=True)
def _pixel4(src, row, height, width, channels, y, x, filled, fill):
    """One pixel of 3 or 4 channels as four lanes; outside the image the fill, or else the nearest pixel."""
    if filled and (x < 0 or y < 0 or x >= width or y >= height):
        return broadcast4(fill)
    x, y = min(max(x, 0), width - 1), min(max(y, 0), height - 1)
    at = y * row + x * channels
    if channels == 3 and y == height - 1 and x == width - 1:  # four lanes would end behind the image
        return pack4(load1(src, at), load1(src, at + 1), load1(src, at + 2), load1(src, at + 2))
    return load4(src, at)


@numba.njit
def _bilinear_at_edge(src, row, height, width, channels, y, x, qx, qy, filled, fill):
    """One pixel of 3 or 4 channels, some taps of which lie outside."""
    right, left = broadcast4(qx), broadcast4(np.float32(1.0) - qx)
    above = add(
        multiply(_pixel4(src, row, height, width, channels, y, x, filled, fill), left),
        multiply(_pixel4(src, row, height, width, channels, y, x + 1, filled, fill), right),
    )
    below = add(
        multiply(_pixel4(src, row, height, width, channels, y + 1, x, filled, fill), left),
        multiply(_pixel4(src, row, height, width, channels, y + 1, x + 1, filled, fill), right),
    )
    return add(above, multiply(subtract(below, above), broadcast4(qy)))


_BLOCK = 256  # nvidia.dali steps along a row by repeated addition and starts afresh every 256 pixels


@numba.njit(forceinline=True)
def _block_start(matrix, i, j):
    """The input point of the centre of output pixel (column i, row j)."""
    fx, fy = np.float32(i) + np.float32(0.5), np.float32(j) + np.float32(0.5)
    x = item(matrix, 0) * fx + (item(matrix, 1) * fy + item(matrix, 2))
    return x, item(matrix, 3) * fx + (item(matrix, 4) * fy + item(matrix, 5))


@numba.njit(forceinline=True)
def _four_pixels(src, row, height, width, channels, out, to, sx, sy, dx, dy, filled, fill):
    """Four output pixels of 3 or 4 channels; returns the input point of the one after them."""
    p = _bilinear(src, row, height, width, channels, sx, sy, filled, fill)
    sx, sy = sx + dx, sy + dy
    q = _bilinear(src, row, height, width, channels, sx, sy, filled, fill)
    sx, sy = sx + dx, sy + dy
    r = _bilinear(src, row, height, width, channels, sx, sy, filled, fill)
    sx, sy = sx + dx, sy + dy
    s = _bilinear(src, row, height, width, channels, sx, sy, filled, fill)
    if channels == 3:
        store12_away(out, to, join3(p, q, r, s))
    else:
        store16_away(out, to, join4(p, q, r, s))
    return sx + dx, sy + dy


def _warp_linear(src_array, out_array, matrix_array, filled, fill):
    height, width, channels = src_array.shape
    row, out_row = src_array.strides[0] // src_array.itemsize, out_array.strides[0] // out_array.itemsize
    src, out, matrix = address(src_array), address(out_array), address(matrix_array)
    dx, dy = item(matrix, 0), item(matrix, 3)
    columns = out_array.shape[1]
    for j in range(out_array.shape[0]):
        for begin in range(0, columns, _BLOCK):
            sx, sy = _block_start(matrix, begin, j)
            end = min(begin + _BLOCK, columns)
            to = j * out_row
            i = begin
            if channels == 3:
                while i + 4 <= end:
                    at = to + 3 * i
                    sx, sy = _four_pixels(src, row, height, width, 3, out, at, sx, sy, dx, dy, filled, fill)
                    i += 4
            elif channels == 4:
                while i + 4 <= end:
                    at = to + 4 * i
                    sx, sy = _four_pixels(src, row, height, width, 4, out, at, sx, sy, dx, dy, filled, fill)
                    i += 4
            while i < end:
                cx, cy = sx - np.float32(0.5), sy - np.float32(0.5)
                fx, fy = np.floor(cx), np.floor(cy)
                for channel in range(channels):
                    value = _lerp1(
                        src, row, height, width, channels, int(fy), int(fx), channel, cx - fx, cy - fy, filled, fill
                    )
                    store1_away(out, to + i * channels + channel, value)
                sx, sy = sx + dx, sy + dy
                i += 1


def _warp_nearest(src_array, out_array, matrix_array, filled, fill):
    height, width, channels = src_array.shape
    row, out_row = src_array.strides[0] // src_array.itemsize, out_array.strides[0] // out_array.itemsize
    src, out, matrix = address(src_array), address(out_array), address(matrix_array)
    dx, dy = item(matrix, 0), item(matrix, 3)
    columns = out_array.shape[1]
    for j in range(out_array.shape[0]):
        for begin in range(0, columns, _BLOCK):
            sx, sy = _block_start(matrix, begin, j)
            for i in range(begin, min(begin + _BLOCK, columns)):
                x, y = int(np.floor(sx)), int(np.floor(sy))
                for channel in range(channels):
                    value = _tap(src, row, height, width, channels, y, x, channel, filled, fill)
                    store1_away(out, j * out_row + i * channels + channel, value)
                sx, sy = sx + dx, sy + dy


def _signature(i: Any, o: Any) -> tuple[Any, ...]:
    return readable(i, 3), writable(o, 3), float32[:, ::1], types.boolean, types.float32


_LINEAR = ArrayKernel(_warp_linear, _signature)
_NEAREST = ArrayKernel(_warp_nearest, _signature)


def warp_affine(src: Array, out: Array, matrix: Any, interp: int = Interp.LINEAR, fill: float | None = None) -> None:
    """Fills `out` with the pixels of `src` that the matrix points at.

    Parameters
    ----------
    src, out : (H, W, C) and (h, w, C) arrays of uint8, int16, int32 or float32
        The last two axes are contiguous. Integers are rounded half away from zero and saturated.
    matrix : (2, 3) array_like
        Maps the output point (x, y, 1) to the input point, pixel-corner coordinates.
    interp : int
        `Interp.LINEAR` or `Interp.NN`.
    fill : float, optional
        Colour outside the image; each of the four taps of a linear interpolation is replaced by itself.
        None repeats the edge.
    """
    transform = np.array(matrix, np.float32, order="C").reshape(2, 3)  # a copy: it may be read-only
    if interp not in (Interp.NN, Interp.LINEAR):
        raise ValueError(f"A warp interpolates with NN or LINEAR, not {Interp(interp).name}.")
    if not (packed_rows(src) and packed_rows(out)):
        raise ValueError("The pixels of a row must lie one after the other: the last two axes contiguous.")
    if src.shape[2] != out.shape[2] or not src.size:
        raise ValueError(f"The input {src.shape} needs at least one pixel and the channels of the output {out.shape}.")
    kernel = _LINEAR if interp == Interp.LINEAR else _NEAREST
    value = np.float32(0.0 if fill is None else fill)
    kernel.for_dtypes(src.dtype, out.dtype)(src, out, transform, fill is not None, value)


def rotated_size(angle: Any, height: Any, width: Any) -> Array:
    """The canvas that holds images turned about their centres.

    The smallest box, rounded up, plus one pixel where its parity differs from that of the axis of the input that it
    mostly shows, so that the centre stays a pixel's centre or corner.

    Parameters
    ----------
    angle : array_like, degrees
    height, width : array_like of int
        Broadcast against the angle.

    Returns
    -------
    (..., 2) int64 array of (height, width)
    """
    degrees, rows, columns = alike(*(np.asarray(given) for given in (angle, height, width)))
    # a float32 angle decides which axis a turn by 45 degrees shows
    radians = np.deg2rad(degrees.astype(np.float32)).astype(np.float64)
    made = np.empty((*degrees.shape, 2), np.int64)
    given = (np.cos(radians), np.sin(radians), rows.astype(np.int64), columns.astype(np.int64))
    _boxes()(*(np.atleast_1d(array) for array in given), made.reshape(-1, 2))
    return made


@short_kernel(readable(float64, 1), readable(float64, 1), readable(int64, 1), readable(int64, 1), writable(int64, 2))
def _boxes(cosines, sines, rows, columns, made):
    for i in range(len(made)):
        cosine, sine, height, width = abs(cosines[i]), abs(sines[i]), rows[i], columns[i]
        # the margin keeps the rounding errors of a right angle from adding a pixel
        box_h = int64(np.ceil(height * cosine + width * sine - 1e-2))
        box_w = int64(np.ceil(width * cosine + height * sine - 1e-2))
        parity_h, parity_w = (width, height) if sine > cosine else (height, width)
        made[i, 0], made[i, 1] = box_h + (box_h - parity_h) % 2, box_w + (box_w - parity_w) % 2


def rotate_matrix(angle: Any, in_h: Any, in_w: Any, out_h: Any, out_w: Any) -> Array:
    """The output-to-input matrices of counter-clockwise rotations about the centres.

    Parameters
    ----------
    angle : array_like, degrees
        Positive is counter-clockwise as seen, with y pointing down.
    in_h, in_w, out_h, out_w : array_like
        Sizes in pixels; everything broadcasts.

    Returns
    -------
    (..., 2, 3) float32 array
    """
    # single precision and this order of additions are nvidia.dali's: turns by 90 degrees often sample exactly between
    # pixels, where the last bit decides how the mean is rounded
    radians = np.asarray(angle, np.float32) * np.float32(np.pi / 180)
    sizes = (np.asarray(size, np.float32) for size in (in_h, in_w, out_h, out_w))
    given = alike(np.cos(radians), np.sin(radians), *sizes)
    made = np.empty((*given[0].shape, 2, 3), np.float32)
    _rotations()(*(np.atleast_1d(array) for array in given), made.reshape(-1, 2, 3))
    return made


@short_kernel(*(readable(float32, 1) for _ in range(6)), writable(float32, 3))
def _rotations(cosines, sines, in_h, in_w, out_h, out_w, made):
    half = np.float32(0.5)
    for i in range(len(made)):
        cosine, sine = cosines[i], sines[i]
        out_x, out_y = out_w[i] * half, out_h[i] * half
        made[i, 0, 0], made[i, 0, 1], made[i, 1, 0], made[i, 1, 1] = cosine, -sine, sine, cosine
        made[i, 0, 2] = (-cosine * out_x + sine * out_y) + in_w[i] * half
        made[i, 1, 2] = (-sine * out_x - cosine * out_y) + in_h[i] * half


def inverse_affine(matrices: Any) -> Array:
    """The matrices of the opposite maps.

    Parameters
    ----------
    matrices : (..., 2, 3) array_like

    Returns
    -------
    (..., 2, 3) float32 array
        Not finite where a matrix has no inverse. Single precision and this order of operations are nvidia.dali's; the
        CUDA kernel inverts in the same order.
    """
    given = np.asarray(matrices, np.float32)
    a, b, c, d, e, f = (given[..., i, j] for i in (0, 1) for j in (0, 1, 2))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        determinant = a * e - b * d
        p, q, r, s = e / determinant, -b / determinant, -d / determinant, a / determinant
        return np.stack([p, q, -(p * c + q * f), r, s, -(r * c + s * f)], axis=-1).reshape(given.shape)
