"""Times of GPU operators on batches that lie in device memory: ``python tests/benchmarks/gpu.py [--out FILE]``.

Every figure is the median over repetitions of the time of one batch, with many batches enqueued and one wait at the
end, so that host and GPU overlap as in a run; `host` is the time to enqueue one batch.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from dali_studio import fn
from dali_studio.api.default import default_registry
from dali_studio.compiler.pipeline import compile_graph
from dali_studio.compiler.plan import BatchStage
from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda import device
from dali_studio.pipeline import Pipeline
from dali_studio.runtime.executor import Executor
from dali_studio.runtime.failures import ErrorPolicy
from dali_studio.runtime.iteration import Iteration
from dali_studio.runtime.request import Request
from dali_studio.runtime.workers import WorkerPool

BATCH, SIZE = 256, (480, 640)
_BATCHES, _REPETITIONS = 40, 9


def _chain(images: Any) -> Any:
    images = fn.rotate(
        fn.resize(images, size=(256.0, 256.0)),
        angle=fn.random.uniform(range=(-30.0, 30.0)),
        keep_size=True,
        fill_value=0.0,
    )
    images = fn.brightness_contrast(fn.hsv(images, hue=20.0, saturation=1.2), brightness=1.1, contrast=0.9)
    return _normalized(images)


def _ten(images: Any) -> Any:
    """Ten operators; most of their arguments are drawn for every sample."""
    between = fn.random.uniform
    images = fn.rotate(fn.resize(images, size=(288.0, 288.0)), angle=between(range=(-30.0, 30.0)), keep_size=True)
    images = fn.flip(images, horizontal=fn.random.coin_flip())
    place = between(range=(0.0, 1.0)), between(range=(0.0, 1.0))
    images = fn.crop(images, crop=(256.0, 256.0), crop_pos_x=place[0], crop_pos_y=place[1])
    images = fn.hsv(images, hue=between(range=(-20.0, 20.0)), saturation=between(range=(0.5, 1.5)))
    images = fn.brightness_contrast(images, brightness=between(range=(0.5, 1.5)), contrast=between(range=(0.5, 1.5)))
    images = fn.warp_affine(images, matrix=(1.0, 0.1, -6.0, 0.1, 0.9, 3.0), fill_value=0.0)
    images = fn.cast(fn.resize(images, size=(240.0, 240.0)), dtype="FLOAT")
    return _normalized(images)


def _normalized(images: Any) -> Any:
    return fn.crop_mirror_normalize(
        images, crop=(224.0, 224.0), mirror=fn.random.coin_flip(), mean=(124.0, 116.0, 104.0), std=(58.0, 57.0, 57.0)
    )


def _training(images: Any) -> Any:
    """What follows the decoder in the training pipeline."""
    return _normalized(fn.resize(images, resize_x=256.0, resize_y=256.0))


WORK: dict[str, Callable[[Any], Any]] = {
    "crop_mirror_normalize": lambda x: fn.crop_mirror_normalize(x, crop=(224.0, 224.0), mean=(124.0, 116.0, 104.0), std=(58.0, 57.0, 57.0)),
    "brightness_contrast": lambda x: fn.brightness_contrast(x, brightness=1.1, contrast=0.9),
    "hsv": lambda x: fn.hsv(x, hue=20.0, saturation=1.2),
    "rotate": lambda x: fn.rotate(x, angle=10.0, keep_size=True, fill_value=0.0),
    "rotate, growing canvas": lambda x: fn.rotate(x, angle=10.0, fill_value=0.0),
    "resize 224 antialias": lambda x: fn.resize(x, size=(224.0, 224.0)),
    "resize 224 plain": lambda x: fn.resize(x, size=(224.0, 224.0), antialias=False),
    "resize 256 cubic": lambda x: fn.resize(x, size=(256.0, 256.0), interp_type="INTERP_CUBIC"),
    "flip": lambda x: fn.flip(x),
    "crop": lambda x: fn.crop(x, crop=(300.0, 400.0)),
    "cast to float": lambda x: fn.cast(x, dtype="FLOAT"),
    "chain": _chain,
    "ten operators": _ten,
}  # fmt: skip
#: The same, of batches that differ in the sizes of all images.
RAGGED: dict[str, Callable[[Any], Any]] = {"training pipeline behind the decoder": _training, "ten operators": _ten}

Images = Sequence["np.ndarray[Any, Any]"]


def ragged(count: int) -> list[Images]:
    """Batches of images of different sizes, of about 500×375 on average."""
    random = np.random.default_rng(0)
    sizes = random.integers((200, 300), (550, 700), (count, BATCH, 2)).tolist()
    return [[random.integers(0, 256, (height, width, 3), np.uint8) for height, width in batch] for batch in sizes]


def measure(define: Callable[[Any], Any], batches: Sequence[Images], *, fuse: bool = True) -> dict[str, float]:
    """Milliseconds a batch: `wall`, and `host` (until everything is enqueued), of batches in turns."""
    pipeline = Pipeline(batch_size=BATCH, num_threads=4, device_id=0, seed=1)
    with pipeline:
        source = fn.external_source(source=lambda: list(batches[0]), layout="HWC", name="source")
        pipeline.set_outputs(define(source.gpu()))
    registry = default_registry()
    plan = compile_graph(pipeline.graph, registry, devices=True, fuse=fuse)
    executor = Executor(plan, registry, 1, WorkerPool(4), 0)
    external_inputs = {"source": tuple(pipeline._built().feeders["source"].take())}
    executor.run(Request(0, 0, BATCH, external_inputs))
    runner = executor._gpu
    assert runner is not None
    copy = next(step for step in plan.steps() if step.role == "copy")
    rest = [
        stage for stage in plan.stages
        if not (isinstance(stage, BatchStage) and stage.step.role in ("external_source", "copy"))
    ]  # fmt: skip
    resident: list[dict[Any, Any]] = []
    for images in batches:
        turn = runner.begin()
        with runner.use(turn):
            resident.append({})
            runner.upload(copy, [Batch.of(list(images), "HWC")], resident[-1])
        runner.end(turn, {})
    wall: list[float] = []
    host: list[float] = []
    for _ in range(_REPETITIONS):
        runner.synchronize()
        begin = perf_counter()
        enqueued = 0.0
        for iteration in range(_BATCHES):
            request = Request(iteration, iteration * BATCH, BATCH, external_inputs)
            results = dict(resident[iteration % len(resident)])
            now = Iteration(request, ErrorPolicy(iteration, executor._record), results)
            turn = runner.begin()
            started = perf_counter()
            with runner.use(turn):
                for stage in rest:
                    executor._stage(executor._way(stage), now)
            enqueued += perf_counter() - started
            runner.end(turn, {})
        runner.synchronize()
        wall.append(1e3 * (perf_counter() - begin) / _BATCHES)
        host.append(1e3 * enqueued / _BATCHES)
    pipeline.release()
    return {"wall": statistics.median(wall), "spread": max(wall) - min(wall), "host": statistics.median(host)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    options = parser.parse_args()
    absent = device.missing(0)
    if absent is not None:
        sys.exit(f"There is no GPU: {absent.reason}. {absent.hint}")
    images = np.random.default_rng(0).integers(0, 256, (BATCH, *SIZE, 3), np.uint8)
    found = {name: measure(define, [images]) for name, define in WORK.items()}
    found["chain, one by one"] = measure(_chain, [images], fuse=False)
    batches = ragged(4)
    found.update({f"{name}, ragged": measure(define, batches) for name, define in RAGGED.items()})
    for name, row in found.items():
        sys.stdout.write(
            f"{name:45s} {row['wall']:8.3f} ms a batch (spread {row['spread']:.3f}), host {row['host']:.3f} ms\n"
        )
    if options.out is not None:
        facts = {"gpu": dict(device.describe()), "batch": BATCH, "size": SIZE, "milliseconds": found}
        options.out.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
