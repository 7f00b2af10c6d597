"""Sums of convolutions of an array along its axes, one after the other, and the windows of Gaussian filters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.views import Array

#: Axes that can be filtered.
MAX_AXES = 3
_ONE = np.ones(1, np.float32)


def convolve(
    src: Array, out: Array, first: int, windows: NDArray[np.float32], taps: NDArray[np.int64],
    scales: NDArray[np.float32] = _ONE,
) -> None:  # fmt: skip
    """Convolves up to three neighbouring axes; beyond its ends an axis is mirrored at its first and last element.

    Parameters
    ----------
    src : array
        Of any number of axes.
    out : array
        Of the same shape, C-contiguous, and of the type of `src` or float32. Integers are rounded half away from zero
        and saturated.
    first : int
        The first axis that is filtered.
    windows : (K,) float32 array
        The weights for each of the axes, one axis after the other.
    taps : (A,) or (T, A) int64 array
        How many weights each axis has: odd numbers, or 0 for an axis that is left alone. With rows for terms, `windows`
        has those of one term after the other, and the results are added up.
    scales : (T,) float32 array
        Factor of each term.
    """
    table = np.atleast_2d(taps)
    count = table.shape[1]
    if not 0 < count <= MAX_AXES or ((table % 2 == 0) & (table != 0)).any() or (table < 0).any():
        raise ValueError(f"Windows of {taps.tolist()} weights are given; 1 to {MAX_AXES} of odd length are needed.")
    if src.shape != out.shape or not out.flags.c_contiguous or not 0 <= first <= src.ndim - count:
        raise ValueError(f"Input {src.shape} and output {out.shape} need one shape, and {count} axes from {first} on.")
    outer, inner = math.prod(src.shape[:first]), math.prod(src.shape[first + count :])
    shape = (outer, *(1,) * (MAX_AXES - count), *src.shape[first : first + count], inner)
    needs = np.zeros((len(table), MAX_AXES), np.int64)
    needs[:, MAX_AXES - count :] = table
    call = kernel("separable_same" if src.dtype == out.dtype else "separable_real", src.dtype)
    given = np.ascontiguousarray(src).reshape(shape), out.reshape(shape), windows, needs, scales
    needed = call(*given, scratch())
    if needed:
        call(*given, scratch(needed))


def gaussian_windows(sigmas: NDArray[np.float32], radii: NDArray[np.int64]) -> NDArray[np.float32]:
    """The weights of Gaussians, (K,) deviations and radii, one window of 2 * radius + 1 weights after the other."""
    taps = 2 * radii + 1
    made = np.empty(int(taps.sum()), np.float32)
    kernel("gaussian_windows")(sigmas, radii, np.cumsum(taps) - taps, made)
    return made
