"""Numbers with a beta distribution, equal to those of nvidia.dali up to their last bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.random_stream import SAMPLE_STRIDE
from dali_studio.kernels.cpu.native import kernel


def beta(
    seed: int, start: int, samples: int, elements: int, alphas: NDArray[np.float32], betas: NDArray[np.float32],
    dtype: np.dtype[Any],
) -> NDArray[Any]:  # fmt: skip
    """A row of numbers for each sample.

    Parameters
    ----------
    seed, start : int
        The stream, and where in it the first sample is.
    samples, elements : int
    alphas, betas : (samples,) array
        Shapes of the distribution, above 0.
    dtype : {float32, float64}
    """
    made = np.empty((samples, elements), dtype)
    highs = np.uint64(start) + np.uint64(SAMPLE_STRIDE) * np.arange(samples, dtype=np.uint64)
    kernel("beta_batch", dtype)(seed, highs, alphas, betas, made)
    return made
