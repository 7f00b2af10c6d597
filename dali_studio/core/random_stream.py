"""Random streams that give the numbers of nvidia.dali 2.4: seeds, and raw draws by place.

Every random operator owns one stream: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
2011), keyed by the operator's seed. Where a number sits in the stream depends only on *which* number it is:

* the high half of the 128-bit counter is ``start + 65537 * sample``, where ``start`` is the number of samples the
  operator produced in earlier iterations and ``sample`` is the index inside the batch;
* element ``e`` of a sample starts 257 e draws into that row, and may take several consecutive draws.

Nothing depends on threads, prefetching or the device, so any number can be computed alone, in any order, and a
checkpoint of a random operator is the one integer ``start``.

Seeds, as nvidia.dali 2.4 treats them: only the low 32 bits of a *pipeline* seed count; a missing or negative one
asks for a fresh seed (`resolve_pipeline_seed`). The seed of an *operator* is used modulo 2**64, and an explicit -1
is a seed like any other.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

SAMPLE_STRIDE = 65537
"""Distance of the counters' high halves between two neighbouring samples of a batch."""
ELEMENT_STRIDE = 257
"""Draws between the first draws of two neighbouring elements of a sample."""
SEED_TABLE_SIZE = 1024
"""Operator seeds that one pipeline seed gives; the 1025th operator starts over."""

AHEAD, _FEW = 16, 2048
"""Iterations whose draws are made at once, and the most draws of one of these."""
_MASK32 = 0xFFFFFFFF
_MASK64 = 0xFFFFFFFFFFFFFFFF
_PHILOX_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_PHILOX_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_PHILOX_ROUNDS = 10

# ---------------------------------------------------------------------------------------------------------- seeds


def seed_sequence(words: Sequence[int], count: int) -> list[int]:
    """Spread a few 32-bit words over many, as ``std::seed_seq::generate`` of C++11 (26.5.7.1) does.

    Parameters
    ----------
    words : sequence of int
        Input words; only the low 32 bits of each count.
    count : int
        How many words to make.

    Returns
    -------
    list of int
        ``count`` words in ``[0, 2**32)``.
    """
    n, s = count, len(words)
    table = [0x8B8B8B8B] * n
    t = 11 if n >= 623 else 7 if n >= 68 else 5 if n >= 39 else 3 if n >= 7 else (n - 1) // 2
    p = (n - t) // 2
    q = p + t
    rounds = max(s + 1, n)
    for k in range(rounds):
        mixed = table[k % n] ^ table[(k + p) % n] ^ table[(k - 1) % n]
        first = 1664525 * (mixed ^ (mixed >> 27)) & _MASK32
        extra = s if k == 0 else k % n + (words[k - 1] & _MASK32) if k <= s else k % n
        second = (first + extra) & _MASK32
        table[(k + p) % n] = (table[(k + p) % n] + first) & _MASK32
        table[(k + q) % n] = (table[(k + q) % n] + second) & _MASK32
        table[k % n] = second
    for k in range(rounds, rounds + n):
        mixed = (table[k % n] + table[(k + p) % n] + table[(k - 1) % n]) & _MASK32
        third = 1566083941 * (mixed ^ (mixed >> 27)) & _MASK32
        fourth = (third - k % n) & _MASK32
        table[(k + p) % n] ^= third
        table[(k + q) % n] ^= fourth
        table[k % n] = fourth
    return table


@lru_cache(maxsize=64)
def _seed_table(low32: int) -> NDArray[np.uint64]:
    table = np.array(seed_sequence([low32], SEED_TABLE_SIZE), np.uint64)
    table.flags.writeable = False
    return table


def resolve_pipeline_seed(seed: int | None) -> int:
    """Turn the ``seed`` argument of a pipeline into the number that drives its streams.

    Parameters
    ----------
    seed : int or None
        None or a negative number asks for a fresh, unpredictable seed.

    Returns
    -------
    int
        In ``[0, 2**32)``; of a longer seed only the low 32 bits count, as in nvidia.dali.
    """
    return secrets.randbits(32) if seed is None or seed < 0 else seed & _MASK32


