"""Groups of nodes as functions of programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dali_studio import Pipeline, fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.api.reading.program import read
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.codegen.functions import Function
from dali_studio.graph.model import Graph

REGISTRY = default_registry()


@pipeline_def(batch_size=3, num_threads=1, device_id=None, seed=5)
def photos() -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    small = fn.resize(fn.decoders.image(files), resize_x=40, resize_y=30, name="small")
    turned = fn.rotate(small, angle=fn.random.uniform(range=(-30.0, 30.0), name="angle"), keep_size=True, name="turned")
    return fn.flip(turned, horizontal=1, name="flipped"), turned, labels


GRAPH = photos().graph
EXPOSED = (("turned", "keep_size"), ("turned", "fill_value"), ("small", "resize_x"))
AUGMENT = Function("photos", frozenset(["small", "turned", "angle"]), EXPOSED)


def function_of(emitted: Emitted) -> list[str]:
    return emitted.source.split("\n@pipeline_def")[0].split("\n\n\n")[1].strip().splitlines()


def test_a_group_is_a_function_with_its_exposed_arguments() -> None:
    emitted = emit(GRAPH, REGISTRY, "nvidia.dali", functions=[AUGMENT])
    first, *_, last = function_of(emitted)
    assert first == "def photos_2(decode, keep_size, resize_x):"  # the pipeline is called photos; fill_value has no value
    assert last == "    return turned"
    call = "turned = photos_2(decode, keep_size=True, resize_x=40)"
    assert call in emitted.source and emitted.diagnostics == ()
    lines = emitted.source.splitlines()
    marked = {key: [lines[n - 1] for n in numbers] for key, numbers in emitted.lines.items()}
    assert any("fn.rotate(" in line for line in marked["turned"]) and any(call in line for line in marked["turned"])


def outputs(program: str) -> list[np.ndarray]:
    space: dict[str, Any] = {"__name__": "program"}
    exec(compile(program, "program", "exec"), space)
    pipe: Any = space["photos"]()
    pipe.build()
    return [np.asarray(out.at(i)) for out in pipe.run() for i in range(3)]


@pytest.mark.parametrize("dialect", ["dali_studio", "nvidia.dali"])
def test_functions_change_no_number(dialect: str) -> None:
    pytest.importorskip(dialect)
    plain = outputs(emit(GRAPH, REGISTRY, dialect).source)
    grouped = outputs(emit(GRAPH, REGISTRY, dialect, functions=[AUGMENT]).source)
    assert all(np.array_equal(a, b) for a, b in zip(plain, grouped, strict=True))


def test_programs_with_functions_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(emit(GRAPH, REGISTRY, "nvidia.dali", functions=[AUGMENT]).source)
    assert sorted(read(str(path))) == sorted(GRAPH)


def test_what_has_other_nodes_between_its_nodes_is_no_function() -> None:
    around = Function("around", frozenset(["decode", "turned"]))
    both = [Function("one", frozenset(["decode", "angle"])), Function("two", frozenset(["small", "turned"]))]
    emitted = emit(GRAPH, REGISTRY, "nvidia.dali", functions=[around])
    assert emitted.source == emit(GRAPH, REGISTRY, "nvidia.dali").source
    assert [(d.code, d.severity, d.node) for d in emitted.diagnostics] == [("DS501", "info", "decode")]
    assert emit(GRAPH, REGISTRY, "nvidia.dali", functions=both).source.count("\ndef ") == 3


def test_functions_without_nodes_of_the_run_and_of_graphs_with_a_cycle_are_left_out() -> None:
    gone = Function("gone", frozenset(["elsewhere"]))
    assert emit(GRAPH, REGISTRY, "nvidia.dali", functions=[gone]) == emit(GRAPH, REGISTRY, "nvidia.dali")
    circle: Graph = GRAPH.copy()
    circle.connect(circle.outputs[0], "small", 0)
    assert emit(circle, REGISTRY, "nvidia.dali", functions=[AUGMENT]) == emit(circle, REGISTRY, "nvidia.dali")


def test_a_function_that_returns_nothing_is_called_all_the_same() -> None:
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        shown = fn.random.uniform(name="shown")
        fn.random.uniform(name="kept", preserve=True)
        pipe.set_outputs(shown)
    source = emit(pipe.graph, REGISTRY, "nvidia.dali", functions=[Function("side", frozenset(["kept"]))]).source
    assert "    side()\n" in source
