"""Numbers of the beta distribution, from the stream of a sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel


def beta(count: int, key: int, high: int, alpha: float, other: float, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers of one sample.

    Parameters
    ----------
    count : int
    key : int
        The operator's seed.
    high : int
        Of the counters of this sample (`core.random_stream`).
    alpha, other : float
        The parameters, both above 0; single precision.
    dtype : dtype
        float32 or float64.
    """
    made = np.empty(count, dtype)
    kernel("beta_numbers", dtype)(made, key, high, alpha, other)
    return made
