"""What of a pipeline's results does not belong to one iteration alone."""

from __future__ import annotations

from dali_studio.api.default import default_registry
from dali_studio.pipeline import Pipeline


def shared_outputs(pipe: Pipeline) -> list[bool]:
    """Which outputs are the program's own arrays, or come again in a later iteration."""
    graph, registry = pipe.graph, default_registry()
    found: list[bool] = []
    for node in (graph.node(port.node) for port in graph.outputs):
        role = registry.schema(node.operator).role
        again = any(node.arguments.get(name) for name in ("no_copy", "repeat_last"))
        found.append(role == "constant" or (role == "external_source" and again))
    return found
