"""``fn.normalize`` of what has no mean or deviation, against nvidia.dali."""

from __future__ import annotations

import numpy as np
import pytest
from declared import declared
from peers import check

pytestmark = pytest.mark.usefixtures("nvidia")


@pytest.mark.parametrize(
    "settings", ["mean=0.5", "mean=0.5, ddof=1", "mean=0.5, batch=True", "mean=0.5, axes=[0]", "epsilon=-100.0", "stddev=1.0, epsilon=-9.0", "axes=[1]"]
)
def test_what_is_no_number_stays_none(settings: str) -> None:
    """A variance that is NaN, or becomes negative, is not that of constant data."""
    data = [np.array([[1, np.nan], [3, 4]], np.float32), np.array([[1, 2], [3, 4]], np.float32), np.ones((2, 2), np.float32)]
    check(f"fn.normalize(data, {settings})", {"data": data}, declared("normalize"))


@pytest.mark.parametrize("axes", ["[0]", "[2]", "[0, 2]"])
def test_a_batch_in_which_an_axis_that_stays_has_no_element(axes: str) -> None:
    check(f"fn.normalize(data, axes={axes}, batch=True)", {"data": ([np.ones((2, 0, 3), np.float32)] * 3, "")})
