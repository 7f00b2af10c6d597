"""The smallest, largest and middle elements of a box around each pixel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.views import Array


def extremes(
    src: Array, out: Array, first: int, window: NDArray[np.int64], anchor: NDArray[np.int64], border: Border, *,
    largest: bool,
) -> None:  # fmt: skip
    """Fills `out` with the smallest, or largest, elements.

    Parameters
    ----------
    src, out : arrays of one shape and type: uint8, uint16 or float32
        `out` is C-contiguous.
    first : int
        The axis of rows; that of columns follows it.
    window, anchor : (2,) int64 arrays
        Rows and columns of the box, and which of them lie on the element that is computed.
    border : Border
        With `Border.CONSTANT`, what lies beyond the ends does not count.
    """
    limits = np.iinfo(src.dtype) if src.dtype.kind in "iu" else None
    low, high = (-np.inf, np.inf) if limits is None else (limits.min, limits.max)
    nothing = np.array([low if largest else high], src.dtype)
    _call(kernel("box_extremes", src.dtype), src, out, first, window, anchor, int(border), nothing, largest)


def medians(src: Array, out: Array, first: int, window: NDArray[np.int64]) -> None:
    """Fills `out` with the middle elements of boxes, whose numbers of rows and columns are odd; edges are repeated.

    Arguments are those of `extremes`; arrays may be of int32, too.
    """
    _call(kernel("box_medians", src.dtype), src, out, first, window, window // 2)


def _call(call: Callable[..., int], src: Array, out: Array, first: int, *given: Any) -> None:
    if src.shape != out.shape or not out.flags.c_contiguous or not 0 <= first <= src.ndim - 2:
        raise ValueError(f"Input {src.shape} and output {out.shape} need one shape, rows at axis {first}.")
    shape = (math.prod(src.shape[:first]), *src.shape[first : first + 2], math.prod(src.shape[first + 2 :]))
    arrays = np.ascontiguousarray(src).reshape(shape), out.reshape(shape)
    needed = call(*arrays, *given, scratch())
    if needed:
        call(*arrays, *given, scratch(needed))
