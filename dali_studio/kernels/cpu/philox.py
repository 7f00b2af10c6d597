"""The generator behind all random numbers, and the rounding of uniform ones, compiled.

Once this is imported `dali_studio.core.random` uses both in place of its own arithmetic on whole arrays, which gives
the same numbers.
"""

from __future__ import annotations

import numpy as np
from numba import float32, int64, uint32, uint64
from numpy.typing import NDArray

from dali_studio.core import random_numbers, random_stream
from dali_studio.kernels.cpu.jit import readable, short_kernel, writable
from dali_studio.kernels.cpu.views import alike

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_FIRST, _SECOND = (np.uint64(word) for word in random_stream.PHILOX_MULTIPLIERS)


@short_kernel(readable(uint64, 1), readable(uint64, 1), readable(uint32, 2), writable(uint32, 2))
def _philox(low, high, keys, words):
    """Counters go through a round 64 at a time, in vector registers."""
    a, b, c, d = (np.empty(64, np.uint32), np.empty(64, np.uint32), np.empty(64, np.uint32), np.empty(64, np.uint32))
    for begin in range(0, len(low), 64):
        count = min(64, len(low) - begin)
        for i in range(count):
            a[i], b[i] = low[begin + i] & _LOW, low[begin + i] >> _HALF
            c[i], d[i] = high[begin + i] & _LOW, high[begin + i] >> _HALF
        for k in range(len(keys)):
            key, other = keys[k, 0], keys[k, 1]
            for i in range(64):
                product, crossed = _FIRST * uint64(a[i]), _SECOND * uint64(c[i])
                a[i], c[i] = uint32(crossed >> _HALF) ^ b[i] ^ key, uint32(product >> _HALF) ^ d[i] ^ other
                b[i], d[i] = uint32(crossed), uint32(product)
        for i in range(count):
            words[0, begin + i], words[1, begin + i] = a[i], b[i]
            words[2, begin + i], words[3, begin + i] = c[i], d[i]


def words_of(low: NDArray[np.uint64], high: NDArray[np.uint64], keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """(4, N) words of the counters with these halves, (N,); `keys` are (rounds, 2)."""
    made = np.empty((4, len(low)), np.uint32)
    _philox()(low, high, keys, made)
    return made


@short_kernel(readable(float32, 1), readable(float32, 1), readable(float32, 1), writable(float32, 1))
def _multiply_add(a, b, c, made):
    """Rounded to a double by "round to odd", which keeps the rounding to a float after it from going wrong at ties."""
    total = np.empty(1, np.float64)
    bits = total.view(np.int64)
    for i in range(len(a)):
        product, addend = np.float64(a[i]) * np.float64(b[i]), np.float64(c[i])  # exact: 24 + 24 bits
        whole = product + addend
        part = whole - product
        error = (product - (whole - part)) + (addend - part)
        total[0] = whole
        if error != 0 and bits[0] & 1 == 0:
            away = (error > 0) == (whole > 0)
            bits[0] += int64(1) if away else int64(-1)
        made[i] = np.float32(total[0])


def multiply_add(a: NDArray[np.float32], b: NDArray[np.float32], c: NDArray[np.float32]) -> NDArray[np.float32]:
    """``a * b + c`` rounded once."""
    given = alike(np.asarray(a), np.asarray(b), np.asarray(c))
    made = np.empty(given[0].shape, np.float32)
    _multiply_add()(*(array.reshape(-1) for array in given), made.reshape(-1))
    return made


def warm() -> None:
    """Compile what this module needs, or load it from the disk cache."""
    for compiled in (_philox, _multiply_add):
        compiled()


random_stream.use_compiled(words_of)
random_numbers.use_compiled(multiply_add)
