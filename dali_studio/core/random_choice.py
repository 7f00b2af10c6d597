"""Whole numbers below a limit, equally likely or weighted, equal to those that nvidia.dali 2.4 chooses with.

They come from the streams of `dali_studio.core.random_stream`, through the rules of C++'s standard library: an element
may take several draws in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dali_studio.core.random_stream import ELEMENT_STRIDE, SAMPLE_STRIDE, draws_at

_WORD = np.uint64(1 << 32)
_MASK32 = np.uint64(0xFFFFFFFF)
_MASK64 = 0xFFFFFFFFFFFFFFFF


def use_compiled(below: Callable[..., NDArray[np.int64]] | None) -> None:
    """Let a compiled function draw numbers that are equally likely, as many for each sample; ``None``: none.

    It is called as ``below(seed, highs, elements, limits, consecutive=..., origin=...)``.
    """
    global _below  # noqa: PLW0603 - this package does without a compiler: one above it brings the function
    _below = below


_below: Callable[..., NDArray[np.int64]] | None = None


def choice(
    seed: int,
    start: int,
    n_samples: int,
    n_elements: int | ArrayLike,
    limits: ArrayLike,
    chances: Sequence[NDArray[np.float32]] | None = None,
    *,
    consecutive: bool = False,
    origin: int = 0,
) -> NDArray[np.int64]:
    """Whole numbers from 0 to ``limit - 1``.

    Parameters
    ----------
    seed, start, n_samples, n_elements
        As for `dali_studio.core.random.uniform`.
    limits : array_like of int, shape (N,)
        At least 1.
    chances : sequence of N arrays of float32, shape (limit,), optional
        Probabilities, whose sum is about 1; by default all numbers are equally likely.
    consecutive : bool
        The elements of a sample draw one after the other, instead of each from its own place in the stream. It is what
        nvidia.dali does where it chooses among arrays; limits are below 2**32 then.
    origin : int
        Draws before the first one of every sample (`core.random_stream`).

    Returns
    -------
    ndarray of int64
        (N, n_elements), or (sum(n_elements),) for ragged samples.
    """
    counts = np.asarray(n_elements, np.int64)
    rows = np.broadcast_to(counts, n_samples)
    ends = np.cumsum(rows)
    high = np.uint64(start & _MASK64) + np.arange(n_samples, dtype=np.uint64) * np.uint64(SAMPLE_STRIDE)
    if _below is not None and chances is None and counts.ndim == 0:
        whole = np.broadcast_to(np.asarray(limits), n_samples).astype(np.int64)
        return _below(seed, high, int(counts), whole, consecutive=consecutive, origin=origin)
    bounds = np.broadcast_to(np.asarray(limits), n_samples).astype(np.uint64)
    sample = np.repeat(np.arange(n_samples), rows)
    element = np.arange(len(sample)) - np.repeat(ends - rows, rows)
    if chances is not None:
        step = 2 if consecutive else ELEMENT_STRIDE
        made = _weighted(_Cursor(seed, high[sample], element * step, origin), ends.tolist(), chances)
    elif consecutive:
        words = draws_at(seed, high[sample], element.astype(np.uint64), origin).astype(np.uint64)
        value, accepted = _scaled(words, bounds[sample])
        made = value.astype(np.int64)
        for row in np.unique(sample[~accepted]).tolist():  # few, whose draws move up
            numbers = _one_after_other(seed, origin, int(high[row]), int(bounds[row]), int(rows[row]))
            made[ends[row] - rows[row] : ends[row]] = numbers
    else:
        cursor = _Cursor(seed, high[sample], element * ELEMENT_STRIDE, origin)
        made = _up_to(cursor, np.arange(len(sample)), bounds[sample] - np.uint64(1)).astype(np.int64)
    return made.reshape(n_samples, int(counts)) if counts.ndim == 0 else made


class _Cursor:
    """A place in the stream for each element, which moves on as the element draws."""

    def __init__(self, seed: int, high: NDArray[np.uint64], offset: NDArray[np.int64], origin: int) -> None:
        self._origin, self._seed, self._high, self._offset = origin, seed, high, offset.astype(np.uint64)

    def take(self, which: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The next 32-bit draw of the elements `which`."""
        words = draws_at(self._seed, self._high[which], self._offset[which], self._origin)
        self._offset[which] += np.uint64(1)
        return words.astype(np.uint64)


def _up_to(cursor: _Cursor, which: NDArray[np.int64], largest: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers from 0 to `largest`, all equally likely, for the elements `which`.

    Numbers of more than 32 bits are put together from a high and a low part.
    """
    made = np.empty(len(which), np.uint64)
    waiting = np.arange(len(which))
    while len(waiting):
        now, top = which[waiting], largest[waiting]
        value, accepted = np.zeros(len(now), np.uint64), np.ones(len(now), np.bool_)
        wide, full = top > _MASK32, top == _MASK32
        few = ~(wide | full)
        if few.any():
            value[few], accepted[few] = _scaled(cursor.take(now[few]), top[few] + np.uint64(1))
        if full.any():
            value[full] = cursor.take(now[full])
        if wide.any():
            high = _up_to(cursor, now[wide], top[wide] >> np.uint64(32))
            value[wide] = (high << np.uint64(32)) + cursor.take(now[wide])
            accepted[wide] = value[wide] <= top[wide]
        made[waiting[accepted]] = value[accepted]
        waiting = waiting[~accepted]
    return made


def _scaled(words: NDArray[np.uint64], count: Any) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Numbers below `count` of 32-bit draws, ``floor(u * count / 2**32)``, and which of them count.

    Draws that would prefer some numbers are not accepted (Lemire, "Fast random integer generation in an interval",
    2019).
    """
    product = words * count
    return product >> np.uint64(32), (product & _MASK32) >= (_WORD - count) % count


def _one_after_other(seed: int, origin: int, high: int, count: int, elements: int) -> NDArray[np.int64]:
    """Numbers below `count` of one sample: its accepted draws, in order."""
    made = np.empty(0, np.int64)
    offset = 0
    while len(made) < elements:
        places = np.arange(offset, offset + elements - len(made), dtype=np.uint64)
        words = draws_at(seed, np.full(len(places), high, np.uint64), places, origin).astype(np.uint64)
        value, accepted = _scaled(words, np.uint64(count))
        made = np.concatenate([made, value[accepted].astype(np.int64)])
        offset += len(places)
    return made


def _weighted(cursor: _Cursor, ends: Sequence[int], chances: Sequence[NDArray[np.float32]]) -> NDArray[np.int64]:
    """Where a number of [0, 1), of two draws, falls among the sums of the probabilities; `ends`: of the samples."""
    every = np.arange(ends[-1] if ends else 0)
    low, high = cursor.take(every), cursor.take(every)
    place = (low | high << np.uint64(32)).astype(np.float64) * 2.0**-64
    made = np.zeros(len(every), np.int64)
    if chances and all(row is chances[0] for row in chances):
        ends = ends[-1:]  # one search for all
    for begin, end, row in zip((0, *ends), ends, chances, strict=False):
        weights = row.astype(np.float64)
        sums = np.cumsum(weights / weights.sum())
        made[begin:end] = np.minimum(np.searchsorted(sums, place[begin:end], side="left"), len(row) - 1)
    return made
