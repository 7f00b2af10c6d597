"""Every example of the gallery gives on a GPU, as far as its operators have one, what it gives on the CPU."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from gallery_examples import GALLERY, name_of

from dali_studio.api.default import default_registry
from dali_studio.cli.document import open_document
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import SetArgument
from dali_studio.graph.model import Graph
from dali_studio.graph.placement import on_cpu, on_gpu
from dali_studio.pipeline import Pipeline

pytestmark = pytest.mark.gpu

REGISTRY = default_registry()
#: Of the range of a picture: sums in another order, and warps whose points a GPU rounds otherwise, are seldom seen at all.
MEAN, SHARE, FAR = 0.002, 0.01, 0.02


def batch(graph: Graph) -> list[Any]:
    pipe = Pipeline.from_graph(graph)
    pipe.build()
    return [output.as_cpu() for output in pipe.run()]


def placed(graph: Graph) -> Graph:
    """On a GPU, as it says or else wherever it can be, with decoders that interpolate chroma, as those of the CPU do."""
    moved = graph if any(graph.node(key).device != "cpu" for key in graph) else on_gpu(graph, REGISTRY)
    name = "jpeg_fancy_upsampling"
    decoders = [
        key
        for key in moved
        if moved.node(key).device == "mixed" and REGISTRY.schema(moved.node(key).operator).argument(name)
    ]
    return apply(moved, [SetArgument(key=key, argument=name, value=True) for key in decoders], REGISTRY, check=False)[0]


@pytest.mark.parametrize("name", [name_of(path) for path in GALLERY])
def test_an_example_gives_what_it_gives_on_the_cpu(name: str) -> None:
    graph = open_document(name, samples=True)
    graph.options = msgspec.structs.replace(graph.options, batch_size=min(graph.options.batch_size, 8))
    moved = placed(graph)
    assert any(moved.node(key).device != "cpu" for key in moved) or not any(
        "gpu" in REGISTRY.schema(graph.node(key).operator).devices and graph.inputs(key) for key in graph
    )
    for mine, other in zip(batch(moved), batch(on_cpu(graph, REGISTRY)), strict=True):
        assert (len(mine), mine.dtype, mine.layout()) == (len(other), other.dtype, other.layout())
        for index in range(len(other)):
            a, b = (np.asarray(one.at(index)).astype(np.float64) for one in (mine, other))
            assert a.shape == b.shape
            if not b.size:
                continue
            away = np.abs(a - b) / max(float(np.ptp(b)), 1.0)
            assert away.mean() <= MEAN and (away > FAR).mean() <= SHARE, (index, float(away.max()))
