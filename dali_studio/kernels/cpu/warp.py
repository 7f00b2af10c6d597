"""Affine warps of one image, and the geometry of a rotation.

Coordinates are (x, y) in pixel-corner units: the centre of pixel i is i + 0.5. A matrix maps output to input.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array, alike, packed_rows
from dali_studio.kernels.cpu.weights import Interp


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
    transform = np.ascontiguousarray(matrix, np.float32).reshape(2, 3)
    if interp not in (Interp.NN, Interp.LINEAR):
        raise ValueError(f"A warp interpolates with NN or LINEAR, not {Interp(interp).name}.")
    if not (packed_rows(src) and packed_rows(out)):
        raise ValueError("The pixels of a row must lie one after the other: the last two axes contiguous.")
    if src.shape[2] != out.shape[2] or not src.size:
        raise ValueError(f"The input {src.shape} needs at least one pixel and the channels of the output {out.shape}.")
    name = "warp_linear" if interp == Interp.LINEAR else "warp_nearest"
    kernel(name, src.dtype, out.dtype)(src, out, transform, fill is not None, 0.0 if fill is None else fill)


def rotated_size(angle: Any, height: Any, width: Any, *, parity: bool = True) -> Array:
    """The canvas that holds images turned about their centres.

    The smallest box, rounded up, plus one pixel where its parity differs from that of the axis of the input that it
    mostly shows, so that the centre stays a pixel's centre or corner.

    Parameters
    ----------
    angle : array_like, degrees
    height, width : array_like of int
        Broadcast against the angle.
    parity : bool
        Add that pixel.

    Returns
    -------
    (..., 2) int64 array of (height, width)
    """
    degrees, rows, columns = alike(*(np.asarray(given) for given in (angle, height, width)))
    # a float32 angle decides which axis a turn by 45 degrees shows
    radians = np.deg2rad(degrees.astype(np.float32)).astype(np.float64)
    made = np.empty((*degrees.shape, 2), np.int64)
    given = (np.cos(radians), np.sin(radians), rows.astype(np.int64), columns.astype(np.int64))
    kernel("rotated_boxes")(*(array.reshape(-1) for array in given), parity, made.reshape(-1, 2))
    return made


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
    given = alike(*waves(radians), *sizes)
    made = np.empty((*given[0].shape, 2, 3), np.float32)
    kernel("rotations")(*(array.reshape(-1) for array in given), made.reshape(-1, 6))
    return made


def waves(radians: Array) -> tuple[Array, Array]:
    """Cosines and sines, float32 as float64 rounds them: numpy's own of float32 depend on the processor."""
    exact = np.asarray(radians, np.float64)
    return np.cos(exact).astype(np.float32), np.sin(exact).astype(np.float32)


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
    given = np.ascontiguousarray(matrices, np.float32)
    made = np.empty(given.shape, np.float32)
    kernel("inverses")(given.reshape(-1, 6), made.reshape(-1, 6))
    return made
