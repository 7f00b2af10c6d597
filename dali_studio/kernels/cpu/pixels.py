"""Functors of `kernels/include` over the pixels of an image."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array, packed_rows

#: More than any functor has.
_MAX_FIELDS = 256


def apply(functor: str, src: Array, out: Array, fields: NDArray[np.float32], *, rgb: bool = False) -> None:
    """Compute every element of `out`, or every pixel, from the same one of `src`.

    Parameters
    ----------
    functor : str
        Name of a C++ struct that some operator declares (`schema.declare.Functor`).
    src, out : (H, W, C) or (D, H, W, C) arrays
        Of types that operators declare for it; the last two axes are contiguous. Integers are rounded half away from
        zero and saturated. `out` may be `src`.
    fields : (K,) float32 array
        The fields of the struct, in order.
    rgb : bool
        Whether the functor takes pixels of three channels.

    Raises
    ------
    ValueError
        For other shapes or strides, or another number of fields.
    """
    if src.shape != out.shape:
        raise ValueError(
            f"The input has the shape {src.shape}, the output {out.shape}. Give an output of the same shape."
        )
    if src.ndim == 4:
        for plane, made in zip(src, out, strict=True):
            apply(functor, plane, made, fields, rgb=rgb)
        return
    if rgb and src.shape[2] != 3:
        raise ValueError(f"A colour transform needs 3 channels, the image has {src.shape[2]}.")
    for array in (src, out):
        if not packed_rows(array):
            raise ValueError("The pixels of a row must lie one after the other (layout HWC, last two axes contiguous).")
    height = src.shape[0]
    units = src.shape[1] * src.shape[2] // (3 if rgb else 1)
    if src.flags.c_contiguous and out.flags.c_contiguous:  # one long row
        rows = 1, height * units, 0, 0
    else:
        rows = height, units, src.strides[0] // src.itemsize, out.strides[0] // out.itemsize
    compute = kernel(functor, src.dtype, out.dtype)
    try:
        compute(src, out, *rows, fields)
    except ValueError as error:
        wanted = _fields_of(compute, src[:0], out[:0])
        raise ValueError(f"{functor} has {wanted} fields, which are floats; {fields.size} are given.") from error


def _fields_of(compute: Callable[..., int], src: Array, out: Array) -> int:
    """How many fields a functor has: compiled code says only of a number whether it is right."""
    for count in range(_MAX_FIELDS):
        try:
            compute(src, out, 0, 0, 0, 0, np.zeros(count, np.float32))
        except ValueError:
            continue
        return count
    return _MAX_FIELDS
