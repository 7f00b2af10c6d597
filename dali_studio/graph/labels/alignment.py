"""The ways of an image and of a label of it, from their reader on, compared step by step.

What moves the points of the image on its way must do so on the label's, in the same order and under the same
conditions: the same operator with the same arguments for masks, its twin for boxes and points; and nothing else may
move the label.
Conditions make several ways, which are compared branch by branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dali_studio.core.meta import Kind
from dali_studio.graph.edits import PortRef
from dali_studio.graph.labels.computed import computed_at, computed_until
from dali_studio.graph.labels.movement import (
    alike,
    alike_in_parts,
    at_corner,
    in_fractions,
    in_pixels,
    movement_of,
    moves,
    moves_labels,
    only_scales,
    rests,
    scales,
    twin_of,
)
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.ways import Branches, way_to
from dali_studio.schema.model import Movement
from dali_studio.schema.registry import Registry


class Moving(NamedTuple):
    """A node that moves points.

    Attributes
    ----------
    at
        Its place on the way.
    branch
        Conditions under which it does so, and their outcome: 0 if they hold, else 1.
    """

    node: Node
    at: int
    branch: Mapping[PortRef, int]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The ways of an image and of a label of it, for one outcome of the conditions.

    Attributes
    ----------
    pairs
        What does the same to both, in order.
    step
        The first that moves the image, and not the label; ``None`` if there is none.
    others
        What moves the label, or may, from there on.
    later
        What moves the image after `step`.
    extra
        Of the others what moves the label for sure.
    rest
        How many nodes move one of both alone; 0: the label goes where its image goes.
    follows
        Nodes that move the image, and whether the label goes with it.
    reach
        The place on the label's way until which what moves the image before `step` is computed of the label.
    """

    taken: Mapping[str, int]
    image: Sequence[PortRef]
    label: Sequence[PortRef]
    kind: Kind
    pairs: Sequence[tuple[Moving, Moving]]
    step: Moving | None
    others: Sequence[Moving]
    later: Sequence[Moving]
    extra: Sequence[Moving]
    rest: int
    follows: Mapping[str, bool]
    reach: int


def align(
    graph: Graph, registry: Registry, branches: Branches, image: PortRef, label: PortRef, kind: Kind,
    taken: Mapping[str, int],
) -> Alignment:  # fmt: skip
    """Compare the ways of an image and of a label."""
    ways = way_to(graph, image, taken, registry), way_to(graph, label, taken, registry)
    source = ways[1][0]
    first = [Moving(graph.node(port.node), at, branches.of(ways[0], at)) for at, port in enumerate(ways[0])]
    second = [Moving(graph.node(port.node), at, branches.of(ways[1], at)) for at, port in enumerate(ways[1])]
    others = [one for one in second[1:] if moves_labels(registry, one.node, kind)]
    steps = [(one, movement) for one in first if (movement := movement_of(registry, one.node)) is not None]
    follows: dict[str, bool] = {}
    pairs: list[tuple[Moving, Moving]] = []
    known = graph, registry, branches, *ways, kind
    at, missed, begin, reach = 0, len(steps), 0, 0
    states: list[tuple[int, int, int, int, int]] = []  # before each pair
    for number, (step, movement) in enumerate(steps):
        moving = moves(graph, registry, step.node, movement)
        if moving and _stays(graph, registry, step.node, movement, kind, source):
            follows[step.node.key] = True
            continue
        found = _twin_at(graph, registry, step, movement, others, at, kind, source)
        paired = pairs[-1][1].at if pairs else 0
        if found < len(others) and others[found].at > begin:
            states.append((number, at, begin, reach, len(pairs)))
            pairs.append((step, others[found]))
            at = found + 1
        elif moving and (parts := _parts(graph, registry, step, movement, others[at:], kind)):
            pairs.append((step, others[at + parts - 1]))
            at += parts
        elif moving and (until := _computed(*known, step, movement, max(begin, paired), paired)):
            begin, reach = until[0], max(reach, until[1])
        elif moving:
            missed = number
            # What is computed before a twin of an earlier step is a later step's, and so is that twin.
            places = [
                place[0] for one, how in steps[number:]
                if moves(graph, registry, one.node, how) and not _stays(graph, registry, one.node, how, kind, source)
                and (place := _computed(*known, one, how, begin, 0))
            ]  # fmt: skip
            if earlier := next((one for one in states if any(pairs[one[-1]][1].at > place for place in places)), None):
                missed, at, begin, reach, kept = earlier
                for gone, _ in steps[missed:number]:
                    follows.pop(gone.node.key, None)
                del pairs[kept:]
            break
        if moving:
            follows[step.node.key] = True
    paired = pairs[-1][1].at if pairs else 0
    left = [
        one for one, movement in steps[missed:]
        if moves(graph, registry, one.node, movement)
        and not _stays(graph, registry, one.node, movement, kind, source)
        and not _computed(*known, one, movement, max(begin, paired), paired)
    ]  # fmt: skip
    extra = [
        one for one in others[at:]
        if not rests(graph, registry, one.node, kind) and not only_scales(graph, registry, one.node, kind)
    ]  # fmt: skip
    alone = [
        until[0] for one, movement in steps
        if one.node.bypassed and (until := _computed(*known, one, movement, 0, 0))
    ]  # fmt: skip
    extra += [second[at] for at in alone if graph.wires(second[at].node.key)]  # computed of what is left out
    if extra and not left:  # moved twice: as nothing of the image is
        follows = dict.fromkeys(follows, False)
    behind = [one.node.key for one, how in steps[missed:] if moves(graph, registry, one.node, how)]
    follows |= {key: key not in [one.node.key for one in left] for key in behind}
    return Alignment(
        taken, *ways, kind, pairs, left[0] if left else None, others[at:], left[1:], extra,
        len(left) + len(extra), follows, reach,
    )


