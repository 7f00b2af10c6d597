"""Noise on arrays, whose random numbers are drawn on the way."""

from __future__ import annotations

import numpy as np

from dali_studio.core.random_stream import stream_words
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array


def gaussian(src: Array, out: Array, key: int, high: int, mean: float, stddev: float, origin: int = 0) -> None:
    """Adds normally distributed numbers, those of `core.random.normal`.

    Parameters
    ----------
    src, out : arrays of one shape and type
        `out` is C-contiguous. Integers are rounded half away from zero and saturated.
    key : int
        The operator's seed.
    high : int
        Of the counters of this sample (`core.random_stream`).
    origin : int
        Draws before the first one of every sample (`core.random_stream`).
    """
    _check(src, out)
    kernel("gaussian_noise", src.dtype)(src.reshape(-1), out.reshape(-1), stream_words(key, origin), high, mean, stddev)


def salt_and_pepper(
    src: Array, out: Array, key: int, high: int, chance: float, salt: float, values: Array, channels: int, *,
    planar: bool, origin: int = 0,
) -> None:  # fmt: skip
    """Replaces pixels by one of two values.

    Parameters
    ----------
    src, out, key, high, origin
        As for `gaussian`.
    chance : float
        Of a pixel to be replaced.
    salt : float
        Of a pixel to be replaced by the first value; of those between the two chances by the second.
    values : (2,) array of the type of `out`
    channels : int
        Elements of a pixel, which become the same.
    planar : bool
        The channels are the first axis, not the last.
    """
    _check(src, out)
    words = np.dtype(f"u{out.itemsize}")
    kernel("salt_and_pepper", words)(
        src.reshape(-1).view(words), out.reshape(-1).view(words), stream_words(key, origin), high, chance, salt,
        values.view(words), channels, planar,
    )  # fmt: skip


def shot(src: Array, out: Array, key: int, high: int, factor: float, origin: int = 0) -> None:
    """Replaces each element by `factor` times a number of events, whose mean is the element divided by `factor`.

    The numbers are those of libstdc++'s ``std::poisson_distribution``; there are no events where the mean is not above
    0, and 2**32 - 1 at most.
    """
    _check(src, out)
    kernel("shot_noise", src.dtype)(src.reshape(-1), out.reshape(-1), stream_words(key, origin), high, factor)


def _check(src: Array, out: Array) -> None:
    if src.shape != out.shape or not out.flags.c_contiguous:
        raise ValueError(f"Input {src.shape} and output {out.shape} need one shape, and the output no gaps.")
