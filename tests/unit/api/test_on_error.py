"""Runs that go on without the files that cannot be read or decoded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dali_studio import fn
from dali_studio.api.default import default_registry
from dali_studio.codegen.emit import emit
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.pipeline import Pipeline

_DAMAGED, _MISSING = 2, 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six pictures of one class; one is cut off behind its header, one is no picture."""
    target = tmp_path / "class"
    target.mkdir()
    for number in range(6):
        pixels = np.random.default_rng(number).integers(0, 256, (40, 50 + number, 3), np.uint8)
        Image.fromarray(pixels).save(target / f"{number}.jpg", quality=95)
    cut = target / f"{_DAMAGED}.jpg"
    cut.write_bytes(cut.read_bytes()[:900])
    (target / f"{_MISSING}.jpg").write_bytes(b"no picture at all")
    return tmp_path


def run(folder: Path, define: Any, iterations: int = 1, **reading: Any) -> tuple[Pipeline, list[Any]]:
    pipeline = Pipeline(batch_size=6, num_threads=2, device_id=None, seed=3)
    with pipeline:
        files, labels = fn.readers.file(file_root=str(folder), name="reader", **reading)
        pipeline.set_outputs(*define(files, labels))
    return pipeline, [pipeline.run() for _ in range(iterations)]


def test_the_default_is_an_error_that_names_the_file_and_the_way_out(folder: Path) -> None:
    with pytest.raises(DaliStudioError, match=r"4\.jpg") as raised:
        run(folder, lambda files, labels: (fn.decoders.image(files), labels))
    assert 'on_error="skip"' in raised.value.diagnostics[0].hint


def test_skipped_samples_are_missing_in_all_outputs_and_are_listed(folder: Path) -> None:
    def define(files: Any, labels: Any) -> Any:
        images = fn.decoders.image(files, on_error="skip", name="decode")
        return fn.crop(images, crop=(20.0, 20.0)), images, files, labels

    pipeline, results = run(folder, define, iterations=2)
    for cropped, images, files, labels in results:
        assert len(cropped) == len(images) == len(files) == len(labels) == 4
        widths = [shape[1] for shape in images.shape()]
        assert widths == [50, 51, 53, 55]
        assert [files[i].source_info() for i in range(4)] == [f"class/{k}.jpg" for k in (0, 1, 3, 5)]
        assert np.asarray(cropped.as_tensor()).any()
    failed = [sample for sample in pipeline.failed_samples() if sample.iteration == 0]
    assert [(sample.sample, sample.node, sample.action) for sample in sorted(failed, key=lambda s: s.sample)] == [
        (_DAMAGED, "decode", "skip"), (_MISSING, "decode", "skip"),
    ]  # fmt: skip
    assert {sample.source for sample in failed} == {"class/2.jpg", "class/4.jpg"}
    assert all(sample.message for sample in failed)


@pytest.mark.parametrize("random_crop", [False, True])
def test_placeholders_are_black_pictures_of_the_size_in_the_header_if_there_is_one(
    folder: Path, random_crop: bool
) -> None:  # fmt: skip
    decoder = fn.decoders.image_random_crop if random_crop else fn.decoders.image
    pipeline, [(images, labels)] = run(
        folder, lambda files, labels: (decoder(files, on_error="placeholder"), labels)
    )
    assert len(images) == len(labels) == 6
    for index in range(6):
        assert np.asarray(images[index]).any() == (index not in (_DAMAGED, _MISSING))
    if not random_crop:
        assert images.shape()[_DAMAGED] == (40, 52, 3)
        assert images.shape()[_MISSING] == (40, 50, 3)  # of the first picture that has a header
    assert {sample.action for sample in pipeline.failed_samples()} == {"placeholder"}


def test_a_file_that_vanishes_is_skipped_by_the_reader_and_asks_nothing_of_the_decoder(folder: Path) -> None:
    (folder / "class" / f"{_DAMAGED}.jpg").unlink()
    names = [str(folder / "class" / f"{k}.jpg") for k in range(6) if k != _MISSING]
    pipeline = Pipeline(batch_size=5, num_threads=2, device_id=None, seed=3)
    with pipeline:
        files, labels = fn.readers.file(files=names, labels=[0, 1, 2, 3, 5], name="reader", on_error="skip")
        pipeline.set_outputs(fn.decoders.image(files), labels)
    images, labels = pipeline.run()
    assert np.asarray(labels.as_tensor()).ravel().tolist() == [0, 1, 3, 5]
    assert len(images) == 4
    (failed,) = [sample for sample in pipeline.failed_samples() if sample.iteration == 0]
    assert (failed.node, failed.sample) == ("reader", _DAMAGED)


def test_programs_for_nvidia_dali_leave_the_argument_out_and_say_so() -> None:
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipeline:
        files, labels = fn.readers.file(file_root="photos", on_error="skip", name="reader")
        pipeline.set_outputs(fn.decoders.image(files, on_error="placeholder"), labels)
    program = emit(pipeline.graph, default_registry(), "nvidia.dali")
    assert "on_error" not in program.source
    assert sum("on_error" in finding.message for finding in program.diagnostics) == 2
    assert 'on_error="placeholder"' in emit(pipeline.graph, default_registry(), "dali_studio").source
