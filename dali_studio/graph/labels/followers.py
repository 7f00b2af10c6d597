"""Which labels move with their image, and what an edit of the image's steps takes along so that they still do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.graph.edits import Edit, PortRef, SetBypass
from dali_studio.graph.labels.guard import Moving, Unmoved, align, alignments, labels_of
from dali_studio.graph.labels.movement import movement_of
from dali_studio.graph.labels.twins import Draft, change
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import infer
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
    """How many of the steps that move an image are done to its boxes or points, too, be it otherwise."""
    ways = align(graph, registry, Branches(graph, registry), image, label, kind, {})
    otherwise = min((ways.step is not None) + len(ways.later), len(ways.extra))
    return sum(step.node.key != other.node.key for step, other in ways.pairs) + otherwise


def followed(graph: Graph, registry: Registry, edits: Sequence[Edit]) -> list[Edit]:
    """What must be done after edits so that labels that moved with their image before still do.

    Nodes that the edits change themselves stay as they are then.
    """
    touched = {name for edit in edits for name in (getattr(edit, "key", ""), getattr(edit, "target", ""))}
    known = [key for key in touched if key in graph and movement_of(registry, graph.node(key)) is not None]
    if not known or graph.find_cycle():
        return []
    metas = infer(graph, registry, set(graph))
    pairs = {
        (step.node.key, other.node.key): kind for image, label, kind, _ in labels_of(graph, registry, metas)
        for ways in alignments(graph, registry, image, label, kind) for step, other in ways.pairs
        if step.node.key in known and other.node.key not in touched
    }  # fmt: skip
    draft = Draft(graph, registry)
    try:
        draft.do(*edits)
        own = len(draft.edits)
        for step, other in pairs:
            _follow(draft, step, other)
    except DaliStudioError:
        return []  # these edits are refused, or cannot be followed: the guard says so
    return draft.edits[own:]


def _follow(draft: Draft, key: str, other: str) -> None:
    """Make a node do to a label what a changed one does to its image."""
    if key not in draft.graph or other not in draft.graph or draft.graph.find_cycle():
        return
    bypassed = draft.graph.node(key).bypassed
    if draft.graph.node(other).bypassed != bypassed:
        draft.do(SetBypass(key=other, bypassed=bypassed))
    metas = infer(draft.graph, draft.registry, set(draft.graph))
    for image, label, kind, takers in labels_of(draft.graph, draft.registry, metas):
        for ways in alignments(draft.graph, draft.registry, image, label, kind):
            step = next((one for one in (ways.step, *ways.later) if one and one.node.key == key), None)
            place = next((one for one in ways.others if one.node.key == other), None)
            at = next((i for i, port in enumerate(ways.image) if port.node == key), None)
            if step is None and place is not None and at is not None:  # which does not move the image any more
                step = Moving(draft.graph.node(key), at, Branches(draft.graph, draft.registry).of(ways.image, at))
            if step is not None and place is not None:
                change(draft, Unmoved(image, label, kind, takers, ways), step, place)
                return
