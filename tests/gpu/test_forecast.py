"""What `explain` says of memory, and what an iteration takes on a GPU."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dali_studio import fn, samples, types
from dali_studio.api.default import default_registry
from dali_studio.compiler.pipeline import compile_graph
from dali_studio.pipeline import Pipeline
from dali_studio.runtime.executor import Executor
from dali_studio.runtime.failures import ErrorPolicy
from dali_studio.runtime.forecast import forecast, launch_sizes
from dali_studio.runtime.iteration import Iteration
from dali_studio.runtime.probe import Probe
from dali_studio.runtime.request import Request
from dali_studio.runtime.workers import WorkerPool

pytestmark = pytest.mark.gpu

REGISTRY, BATCH = default_registry(), 6
#: Tables of kernels, and pieces as the pool hands them out: small beside pictures.
NEAR = 0.1
#: Shapes that a step on a GPU leaves on the host are not measured; of branches, the memory between their samples is.
NOT_COUNTED = ("shapes", "split")


def _files() -> Any:
    return fn.readers.file(file_root=str(samples.photos()), random_shuffle=True)[0]


def training() -> Any:
    images = fn.decoders.image_random_crop(_files(), device="mixed")
    images = fn.resize(images, resize_x=256, resize_y=256)
    return fn.crop_mirror_normalize(images, crop=(224, 224), mean=[1.0], std=[2.0], mirror=fn.random.coin_flip())


def validation() -> Any:
    images = fn.resize(fn.decoders.image(_files(), device="mixed"), resize_shorter=256)
    return fn.crop_mirror_normalize(images, crop=(224, 224), mean=[1.0], std=[2.0]), images


def brought() -> Any:
    images = fn.decoders.image(_files(), device="cpu").gpu()
    turned = fn.rotate(images, angle=fn.random.uniform(range=(-30.0, 30.0)))
    return fn.gaussian_blur(images, window_size=5), turned, images + fn.random.uniform(range=(0.0, 9.0), shape=(3,))


def branches() -> Any:
    images = fn.resize(fn.decoders.image(_files(), device="mixed"), size=(96, 128))
    chosen = fn.random.coin_flip(dtype=types.BOOL)
    one, other = fn._conditional.split(images, predicate=chosen)
    return fn._conditional.merge(fn.flip(one), fn.cast(fn.cast(other, dtype=types.FLOAT), dtype=types.UINT8), predicate=chosen)


def sequences() -> Any:
    images = fn.resize(fn.decoders.image(_files(), device="mixed"), size=(64, 80))
    frames = fn.stack(images, images, images, axis_name="F")
    return fn.permute_batch(fn.resize(frames, size=(100, 90)), indices=[5, 4, 3, 2, 1, 0]), fn.shapes(frames)


PROGRAMS = (training, validation, brought, branches, sequences)


def pipeline(define: Callable[[], Any]) -> Pipeline:
    pipe = Pipeline(batch_size=BATCH, num_threads=2, device_id=0, seed=7)
    with pipe:
        outputs = define()
        pipe.set_outputs(*(outputs if isinstance(outputs, tuple) else (outputs,)))
    return pipe


class Watched:
    """A pool of device memory, and the most bytes that were in use."""

    def __init__(self, pool: Any) -> None:
        self._pool, self.most = pool, 0

    def malloc(self, size: int) -> Any:
        made = self._pool.malloc(size)
        self.most = max(self.most, int(self._pool.used_bytes()))
        return made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)


@pytest.mark.parametrize("define", PROGRAMS, ids=lambda define: define.__name__)
def test_the_peak_of_an_iteration(define: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads decode: when kernels do, and how many launches at a time, is not the same from run to run."""
    monkeypatch.setattr("dali_studio.runtime.mixed.MixedRunner._decoders", lambda *_: [])
    monkeypatch.setattr("dali_studio.runtime.forecast._launches", lambda *_: 0)
    plan = compile_graph(pipeline(define).graph, REGISTRY, devices=True)
    told = forecast(plan, REGISTRY, 7, BATCH)
    assert not told.unknown
    executor = Executor(plan, REGISTRY, 7, WorkerPool(2), 0)
    assert executor.stream is not None
    pool = executor.stream.pool.blocks = Watched(executor.stream.pool.blocks)
    executor.open()
    executor.run(Request(0, 0, BATCH))
    executor.close()
    assert abs(told.device - pool.most) <= NEAR * pool.most


@pytest.mark.parametrize("define", PROGRAMS, ids=lambda define: define.__name__)
def test_results_of_each_node(define: Callable[[], Any]) -> None:
    plan, probe = compile_graph(pipeline(define).graph, REGISTRY, devices=True, fuse=False), Probe()
    told = forecast(plan, REGISTRY, 7, BATCH)
    executor = Executor(plan, REGISTRY, 7, WorkerPool(2), 0)
    executor.open()
    executor.run(Request(0, 0, BATCH), probe)
    executor.close()
    found = probe.summary()
    counted = [key for key in told.nodes if key not in NOT_COUNTED]
    measured = {key: (found[key].host, found[key].device) for key in counted}
    assert {key: (told.nodes[key].host, told.nodes[key].device) for key in counted} == measured


def test_launches_of_the_decoder() -> None:
    from dali_studio.kernels.cuda.device import cupy
    from dali_studio.kernels.jpeg import libjpeg
    from dali_studio.kernels.jpeg.gpu_decoder import JpegKernels

    plan = compile_graph(pipeline(lambda: fn.decoders.image(_files(), device="mixed")).graph, REGISTRY, devices=True)
    executor = Executor(plan, REGISTRY, 7, WorkerPool(1), 0)
    now = executor.run(Request(0, 0, BATCH), taps=[step.outputs[0] for step in plan.steps()])
    files = next(batch for batch in now.values() if batch.device == "cpu")
    step = plan.steps()[-1]
    operator = REGISTRY.operator(step.operator)
    iteration = Iteration(Request(0, 0, BATCH), ErrorPolicy(0, print), {})
    work = operator.plan(executor.arguments.of(iteration, step), files)
    images = operator.jpeg_images(work)
    assert images is not None and images.shared
    requests = images.requests[: images.shared].copy()
    chosen = images.positions[: images.shared].tolist()
    requests[:, libjpeg.DATA] = [files[i].ctypes.data for i in chosen]
    requests[:, libjpeg.SIZE] = [files[i].size for i in chosen]
    asked: list[int] = []

    def allocate(size: int) -> Any:
        asked.append(size)
        return cupy().cuda.MemoryPool().malloc(size)

    target = cupy().cuda.MemoryPool().malloc(int(work.shapes.prod(axis=1).sum()))
    pitches = requests[:, libjpeg.COLUMNS] * 3
    ends = np.cumsum(pitches * requests[:, libjpeg.ROWS])
    places = np.stack([int(target.ptr) + np.concatenate([[0], ends[:-1]]), pitches], axis=1)
    JpegKernels(0, allocate).decode(requests, places, 0, len(requests))
    assert asked == launch_sizes(requests)
    executor.close()


def test_explain_tells_it() -> None:
    pipe = pipeline(training)
    text, data = pipe.explain(), json.loads(pipe.explain(as_json=True))
    assert "memory of the first batch, 6 samples" in text and "MiB on the GPU at a time" in text
    nodes = {step["node"]: step["memory"] for stage in data["stages"] for step in stage["steps"]}
    (normalized,) = (memory for name, memory in nodes.items() if "normalize" in name)
    assert normalized["device"] == BATCH * 3 * 224 * 224 * 4
    assert data["memory"]["peak_device"] >= normalized["peak_device"] >= normalized["device"]
    pipe.release()
