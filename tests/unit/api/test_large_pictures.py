"""Pictures and results that are too large: a finding with node and sample, not the end of the process."""

from __future__ import annotations

from typing import Any

import forged
import numpy as np
import pytest
from images import encoded, picture

from dali_studio import fn
from dali_studio.api.default import default_registry
from dali_studio.codegen.emit import emit
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.pipeline import Pipeline
from dali_studio.runtime import memory

Array = np.ndarray[Any, Any]
LARGE = 1
"""The sample that is too large."""


def run(define: Any, files: list[Array], **feeds: Any) -> tuple[Pipeline, Any]:
    pipeline = Pipeline(batch_size=len(files), num_threads=2, device_id=None, seed=3)
    with pipeline:
        fed = {name: fn.external_source(source=iter([batch])) for name, batch in feeds.items()}
        pipeline.set_outputs(define(fn.external_source(source=lambda: files, name="files"), **fed))
    return pipeline, pipeline.run()[0]


def finding(define: Any, files: list[Array], **feeds: Any) -> Diagnostic:
    with pytest.raises(DaliStudioError) as caught:
        run(define, files, **feeds)
    return caught.value.diagnostics[0]


def pictures(large: tuple[int, int] = (300, 400)) -> list[Array]:
    return [encoded(picture(20, 30), "PNG"), encoded(picture(*large), "PNG"), encoded(picture(20, 30), "PNG")]


# -------------------------------------------------------------------------------------------------------- max_pixels

DECODERS = pytest.mark.parametrize("decoder", [fn.decoders.image, fn.decoders.image_random_crop])


@DECODERS
@pytest.mark.parametrize("form", ["JPEG", "PNG", "BMP", "TIFF", "WEBP", "PPM", "JPEG2000"])
def test_pictures_above_the_limit_are_refused(decoder: Any, form: str) -> None:
    files = [encoded(picture(40, 50), form), encoded(picture(41, 50), form)]
    found = finding(lambda x: decoder(x, max_pixels=2000, name="decode"), files)
    assert (found.code, found.node, found.argument, found.sample) == ("DS301", "decode", "max_pixels", LARGE)
    assert "41 rows of 50 pixels, 2,050 in all" in found.message
    assert "2,000" in found.message
    assert "max_pixels" in found.hint
    assert len(run(lambda x: decoder(x, max_pixels=2050), files)[1]) == 2


@pytest.mark.parametrize("size", [(30000, 30000), (300_000, 300_000)])
def test_there_is_a_limit_unless_it_is_given(size: tuple[int, int]) -> None:
    files = [encoded(picture(40, 50)), np.frombuffer(forged.jpeg2000(*size), np.uint8)]
    assert finding(fn.decoders.image, files).argument == "max_pixels"


@pytest.mark.parametrize(("action", "shapes"), [("skip", [(20, 30, 3)] * 2), ("placeholder", [(20, 30, 3)] * 3)])
def test_runs_go_on_without_pictures_above_the_limit(action: str, shapes: list[tuple[int, ...]]) -> None:
    pipeline, images = run(lambda x: fn.decoders.image(x, max_pixels=1000, on_error=action), pictures())
    assert images.shape() == shapes
    assert [failed.sample for failed in pipeline.failed_samples()][:1] == [LARGE]
    if action == "placeholder":
        assert not np.asarray(images[LARGE]).any()


def test_programs_for_nvidia_dali_leave_the_limit_out_and_say_so() -> None:
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipeline:
        files, _ = fn.readers.file(file_root="photos", name="reader")
        pipeline.set_outputs(fn.decoders.image(files, max_pixels=10**6))
    program = emit(pipeline.graph, default_registry(), "nvidia.dali")
    assert "max_pixels" not in program.source
    assert ["max_pixels" in found.message for found in program.diagnostics] == [True]
    assert "max_pixels=1000000" in emit(pipeline.graph, default_registry(), "dali_studio").source


# ------------------------------------------------------------------------------------------------ memory that runs out


