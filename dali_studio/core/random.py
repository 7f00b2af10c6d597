"""Uniform, discrete, Bernoulli and normal numbers of whole batches, equal to those of nvidia.dali 2.4.

The streams and seeds behind them are explained in `dali_studio.core.random_stream`, whose names this module also
offers. Each function takes the operator's seed, the number of samples produced in earlier iterations (``start``), the
batch size and the number of elements per sample, either one for all or one each (ragged samples).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dali_studio.core.random_numbers import fused_multiply_add, real_type, round_to_dtype, wrap_to_dtype
from dali_studio.core.random_stream import (
    ELEMENT_STRIDE,
    SAMPLE_STRIDE,
    SEED_TABLE_SIZE,
    draws_u32,
    highs_of,
    operator_seeds,
    philox,
    resolve_pipeline_seed,
    seed_sequence,
)

__all__ = [
    "COIN_FLIP_DTYPES",
    "ELEMENT_STRIDE",
    "SAMPLE_STRIDE",
    "SEED_TABLE_SIZE",
    "UNIFORM_DTYPES",
    "coin_flip",
    "draws_u32",
    "normal",
    "operator_seeds",
    "philox",
    "real_type",
    "resolve_pipeline_seed",
    "round_to_dtype",
    "seed_sequence",
    "uniform",
    "uniform_values",
]

_TOP32 = 0xFFFFFFFF
#: Elements of a sample from which on a compiled loop, which draws as many at once, is faster than arrays.
_MANY = 64
#: Elements of a sample that arrays are made of at once.
_BLOCK = 1 << 13

UNIFORM_DTYPES = tuple(
    np.dtype(t)
    for t in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")
)
"""Output types of `uniform`, `uniform_values` and `normal`, as in nvidia.dali."""
COIN_FLIP_DTYPES = tuple(np.dtype(t) for t in ("bool", "uint8", "int32"))
"""Output types of `coin_flip`, as in nvidia.dali."""


def _per_element(
    value: ArrayLike, samples: int, elements: int | ArrayLike, dtype: DTypeLike, what: str
) -> NDArray[Any]:
    """Bring one number, or one per sample, to a shape that broadcasts against the result."""
    array = np.asarray(value, dtype)
    if array.ndim == 0:
        return array
    if array.shape != (samples,):
        raise ValueError(f"{what} has shape {array.shape}; expected one number, or one per sample: ({samples},)")
    counts = np.asarray(elements)
    return array[:, None] if counts.ndim == 0 else np.repeat(array, counts)


def _check_dtype(dtype: DTypeLike, accepted: Sequence[np.dtype[Any]], what: str) -> np.dtype[Any]:
    target = np.dtype(dtype)
    if target not in accepted:
        raise ValueError(f"{what} cannot produce {target.name}; accepted: {', '.join(t.name for t in accepted)}")
    return target


# --------------------------------------------------------------------------------------------------- distributions


def use_compiled(numbers: Callable[..., NDArray[Any]] | None) -> None:
    """Let a compiled function draw `uniform` and `normal` numbers of large samples; ``None``: none.

    It is called as ``numbers(name, seed, highs, elements, arguments, dtype, origin)``.
    """
    global _compiled  # noqa: PLW0603 - this package does without a compiler: one above it brings the function
    _compiled = numbers


_compiled: Callable[..., NDArray[Any]] | None = None


def _unit_words(
    seed: int, start: int | NDArray[np.uint64], n_samples: int, n_elements: int | ArrayLike, real: np.dtype[Any],
    count: int, origin: int,
) -> list[NDArray[Any]]:
    """``count`` unsigned draws per element as real numbers: 32-bit words for float32, 64-bit ones for float64."""
    wide = real == np.float64
    if _compiled is not None and isinstance(n_elements, int) and n_elements >= _MANY:
        highs, plain = highs_of(start, n_samples), tuple(np.array(one, real) for one in (0, 1, np.inf))
        places = (origin + i * (2 if wide else 1) for i in range(count))
        return [_compiled("uniform", seed, highs, n_elements, plain, real, place) for place in places]
    words = draws_u32(seed, start, n_samples, n_elements, count * (2 if wide else 1), origin)
    if not wide:
        return [words[..., i].astype(np.float32) for i in range(count)]
    long = words.astype(np.uint64)
    return [(long[..., 2 * i] | long[..., 2 * i + 1] << np.uint64(32)).astype(np.float64) for i in range(count)]


def uniform(
    seed: int,
    start: int | NDArray[np.uint64],
    n_samples: int,
    n_elements: int | ArrayLike = 1,
    low: ArrayLike = -1.0,
    high: ArrayLike = 1.0,
    dtype: DTypeLike = np.float32,
    origin: int = 0,
) -> NDArray[Any]:
    """Uniform numbers of ``[low, high)``.

    Parameters
    ----------
    seed : int
        Operator seed.
    start : int or ndarray of uint64
        Number of samples produced before (see the module); (K,) for K iterations at once, whose K N samples come one
        after another, if all take the same numbers and as many elements.
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
    origin : int
        Draws before the first one of every sample (`core.random_stream`).

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
        a, b = (wrap_to_dtype(v, target) for v in (a, b))
    a, b = a.astype(real), b.astype(real)
    b = np.nextafter(b, a)
    a, b = np.minimum(a, b), np.maximum(a, b)
    factor = (b - a) * real.type(2.0 ** (-64 if real == np.float64 else -32))
    if _compiled is not None and isinstance(n_elements, int) and n_elements >= _MANY:
        return _compiled("uniform", seed, highs_of(start, n_samples), n_elements, (a, factor, b), target, origin)
    (word,) = _unit_words(seed, start, n_samples, n_elements, real, 1, origin)
    return round_to_dtype(np.minimum(fused_multiply_add(word, factor, a), b), target)


