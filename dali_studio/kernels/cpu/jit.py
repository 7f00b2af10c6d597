"""How the kernels of this package are compiled: lazily, without the GIL, with a disk cache where one can be written."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """`numba.njit` with `nogil` and a disk cache.

    numba caches beside the module or, when that folder is read-only, in the user's cache folder. Where neither can be
    written it raises at decoration; the kernel then simply compiles anew in each process.
    """
    if function is None:
        return lambda wrapped: kernel(wrapped, **options)
    try:
        return numba.njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(nogil=True, **options)(function)


class ArrayKernel:
    """A kernel with one specialisation for each tuple of array dtypes, compiled at its first use.

    The arrays are typed as read-only or writable with any strides, so that a contiguous array, a window of a larger one
    and a read-only one share the same machine code. Scalars are given by their numba types.

    Parameters
    ----------
    function : callable
        What numba compiles.
    signature : callable
        From the dtypes' numba types to the tuple of argument types.
    """

    def __init__(self, function: Callable[..., Any], signature: Callable[..., tuple[Any, ...]], **options: Any) -> None:
        self._function = function
        self._signature = signature
        self._options = options
        self.for_dtypes = cache(self._compile)

    def _compile(self, *dtypes: np.dtype[Any]) -> Any:
        arguments = self._signature(*(numba.from_dtype(dtype) for dtype in dtypes))
        options = {"nogil": True, **self._options}
        try:
            return numba.njit([types.void(*arguments)], cache=True, **options)(self._function)
        except RuntimeError:  # no folder for the cache, see `kernel`
            return numba.njit([types.void(*arguments)], **options)(self._function)


def readable(dtype: Any, ndim: int) -> Any:
    """The numba type of an input array: any strides, never written."""
    return types.Array(dtype, ndim, "A", readonly=True)


def writable(dtype: Any, ndim: int) -> Any:
    """The numba type of an output array: any strides."""
    return types.Array(dtype, ndim, "A")
