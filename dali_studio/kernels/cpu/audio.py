"""Sound: mixing channels, resampling, integers."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array

#: Values of the filter's table between two samples of the input.
_FINENESS = 32


def resampled_length(length: NDArray[np.int64], rate: NDArray[np.float64], wanted: NDArray[np.float64]) -> Array:
    """Samples at the rate `wanted` of sounds with `length` samples at `rate`."""
    return np.ceil(length * wanted / rate)


def lobes_of(quality: float) -> int:
    """How many lobes of the sinc on each side a filter of this quality, 0 to 100, has: 3, 16 for 50, 64 for 100."""
    return math.floor(0.007 * quality * quality - 0.09 * quality + 3 + 0.5)


@lru_cache(maxsize=16)
def _window(lobes: int) -> NDArray[np.float32]:
    """A sinc in Hann's window, after one zero and before five."""
    middle = _FINENESS * lobes
    at = np.arange(-middle, middle + 1, dtype=np.float32)
    x, y = at * np.float32(1 / _FINENESS), at * np.float32(2 / (2 * middle + 1))
    weights = np.sinc(x.astype(np.float64)) * (0.5 + 0.5 * np.cos(np.pi * y.astype(np.float64)))
    return np.concatenate([np.zeros(1), weights, np.zeros(5)]).astype(np.float32)


def resample(sound: NDArray[np.float32], out: NDArray[np.float32], rate: float, wanted: float, quality: float) -> None:
    """Resample a sound from one rate to another.

    Parameters
    ----------
    sound, out : ndarray
        (samples, channels).
    rate, wanted : float
        Samples a second.
    quality : float
        0 to 100.

    Notes
    -----
    The filter is not made wider where the rate becomes lower: frequencies above half of it are folded, as
    nvidia.dali does.
    """
    lobes = lobes_of(quality)
    kernel("resample_audio")(sound, out, float(rate) / float(wanted), _window(lobes), lobes)


def downmix(sound: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """The mean of the channels: (samples, channels) to (samples,)."""
    kernel("downmix")(sound, out)


def to_integers(sound: NDArray[np.float32], out: Array) -> None:
    """Sound from -1 to 1 as int16 or int32, over the whole range of the type; what is louder saturates."""
    kernel(f"{out.dtype.name}_of_sound")(sound.reshape(-1), out.reshape(-1))
