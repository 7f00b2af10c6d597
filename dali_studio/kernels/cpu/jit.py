"""How the kernels of this package are compiled: lazily, without the GIL, with a disk cache where one can be written."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types

#: Modules whose functions are compiled into the kernels of other modules.
_SHARED = ("jit.py", "normalize.py", "simd.py", "simd_pixels.py", "weights.py")


@cache
def _shared_stamp() -> tuple[tuple[int, int], ...]:
    files = [(Path(__file__).parent / name).stat() for name in _SHARED]
    return tuple((file.st_mtime_ns, file.st_size) for file in files)


def _compiler(function: Callable[..., Any], *, nogil: bool = True, **options: Any) -> Any:
    """A dispatcher, usually without the GIL, and with a disk cache.

    numba caches beside the module or, when that folder is read-only, in the user's cache folder. Where neither can be
    written it raises; the kernel then simply compiles anew in each process. numba notices changes of the function's own
    file only, so the stamp by which it recognises stale entries gets that of the shared modules added.
    """
    try:
        dispatcher = numba.njit(nogil=nogil, cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(nogil=nogil, **options)(function)
    index = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):  # numba's internals: if they change, only the refinement is lost
        index._source_stamp = (index._source_stamp, _shared_stamp())
    return dispatcher


def kernel(function: Callable[..., Any]) -> Any:
    """`numba.njit` with `nogil` and a disk cache, one specialisation for each combination of argument types."""
    return _compiler(function)


def short_kernel(*arguments: Any) -> Callable[[Callable[..., Any]], Callable[[], Any]]:
    """For kernels of a few microseconds over the rows of a batch, which return nothing and take the numba types given.

    They keep the GIL: to get it back from a busy thread takes longer than they run. What is decorated gives the
    compiled function when it is called: it is compiled, or loaded from the disk cache, the first time.
    """

    def decorate(function: Callable[..., Any]) -> Callable[[], Any]:
        @cache
        def compiled() -> Any:
            dispatcher = _compiler(function, nogil=False)
            dispatcher.compile(types.void(*arguments))
            dispatcher.disable_compile()
            return dispatcher

        return compiled

    return decorate


def _check(function: Callable[..., Any], dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "uif" or dtype == np.float16 or not dtype.isnative:
        raise TypeError(
            f"{function.__name__.strip('_')}: arrays of {dtype} are not accepted. "
            "Convert to an integer type, float32 or float64 first."
        )


class ArrayKernel:
    """A kernel with one specialisation for each tuple of array dtypes, compiled at its first use.

    The arrays are typed as read-only or writable with any strides, so that a contiguous array, a window of a larger one
    and a read-only one share the same machine code. Scalars are given by their numba types.

    Parameters
    ----------
    function : callable
        What numba compiles; returns nothing.
    signature : callable
        From the dtypes' numba types to the tuple of argument types.
    """

    def __init__(self, function: Callable[..., Any], signature: Callable[..., tuple[Any, ...]]) -> None:
        self._function = function
        self._signature = signature
        self.for_dtypes = cache(self._compile)

    def _compile(self, *dtypes: np.dtype[Any]) -> Any:
        for dtype in dtypes:
            _check(self._function, dtype)
        dispatcher = _compiler(self._function)
        dispatcher.compile(types.void(*self._signature(*(numba.from_dtype(dtype) for dtype in dtypes))))
        dispatcher.disable_compile()
        return dispatcher


def readable(dtype: Any, ndim: int) -> Any:
    """The numba type of an input array: any strides, never written."""
    return types.Array(dtype, ndim, "A", readonly=True)


def writable(dtype: Any, ndim: int) -> Any:
    """The numba type of an output array: any strides."""
    return types.Array(dtype, ndim, "A")
