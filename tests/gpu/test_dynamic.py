"""Dynamic mode on a GPU: what operators give, where data lies, and how it comes there and back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chosen import some
from dynamic import computed, tried
from images import dataset
from subjects import ACCEPTED, Subject
from test_operators import on_gpu

import dali_studio.experimental.dynamic as ndd
from dali_studio import DaliStudioError, Pipeline, fn, samples
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.schema.traits import MadeOnCpu

pytestmark = pytest.mark.gpu

PICTURE = np.arange(9 * 7 * 3, dtype=np.uint8).reshape(9, 7, 3)
PICTURES = [PICTURE, PICTURE[:5].copy(), PICTURE[3:, 1:].copy()]


def _array(value: Any) -> Any:
    return np.asarray(value.cpu())


@pytest.mark.parametrize("subject", some(one for one in ACCEPTED if tried(one) and "gpu" in one.schema.devices), ids=str)
def test_operators_give_what_they_give_on_the_cpu(subject: Subject) -> None:
    """Random ones with generators of one seed; what only the CPU computes is refused, or computed there."""
    if not on_gpu(subject):
        pytest.skip("the case is one of the CPU alone")
    try:
        expected = computed(subject)
    except (DaliStudioError, ValueError) as error:
        with pytest.raises(type(error)):
            computed(subject, device="gpu")
        return
    made = computed(subject, device="gpu")
    tolerance = subject.tolerance("gpu")
    for number, (mine, other) in enumerate(zip(made, expected, strict=True)):
        assert (mine.dtype, mine.layout, len(mine.samples)) == (other.dtype, other.layout, len(other.samples))
        for index, (one, reference) in enumerate(zip(mine.samples, other.samples, strict=True)):
            if subject.has(MadeOnCpu):
                np.testing.assert_array_equal(one, reference)
            else:
                tolerance.check(one, reference, f"output {number} sample {index}")


def test_tensors_and_batches_move_and_come_back() -> None:
    tensor = ndd.as_tensor(PICTURE, layout="HWC").gpu()
    assert (str(tensor.device), tensor.layout, tensor.shape, str(tensor.dtype)) == ("gpu:0", "HWC", (9, 7, 3), "u8")
    assert tensor.gpu() is tensor and tensor.cpu().cpu().device == ndd.Device("cpu")
    np.testing.assert_array_equal(_array(tensor), PICTURE)
    batch = ndd.as_batch(PICTURES, layout="HWC", device="gpu")
    assert batch.device == ndd.device("cuda") and batch.shape == [one.shape for one in PICTURES]
    for value in (batch, batch.to_device("gpu", force_copy=True), ndd.batch(batch), ndd.as_batch(list(batch))):
        assert value.device.device_type == "gpu" and value.layout == "HWC"
        for one, picture in zip(value, PICTURES, strict=True):
            assert one.device == batch.device
            np.testing.assert_array_equal(_array(one), picture)
    padded = ndd.as_tensor(batch, pad=True)
    assert (padded.shape, padded.layout, padded.device) == ((3, 9, 7, 3), "NHWC", batch.device)
    np.testing.assert_array_equal(_array(ndd.as_batch(padded).tensors[1])[:5], PICTURES[1])
    assert ndd.tensor(2.5, device="gpu").item() == 2.5
    assert str(ndd.as_tensor([1.5], dtype=ndd.int32, device="gpu").dtype) == "i32"
    assert ndd.as_tensor(ndd.tensor(PICTURE, device="gpu"), dtype=ndd.float32).device.device_type == "gpu"


def test_calls_run_where_their_inputs_lie() -> None:
    """Or where they are told to; arguments and inputs that lie elsewhere are copied."""
    here, there = ndd.as_batch(PICTURES, layout="HWC"), ndd.as_batch(PICTURES, layout="HWC", device="gpu")
    assert ndd.flip(there).device.device_type == ndd.flip(here, device="gpu").device.device_type == "gpu"
    assert ndd.flip(there, device="cpu").device.device_type == "cpu"
    turned = ndd.flip(there, horizontal=ndd.as_batch([1, 0, 1]).gpu())
    for one, picture, back in zip(turned, PICTURES, (True, False, True), strict=True):
        np.testing.assert_array_equal(_array(one), picture[:, ::-1] if back else picture)
    total = here + there * 2
    assert total.device == there.device
    for one, picture in zip(total, PICTURES, strict=True):
        np.testing.assert_array_equal(_array(one), np.array(picture, np.int32) * 3)
    only_on_cpu = ndd.transforms.translation(ndd.as_tensor(np.eye(2, 3, dtype=np.float32)).gpu(), offset=(1, 2))
    assert only_on_cpu.device.device_type == "cpu"
    with pytest.raises(DaliStudioError, match="DS207"):
        ndd.transforms.translation(offset=(1, 2), device="gpu")
    drawn = ndd.random.uniform(range=(0, 1), batch_size=3, device="gpu", rng=ndd.random.RNG(seed=5))
    same = ndd.random.uniform(range=(0, 1), batch_size=3, rng=ndd.random.RNG(seed=5))
    assert drawn.device.device_type == "gpu" and [_array(one) for one in drawn] == [_array(one) for one in same]


def test_parts_are_taken_there() -> None:
    tensor, batch = ndd.as_tensor(PICTURE, layout="HWC", device="gpu"), ndd.as_batch(PICTURES, layout="HWC", device="gpu")
    for index in ((slice(1, None), slice(None, None, -2)), (2,), (..., 0), (-1, slice(1, 3))):
        made = tensor[index]
        assert made.device == tensor.device and made.layout == ndd.as_tensor(PICTURE, layout="HWC")[index].layout
        np.testing.assert_array_equal(_array(made), PICTURE[index])
    for one, picture, at in zip(batch.slice[ndd.as_batch([0, 1, 2]).gpu(), 1:], PICTURES, range(3), strict=True):
        np.testing.assert_array_equal(_array(one), picture[at, 1:])


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    with ndd.EvalMode.deferred:
        later = ndd.flip(ndd.as_tensor(PICTURE, layout="HWC").gpu(), horizontal=0, vertical=1)
        assert (str(later.device), later.layout) == ("gpu:0", "HWC")
        back = later.cpu()
    np.testing.assert_array_equal(np.asarray(back), PICTURE[::-1])


def test_memory_of_others_is_taken_in_and_given_out() -> None:
    given = cupy().asarray(PICTURE)
    tensor = ndd.as_tensor(given, layout="HWC")
    np.testing.assert_array_equal(_array(ndd.flip(tensor, horizontal=1)), PICTURE[:, ::-1])
    np.testing.assert_array_equal(cupy().asnumpy(cupy().asarray(tensor)), PICTURE)
    assert not hasattr(tensor.cpu(), "__cuda_array_interface__")
    with pytest.raises(TypeError, match=r"\.cpu\(\)"):
        np.asarray(tensor)
    made = Pipeline(batch_size=3, num_threads=1, device_id=0)
    with made:
        made.set_outputs(fn.external_source(source=lambda: PICTURES, layout="HWC").gpu())
    for one, picture in zip(ndd.as_batch(*made.run()), PICTURES, strict=True):
        assert (one.device, one.layout) == (tensor.device, "HWC")
        np.testing.assert_array_equal(_array(one), picture)


def test_readers_and_decoders(tmp_path: Path) -> None:
    root = str(dataset(tmp_path / "files"))
    for files, _ in ndd.readers.File(file_root=root).next_epoch(batch_size=4):
        images = ndd.decoders.image(files, device="gpu", jpeg_fancy_upsampling=True)
        assert images.device.device_type == "gpu"
        for one, other in zip(images, ndd.decoders.image(files), strict=True):
            np.testing.assert_array_equal(_array(one), np.asarray(other))
    path = next(Path(root).rglob("*.jpg"))
    assert ndd.imread(path, device="gpu").shape == ndd.imread(path).shape
    for number in range(3):
        np.save(tmp_path / f"{number}.npy", PICTURE + number)
    (whole,) = ndd.readers.Numpy(file_root=str(tmp_path), file_filter="*.npy", device="gpu").next_epoch(batch_size=3)
    assert whole[0].device.device_type == "gpu"
    for number, one in enumerate(whole[0]):
        np.testing.assert_array_equal(_array(one), PICTURE + number)
    source = ndd.ExternalSource([PICTURE], device="gpu")
    assert source(batch_size=2).device.device_type == "gpu"


def test_the_page_of_the_documentation() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "dynamic.md").read_text(encoding="utf-8")
    program = "".join(re.findall(r"^```py\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    exec(program, {"ndd": ndd, "samples": samples})


def test_devices_and_contexts() -> None:
    assert str(ndd.Device.current()) == "gpu:0" and repr(ndd.Device("gpu", 0)) == "Device(device_type='gpu', device_id=0)"
    with ndd.EvalContext(device_id=0) as context:
        assert context.device_id == ndd.Device.default_device_id("gpu") == 0
    with pytest.raises(DaliStudioError, match="DS206"):
        ndd.Device("gpu:77")


class Foreign:
    """A stream of a library that has CUDA's protocol."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.device = stream, cupy().cuda.Device(0)

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.stream.ptr


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Addresses of the streams on which plans run."""
    made: list[int] = []
    begin = GpuStream.begin

    def noted(self: GpuStream, behind: Sequence[Any] | None = None) -> Any:
        made.append(int(self.kernels.ptr))
        return begin(self, behind)

    monkeypatch.setattr(GpuStream, "begin", noted)
    yield made
    ndd.set_current_stream(None)
    ndd.set_default_stream(None)


def turned(value: Any) -> None:
    np.testing.assert_array_equal(_array(ndd.flip(value, horizontal=1)), PICTURE[:, ::-1])


def test_streams_are_chosen(used: list[int]) -> None:
    """For a context, a thread, or all of them; operators of each work there, and wait for those of others."""
    tensor = ndd.as_tensor(PICTURE, layout="HWC", device="gpu")
    own = ndd.get_current_stream()
    assert own is not None and own == ndd.EvalContext.current().cuda_stream and ndd.get_default_stream() is None
    one, other = ndd.stream(), cupy().cuda.Stream(non_blocking=True)
    assert one.device_id == 0 and one.__cuda_stream__() == (0, one.handle) and one != own and hash(one) == hash(ndd.stream(stream=one))
    for given in (one, other, Foreign(other), other.ptr):
        handle = one.handle if given is one else other.ptr
        with ndd.EvalContext(cuda_stream=given) as context:
            assert context.cuda_stream == given and context.cuda_stream.handle == handle
            assert context.cuda_stream == ndd.stream(stream=given)
            used.clear()
            turned(tensor)
            turned(tensor)
            there = ndd.brightness(tensor, brightness=2.0)
            assert set(used) == {handle}
        used.clear()
        np.testing.assert_array_equal(_array(ndd.flip(there, horizontal=1)), np.clip(PICTURE[:, ::-1] * 2.0, 0, 255))
        assert set(used) == {own.handle}
    ndd.set_default_stream(one)
    assert ndd.get_default_stream() == ndd.get_default_stream(0) == ndd.get_current_stream() == one
    ndd.set_current_stream(other)
    assert ndd.get_current_stream() == other and ndd.EvalContext().cuda_stream == other
    assert ndd.get_default_stream() == one
    kept = ndd.EvalContext()
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(ndd.get_current_stream).result() == one
    used.clear()
    turned(tensor)
    ndd.set_current_stream(None)
    turned(tensor)
    ndd.set_default_stream(None)
    turned(tensor)
    assert list(dict.fromkeys(used)) == [other.ptr, one.handle, own.handle] and kept.cuda_stream == other
    one.synchronize()


def test_a_plan_keeps_the_stream_of_its_call(used: list[int]) -> None:
    stream = ndd.stream()
    tensor = ndd.as_tensor(PICTURE, layout="HWC", device="gpu")
    with ndd.EvalMode.deferred, ndd.EvalContext(cuda_stream=stream):
        later = ndd.flip(tensor, horizontal=1)
    used.clear()
    later.evaluate()
    assert used == [stream.handle]
    np.testing.assert_array_equal(_array(later), PICTURE[:, ::-1])


def test_what_is_no_stream_of_the_gpu_is_refused() -> None:
    for given, error, words in (
        ("x", TypeError, "str"), (ndd.stream(), ValueError, "device_id is 1"), (ndd.Stream.create_new, DaliStudioError, "DS206")
    ):
        with pytest.raises(error, match=words):
            ndd.stream(stream=given, device_id=1 if error is ValueError else 77)
    with pytest.raises(ValueError, match="None is no stream"):
        ndd.Stream(stream=None)
    with pytest.raises(TypeError):
        ndd.EvalContext(cuda_stream="x")
