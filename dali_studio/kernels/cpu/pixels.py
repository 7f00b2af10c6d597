"""Functors of `kernels/include` over the pixels of an image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array, packed_rows


def apply(functor: str, src: Array, out: Array, fields: NDArray[np.float32], *, rgb: bool = False) -> None:
    """Compute every element of `out`, or every pixel, from the same one of `src`.

    Parameters
    ----------
    functor : str
        Name of a C++ struct that some operator declares (`schema.declare.Functor`).
    src, out : (H, W, C) arrays
        Of types that operators declare for it; the last two axes are contiguous. Integers are rounded half away from
        zero and saturated. `out` may be `src`.
    fields : (K,) float32 array
        The fields of the struct, in order.
    rgb : bool
        Whether the functor takes pixels of three channels.

    Raises
    ------
    ValueError
        For other shapes or strides.
    """
    if src.shape != out.shape:
        raise ValueError(
            f"The input has the shape {src.shape}, the output {out.shape}. Give an output of the same shape."
        )
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
    kernel(functor, src.dtype, out.dtype)(src, out, *rows, fields)
