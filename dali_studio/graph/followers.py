"""Which labels move with their image: boxes, masks and points that a step on the image's way moves as well."""

from __future__ import annotations

from collections.abc import Mapping

from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.graph.label_guard import align, alignments, labels_of
from dali_studio.graph.model import Graph
from dali_studio.graph.movement import movement_of
from dali_studio.graph.ways import Branches
from dali_studio.schema.model import Movement
from dali_studio.schema.registry import Registry


def followers(graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]) -> dict[str, dict[Kind, str]]:
    """For each node that moves points of an image, what has become of its labels: "flipped", "not flipped"."""
    found: dict[str, dict[Kind, str]] = {}
    for image, label, kind, _ in labels_of(graph, registry, metas):
        for ways in alignments(graph, registry, image, label, kind):
            for key, follows in ways.follows.items():
                done = (movement_of(registry, graph.node(key)) or Movement()).words[1]
                told = found.setdefault(key, {})
                if told.get(kind) in (None, done):  # one label that stays behind counts, in one outcome
                    told[kind] = done if follows else f"not {done}"
    return found


def moved_alike(graph: Graph, registry: Registry, image: PortRef, label: PortRef, kind: Kind) -> int:
    """How many of the steps that move an image are done to its boxes or points, too."""
    ways = align(graph, registry, Branches(graph, registry), image, label, kind, {})
    return sum(step.node.key != other.node.key for step, other in ways.pairs)
