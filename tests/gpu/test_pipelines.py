"""Whole pipelines on a GPU: devices, decoding, random numbers, results."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from declared import declared
from gpu_programs import run
from images import encoded, on_cpu, picture, pictures
from PIL import Image

from dali_studio import fn, types
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.kernels.jpeg import gpu_rule
from dali_studio.kernels.jpeg.coefficients import CoefficientKernels
from dali_studio.pipeline import Pipeline, pipeline_def
from dali_studio.runtime import mixed
from dali_studio.tensors import TensorGPU, TensorListGPU

pytestmark = pytest.mark.gpu


def photos(root: Path, count: int = 9) -> str:
    folder = root / "class"
    folder.mkdir(parents=True)
    for number in range(count):
        array = picture(60 + 3 * number, 80 - 2 * number, seed=number)
        (folder / f"{number}.jpg").write_bytes(encoded(array, quality=90, subsampling=(0, 1, 2)[number % 3]).tobytes())
    return str(root)


@pipeline_def(batch_size=4, seed=3)
def training(root: str, decoder: str, operators: str) -> Any:
    files, labels = fn.readers.file(file_root=root, random_shuffle=True, name="reader")
    images = fn.decoders.image_random_crop(files, device=decoder, jpeg_fancy_upsampling=True)
    images = images.gpu() if operators == "gpu" else images
    images = fn.resize(images, size=(40.0, 48.0))
    images = fn.hsv(images, hue=fn.random.uniform(range=(-20.0, 20.0)))
    images = fn.brightness_contrast(images, brightness=fn.random.uniform(range=(0.8, 1.2)))
    images = fn.crop_mirror_normalize(
        images, crop=(32.0, 40.0), mirror=fn.random.coin_flip(), mean=(120.0,), std=(60.0,)
    )
    return images, labels.gpu() if operators == "gpu" else labels


@pytest.mark.parametrize("decoder", ["cpu", "mixed"])
def test_training_pipeline_gives_the_numbers_of_the_cpu(tmp_path: Path, decoder: str) -> None:
    root = photos(tmp_path)
    ours = training(root, decoder, "gpu", num_threads=3, device_id=0)
    reference = training(root, "cpu", "cpu", num_threads=3, device_id=None)
    for _ in range(7):
        (images, labels), (wanted, numbers) = ours.run(), reference.run()
        assert isinstance(images, TensorListGPU) and isinstance(labels, TensorListGPU)
        difference = np.abs(images.as_cpu().as_array() - wanted.as_array())
        assert difference.max() <= 2.1 / 60  # resize rounds to a neighbouring level now and then
        assert (difference > 0).mean() < 0.005
        assert np.array_equal(labels.as_cpu().as_array(), numbers.as_array())


def test_results_do_not_depend_on_threads_depth_or_time(tmp_path: Path) -> None:
    root = photos(tmp_path)

    def outputs(threads: int, depth: int, again: bool) -> list[bytes]:
        pipeline = training(
            root, "mixed", "gpu", num_threads=threads, device_id=0, prefetch_queue_depth=depth, exec_async=again
        )
        return [pipeline.run()[0].as_cpu().as_array().tobytes() for _ in range(8)]

    first = outputs(1, 1, again=False)
    assert first == outputs(4, 2, again=True) == outputs(16, 4, again=True)


def test_large_pictures_are_left_to_the_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = photos(tmp_path)
    (tmp_path / "class" / "9.png").write_bytes(encoded(picture(70, 60), "PNG").tobytes())
    broken = encoded(picture(70, 60), quality=90).copy()
    broken[-60:-2] = 0  # which kernels refuse, and the CPU does not
    (tmp_path / "class" / "a.jpg").write_bytes(broken.tobytes())

    def outputs(large: int) -> tuple[list[bytes], dict[str, int]]:
        monkeypatch.setattr(mixed, "LARGE", large)
        pipeline = training(root, "mixed", "gpu", num_threads=3, device_id=0)
        made = [pipeline.run()[0].as_cpu().as_array().tobytes() for _ in range(20)]
        return made, pipeline.decoded_images()

    monkeypatch.setattr(mixed, "_SMALL", 0)  # else threads are enough for pictures of this size
    (others, _), (found, by) = outputs(1 << 20), outputs(0)
    assert found == others and by["kernels"] > by["threads"] > 0


def test_mixed_decoding_repeats_chroma_by_default(tmp_path: Path) -> None:
    array = picture(64, 64)
    data = [encoded(array, quality=95, subsampling=2), encoded(array, quality=95, subsampling=0), encoded(array, "PNG")]

    def decoded(device: str, **options: Any) -> list[Any]:
        pipeline = Pipeline(batch_size=3, num_threads=2, device_id=0)
        with pipeline:
            files = fn.external_source(source=lambda: data)
            pipeline.set_outputs(fn.decoders.image(files, device=device, **options))
        made = pipeline.run()[0].as_cpu()
        return [made.at(i) for i in range(3)]

    cpu, plain, fancy = decoded("cpu"), decoded("mixed"), decoded("mixed", jpeg_fancy_upsampling=True)
    assert all(np.array_equal(a, b) for a, b in zip(cpu, fancy, strict=True))
    assert [np.array_equal(a, b) for a, b in zip(cpu, plain, strict=True)] == [False, True, True]


def test_random_numbers_are_the_same_on_both_devices() -> None:
    def numbers(device: str) -> list[bytes]:
        pipeline = Pipeline(batch_size=6, num_threads=2, device_id=0, seed=11)
        with pipeline:
            pipeline.set_outputs(
                fn.random.uniform(range=(-3.0, 5.0), shape=(4, 5), device=device),
                fn.random.coin_flip(probability=0.3, device=device),
                fn.random.normal(stddev=7.0, shape=3, device=device),
            )
        return [batch.as_cpu().as_array().tobytes() for _ in range(3) for batch in pipeline.run()]

    assert numbers("gpu") == numbers("cpu")


def test_random_numbers_shaped_like_a_batch_on_the_gpu() -> None:
    batch = pictures(((5, 7), (3, 4)))
    ours = run(lambda images: fn.random.uniform(images), batch, "HWC", on_gpu=True)[0]
    reference = run(lambda images: fn.random.uniform(images), batch, "HWC", on_gpu=False)[0]
    assert isinstance(ours, TensorListGPU)
    assert all(np.array_equal(ours.as_cpu().at(i), reference.at(i)) for i in range(2))


def test_arguments_may_differ_by_sample() -> None:
    batch = pictures(((57, 43), (64, 80), (33, 90)))

    def define(images: Any) -> Any:
        angle = fn.random.uniform(range=(-90.0, 90.0))
        return fn.rotate(fn.flip(images, horizontal=fn.random.coin_flip()), angle=angle, fill_value=0.0)

    ours, reference = run(define, batch, "HWC", on_gpu=True)[0], run(define, batch, "HWC", on_gpu=False)[0]
    assert ours.shape() == reference.shape()
    for index in range(3):
        declared("rotate", "gpu").check(ours.as_cpu().at(index), reference.at(index))


def test_results_are_shared_with_cupy_without_a_copy() -> None:
    cupy = pytest.importorskip("cupy")
    dense = run(lambda images: images, [picture(8, 9, seed=i) for i in range(3)], "HWC", on_gpu=True)[0]
    tensor = dense.as_tensor()
    assert isinstance(tensor, TensorGPU) and tensor.layout() == "NHWC" and tensor.shape() == [3, 8, 9, 3]
    for array in (cupy.asarray(tensor), cupy.from_dlpack(tensor)):
        assert array.data.ptr == tensor.data_ptr() == dense.data_ptr()
    assert tensor.device_id() == dense.device_id() == 0
    sample = dense.at(1)
    assert sample.data_ptr() == dense.data_ptr() + 8 * 9 * 3 and sample.layout() == "HWC"
    assert np.array_equal(np.asarray(sample.as_cpu()), picture(8, 9, seed=1))
    torch = pytest.importorskip("torch")
    assert torch.from_dlpack(tensor).data_ptr() == tensor.data_ptr()


def test_ragged_results() -> None:
    batch = pictures(((5, 7), (3, 4)))
    made = run(lambda images: images, batch, "HWC", on_gpu=True)[0]
    assert not made.is_dense_tensor() and made.shape() == [(5, 7, 3), (3, 4, 3)] and len(made) == 2
    assert [np.array_equal(np.asarray(item.as_cpu()), wanted) for item, wanted in zip(made, batch, strict=True)] == [
        True,
        True,
    ]
    with pytest.raises(RuntimeError, match="differ in shape"):
        made.as_tensor()
    assert 'device="gpu"' in str(made) and 'layout="HWC"' in repr(made) and "TensorListGPU(" in repr(made)
    assert str(made.at(0)).startswith("TensorGPU(\n") and "shape=(5, 7, 3)" in repr(made.at(0))


def test_held_results_stay_valid() -> None:
    pipeline = Pipeline(batch_size=2, num_threads=2, device_id=0)
    with pipeline:
        numbers = fn.external_source(
            source=lambda iteration: [np.full((200, 300, 3), iteration, np.uint8)] * 2, layout="HWC"
        )
        pipeline.set_outputs(fn.flip(numbers.gpu()))
    held = [pipeline.run()[0] for _ in range(12)]
    assert [int(batch.as_cpu().as_array().max()) for batch in held] == list(range(12))
    assert [int(batch.as_cpu().as_array().min()) for batch in held] == list(range(12))


def test_a_failing_sample_is_named_and_the_next_iteration_runs(tmp_path: Path) -> None:
    good, bad = encoded(picture(20, 20)), np.arange(50, dtype=np.uint8)
    batches = iter([[good, bad], [good, good]])
    pipeline = Pipeline(batch_size=2, num_threads=2, device_id=0)
    with pipeline:
        files = fn.external_source(source=lambda: next(batches))
        pipeline.set_outputs(fn.decoders.image(files, device="mixed", name="decode"))
    with pytest.raises(DaliStudioError) as caught:
        pipeline.run()
    found = caught.value.diagnostics[0]
    assert (found.code, found.node, found.sample) == ("DS301", "decode", 1)
    assert pipeline.run()[0].shape() == [(20, 20, 3), (20, 20, 3)]


@pytest.mark.parametrize("decoder", [{"hw_decoder_load": 0.0}, {"hw_decoder_load": 1.0}, {"jpeg_fancy_upsampling": True}])
def test_who_decodes_does_not_show(tmp_path: Path, decoder: dict[str, Any]) -> None:
    for number in range(24):
        image = Image.fromarray(picture(90 + number, 160 - 3 * number, seed=number))
        image = image.convert("CMYK") if number % 8 == 3 else image
        image.save(tmp_path / f"{number}.jpg", subsampling=number % 3, quality=90, progressive=number % 4 == 1)

    def pictures(device: str, **arguments: Any) -> list[Any]:
        pipeline = Pipeline(batch_size=12, num_threads=2, device_id=0, seed=3)
        with pipeline:
            files, _ = fn.readers.file(file_root=str(tmp_path), files=sorted(path.name for path in tmp_path.iterdir()))
            pipeline.set_outputs(fn.decoders.image_random_crop(files, device=device, **arguments))
        batches = [pipeline.run()[0] for _ in range(6)]
        found = [np.asarray(batch.as_cpu().at(k)) for batch in batches for k in range(12)]
        pipeline.release()
        return found

    others = pictures("cpu") if "jpeg_fancy_upsampling" in decoder else pictures("mixed")
    for one, other in zip(pictures("mixed", **decoder), others, strict=True):
        assert np.array_equal(one, other)


def test_pictures_are_counted_by_who_decoded_them(tmp_path: Path) -> None:
    for number in range(4):
        Image.fromarray(picture(32, 40, seed=number)).save(tmp_path / f"{number}.jpg", progressive=number == 3)
    pipeline = Pipeline(batch_size=4, num_threads=2, device_id=0)
    with pipeline:
        files, _ = fn.readers.file(files=[str(tmp_path / f"{number}.jpg") for number in range(4)])
        pipeline.set_outputs(fn.decoders.image(files, device="mixed"))
    for _ in range(3):
        pipeline.run()
    counts = pipeline.decoded_images()
    assert counts["kernels"] >= 3 and sum(counts.values()) >= 12  # of a progressive file, threads may decode coefficients


@pytest.mark.parametrize("output_type", ["RGB", "BGR", "GRAY", "ANY_DATA"])
def test_png_files_among_others_have_the_pixels_of_the_cpu(output_type: str) -> None:
    data = [encoded(picture(32, 40), quality=95, subsampling=0)]
    for k, mode in enumerate(("RGB", "RGBA", "L", "LA", "P", "1", "RGB")):
        stream = io.BytesIO()
        Image.fromarray(picture(31 + k, 40, seed=k)).convert(mode).save(stream, "PNG")
        data.append(np.frombuffer(stream.getvalue(), np.uint8))
    pipeline = Pipeline(batch_size=len(data), num_threads=3, device_id=0)
    with pipeline:
        files = fn.external_source(source=lambda: data)
        options = {"output_type": getattr(types, output_type)}
        crops = [
            fn.decoders.image_crop(files, device=device, crop=(20, 30), crop_pos_x=0.3, **options)
            for device in ("mixed", "cpu")
        ]
        whole = [fn.decoders.image(files, device=device, **options) for device in ("mixed", "cpu")]
        pipeline.set_outputs(*whole, *crops)
    for made, reference, crop, part in zip(*(output.as_cpu() for output in pipeline.run()), strict=True):
        assert np.array_equal(np.asarray(made), np.asarray(reference))
        assert np.array_equal(np.asarray(crop), np.asarray(part))


def test_without_memory_for_coefficients_threads_decode_the_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    class OutOfMemoryError(Exception):
        """As CuPy's."""

    def draw(*_: Any) -> None:
        raise OutOfMemoryError

    monkeypatch.setattr(CoefficientKernels, "draw", draw)
    monkeypatch.setattr(gpu_rule, "MAX_PIXELS", 0)
    data = [encoded(picture(32 + k, 40), subsampling=k, progressive=True) for k in range(3)]
    pipeline = Pipeline(batch_size=3, num_threads=2, device_id=0)
    with pipeline:
        files = fn.external_source(source=lambda: data)
        pipeline.set_outputs(fn.decoders.image(files, device="mixed"))
    for file, pixels in zip(data, pipeline.run()[0].as_cpu(), strict=True):
        assert np.array_equal(np.asarray(pixels), on_cpu(file))
    assert pipeline.decoded_images()["threads"] >= 3


