"""Correlation of an array with a filter of up to three axes."""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.views import Array

#: Axes that can be filtered.
MAX_AXES = 3


class Border(IntEnum):
    """What lies beyond the ends of an axis, numbered as in `include/border.hpp`."""

    CONSTANT = 0
    CLAMP = 1
    REFLECT_1001 = 2
    REFLECT_101 = 3
    WRAP = 4


def correlate(
    src: Array, out: Array, first: int, weights: NDArray[np.float32], anchor: NDArray[np.int64], border: Border,
    fill: Array,
) -> None:  # fmt: skip
    """Each element of the result is the sum of products of the weights and of what lies beneath them.

    Parameters
    ----------
    src : array of int8 to uint16, float16 or float32
        Of any number of axes.
    out : array
        C-contiguous, of the type of `src` or float32; axes that are not filtered are as long as those of `src`. Sums
        are float32, products are not rounded; integers are rounded half to even and saturated.
    first : int
        The first axis that is filtered.
    weights : float32 array
        With as many axes as are filtered. What lies beneath weights of 0 is not looked at.
    anchor : (A,) int64 array
        Position in the filter that lies on the element that is computed.
    border : Border
    fill : array of one element, of the type of `src`
        For `Border.CONSTANT`.
    """
    count = weights.ndim
    if not 0 < count <= MAX_AXES or not 0 <= first <= src.ndim - count or not out.flags.c_contiguous:
        raise ValueError(f"A filter of {count} axes does not fit data of {src.ndim} from axis {first} on.")

    def shape(array: Array) -> tuple[int, ...]:
        outer, inner = math.prod(array.shape[:first]), math.prod(array.shape[first + count :])
        return (outer, *(1,) * (MAX_AXES - count), *array.shape[first : first + count], inner)

    window = np.ascontiguousarray(weights).reshape((1,) * (MAX_AXES - count) + weights.shape)
    place = np.zeros(MAX_AXES, np.int64)
    place[MAX_AXES - count :] = anchor
    call = kernel("correlate_same" if src.dtype == out.dtype else "correlate_real", src.dtype)
    given = np.ascontiguousarray(src).reshape(shape(src)), out.reshape(shape(out)), window, place, int(border), fill
    needed = call(*given, scratch())
    if needed:
        call(*given, scratch(needed))
