"""A preview computes some samples of an iteration: the very ones of the whole run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chosen import some
from images import dataset
from subjects import EXAMPLES, REGISTRY, Subject, arrays, assert_same, pipeline

from dali_studio import Pipeline, fn
from dali_studio.compiler.pipeline import compile_graph
from dali_studio.core.batch import Batch
from dali_studio.runtime.executor import Executor, Request
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.traits import MixesSamples

PICKS: list[list[int]] = [[], [0], [2], [3, 1], [1, 2, 3]]


def preview(made: Pipeline, indices: Sequence[int], iteration: int = 0, seed: int = 99) -> list[list[Any]]:
    """Samples of every output."""
    graph = made.graph
    plan = compile_graph(graph, REGISTRY)
    workers = WorkerPool(2)
    executor = Executor(plan, REGISTRY, seed, workers)
    executor.open()
    size = graph.options.batch_size
    external_inputs = {}
    for step in plan.steps():
        if step.role == "external_source":
            layout = step.arguments.get("layout")
            source: Any = step.objects["source"]
            external_inputs[step.key] = (Batch.of(source(), str(layout[0]) if isinstance(layout, tuple) and layout else ""),)
    request = Request(iteration, iteration * size, size, external_inputs, np.array(indices, np.int64))
    store = executor.run(request)
    made_now = [[np.array(sample) for sample in store[port].samples] for port in plan.outputs]
    workers.close()
    return made_now


@pytest.mark.parametrize(
    ("subject", "indices"), some(itertools.product(EXAMPLES, PICKS), lambda pair: pair[0].operator), ids=str
)
def test_samples_of_an_example(subject: Subject, indices: list[int]) -> None:
    if subject.has(MixesSamples):
        pytest.skip("made of samples that a preview does not compute")
    made = pipeline(subject)
    size = made.graph.options.batch_size
    indices = list(dict.fromkeys(index % size for index in indices))  # some cases have fewer samples
    whole = [arrays(output) for output in made.run()]
    for part, full in zip(preview(made, indices), whole, strict=True):
        assert_same(part, [full[i] for i in indices])


@pytest.mark.parametrize("indices", PICKS, ids=str)
def test_samples_of_later_iterations(indices: list[int], tmp_path: Path) -> None:
    """Readers are advanced, streams begin where the iterations before would have left them."""
    root = dataset(tmp_path / "files")
    made = Pipeline(batch_size=4, num_threads=2, seed=99)
    with made:
        files, labels = fn.readers.file(file_root=str(root), random_shuffle=True, initial_fill=5)
        images = fn.resize(fn.decoders.image_random_crop(files), size=(9, 11))
        turned = fn.rotate(images, angle=fn.random.uniform(range=(-30, 30)), fill_value=0, keep_size=True)
        made.set_outputs(turned, labels, fn.random.coin_flip(shape=3))
    runs = [[arrays(batch) for batch in made.run()] for _ in range(4)]
    for iteration in (0, 3, 1):
        parts = preview(made, indices, iteration)
        for part, full in zip(parts, runs[iteration], strict=True):
            assert_same(part, [full[i] for i in indices])