def operator_seeds(pipeline_seed: int, count: int) -> NDArray[np.uint64]:
    """Seeds of the first ``count`` random operators of a pipeline.

    Parameters
    ----------
    pipeline_seed : int
        At least 0 (see `resolve_pipeline_seed`); only the low 32 bits count.
    count : int
        Number of operators that take a seed from the pipeline, in nvidia.dali's order (output first).

    Returns
    -------
    ndarray of uint64, shape (count,)
        ``std::seed_seq{pipeline_seed}.generate(1024)``, repeated when there are more than 1024 operators.

    Raises
    ------
    ValueError
        If the seed is negative: that asks for a fresh seed and has to be resolved once per pipeline.
    """
    if pipeline_seed < 0:
        raise ValueError(
            f"the pipeline seed is {pipeline_seed}; expected 0 or more. A negative seed asks for a fresh one: "
            "call resolve_pipeline_seed once and keep its answer"
        )
    return np.resize(_seed_table(pipeline_seed & _MASK32), count)


# --------------------------------------------------------------------------------------------------------- stream


def philox(lo: ArrayLike, hi: ArrayLike, key: int) -> NDArray[np.uint32]:
    """Philox4x32-10 of many counters at once.

    Parameters
    ----------
    lo, hi : array_like of uint64
        Low and high half of the 128-bit counters; broadcast against each other.
    key : int
        64-bit key; taken modulo 2**64.

    Returns
    -------
    ndarray of uint32, shape (4, ...)
        The four words of every counter.
    """
    low, high = np.asarray(lo, np.uint64), np.asarray(hi, np.uint64)
    if low.shape != high.shape:
        shape = np.broadcast_shapes(low.shape, high.shape)
        low, high = np.broadcast_to(low, shape), np.broadcast_to(high, shape)
    return _words(low.reshape(-1), high.reshape(-1), _round_keys(key & _MASK64)).reshape(4, *low.shape)


def use_compiled(words: Callable[..., NDArray[np.uint32]]) -> None:
    """Let `philox` take a compiled function with the arguments and results of its own."""
    global _words  # noqa: PLW0603 - this package does without a compiler: one above it brings the function
    _words = words


