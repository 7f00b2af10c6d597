"""``external_source(device="gpu")`` and ``feed_input``: arrays of several libraries, streams, reuse of memory, refusals."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from images import pictures

from dali_studio import fn, types
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.kernels.cuda import arrivals
from dali_studio.pipeline import Pipeline
from dali_studio.tensors import TensorGPU, TensorListGPU

Array = np.ndarray[Any, Any]
SHAPES = ((57, 43), (5, 1), (64, 80))
DENSE = ((30, 41),) * 3


def made(source: Any = None, device: str = "gpu", device_id: int | None = 0, **options: Any) -> Pipeline:
    pipeline = Pipeline(batch_size=3, num_threads=2, device_id=device_id)
    with pipeline:
        images = fn.external_source(source=source, device=device, name="images", layout="HWC", **options)
        pipeline.set_outputs(images, fn.flip(images))
    return pipeline


def check(results: Any, batch: list[Array]) -> None:
    images, flipped = results
    assert isinstance(images, TensorListGPU) and images.layout() == "HWC" and images.shape() == [s.shape for s in batch]
    for index, sample in enumerate(batch):
        assert np.array_equal(images.as_cpu().at(index), sample)
        assert np.array_equal(flipped.as_cpu().at(index), sample[:, ::-1])


def torch_tensor(array: Array) -> Any:
    return pytest.importorskip("torch").from_numpy(array).cuda()


def cupy_array(array: Array) -> Any:
    return pytest.importorskip("cupy").asarray(array)


def at_odd_address(array: Array) -> Any:
    cupy = pytest.importorskip("cupy")
    memory = cupy.cuda.alloc(array.nbytes + 64) + array.itemsize
    made = cupy.ndarray(array.shape, array.dtype, memory)
    made[...] = cupy.asarray(array)
    return made


class OnlyDlpack:
    """An array of a library that knows DLPack alone."""

    def __init__(self, array: Array) -> None:
        self._array = cupy_array(array)

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


FORMS: dict[str, Callable[[Array], Any]] = {
    "cupy": cupy_array, "torch": torch_tensor, "dlpack": OnlyDlpack, "tensor": lambda a: TensorGPU(cupy_array(a)),
    "strided": lambda a: cupy_array(np.repeat(a, 2, axis=1))[:, ::2], "host": lambda a: a,
    "odd address": at_odd_address,
}  # fmt: skip


@pytest.mark.gpu
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_lists_of_arrays(form: str, dtype: Any) -> None:
    batches = [pictures(shapes, dtype=np.dtype(dtype)) for shapes in (SHAPES, DENSE, SHAPES[:2])]
    pipeline = made(iter([[FORMS[form](sample) for sample in batch] for batch in batches]))
    for batch in batches:
        check(pipeline.run(), batch)
    with pytest.raises(StopIteration):
        pipeline.run()


@pytest.mark.gpu
@pytest.mark.parametrize("form", ["cupy", "torch", "dlpack", "host"])
def test_one_array_for_the_batch(form: str) -> None:
    batch = pictures(DENSE)
    check(made(lambda: FORMS[form](np.stack(batch))).run(), batch)


@pytest.mark.gpu
def test_results_of_another_pipeline() -> None:
    batch = pictures(SHAPES)
    first, _ = made(lambda: batch).run()
    check(made(lambda: first).run(), batch)


@pytest.mark.gpu
def test_samples_one_by_one_and_several_outputs() -> None:
    batch = pictures(SHAPES)
    check(made(lambda info: cupy_array(batch[info.idx_in_batch]), batch=False).run(), batch)
    pipeline = Pipeline(batch_size=3, num_threads=1, device_id=0)
    with pipeline:
        images, labels = fn.external_source(
            source=lambda: ([cupy_array(s) for s in batch], np.arange(3, dtype=np.int32)), num_outputs=2, device="gpu",
            layout=["HWC", ""],
        )  # fmt: skip
        pipeline.set_outputs(images, labels)
    images, labels = pipeline.run()
    assert np.array_equal(labels.as_cpu().as_array(), [0, 1, 2]) and images.shape() == [s.shape for s in batch]


@pytest.mark.gpu
@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_memory_may_be_used_again_on_its_stream(library: str) -> None:
    """One buffer is filled anew for every iteration, by slow work on a stream of its own."""
    cupy = pytest.importorskip("cupy")
    if library == "cupy":
        stream = cupy.cuda.Stream(non_blocking=True)
        buffer, slow = cupy.zeros((3, 200, 300, 3), cupy.uint8), cupy.random.rand(1500, 1500)
    else:
        torch = pytest.importorskip("torch")
        stream = torch.cuda.Stream()
        buffer = torch.zeros((3, 200, 300, 3), dtype=torch.uint8, device="cuda")
        slow = torch.rand((1500, 1500), device="cuda")
    cupy.cuda.runtime.deviceSynchronize()
    entered = stream if library == "cupy" else torch.cuda.stream(stream)

    def source(iteration: int) -> Any:
        slow @ slow @ slow
        buffer[...] = iteration
        return buffer

    pipeline = made(source)
    with entered:
        held = [pipeline.run()[1] for _ in range(12)]
    values = [np.unique(batch.as_cpu().as_array()).tolist() for batch in held]
    assert values == [[iteration] for iteration in range(12)]


@pytest.mark.gpu
@pytest.mark.parametrize("how", ["stream", "address", "pointer", "zero", "complete", "argument"])
def test_streams_that_are_named(how: str) -> None:
    cupy = pytest.importorskip("cupy")
    stream = cupy.cuda.Stream.null if how == "zero" else cupy.cuda.Stream(non_blocking=True)
    with stream:
        slow = cupy.random.rand(1500, 1500)
        slow @ slow @ slow
        data = cupy.full((3, 50, 60, 3), 7, cupy.uint8)
    if how == "complete":
        stream.synchronize()
    named = {
        "stream": stream, "address": stream.ptr, "pointer": ctypes.c_void_p(stream.ptr), "zero": 0, "complete": -1,
        "argument": stream,
    }[how]  # fmt: skip
    pipeline = made(cuda_stream=named) if how == "argument" else made()
    pipeline.feed_input("images", data, **({} if how == "argument" else {"cuda_stream": named}))
    with stream:
        if how != "complete":
            data[...] = 0  # after the copy, in the order of the stream
    assert np.unique(pipeline.run()[0].as_cpu().as_array()).tolist() == [7]


@pytest.mark.gpu
def test_a_batch_that_is_repeated() -> None:
    pipeline = made(repeat_last=True)
    batch = pictures(SHAPES)
    pipeline.feed_input("images", [cupy_array(sample) for sample in batch], use_copy_kernel=True)
    held = [pipeline.run() for _ in range(5)]
    for results in held:
        check(results, batch)


@pytest.mark.gpu
def test_host_buffers_may_be_used_again_at_once() -> None:
    buffer = np.zeros((3, 20, 30, 3), np.uint8)

    def source(iteration: int) -> Array:
        buffer[...] = iteration
        return buffer

    pipeline = made(source)
    held = [pipeline.run()[1] for _ in range(6)]
    assert [int(batch.as_cpu().as_array().max()) for batch in held] == list(range(6))


@pytest.mark.gpu
@pytest.mark.parametrize("whole", [True, False])
def test_host_arrays_larger_than_the_memory_that_they_go_through(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "_PIECE", 1000)
    batches = [pictures(DENSE), pictures(DENSE if whole else SHAPES)]
    pipeline = made(iter([np.stack(batch) if whole else batch for batch in batches]))
    for batch in batches:
        check(pipeline.run(), batch)


@pytest.mark.gpu
def test_refusals() -> None:
    batch = pictures(DENSE)

    def finding(pipeline: Pipeline, data: Any, **options: Any) -> tuple[str, str]:
        with pytest.raises(DaliStudioError) as caught:
            pipeline.feed_input("images", data, **options)
        found = caught.value.diagnostics[0]
        assert found.node == "images"
        return found.code, found.message + " " + found.hint

    arrays = [cupy_array(sample) for sample in batch]
    code, text = finding(made(device="cpu"), arrays)
    assert code == "DS203" and "lies on a GPU; this source gives data on the CPU" in text and 'device="gpu"' in text
    code, text = finding(made(), [*arrays[:2], batch[2]])
    assert code == "DS203" and "sample 0 lies on a GPU and sample 2 does not" in text
    code, text = finding(made(), [*arrays[:2], arrays[2].astype(np.float32)])
    assert code == "DS203" and "sample 2 has dtype float32" in text
    code, text = finding(made(dtype=types.FLOAT), arrays)
    assert code == "DS203" and "dtype promises FLOAT" in text
    code, text = finding(made(), arrays, cuda_stream="fast")
    assert code == "DS104" and "cuda_stream is a str" in text
    code, text = finding(made(), [*arrays, *arrays])
    assert code == "DS304" and "6 samples" in text


def test_where_there_is_no_gpu() -> None:
    with pytest.raises(DaliStudioError) as caught:
        made(lambda: pictures(DENSE), device_id=None).run()
    assert caught.value.diagnostics[0].code == "DS206"
