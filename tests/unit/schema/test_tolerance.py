"""Tolerances: what is within bounds, which one holds, and that each says why."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dali_studio.core.enums import DALIDataType as T
from dali_studio.schema.tolerance import EXACT, Tolerance, tolerance_for

ONE_LEVEL = Tolerance(1, 0.01, relative=1e-3, reason="rounding")
ANOTHER_PIXEL = Tolerance(math.inf, 0.01, reason="positions")


def changed(count: int, by: float, dtype: Any = np.uint8, size: int = 1000) -> tuple[Any, Any]:
    """A result with some elements that differ, and the reference."""
    reference = np.full(size, 100, dtype)
    result = reference.copy()
    result[:count] += np.asarray(by, dtype)
    return result, reference


@pytest.mark.parametrize(
    ("tolerance", "pair", "found"),
    [
        (EXACT, changed(0, 1), ""),
        (EXACT, changed(1, 1), "difference 1 > 0"),
        (ONE_LEVEL, changed(10, 1), ""),
        (ONE_LEVEL, changed(11, 1), "0.011 of the elements differ > 0.01"),
        (ONE_LEVEL, changed(1, 2), "difference 2 > 1"),
        (ONE_LEVEL, changed(4, 1, size=5), ""),
        (ONE_LEVEL, changed(5, 1, size=5), "1 of the elements differ > 0.01"),
        (ONE_LEVEL, changed(1000, 0.1, np.float32), ""),
        (ONE_LEVEL, changed(1, 0.2, np.float32), "relative difference 0.002 > 0.001"),
        (ANOTHER_PIXEL, changed(10, 100), ""),
        (ANOTHER_PIXEL, changed(11, 100, np.float32), "0.011 of the elements differ > 0.01"),
        (ONE_LEVEL, (np.zeros(3, np.int8), np.zeros(3, np.uint8)), "int8 (3,) in place of uint8 (3,)"),
        (EXACT, (np.zeros((0, 3)), np.zeros((0, 3))), ""),
        (ONE_LEVEL, (np.array([np.nan, np.inf, 1]), np.array([np.nan, np.inf, 1])), ""),
        (ONE_LEVEL, (np.array([np.inf, 1]), np.array([-np.inf, 1])), "infinities or NaN differ"),
        (ANOTHER_PIXEL, (np.array([np.nan, 1]), np.array([0.0, 1])), "the result has infinities or NaN, the reference has numbers"),
    ],
)
def test_bounds(tolerance: Tolerance, pair: tuple[Any, Any], found: str) -> None:
    assert tolerance.exceeded(*pair) == found


def test_the_first_that_holds_counts() -> None:
    nearest = Tolerance(math.inf, 0.1, reason="positions", when={"interp": "NN"})
    half = Tolerance(relative=1e-3, reason="eleven bits", dtypes=(T.FLOAT16,))
    gpu = Tolerance(2, reason="another order of sums", on="gpu")
    declared = (nearest, half, gpu)
    assert tolerance_for(declared, T.UINT8, "cpu", {"interp": "NN"}) is nearest
    assert tolerance_for(declared, T.FLOAT16, "gpu", {}) is half
    assert tolerance_for(declared, T.UINT8, "gpu", {"interp": "LINEAR"}) is gpu
    assert tolerance_for(declared, T.UINT8, "cpu", {}) is EXACT


def test_a_tolerance_says_why() -> None:
    with pytest.raises(ValueError, match="needs a reason"):
        Tolerance(1)
