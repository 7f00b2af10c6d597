"""Casts between all pairs of element types."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import dali_type, nvidia_dali, run

from dali_studio.kernels.cpu.convert import convert
from dali_studio.schema.tolerance import EXACT

INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]
TYPES = ["bool", *INTEGERS, "float16", "float32", "float64"]


def values(dtype: str) -> np.ndarray:
    """Numbers at and around every limit and tie, of that type."""
    generator = np.random.default_rng(1)
    if dtype.startswith("float"):
        edges = [
            np.inf,
            -np.inf,
            -0.5,
            0.5,
            1.5,
            2.5,
            -1.5,
            0.49999997,
            300,
            -300,
            7e4,
            -7e4,
            3e9,
            -3e9,
            1e19,
            -1e19,
            2e19,
            1e30,
        ]
        halves = [
            65504.0,
            65519,
            65520,
            0.1,
            1e-8,
            1 + 2**-11,
            1 + 3 * 2**-11,
            2**-25,
            3 * 2**-25,
            -(2**-25),
            1023.5 * 2**-24,
        ]
        noise = [generator.normal(0, 100, 300), generator.integers(-600, 600, 300) / 2, generator.normal(0, 1e-6, 50)]
        with np.errstate(over="ignore"):
            return np.concatenate([edges, halves, *noise]).astype(dtype)
    edges = [-(2**63), -(2**31) - 1, -129, -1, 0, 1, 127, 128, 255, 256, 32768, 65535, 65536, 2**31, 2**32, 2**63 - 1]
    wide = np.concatenate(
        [np.array(edges, np.int64), generator.integers(-(2**62), 2**62, 60) >> generator.integers(0, 62, 60)]
    )
    return wide.astype(dtype)


@pytest.mark.parametrize("src_type", TYPES)
def test_equals_nvidia_dali(src_type: str) -> None:
    fn = nvidia_dali().fn
    src = values(src_type)
    for out_type in TYPES:
        expected = run(fn.cast, src, layout="", dtype=dali_type(out_type))
        out = np.zeros(src.shape, out_type)
        with np.errstate(over="ignore"):
            convert(src, out)
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(out[~finite], expected[~finite])
        EXACT.check(out[finite], expected[finite], (src_type, out_type))


@pytest.mark.parametrize("out_type", INTEGERS)
@pytest.mark.parametrize("src_type", ["float16", "float32", "float64"])
def test_not_a_number_becomes_zero(src_type: str, out_type: str) -> None:
    out = np.ones(40, out_type)
    convert(np.full(40, np.nan, src_type), out)
    assert not out.any()


def test_rounds_half_away_from_zero() -> None:
    out = np.zeros(6, np.int32)
    convert(np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.49999997], np.float32), out)
    assert out.tolist() == [1, 2, 3, -1, -2, 0]


def test_large_and_strided_arrays() -> None:
    src = np.random.default_rng(0).uniform(-50, 300, (301, 260)).astype(np.float32)
    out = np.zeros((260, 301), np.uint8)
    convert(src.T, out)
    np.testing.assert_array_equal(out, np.clip(np.floor(src.T + 0.5), 0, 255).astype(np.uint8))


def test_shapes_must_agree() -> None:
    with pytest.raises(ValueError, match="same shape"):
        convert(np.zeros(3), np.zeros(4))


def test_what_cannot_be_converted_is_refused() -> None:
    src = np.ones((4, 6), np.float32)
    with pytest.raises(ValueError, match="same shape"):
        convert(src, np.zeros((6, 4), np.uint8))
    with pytest.raises(ValueError, match="without gaps"):
        convert(src, np.zeros((4, 12), np.uint8)[:, ::2])
    with pytest.raises(TypeError, match=r"complex64, uint8 are not accepted\. Convert to bool, float16, .*uint8 and"):
        convert(src.astype(np.complex64), np.zeros((4, 6), np.uint8))
    fixed = np.zeros((4, 6), np.uint8)
    fixed.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        convert(src, fixed)
