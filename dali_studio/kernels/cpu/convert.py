"""Casts between all element types with nvidia.dali's rule.

To an integer: round half away from zero, saturate, NaN becomes 0. To bool: what does not round to 0 is True. Integers
saturate too. To float16: round half away from zero, too large becomes infinite. Everything else is the usual cast.
"""

from __future__ import annotations

import numpy as np

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array


def convert(src: Array, out: Array) -> None:
    """Casts `src` into `out` of the same shape.

    Parameters
    ----------
    src : array of bool, (u)int8 to (u)int64, float16, float32 or float64
        Any strides; may be read-only.
    out : C-contiguous array of one of these types

    Notes
    -----
    Where nvidia.dali turns NaN into the lowest integer (int32, int64) or into 2^63 (uint64), an artefact of the
    processor's conversion, this gives 0 as for the narrower types.
    """
    if src.shape != out.shape:
        raise ValueError(
            f"The input has the shape {src.shape}, the output {out.shape}. Give an output of the same shape."
        )
    if not out.flags.c_contiguous:
        raise ValueError("The output must lie in C order without gaps. Convert into a new array and copy that.")
    if src.dtype == out.dtype:
        out[...] = src
        return
    kernel("convert", src.dtype, out.dtype)(np.ascontiguousarray(src).reshape(-1), out.reshape(-1))
