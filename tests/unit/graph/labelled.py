"""Pipelines with labels, what the label guard finds in them, and what they are once it has been heeded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dali_studio import fn, types
from dali_studio.api.default import default_registry
from dali_studio.api.pipeline import Pipeline
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.apply import apply
from dali_studio.graph.labels.guard import CODE
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate
from dali_studio.studio.repairs import offered

REGISTRY = default_registry()


def graph_of(outputs: Callable[[], tuple[Any, ...]]) -> Graph:
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(*outputs())
    return pipe.graph


def findings(graph: Graph) -> list[Diagnostic]:
    return [found for found in validate(graph, REGISTRY).diagnostics if found.code == CODE]


def annotated(**options: Any) -> tuple[Any, Any]:
    files, boxes, _ = fn.readers.coco(file_root="/x", annotations_file="/x/a.json", ratio=True, **options)
    return fn.decoders.image(files), boxes


def pair(**options: Any) -> tuple[Any, Any]:
    images = fn.decoders.image(fn.readers.file(file_root="/images", **options)[0])
    masks = fn.decoders.image(fn.readers.file(file_root="/masks", **options)[0], output_type=types.GRAY)
    return images, fn.resize(masks, size=(64, 64), interp_type=types.INTERP_NN)


def repaired(graph: Graph) -> Graph:
    """With all that one click each offers about labels."""
    while True:
        edits = [make for repair, make in offered(graph, REGISTRY, findings(graph)) if repair.code == CODE]
        if not edits:
            return graph
        graph, _ = apply(graph, edits[0](Path), REGISTRY)


def errors(graph: Graph) -> list[str]:
    return [found.message for found in validate(graph, REGISTRY).diagnostics if found.severity == "error"]
