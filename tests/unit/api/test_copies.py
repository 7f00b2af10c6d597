"""``.gpu()`` and ``.cpu()``: nodes, types, documents, programs, and what they do where there is no GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio import DaliStudioError, fn, pipeline_def
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.codegen.emit import emit
from dali_studio.graph.document import dumps, loads
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate
from dali_studio.pipeline import Pipeline

REGISTRY = default_registry()


def there_and_back(**options: object) -> Graph:
    """A GPU operator between operators on the CPU, and an argument that comes back as well."""
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=0, seed=5, **options)  # type: ignore[arg-type]
    with pipeline:
        images = fn.external_source(source=lambda: [np.full((6, 8, 3), 40, np.uint8)] * 2, layout="HWC", name="images")
        angle = fn.random.uniform(range=(90.0, 91.0), device="gpu").cpu()
        flipped = fn.flip(images.gpu())
        turned = fn.rotate(flipped.cpu(), angle=angle, device="cpu", keep_size=True)
        pipeline.set_outputs(turned, flipped.cpu().cpu(), flipped.gpu())
    return pipeline.graph


def test_they_are_nodes_that_end_on_the_other_device() -> None:
    graph = there_and_back()
    copies = {key: graph.node(key).operator for key in graph if REGISTRY.schema(graph.node(key).operator).role == "copy"}
    assert sorted(copies.values()) == ["to_cpu", "to_cpu", "to_cpu", "to_gpu"]
    found = validate(graph, REGISTRY)
    assert not found.diagnostics
    devices = {port.node: meta.device for port, meta in found.metas.items()}
    assert {devices[key] for key, operator in copies.items() if operator == "to_cpu"} == {"cpu"}
    assert [devices[port.node] for port in graph.outputs] == ["cpu", "cpu", "gpu"]


def test_they_go_through_documents_and_programs() -> None:
    graph = there_and_back()
    again, _, _ = loads(dumps(graph, None), REGISTRY)
    assert dumps(again, None) == dumps(graph, None)
    for dialect in ("dali_studio", "nvidia.dali"):
        emitted = emit(graph, REGISTRY, dialect)
        assert not [found for found in emitted.diagnostics if found.severity == "error"]
        assert emitted.source.count(".cpu()") == 3 and emitted.source.count(".gpu()") == 1
    scope: dict[str, object] = {"__name__": "emitted"}
    exec(compile(emit(graph, REGISTRY, "dali_studio").source, "emitted.py", "exec"), scope)
    program = scope["pipeline"](images_source=list)  # type: ignore[operator]
    wires = [(w.source, w.target, w.input, w.argument) for w in graph.wires()]
    assert [(w.source, w.target, w.input, w.argument) for w in program.graph.wires()] == wires


def test_on_the_cpu_they_pass_their_input_on() -> None:
    engine = Engine(there_and_back(), REGISTRY, background=False, devices=False)
    assert engine.schedule()
    turned, first, second = engine.result()
    assert turned.shape() == [(6, 8, 3)] * 2
    assert np.array_equal(np.asarray(first.as_cpu()), np.asarray(second.as_cpu()))
    engine.close()


def test_a_source_on_the_gpu_is_computed_on_the_cpu_where_there_is_none() -> None:
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with pipeline:
        images = fn.external_source(source=lambda: [np.full((6, 8, 3), 40, np.uint8)] * 2, layout="HWC", device="gpu")
        pipeline.set_outputs(fn.flip(images))
    assert [pipeline.graph.node(key).device for key in pipeline.graph] == ["gpu", "gpu"]
    assert "device='gpu'" in emit(pipeline.graph, REGISTRY, "nvidia.dali").source.replace('"', "'")
    engine = Engine(pipeline.graph, REGISTRY, background=False, devices=False)
    assert engine.schedule() and engine.result()[0].shape() == [(6, 8, 3)] * 2
    engine.close()


def test_without_device_id_a_copy_is_called_a_copy() -> None:
    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def moved() -> Any:
        return fn.resize(fn.random.uniform(range=(0.0, 1.0), shape=[4, 4, 3]).gpu(), size=(3, 3))

    with pytest.raises(DaliStudioError) as caught:
        moved().build()
    copy, resize = caught.value.diagnostics
    assert copy.message == "It copies to a GPU (.gpu()), but the pipeline has no GPU (device_id is None)."
    assert copy.hint == "Set device_id to the GPU's number, or take the copy (.gpu()) away."
    assert resize.message == "It is placed on a GPU (device 'gpu'), but the pipeline has no GPU (device_id is None)."
