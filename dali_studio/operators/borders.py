"""How data goes on beyond its first and last element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def repeated(places: Places, count: int) -> Places:
    """Places along an axis of `count` elements, of which the first and the last go on."""
    return np.clip(places, 0, count - 1)


def wrapped(places: Places, count: int) -> Places:
    """The same where all elements come again."""
    return places % count


def mirrored(places: Places, count: int) -> Places:
    """The same where they come again backwards, the first and the last twice."""
    place = places % (2 * count)
    return np.minimum(place, 2 * count - 1 - place)


def mirrored_between(places: Places, count: int) -> Places:
    """The same where the first and the last are the mirrors, and come once."""
    period = 2 * count - 2
    place = places % max(period, 1)
    return np.minimum(place, abs(period - place))


def window_of(
    image: NDArray[Any], first: Sequence[int], shape: Sequence[int], continued: Callable[[Places, int], Places]
) -> NDArray[Any]:
    """A window that may leave an array, which goes on by a rule: one of the functions above."""
    cut: list[slice] = []
    outside: list[tuple[int, Places]] = []
    for axis, (begin, size, count) in enumerate(zip(first, shape, image.shape, strict=True)):
        inside = begin >= 0 and begin + size <= count
        cut.append(slice(begin, begin + size) if inside else slice(None))
        if not inside:
            outside.append((axis, continued(np.arange(begin, begin + size), count)))
    image = image[tuple(cut)]
    for axis, places in outside:
        image = image.take(places, axis)
    return image
