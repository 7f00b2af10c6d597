"""Uniform and normal numbers of large samples: compiled loops, and arrays, give the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dali_studio.core import random
from dali_studio.kernels.cpu import philox

#: More elements than arrays are made of at once, and a last block that is not full.
COUNT = 2 * 8192 + 77


def _arrays(draw: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    random.use_compiled(None)
    try:
        return draw()
    finally:
        random.use_compiled(philox.numbers_of)


@pytest.mark.parametrize("origin", [0, 6, 2**64 + 3])
@pytest.mark.parametrize("dtype", random.UNIFORM_DTYPES, ids=str)
def test_compiled_numbers_are_those_of_arrays(dtype: np.dtype[Any], origin: int) -> None:
    draws = (
        lambda: random.uniform(2**41 + 7, 2**63, 2, COUNT, [0.0, 5.5], [1.5, 120.5], dtype, origin),
        lambda: random.normal(2**41 + 7, 2**63, 2, COUNT, [0.0, 55.5], [1.5, -120.5], dtype, origin),
        lambda: random.normal(3, np.array([0, 8], np.uint64), 2, 64, 1.0, 1e30, dtype, origin),
        lambda: random.uniform(3, np.array([0, 8], np.uint64), 2, 64, 0.25, 100.0, dtype, origin),
    )
    for draw in draws:
        made, expected = draw(), _arrays(draw)
        assert made.dtype == dtype and np.array_equal(made, expected)


def test_a_large_sample_has_the_numbers_of_its_elements() -> None:
    for dtype in (np.float32, np.float64):
        for draw in (random.uniform, random.normal):
            whole = draw(9, 4, 1, COUNT, dtype=dtype)[0]
            for at in (0, 63, 64, COUNT - 1):
                alone = draw(9, 4, 1, 1, dtype=dtype, origin=at * random.ELEMENT_STRIDE)
                assert whole[at] == alone[0, 0]
