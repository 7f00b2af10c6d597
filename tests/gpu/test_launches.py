"""What is kept between iterations: plans, descriptors in device memory, tables. Results do not show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from images import picture

from dali_studio import fn
from dali_studio.api.default import default_registry
from dali_studio.compiler.pipeline import compile_graph
from dali_studio.compiler.plan import Plan
from dali_studio.core.batch import Batch
from dali_studio.core.tensors_gpu import TensorListGPU
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.pipeline import Pipeline
from dali_studio.runtime.executor import Executor
from dali_studio.runtime.request import Request
from dali_studio.runtime.workers import WorkerPool

pytestmark = pytest.mark.gpu

Array = np.ndarray[Any, Any]
REGISTRY = default_registry()
_ITERATIONS = 12
_SAME = ((40, 50),) * 5
_RAGGED = ((40, 50), (31, 47), (64, 33), (30, 30), (55, 71))


def _constant(x: Any) -> Any:
    x = fn.brightness_contrast(fn.resize(x, size=(32.0, 36.0)), brightness=1.1)
    return fn.crop_mirror_normalize(fn.hsv(x, hue=20.0), crop=(24.0, 24.0), mean=(1.0, 2.0, 3.0), std=(4.0, 5.0, 6.0))


def _drawn(x: Any) -> Any:
    place = fn.random.uniform(range=(0.0, 1.0))
    x = fn.crop(fn.flip(x, horizontal=fn.random.coin_flip()), crop=(28.0, 25.0), crop_pos_x=place)
    x = fn.brightness_contrast(fn.hsv(x, hue=fn.random.uniform(range=(-20.0, 20.0))), brightness=1.1)
    return fn.crop_mirror_normalize(fn.rotate(x, angle=place), mirror=fn.random.coin_flip(), mean=(128.0,), std=(64.0,))


def _sometimes(x: Any) -> Any:
    """A part that changes in front of one that does not, and one alone."""
    x = fn.crop(fn.hsv(x, saturation=fn.random.uniform(range=(0.5, 1.5))), crop=(20.0, 22.0))
    return fn.warp_affine(x, matrix=(1.0, 0.1, -6.0, 0.1, 0.9, 3.0), fill_value=0.0)


def _given(x: Any) -> Any:
    """Numbers that an operator copies to the GPU for itself."""
    return fn.normalize(x, mean=100.0, stddev=30.0)


def _measured(x: Any) -> Any:
    """Several kernels for a step, with memory between them."""
    return fn.normalize(fn.reductions.mean(fn.gaussian_blur(x, sigma=1.5), axes=(2,), keep_dims=True), axes=(0, 1))


def _between(x: Any) -> Any:
    """Scratch memory that the records of a step share."""
    x = fn.jpeg_compression_distortion(fn.equalize(x), quality=20)
    return fn.clahe(x, tiles_x=2, tiles_y=3)


def _executor(plan: Plan) -> Executor:
    return Executor(plan, REGISTRY, 11, WorkerPool(1), 0)


def _samples(results: dict[Any, Any]) -> list[Array]:
    (batch,) = results.values()
    batch.ready.synchronize()
    made = TensorListGPU.from_memory(batch.memory, batch.offsets, batch.shapes, batch.dtype, batch.layout).as_cpu()
    return [np.array(made.at(k)) for k in range(len(made))]


@pytest.mark.parametrize(
    "sizes", [[_SAME], [_RAGGED], [_SAME, _RAGGED, _SAME, _SAME[:3]]], ids=["same", "ragged", "both"]
)
@pytest.mark.parametrize("define", [_constant, _drawn, _sometimes, _given, _measured, _between])
@pytest.mark.parametrize("held", [True, False], ids=["held", "let go"])
def test_iterations_are_those_of_an_executor_that_has_seen_none(
    define: Callable[[Any], Any], sizes: list[Sequence[tuple[int, int]]], held: bool
) -> None:
    pipeline = Pipeline(batch_size=5, num_threads=1, device_id=0)
    with pipeline:
        source = fn.external_source(source=list, layout="HWC", name="source")
        pipeline.set_outputs(define(source.gpu()))
    plan = compile_graph(pipeline.graph, REGISTRY, devices=True)
    experienced, kept, seen, before = _executor(plan), [], [], 0
    for number in range(_ITERATIONS):
        shapes = sizes[number % len(sizes)]
        images = [picture(height, width, seed=10 * number + k) for k, (height, width) in enumerate(shapes)]
        request = Request(number, before, len(images), {"source": (Batch.of(images, "HWC"),)})
        before += len(images)
        results = experienced.run(request)
        kept.append(results if held else None)  # results that are held lie in other memory than those before
        if number == _ITERATIONS // 2:
            experienced.release()
        seen.append((request, None if held else _samples(results)))
    for (request, found), results in zip(seen, kept, strict=True):
        fresh = _executor(plan)
        expected = _samples(fresh.run(request))
        for sample, other in zip(_samples(results) if results is not None else found or [], expected, strict=True):
            assert np.array_equal(sample, other)
        fresh.close()
    experienced.close()


@pytest.mark.parametrize("define", [_constant, _measured, _between])
def test_what_comes_again_is_launched_without_being_prepared(
    define: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared: list[object] = []
    start = GpuStream.start

    def counted(stream: GpuStream, kernel: Any, *arguments: Any) -> None:
        prepared.append(kernel)
        start(stream, kernel, *arguments)

    monkeypatch.setattr(GpuStream, "start", counted)
    pipeline = Pipeline(batch_size=5, num_threads=1, device_id=0)
    with pipeline:
        source = fn.external_source(source=list, layout="HWC", name="source")
        pipeline.set_outputs(define(source.gpu()))
    executor = _executor(compile_graph(pipeline.graph, REGISTRY, devices=True))
    counts: list[int] = []
    first: list[Array] = []
    for number in range(60):
        images = [picture(40, 50, seed=k) for k in range(5)]
        found = _samples(executor.run(Request(number, 5 * number, 5, {"source": (Batch.of(images, "HWC"),)})))
        counts.append(len(prepared))
        prepared.clear()
        first = first or found
        assert all(map(np.array_equal, found, first))
    executor.close()
    assert counts[0] > 0
    assert 0 in counts[-30:]  # memory comes again sooner or later
