"""``fn.cast`` against nvidia.dali: every pair of element types, with the values at which rules differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from images import Array, pictures
from peers import check, check_refused

pytestmark = pytest.mark.usefixtures("nvidia")

SOURCES = [
    np.uint8,
    np.uint16,
    np.uint32,
    np.uint64,
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.float16,
    np.float32,
    np.float64,
    np.bool_,
]
TARGETS = [
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "FLOAT16",
    "FLOAT",
    "FLOAT64",
    "BOOL",
]


def values(dtype: Any) -> Array:
    """Limits, halves and neighbours, as far as the type holds them."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([False, True])
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        wanted = [0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32769, 65535, 65536, 2**31 - 1, 2**31, 2**24 + 1,
                  2**32 - 1, 2**32, 2**53 + 1, 2049, 2051, 65519, 65520, limits.min, limits.max]  # fmt: skip
        return np.array([v for v in wanted if limits.min <= v <= limits.max], kind)
    wanted = [0.0, -0.0, 0.25, 0.49999997, 0.5, 0.75, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, 126.5, 127.5, 254.5, 255.5, 256.0, -128.5, 32767.5,
              65504.0, 65519.0, 65520.0, 1e5, -1e5, 1e-8, 6e-8, 6.1e-5, 1.0009765, 1.00048828125, 1.00146484375, 1e30, -1e30,
              np.inf, -np.inf]  # fmt: skip
    with np.errstate(over="ignore"):
        return np.array(wanted, kind)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", SOURCES)
def test_every_pair(source: Any, target: str) -> None:
    check(f"fn.cast(x, dtype=types.{target})", {"x": ([values(source)], "")})


@pytest.mark.parametrize(
    "target", ["UINT8", "INT8", "UINT16", "INT16", "UINT32", "FLOAT16", "FLOAT", "FLOAT64", "BOOL"]
)
@pytest.mark.parametrize("source", [np.float16, np.float32, np.float64])
def test_not_a_number(source: Any, target: str) -> None:
    check(f"fn.cast(x, dtype=types.{target})", {"x": ([np.array([np.nan, 1], source)], "")})


@pytest.mark.parametrize("planar", [False, True])
def test_pictures_keep_their_layout(planar: bool) -> None:
    data = {"x": (pictures(planar=planar), "CHW" if planar else "HWC")}
    check(
        "fn.cast(x, dtype=types.FLOAT), fn.cast(fn.cast(x, dtype=types.FLOAT), dtype=types.INT16), fn.cast(x, dtype=types.UINT8)",
        data,
    )


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3, 4, 5)])
def test_shapes(shape: tuple[int, ...]) -> None:
    check("fn.cast(x, dtype=types.FLOAT)", {"x": ([np.ones(shape, np.int32)] * 2, "")})


@pytest.mark.parametrize("program", ["fn.cast(x)", "fn.cast(x, dtype=types.STRING)", "fn.cast(x, dtype='FLUT')"])
def test_refused_by_both(program: str) -> None:
    check_refused(program, {"x": pictures([(4, 5)])}, "DS103 DS104 DS105")
