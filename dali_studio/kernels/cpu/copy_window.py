"""Windows of arrays with any number of axes, filled where they leave the array: crop, slice, pad and paste."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array


def copy_window(
    src: Array, out: Array, first: Any, fill: Array, along: int = -1, border: Border = Border.CONSTANT
) -> None:
    """Copy the window of `src` that begins at `first` into `out`; outside lies the fill.

    Where `out` is of another element type, numbers are saturated, and not rounded as `convert` does but cut.

    Parameters
    ----------
    src : ndarray
        Any strides; may be read-only.
    out : ndarray
        C-contiguous, of the same number of axes.
    first : sequence of int
        One for each axis; may lie outside.
    fill : ndarray
        (1,) of the type of `out`, or one value for each index of the axis `along` of `out`.
    along : int
        -1 where there is one value.
    border : Border
        What lies outside: the fill, or the array goes on, which has elements then.
    """
    if not src.ndim:
        src, out, first = src.reshape(1), out.reshape(1), (0,)
    geometry = np.array((src.shape, src.strides, first, out.shape), np.int64)
    sources, outs = (np.array([array.__array_interface__["data"][0]], np.int64) for array in (src, out))
    _run(src.dtype, out.dtype)(sources, outs, geometry[None], fill[None].view(np.uint8), along, border)


def copy_windows(
    src: Batch, out: Batch, firsts: NDArray[np.int64], fills: Array, along: int = -1, border: Border = Border.CONSTANT
) -> None:
    """The same for all samples of a batch; the parameters are those of `copying_windows`."""
    copying_windows(src, out, firsts, fills, along, border)(0, len(firsts))


def copying_windows(
    src: Batch, out: Batch, firsts: NDArray[np.int64], fills: Array, along: int = -1, border: Border = Border.CONSTANT
) -> Callable[[int, int], None]:
    """What copies the windows of the samples from one to before another.

    Parameters
    ----------
    src, out : Batch
        In host memory.
    firsts : ndarray
        (N, ndim).
    fills : ndarray
        (1, K) for all samples, or (N, K), as `fill` above.
    """
    count, ndim = firsts.shape
    if not ndim:
        firsts = np.zeros((count, 1), np.int64)
    shapes, size = src.shapes if ndim else np.ones((count, 1), np.int64), src.dtype.itemsize
    made = out.shapes if ndim else shapes
    strides = np.full(shapes.shape, size)
    strides[:, :-1] *= np.cumprod(shapes[:, :0:-1], axis=1)[:, ::-1]
    geometry = np.stack([shapes, strides, firsts, made], axis=1)
    values = np.ascontiguousarray(fills).view(np.uint8)
    sources, targets, run = src.addresses, out.addresses, _run(src.dtype, out.dtype)

    def compute(begin: int, end: int) -> None:
        own = values[begin:end] if len(values) > 1 else values
        run(sources[begin:end], targets[begin:end], geometry[begin:end], own, along, border)

    return compute


def _run(dtype: np.dtype[Any], out: np.dtype[Any]) -> Callable[..., int]:
    """The kernel from one element type to another."""
    return partial(kernel("copy_windows"), out.itemsize) if dtype == out else kernel("cut_windows", dtype, out)
