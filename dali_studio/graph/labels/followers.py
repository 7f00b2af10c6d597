"""Which labels move with their image, and what an edit of the image's steps takes along so that they still do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, SetBypass
from dali_studio.graph.labels.alignment import Moving, align, alignments
from dali_studio.graph.labels.guard import Unmoved, labels_of
from dali_studio.graph.labels.movement import movement_of
from dali_studio.graph.labels.places import SHAPES
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
    measured = _measured(graph, registry, edits)
    touched = {name for edit in edits for name in (getattr(edit, "key", ""), getattr(edit, "target", ""))}
    known = [key for key in touched if key in graph and movement_of(registry, graph.node(key)) is not None]
    if not known or graph.find_cycle():
        return measured
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
    return [*measured, *draft.edits[own:]]


def _measured(graph: Graph, registry: Registry, edits: Sequence[Edit]) -> list[Edit]:
    """What keeps the extents that a computation of labels takes of a step, where another step comes behind this one.

    What comes first of them on a label's way belongs to what is behind the step, others to what is before the next.
    """
    new = {edit.key for edit in edits if isinstance(edit, AddNode)}
    taken = {
        edit.target: graph.inputs(edit.target)[0] for edit in edits
        if isinstance(edit, Connect) and edit.input == 0 and edit.source.node in new and edit.target in graph
        and graph.node(edit.target).operator == SHAPES
    }  # fmt: skip
    if not taken or graph.find_cycle():
        return []
    kept: dict[str, PortRef] = {}
    for image, label, kind, _ in labels_of(graph, registry, infer(graph, registry, set(graph))):
        for ways in alignments(graph, registry, image, label, kind):
            twins = {step.node.key for step, _ in ways.pairs}
            for port in ways.image:
                if ways.follows.get(port.node) and port.node not in twins:
                    first = _first_measured(graph, ways.label, port)
                    kept |= {first: port} if first in taken else {}
    return [Connect(source=port, target=key, input=0) for key, port in kept.items()]


def _first_measured(graph: Graph, label: Sequence[PortRef], picture: PortRef) -> str:
    """What gives a label's way the extents of a picture first; empty: nothing."""
    measuring = [key for key, at, _ in graph.consumers(picture) if at == 0 and graph.node(key).operator == SHAPES]
    for port in label:
        before = graph.reachable([port])
        if found := next((key for key in measuring if key in before), ""):
            return found
    return ""


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
