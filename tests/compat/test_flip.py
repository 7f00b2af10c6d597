"""``fn.flip`` against nvidia.dali."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from images import ODD_SIZES, TINY_SIZES, pictures
from peers import check, check_refused

pytestmark = pytest.mark.usefixtures("nvidia")


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "dtype", [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64, np.float32, np.float64]
)
def test_types_layouts_channels(dtype: Any, channels: int, planar: bool) -> None:
    data = {"x": (pictures([*ODD_SIZES, *TINY_SIZES], channels, dtype, planar), "CHW" if planar else "HWC")}
    check("fn.flip(x), fn.flip(x, vertical=1), fn.flip(x, horizontal=0, vertical=1), fn.flip(x, horizontal=0)", data)


def test_arguments_by_sample() -> None:
    flags = [np.array(v, np.int32) for v in (0, 1, 0, 1)]
    data = {"x": pictures(), "h": flags, "v": flags[::-1]}
    check("fn.flip(x, horizontal=h), fn.flip(x, horizontal=h, vertical=v), fn.flip(x, vertical=v, depthwise=0)", data)


@pytest.mark.parametrize("dtype", [np.bool_, np.float16])
def test_element_types_refused_by_both(dtype: Any) -> None:
    check_refused("fn.flip(x)", {"x": pictures([(5, 6)], dtype=dtype)}, "DS203")
