"""How data goes on beyond its first and last element."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def repeated(places: Places, count: int) -> Places:
    """Places along an axis of `count` elements, of which the first and the last go on."""
    return np.clip(places, 0, count - 1)


def mirrored(places: Places, count: int) -> Places:
    """The same where they come again backwards, the first and the last twice."""
    place = places % (2 * count)
    return np.minimum(place, 2 * count - 1 - place)


def mirrored_between(places: Places, count: int) -> Places:
    """The same where the first and the last are the mirrors, and come once."""
    period = 2 * count - 2
    place = places % max(period, 1)
    return np.minimum(place, abs(period - place))
