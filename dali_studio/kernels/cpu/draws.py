"""Orders of a batch, and whole numbers below limits, drawn by compiled code.

Once this is imported, `core.random_order` and `core.random_choice` use it in place of their own loops, which give the
same numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core import random_choice, random_order
from dali_studio.core.random_stream import stream_words
from dali_studio.kernels.cpu.native import kernel


def places_of(seed: int, start: int, count: int, *, again: bool, others: bool, origin: int) -> NDArray[np.int32]:
    """Places for `count` items, which may come `again`; with `others`, none has its own."""
    made = np.empty(count, np.int32)
    kernel("drawn_places")(made, stream_words(seed, origin), start, again, others)
    return made


def numbers_below(
    seed: int, highs: NDArray[np.uint64], elements: int, limits: NDArray[np.int64], *, consecutive: bool, origin: int
) -> NDArray[np.int64]:  # fmt: skip
    """(N, `elements`) numbers below (N,) limits, of samples whose counters have these upper halves."""
    made = np.empty((len(highs), elements), np.int64)
    kernel("drawn_below")(made, stream_words(seed, origin), highs, limits, consecutive)
    return made


random_order.use_compiled(places_of)
random_choice.use_compiled(numbers_below)
