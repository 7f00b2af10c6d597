"""Functions that Numba compiles for a GPU: their machine code, and its launch for each sample of a batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.optional import require
from dali_studio.kernels.cuda.batch import elements, place
from dali_studio.kernels.cuda.device import cupy

#: Element type and number of axes of an array that the function takes.
Declared = tuple[np.dtype[Any], int]
_ENTRY = re.compile(r"\.entry\s+(\w+)")


def launcher(
    function: Callable[..., None], declared: Sequence[Declared], blocks: Sequence[int], threads: Sequence[int]
) -> Callable[[Sequence[Sequence[Any]]], None]:
    """What runs a function of ``numba.cuda`` on a GPU, on CuPy's current device and stream.

    Parameters
    ----------
    function : callable
    declared : sequence of (dtype, int)
        The arrays that it takes.
    blocks, threads : sequence of int
        The grid and its blocks, as launches have them: the same ones for each sample.

    Returns
    -------
    callable
        Takes a list of CuPy arrays, one a sample, for each of `declared`.
    """

    @cache
    def kernel(device_id: int) -> Any:
        return _compiled(function, declared, device_id)

    grid, block = tuple(map(int, blocks)), tuple(map(int, threads))

    def launch(columns: Sequence[Sequence[Any]]) -> None:
        called = kernel(int(cupy().cuda.Device().id))
        given = np.concatenate([_arguments(arrays) for arrays in columns], axis=1)
        for row in given:
            called(grid, block, tuple(row))

    return launch


def _compiled(function: Callable[..., None], declared: Sequence[Declared], device_id: int) -> Any:
    """The kernel of a GPU. Its code is launched by CuPy, which spares Numba's own handling of each argument."""
    numba: Any = require("numba", purpose="numba_function", install="numba")
    cuda: Any = require("numba.cuda", purpose="numba_function on a GPU", install="numba-cuda")
    properties = cupy().cuda.runtime.getDeviceProperties(device_id)
    arrays = [numba.types.Array(numba.from_dtype(dtype), ndim, "C") for dtype, ndim in declared]
    capability = int(properties["major"]), int(properties["minor"])
    code, _ = cuda.compile_ptx(function, numba.types.void(*arrays), cc=capability)
    (name,) = _ENTRY.findall(code)
    module = cupy().cuda.function.Module()
    module.load(code.encode())
    return module.get_function(name)


def _arguments(arrays: Sequence[Any]) -> NDArray[np.int64]:
    """What a kernel of Numba takes of each array, a row for each.

    Two pointers for Numba's own use, the number of elements, their size, the address, extents and strides.
    """
    count, size = len(arrays), arrays[0].dtype.itemsize
    shapes = np.array([array.shape for array in arrays], np.int64).reshape(count, -1)
    strides = np.full_like(shapes, size)
    strides[:, :-1] *= np.cumprod(shapes[:, :0:-1], axis=1)[:, ::-1]
    heads = np.zeros((count, 5), np.int64)
    heads[:, 2], heads[:, 3] = elements(shapes), size
    heads[:, 4] = [array.data.ptr for array in arrays]
    return np.concatenate([heads, shapes, strides], axis=1)


def uninitialised(shapes: NDArray[np.int64], dtype: np.dtype[Any]) -> list[Any]:
    """CuPy arrays of these shapes in one piece of memory."""
    offsets, size = place(shapes, dtype)
    memory = cupy().cuda.alloc(max(size, 1))
    places = zip(shapes.tolist(), offsets.tolist(), strict=True)
    return [cupy().ndarray(tuple(shape), dtype, memory + offset) for shape, offset in places]
