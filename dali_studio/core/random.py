"""Random streams that give the numbers of nvidia.dali 2.4.

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
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

SAMPLE_STRIDE = 65537
"""Distance of the counters' high halves between two neighbouring samples of a batch."""
ELEMENT_STRIDE = 257
"""Draws between the first draws of two neighbouring elements of a sample."""
SEED_TABLE_SIZE = 1024
"""Operator seeds that one pipeline seed gives; the 1025th operator starts over."""

_MASK32 = 0xFFFFFFFF
_MASK64 = 0xFFFFFFFFFFFFFFFF
_PHILOX_MULTIPLIERS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint32)
_PHILOX_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_PHILOX_ROUNDS = 10

UNIFORM_DTYPES = tuple(
    np.dtype(t)
    for t in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")
)
"""Output types of `uniform`, `uniform_values` and `normal`, as in nvidia.dali."""
COIN_FLIP_DTYPES = tuple(np.dtype(t) for t in ("bool", "uint8", "int32"))
"""Output types of `coin_flip`, as in nvidia.dali."""

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
    low, high = np.broadcast_arrays(np.asarray(lo, np.uint64), np.asarray(hi, np.uint64))
    shape = low.shape
    # Rows (word 0, word 2) and (word 1, word 3): a round multiplies the first pair and swaps the two rows.
    words = np.empty((2, low.size), np.uint64)
    words[0], words[1] = low.reshape(-1), high.reshape(-1)
    halves = words.view(np.uint32).reshape(2, -1, 2)
    if not np.little_endian:
        halves = halves[..., ::-1]
    multiplied, other = halves[..., 0], halves[..., 1]
    keys = np.array([[key & _MASK32], [key >> 32 & _MASK32]], np.uint32)
    steps = np.array([[s] for s in _PHILOX_KEY_STEPS], np.uint32)
    for _ in range(_PHILOX_ROUNDS):
        product = np.multiply(multiplied, _PHILOX_MULTIPLIERS, dtype=np.uint64)
        parts = product.view(np.uint32).reshape(2, -1, 2)[::-1]
        low_half, high_half = (parts[..., 0], parts[..., 1]) if np.little_endian else (parts[..., 1], parts[..., 0])
        multiplied = (other ^ keys) ^ high_half
        other = low_half
        keys = keys + steps
    out = np.empty((4, low.size), np.uint32)
    out[0::2] = multiplied
    out[1::2] = other
    return out.reshape(4, *shape)


