"""Numbers of the beta distribution, from the stream of a sample."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from dali_studio.core.random_stream import stream_words
from dali_studio.kernels.cpu.native import kernel


def beta(out: NDArray[Any], key: int, high: int, alpha: float, other: float, origin: int = 0) -> None:
    """The numbers of one sample.

    Parameters
    ----------
    out : (N,) array of float32 or float64, C-contiguous
    key : int
        The operator's seed.
    high : int
        Of the counters of this sample (`core.random_stream`).
    alpha, other : float
        The parameters, both above 0; single precision.
    origin : int
        Draws before the first one of every sample (`core.random_stream`).
    """
    kernel("beta_numbers", out.dtype)(out, stream_words(key, origin), high, alpha, other)
