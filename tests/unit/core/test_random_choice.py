"""Choices below a limit: ranges, shares, and what each of them takes from the stream."""

from __future__ import annotations

import numpy as np
import pytest

from dali_studio.core.random_choice import choice

SEED = 2**40 + 9


@pytest.mark.parametrize("limit", [1, 2, 7, 2**31 + 1, 2**32, 2**33 + 5, 2**63 - 1])
def test_all_of_the_range_and_nothing_beside_it(limit: int) -> None:
    made = choice(SEED, 0, 4, 5000, [limit] * 4)
    assert made.shape == (4, 5000) and made.min() >= 0 and made.max() < limit
    assert abs(float(made.mean(dtype=np.float64)) / ((limit - 1) / 2 or 1) - (limit > 1)) < 0.03


def test_shares_are_those_that_were_asked_for() -> None:
    chances = np.array([0.5, 0, 0.125, 0.375], np.float32)
    shares = np.bincount(choice(SEED, 0, 1, 40000, [4], [chances])[0], minlength=4) / 40000
    assert np.abs(shares - chances).max() < 0.01 and shares[1] == 0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("consecutive", [False, True])
def test_ragged_samples_draw_what_each_draws_alone(weighted: bool, consecutive: bool) -> None:
    limits, counts = [3_000_000_000, 5, 2], [7, 0, 4]
    chances = [np.full(n, 1 / n, np.float32) for n in (9, 5, 2)] if weighted else None
    together = choice(SEED, 6, 3, counts, limits, chances, consecutive=consecutive)
    one = [
        choice(SEED, 6 + 65537 * i, 1, counts[i], limits[i : i + 1], chances and chances[i : i + 1], consecutive=consecutive)[0]
        for i in range(3)
    ]  # fmt: skip
    assert np.array_equal(together, np.concatenate(one))


def test_elements_have_places_of_their_own_unless_they_are_consecutive() -> None:
    apart, in_turn = (choice(SEED, 0, 1, 50, [1000], consecutive=c)[0] for c in (False, True))
    assert apart[0] == in_turn[0] and (apart != in_turn).any()
    assert np.array_equal(apart[:20], choice(SEED, 0, 1, 20, [1000])[0])
