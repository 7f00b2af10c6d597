"""Orders and choices by compiled code against the loops of `core`, number for number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from dali_studio.core import random_choice, random_order
from dali_studio.kernels.cpu import draws

SEED = 2**40 + 9


@pytest.fixture
def plain() -> Iterator[None]:
    """Without compiled code."""
    random_order.use_compiled(None)
    random_choice.use_compiled(None)
    yield
    random_order.use_compiled(draws.places_of)
    random_choice.use_compiled(draws.numbers_below)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("origin", [0, 7, 2**65])
@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 8, 65, 1000, 66_000])
def test_orders_are_the_same(count: int, others: bool, origin: int) -> None:
    for again, draw in ((True, random_order.drawn_indices), (False, random_order.drawn_order)):
        expected = draw(SEED, 640, count, others=others, origin=origin)
        made = draws.places_of(SEED, 640, count, again=again, others=others, origin=origin)
        assert np.array_equal(made, expected) and made.dtype == expected.dtype


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("origin", [0, 6])
@pytest.mark.parametrize("consecutive", [False, True])
def test_choices_are_the_same(consecutive: bool, origin: int) -> None:
    limits = [1, 2, 7, 3_000_000_000, 2**32 - 1, *(() if consecutive else (2**32, 2**33 + 5, 2**63 - 1))]
    expected = random_choice.choice(SEED, 64, len(limits), 300, limits, consecutive=consecutive, origin=origin)
    random_choice.use_compiled(draws.numbers_below)
    made = random_choice.choice(SEED, 64, len(limits), 300, limits, consecutive=consecutive, origin=origin)
    assert np.array_equal(made, expected)