def test_a_picture_for_each_thread_is_decoded_by_them_alone() -> None:
    data = [encoded(picture(32, 40), quality=95, subsampling=0)]
    pipeline = Pipeline(batch_size=1, num_threads=2, device_id=0)
    with pipeline:
        files = fn.external_source(source=lambda: data)
        pipeline.set_outputs(fn.decoders.image(files, device="mixed"), fn.decoders.image(files))
    for _ in range(9):
        made, reference = pipeline.run()
        assert np.array_equal(made.as_cpu().at(0), reference.at(0))
    counts = pipeline.decoded_images()
    assert counts["threads"] >= 9 and not counts["kernels"] and not counts["hardware"]


def test_a_limit_of_device_memory_is_kept() -> None:
    def define(limit: int | None) -> Pipeline:
        pipeline = Pipeline(batch_size=2, num_threads=1, device_id=0, device_memory_limit=limit)
        with pipeline:
            images = fn.external_source(source=lambda: pictures(((200, 200), (200, 200))), layout="HWC")
            pipeline.set_outputs(fn.resize(images.gpu(), size=(1000.0, 1000.0), name="enlarge"))
        return pipeline

    with pytest.raises(DaliStudioError) as caught:
        define(4_000_000).run()
    assert (caught.value.diagnostics[0].code, caught.value.diagnostics[0].node) == ("DS304", "enlarge")
    assert define(20_000_000).run()[0].shape() == [(1000, 1000, 3)] * 2


