"""Random engines and ``std::shuffle`` of the C++ standard library, as GNU's libstdc++ implements them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_MASK64 = 0xFFFFFFFFFFFFFFFF


def mt19937(seed: int) -> Iterator[int]:
    """Words of ``std::mt19937`` (32 bits)."""
    engine = np.random.MT19937()
    engine._legacy_seeding(seed & 0xFFFFFFFF)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    while True:
        yield from engine.random_raw(1024).tolist()


def mt19937_64(seed: int) -> Iterator[int]:
    """Words of ``std::mt19937_64`` (Nishimura and Matsumoto's 64-bit Mersenne twister)."""
    state = [seed & _MASK64]
    for i in range(1, 312):
        state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) & _MASK64)
    block = np.array(state, np.uint64)
    while True:
        block = _twist64(block)
        word = block.copy()
        word ^= (word >> np.uint64(29)) & np.uint64(0x5555555555555555)
        word ^= (word << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        word ^= (word << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        word ^= word >> np.uint64(43)
        yield from word.tolist()


def _twist64(old: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Next 312 state words; the second half needs words that the first half has just made."""
    new = np.empty_like(old)

    def mixed(high: NDArray[np.uint64], low: NDArray[np.uint64]) -> NDArray[np.uint64]:
        word = (high & np.uint64(0xFFFFFFFF80000000)) | (low & np.uint64(0x7FFFFFFF))
        return (word >> np.uint64(1)) ^ ((word & np.uint64(1)) * np.uint64(0xB5026F5AA96619E9))

    new[:156] = old[156:] ^ mixed(old[:156], old[1:157])
    new[156:311] = new[:155] ^ mixed(old[156:311], old[157:])
    new[311:] = new[155:156] ^ mixed(old[311:], new[:1])
    return new


def lemire_below(words: Iterator[int], bits: int, size: int) -> int:
    """libstdc++'s ``uniform_int_distribution(0, size - 1)`` on full-range words (Lemire's method)."""
    mask = (1 << bits) - 1
    product = next(words) * size
    if product & mask < size:
        threshold = (mask + 1 - size) % size
        while product & mask < threshold:
            product = next(words) * size
    return product >> bits


def shuffle(items: list[int], words: Iterator[int], bits: int) -> None:
    """Permute in place as libstdc++'s ``std::shuffle`` does: two positions from one word where a word is big enough.

    Parameters
    ----------
    items : list of int
        Permuted in place.
    words : iterator of int
        Words of the random engine, uniform in ``[0, 2**bits)``.
    bits : int
        Size of a word.
    """
    n = len(items)
    if n < 2:
        return
    if ((1 << bits) - 1) // n < n:
        for i in range(1, n):
            j = lemire_below(words, bits, i + 1)
            items[i], items[j] = items[j], items[i]
        return
    i = 1
    if n % 2 == 0:
        j = lemire_below(words, bits, 2)
        items[1], items[j] = items[j], items[1]
        i = 2
    for k in range(i, n, 2):
        first, second = divmod(lemire_below(words, bits, (k + 1) * (k + 2)), k + 2)
        items[k], items[first] = items[first], items[k]
        items[k + 1], items[second] = items[second], items[k + 1]
