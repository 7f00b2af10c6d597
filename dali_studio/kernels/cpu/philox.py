"""The generator behind all random numbers, compiled: `core.random_stream.philox` takes it once this is imported."""

from __future__ import annotations

import numba
import numpy as np
from numba import uint32, uint64
from numpy.typing import NDArray

from dali_studio.core import random_stream
from dali_studio.kernels.cpu.jit import readable, short_kernel, writable

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_FIRST, _SECOND = (np.uint64(word) for word in random_stream.PHILOX_MULTIPLIERS)


@numba.njit
def _mixed(first, second, third, fourth, key, other):
    """One round."""
    product, crossed = _FIRST * first, _SECOND * third
    return (crossed >> _HALF) ^ second ^ key, crossed & _LOW, (product >> _HALF) ^ fourth ^ other, product & _LOW


@short_kernel(readable(uint64, 1), readable(uint64, 1), readable(uint32, 2), writable(uint32, 2))
def _philox(low, high, keys, words):
    for i in range(len(low)):
        a, b, c, d = low[i] & _LOW, low[i] >> _HALF, high[i] & _LOW, high[i] >> _HALF
        for k in range(len(keys)):
            a, b, c, d = _mixed(a, b, c, d, uint64(keys[k, 0]), uint64(keys[k, 1]))
        words[0, i], words[1, i], words[2, i], words[3, i] = a, b, c, d


def words(low: NDArray[np.uint64], high: NDArray[np.uint64], keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """(4, N) words of the counters with these halves, (N,); `keys` are (rounds, 2)."""
    made = np.empty((4, len(low)), np.uint32)
    _philox()(low, high, keys, made)
    return made


random_stream.use_compiled(words)
