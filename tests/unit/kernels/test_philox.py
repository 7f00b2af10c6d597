"""The compiled generator gives the numbers of the one of arrays."""

from __future__ import annotations

import numpy as np
import pytest

from dali_studio.core import random_numbers, random_stream
from dali_studio.kernels.cpu import noise, philox


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000])
def test_words(count: int) -> None:
    random = np.random.default_rng(count)
    low, high = (random.integers(0, 2**64, count, np.uint64) for _ in range(2))
    keys = random_stream._round_keys(2**63 + 99)
    assert np.array_equal(philox.words_of(low, high, keys), random_stream._words_of_arrays(low, high, keys))


def test_counters_are_broadcast() -> None:
    low, high = np.arange(3, dtype=np.uint64)[None], np.arange(5, dtype=np.uint64)[:, None]
    made = random_stream.philox(low, high, 7)
    assert made.shape == (4, 5, 3)
    assert np.array_equal(made[:, 4, 2], random_stream.philox(2, 4, 7))


@pytest.mark.parametrize("ties", [True, False])
def test_sums_are_rounded_once(ties: bool) -> None:
    random = np.random.default_rng(ties)
    count = 50_000
    if ties:  # products and summands of few bits, far apart
        a = random.integers(0, 2**24, count).astype(np.float32)
        b = (2.0 ** random.integers(-40, 2, count) * random.integers(1, 2**12, count)).astype(np.float32)
        c = -(2.0 ** random.integers(-40, 20, count) * random.integers(0, 2**24, count)).astype(np.float32)
    else:
        a, b, c = random.normal(0, 1, (3, count)).astype(np.float32)
    found = philox.multiply_add(a, b, c)
    assert np.array_equal(found.view(np.int32), random_numbers._single_of_arrays(a, b, c).view(np.int32))


@pytest.mark.parametrize("mean", [2.0**32, 1e19, 1e30, np.inf])
def test_means_beyond_counting_give_the_largest_number_of_events(mean: float) -> None:
    """No integer holds them, so that nothing may be looked up by them."""
    out = np.zeros(3, np.float32)
    noise.shot(np.full(3, mean, np.float32), out, 7, 9, 1.0)
    assert out.tolist() == [2.0**32] * 3