@pytest.fixture
def small_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a little memory: the large picture does not fit into it, the others do."""
    monkeypatch.setattr(memory, "memory_size", lambda: 300_000)


#: The decoder's result as the output, and as what a later step takes, alone or with others.
USES = {
    "output": lambda images: images,
    "cropped": lambda images: fn.crop(images, crop=(10.0, 10.0)),
    "resized": lambda images: fn.resize(images, size=(10.0, 10.0)),
}


@pytest.mark.usefixtures("small_machine")
def test_memory_that_runs_out_names_the_node_and_its_largest_sample() -> None:
    found = finding(lambda x: fn.decoders.image(x, name="decode"), pictures())
    assert (found.code, found.node, found.sample) == ("DS301", "decode", LARGE)
    assert "300×400×3" in found.message
    found = finding(lambda x: fn.resize(fn.decoders.image(x), size=(1000.0, 1000.0), name="enlarge"), pictures((40, 40)))
    assert (found.code, found.node) == ("DS301", "enlarge")


@pytest.mark.usefixtures("small_machine")
@pytest.mark.parametrize("use", USES)
def test_memory_that_runs_out_for_a_sample_is_caught(use: str) -> None:
    pipeline, images = run(lambda x: USES[use](fn.decoders.image(x, on_error="placeholder", name="decode")), pictures())
    _, expected = run(lambda x: USES[use](fn.decoders.image(x)), [pictures()[0]] * 3)
    assert len(images) == 3
    for index in (0, 2):
        assert np.array_equal(np.asarray(images[index]), np.asarray(expected[index]))
    failed = [sample for sample in pipeline.failed_samples() if sample.iteration == 0]
    if use == "output":  # elsewhere the picture lies in the decoder's own memory
        assert [(sample.node, sample.sample) for sample in failed] == [("decode", LARGE)]
        assert not np.asarray(images[LARGE]).any()


@pytest.mark.usefixtures("small_machine")
def test_memory_that_runs_out_between_steps_is_caught() -> None:
    def define(x: Any, **options: Any) -> Any:
        both = (fn.decoders.image(x, **options), fn.decoders.image(x, output_type="BGR", **options))
        return fn.crop_mirror_normalize(both[0], crop=(10.0, 10.0)), fn.resize(both[1], size=(10.0, 10.0))

    pipeline = Pipeline(batch_size=3, num_threads=2, device_id=None)
    with pipeline:
        files = fn.external_source(source=lambda: pictures())
        pipeline.set_outputs(*define(files, on_error="placeholder"))
    crops, resized = pipeline.run()
    for images in (crops, resized):
        assert [bool(np.asarray(images[index]).any()) for index in range(3)] == [True, False, True]
    assert {sample.sample for sample in pipeline.failed_samples()} == {LARGE}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("action", ["skip", "placeholder", "raise"])
def test_memory_that_runs_out_inside_the_decoder_is_caught(
    use: str, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    from dali_studio.kernels.cpu import png

    unpack = png._samples

    def scarce(raw: Array, rows: int, *others: int) -> Array:
        if rows == 300:
            raise MemoryError("Unable to allocate 41.9 GiB for an array")
        return unpack(raw, rows, *others)

    monkeypatch.setattr(png, "_samples", scarce)
    monkeypatch.setattr(png, "is_compiled", lambda: False)
    define = lambda x: USES[use](fn.decoders.image(x, on_error=action, name="decode"))  # noqa: E731
    if action == "raise":
        found = finding(define, pictures())
        assert (found.code, found.node, found.sample) == ("DS301", "decode", LARGE)
        assert "memory: 45.0 GB were asked for." in found.message
        return
    pipeline, images = run(define, pictures())
    assert len(images) == (2 if action == "skip" else 3)
    assert np.asarray(images[0]).any()
    failed = [sample for sample in pipeline.failed_samples() if sample.iteration == 0]
    assert [(sample.node, sample.sample, sample.action) for sample in failed] == [("decode", LARGE, action)]


# --------------------------------------------------------------------------------------------------- sizes asked for

HUGE = {
    "resize": lambda x, size: fn.resize(x, resize_x=size, name="node"),
    "resize to a size": lambda x, size: fn.resize(x, size=(size, size), name="node"),
    "rotate": lambda x, size: fn.rotate(x, angle=10.0, size=(size, 3.0), name="node"),
    "warp_affine": lambda x, size: fn.warp_affine(x, matrix=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0), size=(size, 3.0), name="node"),
    "crop": lambda x, size: fn.crop(x, crop_h=size, crop_w=size, out_of_bounds_policy="pad", name="node"),
    "crop_mirror_normalize": lambda x, size: fn.crop_mirror_normalize(x, crop=(size, 3.0), out_of_bounds_policy="pad", name="node"),
}


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("size", [2.0**31, 1e30])
def test_sizes_beyond_any_picture_are_refused_before_the_run(name: str, size: float) -> None:
    found = finding(lambda x: HUGE[name](fn.decoders.image(x), size), pictures())
    assert (found.code, found.node) == ("DS105", "node")
    assert found.argument


@pytest.mark.parametrize("name", ["resize", "crop"])
@pytest.mark.parametrize("size", [2.0**31, float("inf"), float("nan")])
def test_sizes_beyond_any_picture_that_are_fed_name_the_sample(name: str, size: float) -> None:
    feeds = [np.array(value, np.float32) for value in (20.0, size, 20.0)]
    found = finding(lambda x, size: HUGE[name](fn.decoders.image(x), size), pictures(), size=feeds)
    assert (found.code, found.node, found.sample) == ("DS105", "node", LARGE)


@pytest.mark.parametrize("name", ["resize", "resize to a size", "crop"])
@pytest.mark.parametrize("behind", ["", "a crop"])
def test_results_that_no_memory_holds_are_refused(name: str, behind: str) -> None:
    def define(x: Any) -> Any:
        made = HUGE[name](fn.decoders.image(x), 1e9)
        return fn.crop(made, crop=(10.0, 10.0)) if behind else made

    found = finding(define, pictures())
    assert (found.code, found.node) == ("DS301", "node")
    assert found.sample is not None
    assert " EB" in found.message and "e+" not in found.message


def test_a_region_of_hardly_any_extent_asks_for_more_than_there_is() -> None:
    found = finding(
        lambda x: fn.resize(
            fn.decoders.image(x), resize_x=100.0, roi_start=(0.0, 0.0), roi_end=(5.0, 1e-30), name="node"
        ),
        pictures(),
    )
    assert (found.code, found.node, found.sample) == ("DS301", "node", 0)