def _draws_at(seed: int, high: NDArray[np.uint64], offset: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Draws at given places: ``high`` halves of the counters and ``offset`` in draws, broadcast."""
    words = philox(offset >> np.uint64(2), high, seed)
    lane = np.broadcast_to((offset & np.uint64(3)).astype(np.intp), words.shape[1:])
    return np.take_along_axis(words, lane[None], 0)[0]


def draws_u32(seed: int, start: int, samples: int, elements: int | ArrayLike, draws: int = 1) -> NDArray[np.uint32]:
    """Raw 32-bit draws of a whole batch.

    Parameters
    ----------
    seed : int
        Operator seed; taken modulo 2**64.
    start : int
        Number of samples that the operator produced in earlier iterations.
    samples : int
        Batch size N of this iteration.
    elements : int or array_like of int, shape (N,)
        Elements per sample: one number E for all samples, or one per sample (ragged).
    draws : int
        Consecutive draws D per element.

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
    high = np.uint64(start & _MASK64) + np.arange(samples, dtype=np.uint64) * np.uint64(SAMPLE_STRIDE)
    step = np.arange(draws, dtype=np.uint64)
    if counts.ndim == 0:
        offset = np.arange(int(counts), dtype=np.uint64)[:, None] * np.uint64(ELEMENT_STRIDE) + step
        return _draws_at(seed, high[:, None, None], offset)
    if counts.shape != (samples,):
        raise ValueError(f"elements has shape {counts.shape}; expected one number, or one per sample: ({samples},)")
    first = np.repeat(np.cumsum(counts) - counts, counts)
    index = np.arange(int(counts.sum()), dtype=np.uint64) - first.astype(np.uint64)
    offset = index[:, None] * np.uint64(ELEMENT_STRIDE) + step
    return _draws_at(seed, np.repeat(high, counts)[:, None], offset)


def _per_element(
    value: ArrayLike, samples: int, elements: int | ArrayLike, dtype: DTypeLike, what: str
) -> NDArray[np.generic]:
    """Bring one number, or one per sample, to a shape that broadcasts against the result."""
    array = np.asarray(value, dtype)
    if array.ndim == 0:
        return array
    if array.shape != (samples,):
        raise ValueError(f"{what} has shape {array.shape}; expected one number, or one per sample: ({samples},)")
    counts = np.asarray(elements)
    return array[:, None] if counts.ndim == 0 else np.repeat(array, counts)


# -------------------------------------------------------------------------------------------------- number formats


def real_type(dtype: DTypeLike) -> np.dtype[np.floating]:
    """Type in which numbers for ``dtype`` are drawn: float64 for 32- and 64-bit integers and float64, else float32."""
    kind = np.dtype(dtype)
    wide = kind.itemsize > 4 or (kind.kind in "iu" and kind.itemsize == 4)
    return np.dtype(np.float64 if wide else np.float32)


def round_to_dtype(values: NDArray[np.floating], dtype: DTypeLike) -> NDArray[np.generic]:
    """Convert real numbers to an output type: round half away from zero, clamp to the type, NaN to 0.

    Floating types are converted without rounding to whole numbers.
    """
    target = np.dtype(dtype)
    if target.kind == "f":
        return values.astype(target, copy=False)
    whole = np.trunc(values + np.copysign(values.dtype.type(0.5), values))
    # Adding a half can carry a number just below .5 over the edge, and does nothing for huge ones.
    small = np.abs(values - np.trunc(values)) < 0.5
    whole = np.where(small | (np.abs(values) >= 2.0**52), np.trunc(values), whole).astype(np.float64)
    info = np.iinfo(target)
    result = np.zeros(whole.shape, target)
    inside = (whole > float(info.min)) & (whole < float(info.max))
    result[inside] = whole[inside].astype(target)
    result[whole <= float(info.min)] = info.min
    result[whole >= float(info.max)] = info.max
    return result


def _check_dtype(dtype: DTypeLike, accepted: Sequence[np.dtype[np.generic]], what: str) -> np.dtype[np.generic]:
    target = np.dtype(dtype)
    if target not in accepted:
        raise ValueError(f"{what} cannot produce {target.name}; accepted: {', '.join(t.name for t in accepted)}")
    return target


def _fma(a: NDArray[np.floating], b: NDArray[np.floating], c: NDArray[np.floating]) -> NDArray[np.floating]:
    """``a * b + c`` rounded once, in the type of ``a`` (float32 or float64)."""
    if a.dtype == np.float32:
        product = a.astype(np.float64) * b.astype(np.float64)  # exact: 24 + 24 bits
        addend = np.broadcast_to(c.astype(np.float64), product.shape)
        total, error = _two_sum(product, addend)
        # Rounding twice (to 53, then 24 bits) is only wrong at ties; "round to odd" in the first step cures that.
        even = (np.ascontiguousarray(total).view(np.int64) & 1) == 0
        odd = np.nextafter(total, np.copysign(np.inf, error))
        return np.where((error != 0) & even, odd, total).astype(np.float32)
    product = a * b
    error = _product_error(a, np.broadcast_to(b, a.shape), product)
    total, rest = _two_sum(product, np.broadcast_to(c, product.shape))
    return total + (rest + error)


def _two_sum(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Knuth's exact sum: ``a + b == total + error``."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _product_error(
    a: NDArray[np.float64], b: NDArray[np.float64], product: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Dekker's exact product: ``a * b == product + error``."""
    a_high, b_high = ((v * 134217729.0) - ((v * 134217729.0) - v) for v in (a, b))
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


# --------------------------------------------------------------------------------------------------- distributions


def _unit_words(
    seed: int, start: int, n_samples: int, n_elements: int | ArrayLike, real: np.dtype[np.floating], count: int
) -> list[NDArray[np.floating]]:
    """``count`` unsigned draws per element as real numbers: 32-bit words for float32, 64-bit ones for float64."""
    wide = real == np.float64
    words = draws_u32(seed, start, n_samples, n_elements, count * (2 if wide else 1))
    if not wide:
        return [words[..., i].astype(np.float32) for i in range(count)]
    long = words.astype(np.uint64)
    return [(long[..., 2 * i] | long[..., 2 * i + 1] << np.uint64(32)).astype(np.float64) for i in range(count)]


def uniform(
    seed: int,
    start: int,
    n_samples: int,
    n_elements: int | ArrayLike = 1,
    low: ArrayLike = -1.0,
    high: ArrayLike = 1.0,
    dtype: DTypeLike = np.float32,
) -> NDArray[np.generic]:
    """Uniform numbers of ``[low, high)``.

    Parameters
    ----------
    seed, start : int
        Operator seed and number of samples produced before (see the module).
    n_samples : int
        Batch size N.
    n_elements : int or array_like of int, shape (N,)
        Elements per sample; an array for ragged samples.
    low, high : float or array_like of float, shape (N,)
        Ends of the interval; single precision, as in nvidia.dali.
    dtype : dtype
        One of `UNIFORM_DTYPES`. For integers the ends are cut to whole numbers of that type (wrapping around, as a
        C cast does), a real number is drawn between them and rounded half away from zero: both ends come up half
        as often as the rest.

    Returns
    -------
    ndarray of dtype
        (N, n_elements), or (sum(n_elements),) for ragged samples.

    Raises
    ------
    ValueError
        If ``low >= high`` in a sample, or a shape or type does not fit.
    """
    target = _check_dtype(dtype, UNIFORM_DTYPES, "uniform")
    a = _per_element(low, n_samples, n_elements, np.float32, "low")
    b = _per_element(high, n_samples, n_elements, np.float32, "high")
    wrong = np.broadcast_arrays(a, b, ~(a < b))
    if wrong[2].any():
        at = np.unravel_index(int(np.argmax(wrong[2])), wrong[2].shape)
        raise ValueError(f"the range [{wrong[0][at]}, {wrong[1][at]}) is empty; the first number must be the smaller")
    real = real_type(target)
    if target.kind in "iu":
        a, b = (_c_cast(v, target) for v in (a, b))
    a, b = a.astype(real), b.astype(real)
    b = np.nextafter(b, a)
    a, b = np.minimum(a, b), np.maximum(a, b)
    factor = (b - a) * real.type(2.0 ** (-64 if real == np.float64 else -32))
    (word,) = _unit_words(seed, start, n_samples, n_elements, real, 1)
    return round_to_dtype(np.minimum(_fma(word, factor, a), b), target)


def _c_cast(value: NDArray[np.generic], target: np.dtype[np.generic]) -> NDArray[np.generic]:
    """Cut to a whole number and wrap around, as casts to narrow integers do on x86-64."""
    whole = np.clip(np.trunc(value.astype(np.float64)), -(2.0**63), 2.0**63 - 1024)
    if target == np.uint64:
        big = value.astype(np.float64) >= 2.0**63
        wrapped = whole.astype(np.int64).astype(np.uint64)
        return np.where(big, np.clip(value, 0, 2.0**64 - 2.0**40).astype(np.uint64), wrapped)
    return whole.astype(np.int64).astype(target)


def uniform_values(
    seed: int,
    start: int,
    n_samples: int,
    n_elements: int | ArrayLike,
    values: ArrayLike | Sequence[NDArray[np.float32]],
    dtype: DTypeLike = np.float32,
) -> NDArray[np.generic]:
    """Picks from a list of values, all equally likely: value ``floor(u * n / 2**32)`` for the 32-bit draw u.

    Parameters
    ----------
    seed, start, n_samples, n_elements
        As for `uniform`.
    values : array_like of float, shape (n,), or a sequence of N arrays
        The values for all samples, or one list per sample (a list of arrays). Single precision.
    dtype : dtype
        One of `UNIFORM_DTYPES`; integers are rounded half away from zero and clamped.

    Returns
    -------
    ndarray of dtype
        Shape as for `uniform`.

    Raises
    ------
    ValueError
        If a list is empty or not one-dimensional, or there are not N lists.
    """
    target = _check_dtype(dtype, UNIFORM_DTYPES, "uniform")
    ragged = isinstance(values, (list, tuple)) and len(values) > 0 and np.ndim(values[0]) > 0
    lists = [np.asarray(v, np.float32) for v in values] if ragged else [np.asarray(values, np.float32)]
    if ragged and len(lists) != n_samples:
        raise ValueError(f"values holds {len(lists)} lists; expected one per sample: {n_samples}")
    for item in lists:
        if item.ndim != 1 or item.size == 0:
            raise ValueError(f"values has shape {item.shape}; expected a list of one or more numbers")
    sizes = np.array([item.size for item in lists], np.uint64)
    firsts = np.cumsum(sizes) - sizes
    words = draws_u32(seed, start, n_samples, n_elements)[..., 0].astype(np.uint64)
    count = _per_element(sizes if ragged else sizes[0], n_samples, n_elements, np.uint64, "values")
    first = _per_element(firsts if ragged else firsts[0], n_samples, n_elements, np.uint64, "values")
    index = (words * count >> np.uint64(32)) + first
    return round_to_dtype(np.concatenate(lists)[index.astype(np.intp)], target)


def coin_flip(
    seed: int,
    start: int,
    n_samples: int,
    n_elements: int | ArrayLike = 1,
    probability: ArrayLike = 0.5,
    dtype: DTypeLike = np.int32,
) -> NDArray[np.generic]:
    """Ones with a given probability: 1 where the 32-bit draw is at most ``probability * 2**32``.

    Parameters
    ----------
    seed, start, n_samples, n_elements
        As for `uniform`.
    probability : float or array_like of float, shape (N,)
        Chance of a 1, at least 0; from 1 on the result is always 1.
    dtype : dtype
        One of `COIN_FLIP_DTYPES`.

    Returns
    -------
    ndarray of dtype
        Shape as for `uniform`.

    Raises
    ------
    ValueError
        If a probability is negative or not a number, or a shape or type does not fit.
    """
    target = _check_dtype(dtype, COIN_FLIP_DTYPES, "coin_flip")
    chance = _per_element(probability, n_samples, n_elements, np.float32, "probability")
    if not (chance >= 0).all():
        raise ValueError(f"a probability is {float(chance[~(chance >= 0)].flat[0])}; expected a number from 0 to 1")
    threshold = np.minimum(chance.astype(np.float64) * 2.0**32, _MASK32).astype(np.uint32)
    return (draws_u32(seed, start, n_samples, n_elements)[..., 0] <= threshold).astype(target)


def normal(
    seed: int,
    start: int,
    n_samples: int,
    n_elements: int | ArrayLike = 1,
    mean: ArrayLike = 0.0,
    stddev: ArrayLike = 1.0,
    dtype: DTypeLike = np.float32,
) -> NDArray[np.generic]:
    """Normally distributed numbers: the cosine branch of Box and Muller's transform, two draws per element.

    Parameters
    ----------
    seed, start, n_samples, n_elements
        As for `uniform`.
    mean, stddev : float or array_like of float, shape (N,)
        Centre and width; single precision. A negative width mirrors the numbers.
    dtype : dtype
        One of `UNIFORM_DTYPES`; integers are rounded half away from zero and clamped.

    Returns
    -------
    ndarray of dtype
        Shape as for `uniform`.
    """
    target = _check_dtype(dtype, UNIFORM_DTYPES, "normal")
    real = real_type(target)
    centre = _per_element(mean, n_samples, n_elements, np.float32, "mean").astype(real)
    width = _per_element(stddev, n_samples, n_elements, np.float32, "stddev").astype(real)
    scale = real.type(2.0 ** (-64 if real == np.float64 else -32))
    first, second = (w * scale for w in _unit_words(seed, start, n_samples, n_elements, real, 2))
    zero = first == 0
    first, second = np.where(zero, second, first), np.where(zero, first, second)
    first = np.where(first == 0, real.type(1e-30), first)
    # Logarithm and cosine in double precision and rounded once: numpy's single-precision ones are off by up to 2 ulp.
    logarithm = np.log(first.astype(np.float64)).astype(real)
    radius = np.sqrt(real.type(-2) * logarithm)
    cosine = np.cos((real.type(2 * np.pi) * second).astype(np.float64)).astype(real)
    return round_to_dtype(_fma(radius * cosine, width, centre), target)