def _words_of_arrays(
    low: NDArray[np.uint64], high: NDArray[np.uint64], round_keys: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    # Rows (word 0, word 2) and (word 1, word 3): a round multiplies the first pair and swaps the two rows.
    words = np.empty((2, low.size), np.uint64)
    words[0], words[1] = low, high
    halves = words.view(np.uint32).reshape(2, -1, 2)
    if not np.little_endian:
        halves = halves[..., ::-1]
    multiplied, other = halves[..., 0], halves[..., 1]
    factors = np.array(_PHILOX_MULTIPLIERS, np.uint32)[:, None]
    for keys in round_keys[:, :, None]:
        product = np.multiply(multiplied, factors, dtype=np.uint64)
        parts = product.view(np.uint32).reshape(2, -1, 2)[::-1]
        low_half, high_half = (parts[..., 0], parts[..., 1]) if np.little_endian else (parts[..., 1], parts[..., 0])
        multiplied = (other ^ keys) ^ high_half
        other = low_half
    out = np.empty((4, low.size), np.uint32)
    out[0::2] = multiplied
    out[1::2] = other
    return out


_words = _words_of_arrays


@lru_cache(maxsize=1024)
def _round_keys(key: int) -> NDArray[np.uint32]:
    """The two key words of each of the ten rounds: (10, 2)."""
    low, high = _PHILOX_KEY_STEPS
    words = [[(key + i * low) & _MASK32, ((key >> 32) + i * high) & _MASK32] for i in range(_PHILOX_ROUNDS)]
    return np.array(words, np.uint32)


def draws_at(
    seed: int, high: NDArray[np.uint64], offset: NDArray[np.uint64], origin: int = 0
) -> NDArray[np.uint32]:
    """Draws at given places: uint64 ``high`` halves of the counters and ``offset`` in draws, broadcast.

    `origin` draws, of 66 bits, lie before those of every sample (dynamic mode).
    """
    offset = offset + np.uint64(origin & 3) if origin else offset
    words = philox((offset >> np.uint64(2)) + np.uint64(origin >> 2 & _MASK64), high, seed)
    if offset.size == 1:  # one draw per sample, the usual case
        return words[int(offset.flat[0]) & 3]
    lane = np.broadcast_to((offset & np.uint64(3)).astype(np.intp), words.shape[1:])
    return np.take_along_axis(words, lane[None], 0)[0]


def draws_u32(
    seed: int, start: int | NDArray[np.uint64], samples: int, elements: int | ArrayLike, draws: int = 1,
    origin: int = 0,
) -> NDArray[np.uint32]:  # fmt: skip
    """Raw 32-bit draws of a whole batch.

    Parameters
    ----------
    seed : int
        Operator seed; taken modulo 2**64.
    start : int or ndarray of uint64
        Number of samples that the operator produced in earlier iterations; (K,) for K iterations, whose K N samples
        come one after another.
    samples : int
        Batch size N of an iteration.
    elements : int or array_like of int, shape (N,)
        Elements per sample: one number E for all samples, or one per sample (ragged).
    draws : int
        Consecutive draws D per element.
    origin : int
        As for `draws_at`.

    Returns
    -------
    ndarray of uint32
        Shape (N, E, D); for ragged samples (sum(elements), D), the samples one after another.

    Raises
    ------
    ValueError
        If ``elements`` is negative or does not fit ``samples``.
    """
    counts = np.asarray(elements, np.int64)
    if counts.size and int(counts.min()) < 0:
        raise ValueError(f"elements per sample must be 0 or more, got {int(counts.min())}")
    if not origin and not isinstance(start, np.ndarray) and counts.ndim == 0 and int(counts) == 1:
        place = ahead(start, samples, draws)
        if place is not None:
            return _draws_ahead(seed, place[0], samples, draws)[place[1]]
    return _draws(seed, start, samples, counts, draws, origin)


def stream_words(seed: int, origin: int = 0) -> NDArray[np.uint64]:
    """(3,) what kernels are told of a stream: the key, and `origin` (`draws_at`) as counter and place in its words."""
    return np.array([seed & _MASK64, origin >> 2 & _MASK64, origin & 3], np.uint64)


def ahead(start: int, samples: int, draws: int) -> tuple[int, int] | None:
    """Which block of iterations of equal size to draw at once, and the iteration's place in it.

    ``None`` if the iterations before had other sizes, or there is much to draw for each of the samples.
    """
    if not 0 < samples * draws <= _FEW or start < 0 or start % samples:
        return None
    return divmod(start // samples, AHEAD)


def starts_of(block: int, samples: int) -> NDArray[np.uint64]:
    """(AHEAD,): the `start` of each iteration of a block."""
    return (np.uint64(block * AHEAD & _MASK64) + np.arange(AHEAD, dtype=np.uint64)) * np.uint64(samples)


@lru_cache(maxsize=32)
def _draws_ahead(seed: int, block: int, samples: int, draws: int) -> NDArray[np.uint32]:
    """The draws of some iterations of equal size at once, (AHEAD, N, 1, D): a few numbers cost as much as many."""
    words = _draws(seed, starts_of(block, samples), samples, np.array(1), draws).reshape(AHEAD, samples, 1, draws)
    words.flags.writeable = False
    return words


def highs_of(start: int | NDArray[np.uint64], samples: int) -> NDArray[np.uint64]:
    """Upper halves of the counters of all samples; the arguments are those of `draws_u32`."""
    high = np.arange(samples, dtype=np.uint64) * np.uint64(SAMPLE_STRIDE)
    if isinstance(start, np.ndarray):
        return (start[:, None] + high).ravel()
    return high + np.uint64(start & _MASK64)


def _draws(
    seed: int, start: int | NDArray[np.uint64], samples: int, counts: NDArray[np.int64], draws: int, origin: int = 0
) -> NDArray[np.uint32]:
    high = highs_of(start, samples)
    step = np.arange(draws, dtype=np.uint64)
    if counts.ndim == 0:
        offset = np.arange(int(counts), dtype=np.uint64)[:, None] * np.uint64(ELEMENT_STRIDE) + step
        return draws_at(seed, high[:, None, None], offset, origin)
    if counts.shape != (samples,):
        raise ValueError(f"elements has shape {counts.shape}; expected one number, or one per sample: ({samples},)")
    first = np.repeat(np.cumsum(counts) - counts, counts)
    index = np.arange(int(counts.sum()), dtype=np.uint64) - first.astype(np.uint64)
    offset = index[:, None] * np.uint64(ELEMENT_STRIDE) + step
    return draws_at(seed, np.repeat(high, counts)[:, None], offset, origin)
