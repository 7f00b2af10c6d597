"""What the axes of a spectrogram stand for: seconds and Hz, as far as the steps before it say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry
from dali_studio.studio.outputs.renderers.base import Scale
from dali_studio.studio.outputs.sounds import rate_of

#: What the rows of features are called, by the operator that makes them.
_ROWS = {"mel_filter_bank": "mel band", "mfcc": "coefficient"}
#: Categories of operators that move the numbers of their input elsewhere.
_MOVING = ("geometry",)


def scale_of(
    graph: Graph, port: PortRef, registry: Registry, value_of: Callable[[PortRef], float | None]
) -> Scale:
    """The scale of an output with frequencies and times, along first inputs.

    Parameters
    ----------
    value_of : callable
        Gives a number that is an output, if it is known: rates.
    """
    rows = ""
    for key in _before(graph, port.node):
        node = graph.node(key)
        schema = registry.schema(node.operator)
        rows = rows or _ROWS.get(node.operator, "")
        if schema.category in _MOVING:
            break
        if node.operator == "spectrogram":
            rate = rate_of(graph, port, lambda one: value_of(one) or 0.0)
            defaults = {argument.name: argument.default for argument in schema.arguments}
            given = {**defaults, **node.arguments}
            step = given["window_step"]
            if not rate or not isinstance(step, int):
                break
            return Scale(step / rate, None if rows else rate / 2, rows)
    return Scale(None, None, rows)


def _before(graph: Graph, node: str) -> Iterator[str]:
    """A node, and those before it along first inputs."""
    key: str | None = node
    passed: set[str] = set()
    while key is not None and key not in passed:
        passed.add(key)
        yield key
        first = next(iter(graph.inputs(key)), None)
        key = None if first is None else first.node