def uniform_values(
    seed: int,
    start: int | NDArray[np.uint64],
    n_samples: int,
    n_elements: int | ArrayLike,
    values: Sequence[float] | Sequence[NDArray[np.float32]] | NDArray[np.float32],
    dtype: DTypeLike = np.float32,
    origin: int = 0,
) -> NDArray[Any]:
    """Picks from a list of values, all equally likely: value ``floor(u * n / 2**32)`` for the 32-bit draw u.

    Parameters
    ----------
    seed, start, n_samples, n_elements
        As for `uniform`.
    values : array_like of float, shape (n,), or a sequence of N arrays
        The values for all samples, or one list per sample (a list of arrays). Single precision.
    dtype : dtype
        One of `UNIFORM_DTYPES`; integers are rounded half away from zero and clamped.
    origin : int
        Draws before the first one of every sample (`core.random_stream`).

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
    lists: list[NDArray[np.float32]] = [np.asarray(v, np.float32) for v in (values if ragged else [values])]
    if ragged and len(lists) != n_samples:
        raise ValueError(f"values holds {len(lists)} lists; expected one per sample: {n_samples}")
    for item in lists:
        if item.ndim != 1 or item.size == 0:
            raise ValueError(f"values has shape {item.shape}; expected a list of one or more numbers")
    sizes = np.array([item.size for item in lists], np.uint64)
    firsts = np.cumsum(sizes) - sizes
    words = draws_u32(seed, start, n_samples, n_elements, origin=origin)[..., 0].astype(np.uint64)
    count = _per_element(sizes if ragged else sizes[0], n_samples, n_elements, np.uint64, "values")
    first = _per_element(firsts if ragged else firsts[0], n_samples, n_elements, np.uint64, "values")
    index = (words * count >> np.uint64(32)) + first
    return round_to_dtype(np.concatenate(lists)[index.astype(np.intp)], target)


def coin_flip(
    seed: int,
    start: int | NDArray[np.uint64],
    n_samples: int,
    n_elements: int | ArrayLike = 1,
    probability: ArrayLike = 0.5,
    dtype: DTypeLike = np.int32,
    origin: int = 0,
) -> NDArray[Any]:
    """Ones with a given probability: 1 where the 32-bit draw is at most ``probability * 2**32``.

    Parameters
    ----------
    seed, start, n_samples, n_elements
        As for `uniform`.
    probability : float or array_like of float, shape (N,)
        Chance of a 1, at least 0; from 1 on the result is always 1.
    dtype : dtype
        One of `COIN_FLIP_DTYPES`.
    origin : int
        Draws before the first one of every sample (`core.random_stream`).

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
    threshold = np.minimum(chance.astype(np.float64) * 2.0**32, _TOP32).astype(np.uint32)
    return (draws_u32(seed, start, n_samples, n_elements, origin=origin)[..., 0] <= threshold).astype(target)


def normal(
    seed: int,
    start: int | NDArray[np.uint64],
    n_samples: int,
    n_elements: int | ArrayLike = 1,
    mean: ArrayLike = 0.0,
    stddev: ArrayLike = 1.0,
    dtype: DTypeLike = np.float32,
    origin: int = 0,
) -> NDArray[Any]:
    """Normally distributed numbers: the cosine branch of Box and Muller's transform, two draws per element.

    Parameters
    ----------
    seed, start, n_samples, n_elements
        As for `uniform`.
    mean, stddev : float or array_like of float, shape (N,)
        Centre and width; single precision. A negative width mirrors the numbers.
    dtype : dtype
        One of `UNIFORM_DTYPES`; integers are rounded half away from zero and clamped.
    origin : int
        Draws before the first one of every sample (`core.random_stream`).

    Returns
    -------
    ndarray of dtype
        Shape as for `uniform`.
    """
    target = _check_dtype(dtype, UNIFORM_DTYPES, "normal")
    real = real_type(target)
    centre = _per_element(mean, n_samples, n_elements, np.float32, "mean")
    width = _per_element(stddev, n_samples, n_elements, np.float32, "stddev")
    if real == np.float32 and _compiled is not None and isinstance(n_elements, int) and n_elements >= _MANY:
        return _compiled("normal", seed, highs_of(start, n_samples), n_elements, (centre, width), target, origin)
    if isinstance(n_elements, int) and n_elements > _BLOCK:  # so that what is made on the way stays in the cache
        parts = list[NDArray[Any]]()
        for at in range(0, n_elements, _BLOCK):
            size, place = min(_BLOCK, n_elements - at), origin + at * ELEMENT_STRIDE
            parts.append(normal(seed, start, n_samples, size, mean, stddev, dtype, place))
        return np.concatenate(parts, axis=1)
    scale = real.type(2.0 ** (-64 if real == np.float64 else -32))
    first, second = _unit_words(seed, start, n_samples, n_elements, real, 2, origin)
    first, second = first * scale, second * scale
    zero = first == 0  # there is no logarithm of 0: swap the two, and if both are 0 take a tiny number
    first[zero], second[zero] = second[zero], first[zero]
    first[first == 0] = 1e-30
    # Logarithm and cosine in double precision and rounded once: numpy's single-precision ones are off by up to 2 ulp.
    logarithm = np.log(first.astype(np.float64)).astype(real)
    radius = np.sqrt(real.type(-2) * logarithm)
    cosine = np.cos((real.type(2 * np.pi) * second).astype(np.float64)).astype(real)
    return round_to_dtype(fused_multiply_add(radius * cosine, width.astype(real), centre.astype(real)), target)
