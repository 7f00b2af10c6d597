"""What sources may give: arrays of all kinds and memory layouts, or a finding that says what was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dali_studio import DaliStudioError, Pipeline, fn, types
from dali_studio.tensors import TensorCPU, TensorListCPU

NUMBERS = np.arange(6).reshape(3, 2)


def given(data: Any, use: Callable[[Any], Any] = lambda node: node, **options: Any) -> list[NDArray[Any]]:
    """What a pipeline makes of `data`."""
    pipeline = Pipeline(batch_size=3, num_threads=1, device_id=None, exec_async=False, exec_pipelined=False)
    with pipeline:
        pipeline.set_outputs(use(fn.external_source(source=lambda: data, name="source", **options)))
    (batch,) = pipeline.run()
    return [batch.at(i).copy() for i in range(len(batch))]


def refused(data: Any, **options: Any) -> tuple[str, str]:
    """Code and words of the refusal."""
    pipeline = Pipeline(batch_size=3, num_threads=1, device_id=None)
    with pipeline:
        made = fn.external_source(source=lambda: data, **options)
        pipeline.set_outputs(*made if isinstance(made, list | tuple) else [made])
    with pytest.raises(DaliStudioError) as caught:
        pipeline.run()
    (found,) = caught.value.diagnostics
    assert found.node == "source" and found.hint
    return found.code, found.message


@pytest.mark.parametrize("no_copy", [False, True])
@pytest.mark.parametrize("kind", [">i2", ">u4", ">i8", ">f2", ">f4", ">f8"])
def test_arrays_in_the_other_byte_order_are_converted(kind: str, no_copy: bool) -> None:
    for data in (NUMBERS.astype(kind), list(NUMBERS.astype(kind)), [NUMBERS[0].astype(kind), NUMBERS[1].astype(kind[1:])]):
        made = given(data, lambda node: fn.cast(node, dtype=types.FLOAT), no_copy=no_copy)
        np.testing.assert_array_equal(made, NUMBERS[: len(made)])
    (first, *_) = given(NUMBERS.astype(kind), no_copy=no_copy)
    assert first.dtype.isnative and first.dtype == np.dtype(kind).newbyteorder("=")


def test_tensors_and_constants_have_the_machines_byte_order() -> None:
    big = NUMBERS.astype(">i4")
    np.testing.assert_array_equal(np.from_dlpack(TensorCPU(big)), NUMBERS)
    np.testing.assert_array_equal(TensorListCPU(big).as_array(), NUMBERS)
    assert TensorListCPU(big).at(0).dtype.isnative
    pipeline = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipeline:
        pipeline.set_outputs(types.Constant(big[1]))
    np.testing.assert_array_equal(pipeline.run()[0].at(0), NUMBERS[1])


PICTURES = [np.random.default_rng(size).integers(0, 255, (20 + size, 30, 3), np.uint8) for size in range(3)]


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("no_copy", [False, True])
@pytest.mark.parametrize(
    "form",
    [_read_only, np.asfortranarray, lambda a: a[::-1, ::-1], lambda a: np.repeat(a, 2, 1)[:, ::2], lambda a: a[..., ::-1]],
    ids=["read only", "Fortran", "negative strides", "steps", "BGR"],
)
def test_memory_of_all_forms_is_read(form: Callable[[Any], Any], no_copy: bool) -> None:
    data = [form(picture) for picture in PICTURES]
    uses: tuple[Callable[[Any], Any], ...] = (
        lambda x: fn.resize(x, resize_x=12, resize_y=15),
        lambda x: fn.rotate(x, angle=10.0),
        lambda x: fn.hsv(x, hue=20.0),
        lambda x: fn.crop_mirror_normalize(x, crop=(10, 10), mean=[1.0], std=[2.0]),
    )
    for use in uses:
        expected = given([np.ascontiguousarray(one).copy() for one in data], use, layout="HWC")
        made = given(data, use, layout="HWC", no_copy=no_copy)
        for mine, reference in zip(made, expected, strict=True):
            np.testing.assert_array_equal(mine, reference)


@pytest.mark.parametrize("by_hand", [False, True])
def test_outputs_of_different_sizes_are_refused(by_hand: bool) -> None:
    data = ([NUMBERS[0]], list(NUMBERS)) if by_hand else (NUMBERS, NUMBERS[:2])
    sizes = "1, 3" if by_hand else "3, 2"
    assert refused(data, num_outputs=2) == (
        "DS304", f"The outputs have {sizes} samples; all outputs of an iteration need as many.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (NUMBERS.astype(object), "object"), (NUMBERS.astype(complex), "complex128"), (np.array(["a", "b"]), "<U1"),
        (["a", "b"], "<U1"), ("abc", "<U3"), (b"abc", "|S3"), (np.zeros(3, "M8[s]"), "datetime64[s]"),
        (np.zeros(3, [("a", "f4")]), "[('a', '<f4')]"), (np.zeros(3, ">c8"), "complex64"), (None, "object"),
        ([None], "object"), ({"a": 1}, "object"), (np.float32(1), "0-D"), (np.array(3), "0-D"),
        ([NUMBERS[0], NUMBERS], "sample 1 has dtype int64 and 2 axes"), ([[1, [2]]], "inhomogeneous"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_batch_is_refused_by_name(data: Any, words: str) -> None:
    code, message = refused(data)
    assert code == "DS203" and message.startswith("The data is no batch") and words in message


@pytest.mark.parametrize("data", [np.zeros((0, 3)), [], ()], ids=str)
def test_batches_without_samples_give_such(data: Any) -> None:
    assert given(data, fn.copy) == []


def test_samples_without_elements_and_without_axes_are_data() -> None:
    assert [one.shape for one in given([np.zeros((0, 2)), np.zeros((4, 2))])] == [(0, 2), (4, 2)]
    assert [float(one) for one in given([np.float32(1), np.array(2, np.float32)])] == [1.0, 2.0]
    assert [one.shape for one in given([np.float32(1)], no_copy=True)] == [()]
