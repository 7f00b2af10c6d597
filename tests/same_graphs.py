"""Whether two graphs compute the same, whatever their nodes are called."""

from __future__ import annotations

import linecache
from typing import Any

from dali_studio.api.default import default_registry
from dali_studio.graph.model import Graph
from dali_studio.graph.seeds import operator_indices

_COUNT = iter(range(10**9))


def traced_graph(source: str) -> Graph:
    """The graph of the only pipeline definition of a program, which is run."""
    file = f"<program {next(_COUNT)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": "program", "__file__": file}
    exec(compile(source, file, "exec"), space)
    (made,) = [value for value in space.values() if getattr(value, "_is_pipeline_def", False)]
    return made().graph


def assert_same(graph: Graph, other: Graph) -> None:
    """Both compute the same, and draw the same numbers; what is split twice may be split once."""
    pairs: dict[str, str] = {}
    waiting = list(zip(graph.outputs, other.outputs, strict=True))
    while waiting:
        one, two = waiting.pop()
        assert one.output == two.output
        if one.node in pairs:
            assert pairs[one.node] == two.node or graph.node(one.node).operator == "_conditional.split"
            continue
        pairs[one.node] = two.node
        a, b = graph.node(one.node), other.node(two.node)
        assert (a.operator, a.device, dict(a.arguments)) == (b.operator, b.device, dict(b.arguments))
        inputs = zip(graph.inputs(a.key), other.inputs(b.key), strict=True)
        waiting += [(left, right) for left, right in inputs if left is not None and right is not None]
        named, others = graph.argument_inputs(a.key), other.argument_inputs(b.key)
        assert list(named) == list(others)
        waiting += [(named[name], others[name]) for name in named]
    indices, others_ = (operator_indices(one, default_registry()) for one in (graph, other))
    assert {pairs[key]: index for key, index in indices.items() if key in pairs} == {
        key: index for key, index in others_.items() if key in pairs.values()
    }
