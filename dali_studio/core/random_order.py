"""Orders of a batch, equal to those of nvidia.dali 2.4: C++ shuffles, with numbers of the operator's stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.random_stream import draws_at

#: Draws that are made at once, beyond one for each item.
_MORE = 16
#: Up to so many items two places are found by one draw.
_PAIRED = 0xFFFF


def use_compiled(places: Callable[..., NDArray[np.int32]] | None) -> None:
    """Let a compiled function draw; ``None``: none.

    It is called as ``places(seed, start, count, again=..., others=..., origin=...)``.
    """
    global _places  # noqa: PLW0603 - this package does without a compiler: one above it brings the function
    _places = places


_places: Callable[..., NDArray[np.int32]] | None = None


def drawn_indices(seed: int, start: int, count: int, *, others: bool, origin: int = 0) -> NDArray[np.int32]:
    """A place for each of `count` items, which may come several times.

    Parameters
    ----------
    seed, start : int
        The stream, and the number of samples drawn before.
    others : bool
        No item gets its own place.
    origin : int
        Draws before the first one (`core.random_stream`).
    """
    if _places is not None:
        return _places(seed, start, count, again=True, others=others, origin=origin)
    draws = _Draws(seed, start, count, origin)
    if others and count > 1:
        found = [draws.below(count - 1) for _ in range(count)]
        return np.array([place + (place >= item) for item, place in enumerate(found)], np.int32)
    return np.array([draws.below(count) for _ in range(count)], np.int32)


def drawn_order(seed: int, start: int, count: int, *, others: bool, origin: int = 0) -> NDArray[np.int32]:
    """An order of `count` items; the parameters are those of `drawn_indices`."""
    if _places is not None:
        return _places(seed, start, count, again=False, others=others, origin=origin)
    draws = _Draws(seed, start, count, origin)
    swaps = _all_move(draws, count) if others else _shuffled(draws, count)
    order = list(range(count))
    for item, place in swaps:
        order[item], order[place] = order[place], order[item]
    return np.array(order, np.int32)


def _all_move(draws: _Draws, count: int) -> Iterator[tuple[int, int]]:
    """Swaps after which no item is where it was: each with a later one."""
    return ((item, item + 1 + draws.below(count - 1 - item)) for item in range(count - 1))


def _shuffled(draws: _Draws, count: int) -> Iterator[tuple[int, int]]:
    """The swaps of C++'s ``shuffle``: each item with one up to it, two items by one draw where it is wide enough."""
    if count > _PAIRED:
        yield from ((item, draws.below(item + 1)) for item in range(1, count))
        return
    item = 1
    if count % 2 == 0 and count:
        yield item, draws.below(2)
        item = 2
    while item < count:
        first, second = divmod(draws.below((item + 1) * (item + 2)), item + 2)
        yield item, first
        yield item + 1, second
        item += 2


class _Draws:
    """Numbers one after the other."""

    def __init__(self, seed: int, start: int, count: int, origin: int) -> None:
        self._origin, self._seed, self._high, self._block = origin, seed, np.uint64(start), count + _MORE
        self._words: list[int] = []
        self._next = 0

    def below(self, limit: int) -> int:
        """A number below `limit`, as C++'s ``uniform_int_distribution`` has it."""
        while True:
            product = self._word() * limit
            rest = product & 0xFFFFFFFF
            if rest >= limit or rest >= (1 << 32) % limit:
                return product >> 32

    def _word(self) -> int:
        if self._next == len(self._words):
            offsets = np.arange(self._next, self._next + self._block, dtype=np.uint64)
            self._words += draws_at(self._seed, np.full(len(offsets), self._high), offsets, self._origin).tolist()
        self._next += 1
        return self._words[self._next - 1]
