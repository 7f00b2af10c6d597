"""Which labels move with their image: boxes, masks and points that a step on the image's way moves as well."""

from __future__ import annotations

from collections.abc import Mapping

from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.graph.label_guard import alike, in_fractions, in_pixels, labels_of, moves
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.ways import way_to
from dali_studio.schema.model import Movement
from dali_studio.schema.registry import Registry


def followers(graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]) -> dict[str, dict[Kind, str]]:
    """For each node that moves points of an image, what has become of its labels: "flipped", "not flipped"."""
    found: dict[str, dict[Kind, str]] = {}
    for image, label, kind, _ in labels_of(graph, registry, metas):
        for step, movement in _steps(graph, registry, image):
            done = movement.words[1]
            told = found.setdefault(step.key, {})
            if told.get(kind) in (None, done):  # of several labels of a kind, one that stays behind counts
                told[kind] = done if _follows(graph, registry, step, movement, label, kind) else f"not {done}"
    return found


def moved_alike(graph: Graph, registry: Registry, image: PortRef, label: PortRef, kind: Kind) -> int:
    """How many of the steps that move an image are done to its boxes or points, too."""
    on_way = {port.node for port in way_to(graph, label)}
    steps = [(step, movement) for step, movement in _steps(graph, registry, image) if step.key not in on_way]
    return sum(_repeated(graph, registry, step, movement, label, kind) for step, movement in steps)


def _steps(graph: Graph, registry: Registry, image: PortRef) -> list[tuple[Node, Movement]]:
    """What moves an image on its way."""
    known = [step for port in way_to(graph, image) if (step := graph.node(port.node)).operator in registry]
    moving = [(step, movement) for step in known if (movement := registry.schema(step.operator).movement) is not None]
    return [(step, movement) for step, movement in moving if moves(graph, registry, step, movement)]


def _follows(
    graph: Graph, registry: Registry, step: Node, movement: Movement, label: PortRef, kind: Kind
) -> bool:  # fmt: skip
    way = way_to(graph, label)
    if step.key in {port.node for port in way}:  # one node moves both
        return True
    if kind != "mask" and movement.scales and in_fractions(graph, way[0]):
        return True
    return _repeated(graph, registry, step, movement, label, kind)


def _repeated(
    graph: Graph, registry: Registry, step: Node, movement: Movement, label: PortRef, kind: Kind
) -> bool:  # fmt: skip
    """Whether a node on the way of the label does what the step does to the image."""
    way = way_to(graph, label)
    pixels = in_pixels(graph, registry, way[0])
    others = (graph.node(port.node) for port in way)
    return any(alike(graph, registry, step, one, movement, kind, pixels=pixels) for one in others)
