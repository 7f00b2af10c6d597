"""Samples in one array or one piece of memory: they behave like lists of arrays, without making any."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.core.storage import Dense, Packed, addresses_of, shapes_of
from dali_studio.tensors import TensorListCPU
from dali_studio.types import DALIDataType

TABLE = np.arange(5 * 3 * 2, dtype=np.int32).reshape(5, 3, 2)
SLAB = np.arange(100, dtype=np.uint8)
STARTS, SIZES = np.array([40, 0, 7, 99, 50]), np.array([10, 7, 0, 1, 30])


def rows() -> Dense:
    return Dense(TABLE)


def pieces() -> Packed:
    return Packed.of_bytes(SLAB, STARTS, SIZES)


MADE = {"rows": (rows(), list(TABLE)), "scalars": (Dense(TABLE[:, 0, 0]), [np.array(v) for v in TABLE[:, 0, 0]]),
        "pieces": (pieces(), [SLAB[s : s + n] for s, n in zip(STARTS, SIZES, strict=True)])}  # fmt: skip


def same(found: Any, expected: Any) -> None:
    found = list(found)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one, np.ndarray) and one.dtype == other.dtype and one.shape == other.shape
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", MADE)
def test_they_are_sequences(name: str) -> None:
    made, expected = MADE[name]
    assert len(made) == 5 and bool(made)
    same(made, expected)
    same([made[i] for i in range(-5, 5)], [*expected, *expected])
    same(reversed(made), expected[::-1])
    same([made[np.int64(2)]], [expected[2]])
    for index in (5, -6):
        with pytest.raises(IndexError):
            made[index]


@pytest.mark.parametrize("cut", [slice(None), slice(1, 4), slice(None, None, -1), slice(3, None), slice(0, 5, 2), slice(9)])
@pytest.mark.parametrize("name", MADE)
def test_slices_are_of_the_same_kind_and_share_the_memory(name: str, cut: slice) -> None:
    made, expected = MADE[name]
    part = made[cut]
    assert type(part) is type(made)
    same(part, expected[cut])
    assert all(np.shares_memory(one, other) for one, other in zip(part, expected[cut], strict=True) if one.nbytes and name != "scalars")


@pytest.mark.parametrize("name", ["rows", "pieces"])
def test_samples_look_into_the_memory(name: str) -> None:
    made = Dense(TABLE.copy()) if name == "rows" else Packed.of_bytes(SLAB.copy(), STARTS, SIZES)
    memory = made.table if isinstance(made, Dense) else made.slab
    made[0][...] = 200
    assert (memory.ravel() == 200).sum() == made[0].size
    assert (np.asarray(made[0]) == 200).all()


def test_scalars_are_arrays_that_can_be_written() -> None:
    made = Dense(np.zeros(3, np.float32))
    made[1][...] = 5
    assert made.table.tolist() == [0, 5, 0]
    assert made[1].shape == ()


def test_an_empty_batch() -> None:
    none = np.zeros(0, np.int64)
    for made in (Dense(TABLE[:0]), Packed.of_bytes(SLAB, none, none)):
        assert len(made) == 0 and not made and list(made) == []
        with pytest.raises(IndexError):
            made[0]


def test_some_of_the_pieces() -> None:
    expected = MADE["pieces"][1]
    for chosen in ([3, 0, 0, 2], [4], []):
        taken = pieces().take(chosen)
        assert isinstance(taken, Packed) and taken.slab is SLAB
        same(taken, [expected[i] for i in chosen])
    same(pieces().take([4, 1])[1:], [expected[1]])


@pytest.mark.parametrize("name", ["rows", "pieces"])
def test_shapes_and_addresses_are_those_of_the_arrays(name: str) -> None:
    made, expected = MADE[name]
    assert shapes_of(made).tolist() == shapes_of(expected).tolist() == [list(one.shape) for one in expected]
    assert shapes_of(made).dtype == addresses_of(made).dtype == np.int64
    full = [i for i, one in enumerate(expected) if one.size]  # nobody reads at the address of nothing
    addresses = [expected[i].ctypes.data for i in full]
    assert addresses_of(made)[full].tolist() == addresses_of(expected)[full].tolist() == addresses


def test_shapes_of_scalars() -> None:
    for made in (Dense(np.zeros(4)), [np.array(1.0)] * 4):
        assert shapes_of(made).shape == (4, 0)


# ------------------------------------------------------------------------------------------------------------- batches


def test_a_batch_over_rows_is_one_over_arrays() -> None:
    batch = TensorListCPU.from_samples(rows(), "HW", ["a", "b", "c", "d", "e"])
    other = TensorListCPU(list(TABLE), "HW")
    assert batch.shape() == other.shape() == [(3, 2)] * 5
    assert batch.dtype == other.dtype == DALIDataType.INT32
    assert (batch.ndim(), batch.layout(), len(batch)) == (2, "HW", 5)
    assert batch.is_dense_tensor()
    assert np.array_equal(batch.as_array(), TABLE)
    assert np.array_equal(np.asarray(batch.as_tensor()), TABLE)
    assert [one.source_info() for one in batch] == list("abcde")
    same([batch.at(-1), np.asarray(batch[2])], [TABLE[4], TABLE[2]])
    assert str(batch) == str(other) and repr(batch) == repr(other)
    target = np.zeros_like(TABLE)
    batch.copy_to_external(target.ctypes.data)
    assert np.array_equal(target, TABLE)
    with pytest.raises(IndexError, match="the batch has 5 samples"):
        batch.at(5)


def test_a_batch_over_rows_becomes_an_array_without_a_copy() -> None:
    table = TABLE.copy()
    batch = TensorListCPU.from_samples(Dense(table))
    assert np.shares_memory(batch.as_array(), table)
    assert batch.data_ptr() == table.ctypes.data
    batch.as_array()[2, 1, 1] = -1
    assert table[2, 1, 1] == -1


@pytest.mark.parametrize("cut", [slice(None, None, 2), slice(None, None, -1)])
def test_rows_that_do_not_follow_each_other_are_copied_in_order(cut: slice) -> None:
    batch = TensorListCPU.from_samples(rows()[cut])
    assert np.array_equal(batch.as_array(), TABLE[cut])


def test_a_batch_over_rows_can_be_read_as_another_type() -> None:
    batch = TensorListCPU.from_samples(rows())
    batch.reinterpret(DALIDataType.UINT32)
    assert batch.dtype == DALIDataType.UINT32
    assert np.array_equal(batch.as_array(), TABLE.view(np.uint32))


def test_a_batch_of_pieces() -> None:
    batch = TensorListCPU.from_samples(pieces())
    assert batch.shape() == [(int(size),) for size in SIZES]
    assert batch.dtype == DALIDataType.UINT8 and batch.ndim() == 1
    assert not batch.is_dense_tensor()
    same([batch.at(i) for i in range(5)], MADE["pieces"][1])
    with pytest.raises(RuntimeError, match="differ in shape"):
        batch.as_array()
    copied = TensorListCPU(batch)
    same([copied.at(i) for i in range(5)], MADE["pieces"][1])


@pytest.mark.parametrize(("starts", "shared"), [([10, 14, 18], True), ([10, 15, 20], False), ([18, 14, 10], False)])
def test_pieces_of_one_size_are_one_array(starts: list[int], shared: bool) -> None:
    batch = TensorListCPU.from_samples(Packed.of_bytes(SLAB, np.array(starts), np.full(3, 4)))
    assert batch.as_array().tolist() == [list(range(start, start + 4)) for start in starts]
    assert np.shares_memory(batch.as_array(), SLAB) == shared


def test_an_empty_batch_of_rows() -> None:
    batch = TensorListCPU.from_samples(Dense(TABLE[:0]), dtype=DALIDataType.INT32)
    assert len(batch) == 0 and batch.shape() == [] and batch.dtype == DALIDataType.INT32
