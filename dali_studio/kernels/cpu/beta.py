"""Numbers of the beta distribution, from the stream of samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.random_stream import stream_words
from dali_studio.kernels.cpu.native import kernel


def beta(
    out: NDArray[Any], key: int, highs: NDArray[np.uint64], alphas: NDArray[np.float32], betas: NDArray[np.float32],
    origin: int = 0,
) -> None:  # fmt: skip
    """The numbers of samples.

    Parameters
    ----------
    out : (N, K) array of float32 or float64, C-contiguous
        A sample is a row.
    key : int
        The operator's seed.
    highs : (N,) array
        Of the counters of these samples (`core.random_stream`).
    alphas, betas : (N,) array
        The parameters, all above 0.
    origin : int
        Draws before the first one of every sample (`core.random_stream`).
    """
    kernel("beta_numbers", out.dtype)(out, stream_words(key, origin), highs, alphas, betas)
