"""Random numbers that are added to arrays, drawn on the way."""

from __future__ import annotations

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array


def gaussian(src: Array, out: Array, key: int, high: int, mean: float, stddev: float) -> None:
    """Adds normally distributed numbers, those of `core.random.normal`.

    Parameters
    ----------
    src, out : arrays of one shape and type
        `out` is C-contiguous. Integers are rounded half away from zero and saturated.
    key : int
        The operator's seed.
    high : int
        Of the counters of this sample (`core.random_stream`).
    """
    if src.shape != out.shape or not out.flags.c_contiguous:
        raise ValueError(f"Input {src.shape} and output {out.shape} need one shape, and the output no gaps.")
    kernel("gaussian_noise", src.dtype)(src.reshape(-1), out.reshape(-1), key, high, mean, stddev)
