"""Results of a GPU on the CPU again, inside a pipeline."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu_programs import run
from images import encoded, picture, pictures

from dali_studio import fn, types
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import AddNode, Connect, PortRef, SetOutputs
from dali_studio.pipeline import Pipeline
from dali_studio.tensors import TensorListCPU, TensorListGPU

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("shapes", [((64, 48), (64, 48), (64, 48)), ((57, 43), (5, 1), (200, 301))])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int64])
def test_everything_comes_back_as_it_was(shapes: Any, dtype: Any) -> None:
    batch = pictures(shapes, dtype=np.dtype(dtype))
    (made,) = run(lambda images: images.cpu(), batch, "HWC", on_gpu=True)
    assert isinstance(made, TensorListCPU) and made.layout() == "HWC"
    assert all(np.array_equal(made.at(i), sample) for i, sample in enumerate(batch))


def test_cpu_operators_continue_and_results_go_up_again() -> None:
    batch = pictures(((57, 43), (64, 80), (33, 90)))

    def define(images: Any) -> Any:
        flipped = fn.flip(images).cpu() if images.device == "gpu" else fn.flip(images)
        bright = fn.brightness_contrast(flipped, brightness=1.25)
        again = bright.gpu() if images.device == "gpu" else bright
        return fn.cast(again, dtype=types.FLOAT), bright

    on_gpu, on_cpu = run(define, batch, "HWC", on_gpu=True), run(define, batch, "HWC", on_gpu=False)
    assert isinstance(on_gpu[0], TensorListGPU) and isinstance(on_gpu[1], TensorListCPU)
    for ours, reference in zip(on_gpu, on_cpu, strict=True):
        assert all(np.array_equal(ours.as_cpu().at(i), reference.at(i)) for i in range(3))


def test_arguments_may_come_from_a_gpu() -> None:
    def define(images: Any) -> Any:
        numbers = fn.random.uniform(range=(0.5, 1.5), device=images.device)
        return fn.brightness_contrast(images, brightness=numbers.cpu())

    batch = pictures(((57, 43), (64, 80)))
    ours, reference = (run(define, batch, "HWC", on_gpu=on_gpu)[0].as_cpu() for on_gpu in (True, False))
    assert all(np.array_equal(ours.at(i), reference.at(i)) for i in range(2))


@pytest.mark.parametrize("decoder", ["cpu", "mixed"])
def test_iterations_ahead_and_held_results_stay_apart(tmp_path: Path, decoder: str) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(16):
        (folder / f"{number:02}.png").write_bytes(encoded(np.full((40, 50, 3), 10 * number, np.uint8), "PNG").tobytes())
    pipeline = Pipeline(batch_size=4, num_threads=3, device_id=0, prefetch_queue_depth=3)
    with pipeline:
        files, _ = fn.readers.file(file_root=str(tmp_path))
        images = fn.decoders.image(files, device=decoder)
        images = images if decoder == "mixed" else images.gpu()
        pipeline.set_outputs(fn.flip(fn.flip(images).cpu(), device="cpu"))
    held = [pipeline.run()[0] for _ in range(9)]
    for iteration, batch in enumerate(held):
        values = [int(np.unique(batch.at(i)).item()) for i in range(4)]
        assert values == [10 * ((4 * iteration + i) % 16) for i in range(4)]


def test_images_of_a_gpu_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = pictures(((7, 9), (3, 20)))
    written: list[list[bytes]] = []
    for on_gpu in (True, False):
        folder = tmp_path / str(on_gpu)
        folder.mkdir()
        monkeypatch.chdir(folder)
        (made,) = run(partial(fn.dump_image, suffix="a"), batch, "HWC", on_gpu=on_gpu)
        assert all(np.array_equal(made.as_cpu().at(i), sample) for i, sample in enumerate(batch))
        written.append([(folder / f"{i}-a-0.ppm").read_bytes() for i in range(2)])
    assert written[0] == written[1]


def test_a_copy_to_where_the_data_lies_already_changes_nothing() -> None:
    """The designer can wire what a program cannot write."""
    registry = default_registry()
    batch = [picture(20, 30, seed=i) for i in range(2)]
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with pipeline:
        pipeline.set_outputs(fn.external_source(source=lambda: batch, layout="HWC", name="images").gpu())
    graph = pipeline.graph
    (up,) = (port.node for port in graph.outputs)
    edits = [
        AddNode(key="again", operator="to_gpu", device="mixed"), Connect(source=PortRef(node=up), target="again", input=0),
        AddNode(key="down", operator="to_cpu"), Connect(source=PortRef(node="images"), target="down", input=0),
        SetOutputs(outputs=(PortRef(node="again"), PortRef(node="down"))),
    ]  # fmt: skip
    engine = Engine(apply(graph, edits, registry)[0], registry, background=False)
    assert engine.schedule()
    results = engine.result()
    assert [type(result) for result in results] == [TensorListGPU, TensorListCPU]
    for result in results:
        assert all(np.array_equal(np.asarray(result.as_cpu().at(i)), sample) for i, sample in enumerate(batch))
    engine.close()
