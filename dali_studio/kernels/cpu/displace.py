"""Images whose pixels come from other places of the image; outside lies a colour."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.random_stream import stream_words
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array

#: Pixels whose points are computed at once: tables are longer than rows by as many.
_BLOCK = 64


def wave(function: Any, amplitude: float, frequency: float, phase: float, count: int) -> NDArray[np.float32]:
    """What `function`, a sine or cosine, adds to positions for the rows or columns 0, 1, ...: float32, as nvidia.dali.

    Parameters
    ----------
    function : callable
        ``numpy.sin`` or ``numpy.cos``.
    amplitude, frequency, phase : float
    count : int
        How many rows or columns the largest image has.
    """
    angles = np.float32(frequency) * np.arange(count + _BLOCK, dtype=np.float32) + np.float32(phase)
    # the nearest float to the exact sine, which that of the C library is, but for one in millions
    return np.float32(amplitude) * function(angles.astype(np.float64)).astype(np.float32)


def _each(fill: Array, src: Array) -> Array:
    """A value for each channel."""
    return np.repeat(fill, max(src.shape[2], 1))


def water(
    src: Array, out: Array, across: NDArray[np.float32], down: NDArray[np.float32], fill: Array, *, linear: bool
) -> None:
    """Fills `out` with pixels that lie `across` to the right, for each row, and `down` below, for each column.

    Parameters
    ----------
    src, out : (H, W, C) arrays of uint8 or float32
        Without gaps.
    across, down : float32 arrays
        From `wave`.
    fill : array of one element of the images' type
        Colour outside.
    linear : bool
        Whether to interpolate between pixels.
    """
    kernel("water", src.dtype)(np.ascontiguousarray(src), out, linear, _each(fill, src), across, down)


def sphere(src: Array, out: Array, fill: Array, *, linear: bool) -> None:
    """Fills `out` with the image as it is seen through a glass ball; arguments are those of `water`."""
    kernel("sphere", src.dtype)(np.ascontiguousarray(src), out, linear, _each(fill, src))


def jitter(src: Array, out: Array, key: int, high: int, degree: int, origin: int = 0) -> None:
    """Fills `out` with pixels of the neighbourhood, `degree` wide, drawn at random.

    Parameters
    ----------
    src, out : (H, W, C) arrays of uint8 or float32
        Without gaps.
    key : int
        The operator's seed.
    high : int
        Of the counters of this sample (`core.random_stream`).
    degree : int
        At least 1.
    origin : int
        Draws before the first one of every sample (`core.random_stream`).
    """
    kernel("jitter", src.dtype)(np.ascontiguousarray(src), out, stream_words(key, origin), high, degree)
