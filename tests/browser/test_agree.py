"""The graph that the browser draws before the kernel answers is the one that the kernel makes."""

from __future__ import annotations

import json
import random
import subprocess
from typing import Any, cast

import msgspec
import pytest
from browser import lab

from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph import edits as e
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.studio import view
from dali_studio.studio.revision import Revision

pytestmark = pytest.mark.browser

ESBUILD = lab.REPOSITORY / "extension" / "node_modules" / ".bin" / "esbuild"
CORE = lab.REPOSITORY / "extension" / "packages" / "designer" / "src" / "core"
COUNT = 500
OPERATORS = ("readers.file", "decoders.image", "resize", "rotate", "flip", "random.uniform", "random.coin_flip", "hsv", "cat",
             "crop_mirror_normalize", "arithmetic")  # fmt: skip
ARGUMENTS = ("angle", "fill_value", "range", "size", "horizontal", "hue", "mirror", "seed", "keep_size", "axis")
VALUES: tuple[Any, ...] = (None, True, 3, 0.25, -2.5, "FLOAT", [1.0, 2.0], [3, 4, 5], "")
#: What both sides must agree about; the rest is inferred by the kernel alone.
FIELDS = ("key", "operator", "device", "arguments", "inputs", "argument_inputs", "bypassed", "unknown")


def _edit(draw: random.Random, keys: list[str]) -> Any:
    """Any edit; many cannot be done."""
    key, other = draw.choice([*keys, "nobody"]), draw.choice([*keys, "nobody"])
    source = PortRef(node=other, output=draw.randrange(2))
    end: dict[str, Any] = {"input": draw.randrange(3)} if draw.random() < 0.6 else {"argument": draw.choice(ARGUMENTS)}
    ways = {
        "add": (4, lambda: e.AddNode(key=f"n{draw.randrange(40)}", operator=draw.choice(OPERATORS), device="cpu")),
        "remove": (1, lambda: e.RemoveNode(key=key)),
        "set": (4, lambda: e.SetArgument(key=key, argument=draw.choice(ARGUMENTS), value=draw.choice(VALUES), unset=draw.random() < 0.3)),
        "connect": (6, lambda: e.Connect(source=source, target=key, **end)),
        "disconnect": (2, lambda: e.Disconnect(target=key, **end)),
        "rename": (1, lambda: e.Rename(key=key, new_key=f"n{draw.randrange(40)}")),
        "device": (1, lambda: e.SetDevice(key=key, device=draw.choice(["cpu", "gpu", "mixed"]))),
        "bypass": (1, lambda: e.SetBypass(key=key, bypassed=draw.random() < 0.5)),
        "outputs": (1, lambda: e.SetOutputs(outputs=tuple(PortRef(node=draw.choice(keys or ["nobody"]), output=0) for _ in range(draw.randrange(3))))),
        "name": (1, lambda: e.SetPipeline(option="name", value=draw.choice(["train", "test"]))),
    }  # fmt: skip
    weights = [weight for weight, _ in ways.values()]
    return draw.choices([make for _, make in ways.values()], weights)[0]()


def _seen(graph: dict[str, Any]) -> dict[str, Any]:
    """What is compared, in one form."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                name: plain(one)
                for name, one in cast("dict[str, Any]", value).items()
                if not (name == "output" and one == 0)
            }
        return [plain(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value

    for node in graph["nodes"]:  # the kernel names inputs that wait for a wire, too
        while node["inputs"] and node["inputs"][-1] is None:
            node["inputs"].pop()
    nodes = {node["key"]: {name: plain(node[name]) for name in FIELDS} for node in graph["nodes"]}
    return {"name": graph["name"], "nodes": nodes, "outputs": plain(graph["outputs"])}


def _as_json(value: Any) -> Any:
    return json.loads(msgspec.json.encode(value))


def test_five_hundred_random_edits_leave_the_same_graph_on_both_sides(page: Any, server: tuple[str, Any]) -> None:
    if not ESBUILD.exists():
        pytest.skip("esbuild is not installed (npm install in extension)")
    entry = 'export { applyEdits } from "./edits"; export { indexCatalog } from "./catalog";'
    bundled = subprocess.run(
        [str(ESBUILD), "--bundle", "--loader=ts", "--format=iife", "--global-name=both"],
        input=entry, capture_output=True, text=True, check=True, cwd=CORE,
    ).stdout  # fmt: skip
    registry, draw = default_registry(), random.Random(15)
    graph, number = Graph(), 0
    lab.open_lab(page, server[0])
    catalog = _as_json(view.opened(graph, registry, 296).catalog)
    start = _as_json(view.graph_view(Revision(graph, registry, 0, 0)))
    page.evaluate(
        "([program, catalog, graph]) => { window.both = (0, eval)(`${program};both`);"
        " window.known = both.indexCatalog(catalog); window.drawn = graph; }",
        [bundled, catalog, start],
    )
    kinds: set[type] = set()
    while number < COUNT:
        batch = [_edit(draw, [node.key for node in graph.nodes()]) for _ in range(draw.randrange(1, 3))]
        try:
            graph, _ = apply(graph, batch, registry)
        except DaliStudioError:
            continue  # what is refused, the browser takes back with the kernel's next answer
        number += len(batch)
        kinds |= {type(one) for one in batch}
        drawn = page.evaluate("edits => window.drawn = both.applyEdits(window.drawn, edits, known)", _as_json(batch))
        told = _as_json(view.graph_view(Revision(graph, registry, number, 0)))
        assert _seen(drawn) == _seen(told), (batch, _seen(drawn), _seen(told))
    assert len(kinds) == 10
    assert len(graph.nodes()) > 5
    page.evaluate("() => { delete window.both; delete window.known; delete window.drawn; }")
