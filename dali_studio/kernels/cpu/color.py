"""Linear colour transforms and the brightness and contrast rule, pixel by pixel.

All arithmetic is float32 without fused multiply-add, in a fixed order, so that rounded results equal nvidia.dali's.
`src` and `out` may be the same array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.pixels import apply
from dali_studio.kernels.cpu.views import Array, alike

#: RGB to YIQ, as nvidia.dali's hue, saturation and value are defined. Hue turns the plane of I and Q.
_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]], np.float32).astype(np.float64)
_RGB = np.linalg.inv(_YIQ)


def linear_color(src: Array, out: Array, matrix: Any) -> None:
    """out = round(M[:, :3] @ (r, g, b) + M[:, 3]) for every pixel of an (H, W, 3) image.

    Parameters
    ----------
    src, out : (H, W, 3) arrays of uint8, int16, int32, float16 or float32
        Integers are rounded half away from zero and saturated. `out` may be `src`.
    matrix : (3, 4) or (3, 3) array_like of float
        Rows are output channels; a fourth column is added.
    """
    weights = np.zeros((3, 4), np.float32)
    weights[:, : np.shape(matrix)[1]] = matrix
    apply("ColorMatrix", src, out, weights.reshape(12), rgb=True)


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
    kernel("turned")(cosine, sine, np.atleast_1d(factor), np.atleast_1d(gain), _RGB, _YIQ, made.reshape(-1, 3, 3))
    return made


def color_fields(hue: Any, saturation: Any, gain: Any, offset: Any = 0.0) -> Array:
    """The matrices of `hsv_matrix`, with `gain` as the value, and `offset` in the column that is added.

    Returns
    -------
    (N, 3, 4) float32 array
        Fields of the functor ``ColorMatrix``.
    """
    matrices = hsv_matrix(hue, saturation, gain)
    made = np.empty((len(matrices), 3, 4), np.float32)
    made[:, :, :3] = matrices
    made[:, :, 3] = np.broadcast_to(offset, len(matrices))[:, None]
    return made


def brightness_contrast(src: Array, out: Array, mult: float, add: float) -> None:
    """out = round(src * mult + add), saturated.

    Parameters
    ----------
    src, out : (H, W, C) arrays of uint8, int16, int32 or float32
        Any pair of types. `out` may be `src`.
    mult, add : float
        From `brightness_contrast_coefficients`, taken as float32.
    """
    apply("Scale", src, out, np.array([mult, add], np.float32))


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
