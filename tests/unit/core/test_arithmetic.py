"""Element types of arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from dali_studio.core.arithmetic import OPERATIONS
from dali_studio.core.dtypes import NUMERIC, from_numpy, is_float, promoted, to_numpy
from dali_studio.core.enums import DALIDataType as T


@pytest.mark.parametrize("one", NUMERIC)
@pytest.mark.parametrize("other", NUMERIC)
def test_promotion_is_numpys_where_integers_do_not_meet_real_numbers(one: T, other: T) -> None:
    assert promoted(one, other) == promoted(other, one)
    if is_float(one) == is_float(other) and np.uint64 not in (to_numpy(one), to_numpy(other)):
        assert promoted(one, other) == from_numpy(np.promote_types(to_numpy(one), to_numpy(other)))


def test_promotion_where_it_is_not_numpys() -> None:
    assert promoted(T.UINT64, T.INT8) == T.INT64
    assert promoted(T.INT64, T.FLOAT) == T.FLOAT
    assert promoted(T.UINT32, T.FLOAT16) == T.FLOAT16
    assert promoted(T.UINT8, T.INT8, T.UINT16) == T.INT32


def test_results() -> None:
    assert OPERATIONS["fdiv"].result([T.INT64, T.UINT8]) == T.FLOAT
    assert OPERATIONS["fdiv"].result([T.INT64, T.FLOAT64]) == T.FLOAT64
    assert OPERATIONS["div"].result([T.UINT8, T.INT8]) == T.INT16
    assert OPERATIONS["sqrt"].result([T.INT8]) == T.FLOAT
    assert OPERATIONS["lt"].result([T.FLOAT64, T.INT8]) == T.BOOL
    assert OPERATIONS["mul"].result([T.BOOL, T.BOOL]) == T.BOOL
    assert OPERATIONS["clamp"].result([T.UINT8, T.INT32, T.INT32]) == T.INT32


@pytest.mark.parametrize(
    ("name", "types", "says"),
    [
        ("add", (T.BOOL, T.BOOL), "cast to a number"),
        ("minus", (T.BOOL,), "Use & | ^ ~"),
        ("add", (T.FLOAT16, T.INT32), "Cast to FLOAT first"),
        ("lshift", (T.INT32, T.FLOAT), "takes integers and bools"),
    ],
)
def test_operations_that_are_not_there(name: str, types: tuple[T, ...], says: str) -> None:
    with pytest.raises(TypeError, match=says.replace("|", r"\|").replace("^", r"\^")):
        OPERATIONS[name].result(types)