def _twin_at(
    graph: Graph, registry: Registry, step: Moving, movement: Movement, others: Sequence[Moving], at: int, kind: Kind,
    source: PortRef,
) -> int:  # fmt: skip
    """Which of the others, from one on, does to the label what a step does to the image; their number if none does."""
    while at < len(others) and not (
        others[at].branch == step.branch
        and alike(graph, registry, step.node, others[at].node, movement, kind, source)
    ):
        other = others[at].node
        # a picture of any size is mirrored alike
        sizeless = not movement.by and not movement.drawn and only_scales(graph, registry, other, kind)
        at = at + 1 if sizeless or rests(graph, registry, other, kind) else len(others)
    return at


def _stays(graph: Graph, registry: Registry, step: Node, movement: Movement, kind: Kind, source: PortRef) -> bool:
    """Whether coordinates are the same behind a step as before it."""
    if kind == "mask":
        return False
    if in_fractions(graph, source):
        return scales(graph, registry, step, movement)
    return at_corner(graph, registry, step, movement)


def _computed(
    graph: Graph, registry: Registry, branches: Branches, image: Sequence[PortRef], label: Sequence[PortRef],
    kind: Kind, moving: Moving, movement: Movement, begin: int, least: int,
) -> tuple[int, int] | None:  # fmt: skip
    """The places on a label's way where what a step does has been computed, and where what comes next may be done.

    Between them coordinates may be written as before, and boxes be cut. ``None``: it is not computed, or in another
    branch.
    """
    step = moving.node
    twin = twin_of(graph, registry, step, movement, kind, pixels=in_pixels(graph, registry, label[0]))
    at = computed_until(
        graph, registry, image, label, begin, least, step, movement, kind, has_twin=twin is not None
    ) if computed_at(graph, registry, label, kind, 0) < len(label) else None  # fmt: skip
    if at is None:
        return None
    end = len(label) - 1
    for after in range(at + 1, len(label)):
        node = graph.node(label[after].node)
        if moves_labels(registry, node, kind):
            end = after if rests(graph, registry, node, kind) else after - 1
            break
    # a transform may be between sums
    done = end if movement.computed and movement.computed.by in ("matrix", "perspective", "angle") else at
    return (done, end) if branches.of(label, done) == moving.branch else None


def _parts(
    graph: Graph, registry: Registry, step: Moving, movement: Movement, others: Sequence[Moving], kind: Kind
) -> int:  # fmt: skip
    """How many of the next nodes of a mask's way do together what a step does; 0: they do not."""
    if kind != "mask" or not movement.core:
        return 0
    taken = [at for at, one in enumerate(others) if not rests(graph, registry, one.node, kind)]
    parts = alike_in_parts(graph, registry, step.node, movement, [others[at].node for at in taken])
    if not parts or any(others[at].branch != step.branch for at in taken[:parts]):
        return 0
    return taken[parts - 1] + 1


def alignments(
    graph: Graph, registry: Registry, image: PortRef, label: PortRef, kind: Kind
) -> Iterator[Alignment]:  # fmt: skip
    """For each outcome of the conditions."""
    branches = Branches(graph, registry)
    return (align(graph, registry, branches, image, label, kind, taken) for taken in branches.taken())