@pytest.mark.parametrize("action", ["raise", "skip", "placeholder"])
@pytest.mark.parametrize("reason", ["memory", "max_pixels"])
def test_pictures_that_are_too_large_are_found_before_they_are_decoded(reason: str, action: str) -> None:
    files = [encoded(picture(height, 40), "PNG") for height in (30, 40_000, 50)]
    limit, most = (4_000_000, 1 << 28) if reason == "memory" else (None, 1 << 20)
    pipeline = Pipeline(batch_size=3, num_threads=1, device_id=0, device_memory_limit=limit)
    with pipeline:
        given = fn.external_source(source=lambda: files)
        pipeline.set_outputs(
            fn.decoders.image(given, device="mixed", on_error=action, max_pixels=most, name="decode")
        )
    if action == "raise":
        with pytest.raises(DaliStudioError, match="decode") as caught:
            pipeline.run()
        assert (caught.value.diagnostics[0].sample, caught.value.diagnostics[0].code) == (1, "DS301")
        return
    (images,) = pipeline.run()
    expected = [(30, 40, 3), (50, 40, 3)]
    assert images.shape() == (expected if action == "skip" else [expected[0], *expected])
    assert {failed.sample for failed in pipeline.failed_samples()} == {1}


def test_sizes_that_overflow_are_findings() -> None:
    with pytest.raises(DaliStudioError) as caught:
        run(lambda images: fn.resize(images, size=(1e9, 1e9)), pictures(((40, 40), (20, 20))), "HWC", on_gpu=True)
    assert (caught.value.diagnostics[0].code, caught.value.diagnostics[0].sample) == ("DS301", 0)


def test_a_window_that_does_not_fit_is_named() -> None:
    with pytest.raises(DaliStudioError) as caught:
        run(lambda images: fn.crop(images, crop=(30.0, 30.0)), pictures(((40, 40), (20, 20))), "HWC", on_gpu=True)
    assert (caught.value.diagnostics[0].code, caught.value.diagnostics[0].sample) == ("DS105", 1)


def test_memory_that_is_too_small_is_a_finding_and_the_program_goes_on() -> None:
    with pytest.raises(DaliStudioError) as caught:
        run(
            lambda images: fn.resize(images, size=(400000.0, 400000.0), dtype=types.FLOAT),
            pictures(((8, 8),)),
            "HWC",
            on_gpu=True,
        )
    found = caught.value.diagnostics[0]
    assert found.code == "DS304" and "does not hold the result of resize" in found.message
    assert run(fn.flip, pictures(((8, 8),)), "HWC", on_gpu=True)[0].shape() == [(8, 8, 3)]
