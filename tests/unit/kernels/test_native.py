"""Calls of compiled kernels: what is not an array or a number of the right kind is refused before they begin."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dali_studio.kernels.cpu import descriptors, native, philox, window_batch
from dali_studio.kernels.cpu.native import NotCompiledError, kernel

UINT8, FLOAT32 = np.dtype(np.uint8), np.dtype(np.float32)
PICTURE = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)


class OwnArray(np.ndarray[Any, Any]):
    """An array of a class that inherits from numpy's."""


def scale(*changed: tuple[int, Any]) -> Any:
    """A call of a kernel of two arrays, four integers and an array, with some of its arguments replaced."""
    out = np.zeros_like(PICTURE)
    given: list[Any] = [PICTURE, out, 1, 24, 0, 0, np.array([2, 1], np.float32)]
    for position, value in changed:
        given[position - 1] = value
    kernel("Scale", UINT8, UINT8)(*given)
    return out


def frozen() -> Any:
    array = PICTURE.copy()
    array.flags.writeable = False
    return array


def unaligned() -> Any:
    return np.zeros(13, np.uint8)[1:].view(np.float32)


def test_numbers_of_all_classes() -> None:
    expected = PICTURE * 2 + 1
    assert np.array_equal(scale(), expected)
    assert np.array_equal(scale((3, np.int64(1)), (4, np.uint8(24))), expected)
    assert np.array_equal(scale((3, True)), expected)


def test_arrays_of_classes_that_inherit() -> None:
    out = np.zeros_like(PICTURE)
    scale((1, PICTURE.view(OwnArray)), (2, out.view(OwnArray)))
    assert np.array_equal(out, PICTURE * 2 + 1)


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (1, [1, 2], "argument 1 must be an array of uint8 with 3 axes, not list"),
        (1, None, "not NoneType"),
        (1, PICTURE.astype(np.int8), r"given is one of int8 and shape \(2, 4, 3\) \(its type\)"),
        (1, PICTURE[0], r"shape \(4, 3\) \(its axes\)"),
        (2, frozen(), r"argument 2 must be a writable array .*\(read-only\)"),
        (3, 1.0, "argument 3 must be an integer, not float"),
        (3, "1", "argument 3 must be an integer, not str"),
        (3, 2**63, "argument 3 must be an integer, not one that is out of range"),
    ],
)
def test_what_is_refused(position: int, value: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        scale((position, value))


def turned(position: int, value: Any) -> None:
    """A call of a kernel of arrays with any strides, with one of its arguments replaced."""
    factor, table = np.ones(3, np.float32), np.eye(3)
    given: list[Any] = [np.ones(3), np.zeros(3), factor, factor, table, table, np.zeros((3, 3, 3), np.float32)]
    given[position - 1] = value
    kernel("turned")(*given)


def test_how_arrays_lie_in_memory() -> None:
    turned(5, np.zeros((6, 6))[::2, ::-2])
    with pytest.raises(TypeError, match="its type"):
        turned(1, np.ones(3, ">f8"))
    with pytest.raises(TypeError, match="not aligned"):
        turned(3, unaligned())


def test_dense_arrays_have_no_gaps() -> None:
    given = (PICTURE, np.zeros_like(PICTURE), 1, 8, 0, 0)
    with pytest.raises(TypeError, match=r"in C order without gaps.*\(with gaps\)"):
        kernel("ColorMatrix", UINT8, UINT8)(*given, np.zeros(24, np.float32)[::2])


@pytest.mark.parametrize("count", [0, 6, 8])
def test_the_number_of_arguments(count: int) -> None:
    with pytest.raises(TypeError, match=f"Scale: 7 arguments are needed, not {count}"):
        kernel("Scale", UINT8, UINT8)(*[PICTURE] * count)


def test_types_that_a_kernel_is_not_compiled_for() -> None:
    with pytest.raises(TypeError, match=r"Scale: arrays of complex128, uint8 are not accepted. Convert to .*uint8.* and .*"):
        kernel("Scale", np.dtype(complex), UINT8)
    with pytest.raises(NotCompiledError, match="The C\\+\\+ kernel no_such_kernel is not compiled") as caught:
        kernel("no_such_kernel")
    assert "make generated kernels" in caught.value.hint


def test_refusals_keep_nothing_of_their_arguments() -> None:
    array = np.zeros((2, 2), np.uint8)
    before = sys.getrefcount(array)
    for _ in range(100):
        with pytest.raises(TypeError):
            scale((1, array))
    assert sys.getrefcount(array) == before


SIZES = np.full((4, 2), 9, np.int64)
ROW, SHORT = np.ones(4, np.float32), np.ones(3, np.float32)


@pytest.mark.parametrize(
    "call",
    [
        lambda: window_batch.windows(SIZES, ROW, SHORT, (ROW, ROW), nearest=True, policy=0),
        lambda: window_batch.windows(SIZES, ROW, ROW, (ROW, SHORT), nearest=True, policy=0),
        lambda: window_batch.windows(SIZES[:, :1], ROW, ROW, (ROW, ROW), nearest=True, policy=0),
        lambda: window_batch.window_shapes(SIZES, "HWC", SIZES, "HWC", padded=False),
        lambda: window_batch.columns(SIZES, 0, 2),
        lambda: window_batch.columns(SIZES, -1, 0),
        lambda: window_batch.with_columns(SIZES, 0, 1, SIZES[:3]),
        lambda: descriptors.measure(SIZES, descriptors.HWC),
        lambda: descriptors.measure(SIZES, descriptors.ROW, (0, 1)),
        lambda: descriptors.place(SIZES, 1, 0),
        lambda: descriptors.Descriptors(np.zeros(3 * 56, np.uint8), 4, 56).addresses(0, 1, 1),
        lambda: descriptors.Descriptors(np.zeros(4 * 56, np.uint8), 4, 56).addresses(56, 1, 1),
        lambda: descriptors.Descriptors(np.zeros(4 * 56, np.uint8), 4, 56).rows(48, np.zeros((4, 3), np.int32)),
        lambda: philox.words_of(np.zeros(4, np.uint64), np.zeros(3, np.uint64), np.zeros((10, 2), np.uint32)),
    ],
)
def test_arrays_that_do_not_fit_each_other(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"\w+: arrays of these shapes, and these numbers, do not fit each other: \("):
        call()


def test_fields_that_are_not_those_of_the_functor() -> None:
    with pytest.raises(ValueError, match=r"Scale: .* do not fit each other: .*\(3,\)"):
        scale((7, np.zeros(3, np.float32)))


@pytest.mark.parametrize("size", [1, 1000, 1 << 24, (1 << 24) + 1, 1 << 25])
def test_scratch_memory_begins_where_kernels_align_their_parts(size: int) -> None:
    memory = native.scratch(size)
    assert memory.size >= size and memory.ctypes.data % 64 == 0  # else a kernel needs more at its second call
