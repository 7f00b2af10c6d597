"""Where on the way of a label what moves it belongs, and what goes with it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

from dali_studio.core.meta import TensorMeta
from dali_studio.graph.draft import Draft
from dali_studio.graph.edits import AddNode, Connect, PortRef, RemoveNode, SetArgument, SetOutputs
from dali_studio.graph.labels.alignment import Moving
from dali_studio.graph.labels.computed import computed_at, computes
from dali_studio.graph.labels.guard import Unmoved
from dali_studio.graph.labels.movement import corners_of, given, in_pixels, rests
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.validate import infer
from dali_studio.graph.ways import PREDICATE, Branches
from dali_studio.schema.model import Value, Windows
from dali_studio.schema.registry import Registry

#: The operator that gives the shapes of pictures.
SHAPES = "shapes"


def take(draft: Draft, one: Unmoved, moved: Mapping[PortRef, PortRef]) -> PortRef:
    """Return other ports, and give them to what makes something else of the label."""
    for taker in one.takers:
        for wire in draft.graph.wires(taker):
            if wire.source in moved:
                draft.do(Connect(source=moved[wire.source], target=taker, input=wire.input, argument=wire.argument))
    outputs = tuple(moved.get(port, port) for port in draft.graph.outputs)
    if outputs != draft.graph.outputs:
        draft.do(SetOutputs(outputs=outputs))
    return moved[one.label]


def place_of(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved, step: Moving
) -> int | None:  # fmt: skip
    """The place on the way of the label behind which the step's twin belongs.

    It is behind what is done alike before, before what moves the label afterwards, and, if possible, in the branch of
    the step; and for masks before what gives them a layout that the operator does not take.
    """
    way, branches = one.ways.label, Branches(graph, registry)
    first = max(one.ways.reach, one.ways.pairs[-1][1].at if one.ways.pairs else 0)
    moving = [other for other in one.ways.others if not rests(graph, registry, other.node, one.kind)]
    last = min(moving[0].at if moving else len(way), computed_at(graph, registry, way, one.kind, first)) - 1
    layouts = registry.schema(step.node.operator).inputs[0].layouts if one.kind == "mask" else ()
    fits = [
        at for at in range(first, last + 1)
        if (not layouts or metas[way[at]].layout in (None, *layouts))
        and branches.behind(way, at).items() <= step.branch.items()
    ]  # fmt: skip
    return max(fits, key=lambda at: (len(branches.behind(way, at)), at), default=None)


def classes_of(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved, step: Moving, at: int,
    operator: str,
) -> list[PortRef]:  # fmt: skip
    """The boxes' classes, where an operator leaves boxes out, and so their classes."""
    schema = registry.schema(operator)
    if len(schema.inputs) < 2 or schema.inputs[1].kind != "label":
        return []
    for before in one.ways.label[at::-1]:
        classes = [port for port, meta in metas.items() if port.node == before.node and meta.kind == "label"]
        if classes:
            used = graph.consumers(classes[0]) or classes[0] in graph.outputs
            return [_beside(graph, registry, one, step, at, classes[0])] if used else []
    return []


def _beside(graph: Graph, registry: Registry, one: Unmoved, step: Moving, at: int, classes: PortRef) -> PortRef:
    """Classes where their boxes are: behind the merge of a branch that these have left, and in one that is there."""
    branches = Branches(graph, registry)
    boxes, behind = branches.behind(one.ways.label, at), behind_of(one, at)
    nexts = [classes]
    while nexts:
        classes, nexts = nexts[0], list[PortRef]()
        under = branches.under(graph, classes)
        for target in (target for target, to, _ in graph.consumers(classes) if to is not None):
            if branches.merges.get(target) in under.keys() - boxes.keys():
                nexts.append(PortRef(node=target))
            condition = branches.splits.get(target)
            if condition is not None and condition in step.branch.keys() - under.keys():
                inner = PortRef(node=target, output=branches.side(target, step.branch[condition]))
                if all(one in behind or branches.merges.get(one) == condition for one, *_ in graph.consumers(inner)):
                    nexts.append(inner)
    return classes


def behind_of(one: Unmoved, at: int) -> set[str]:
    """What takes a label behind a place on its way."""
    return {port.node for port in one.ways.label[at + 1 :]} | {*one.takers}


def shapes_of(
    draft: Draft, metas: Mapping[PortRef, TensorMeta], picture: PortRef, peek: str, *, anew: bool = False
) -> tuple[PortRef, str]:  # fmt: skip
    """The shapes of pictures, which are measured if they are not yet, or anew, and the letters of their axes."""
    meta = metas.get(picture, TensorMeta())
    operator, layout = (peek, "HWC") if meta.kind == "encoded" else (SHAPES, meta.layout or "HWC")
    fed = draft.graph.consumers(picture)
    there = [key for key, at, _ in fed if at == 0 and draft.graph.node(key).operator == operator and not anew]
    key = there[0] if there else draft.graph.free_key(f"{picture.node}_{SHAPES}")
    if not there:
        draft.do(AddNode(key=key, operator=operator), Connect(source=picture, target=key, input=0))
    return PortRef(node=key), layout


def hand_on(
    draft: Draft, one: Unmoved, at: int, sources: Sequence[PortRef], results: Sequence[PortRef],
    fed: Sequence[Sequence[tuple[str, int | None, str]]],
) -> PortRef:  # fmt: skip
    """Give a label that has been moved within its way to what comes next, and its classes to what takes both.

    `fed`: what took the label and its classes before.
    """
    graph, registry = draft.graph, draft.registry
    following = one.ways.label[at + 1].node
    entry = one.ways.taken.get(following, 0)
    needed = graph.reachable([one.label])
    computing = [
        to for to in fed[0] if to[0] in needed and to != (following, entry, "")
        and computes(registry, graph.node(to[0]), one.kind)
    ]  # fmt: skip
    draft.do(Connect(source=results[0], target=following, input=entry))
    for target, to, argument in computing:
        draft.do(Connect(source=results[0], target=target, input=to, argument=argument))
    behind = behind_of(one, at) | Branches(graph, registry).merges.keys()
    for port, result, consumers in zip(sources[1:], results[1:], fed[1:], strict=True):
        draft.instead(port, result, [to for to in consumers if to[0] in behind])
    return one.label


#: A condition, the side of it on which something is done, and what there is on the other one, by numbers of sources.
Around = list[tuple[PortRef, int, dict[int, PortRef]]]


def divided(
    draft: Draft, sources: Sequence[PortRef], conditions: Sequence[Mapping[PortRef, int]]
) -> tuple[list[PortRef], Around]:  # fmt: skip
    """What there is of sources under conditions, which each has its own of; `merged` takes the rest."""
    split_by = next(name for name in draft.registry if draft.registry.schema(name).role == "split")
    device = draft.graph.node(sources[0].node).device
    inner, around = list(sources), Around()
    outermost = sorted(conditions, key=len, reverse=True)
    for predicate, side in dict(pair for under in outermost for pair in under.items()).items():
        outside: dict[int, PortRef] = {}
        for at, source in enumerate(inner):
            if predicate not in conditions[at]:
                continue
            split = draft.graph.free_key("split")
            draft.do(
                AddNode(key=split, operator=split_by, device=device),
                Connect(source=source, target=split, input=0),
                Connect(source=predicate, target=split, argument=PREDICATE),
            )
            inner[at] = PortRef(node=split, output=side)
            outside[at] = PortRef(node=split, output=1 - side)
        around.append((predicate, side, outside))
    return inner, around


def merged(draft: Draft, results: Sequence[PortRef], around: Around) -> list[PortRef]:
    """What was done under conditions, with what there is without them."""
    merge_by = next(name for name in draft.registry if draft.registry.schema(name).role == "merge")
    made = list(results)
    for predicate, side, outside in reversed(around):
        for at, other in outside.items():
            merge = draft.graph.free_key("merge")
            sides = (made[at], other) if side == 0 else (other, made[at])
            draft.do(
                AddNode(key=merge, operator=merge_by, device=draft.graph.node(other.node).device),
                *(Connect(source=port, target=merge, input=i) for i, port in enumerate(sides)),
                Connect(source=predicate, target=merge, argument=PREDICATE),
            )
            made[at] = PortRef(node=merge)
    return made


def missing(step: Moving, under: Mapping[PortRef, int]) -> dict[PortRef, int]:
    """The conditions of a step that something is not under."""
    return {condition: side for condition, side in step.branch.items() if condition not in under}


def draw_for_boxes(draft: Draft, one: Unmoved, step: Moving, windows: Windows) -> PortRef | None:
    """Draw the windows of a step for the boxes, which go with them, and cut the picture by these."""
    if in_pixels(draft.graph, draft.registry, one.source):
        draft.do(SetArgument(key=one.source.node, argument="ratio", value=True))
    graph, registry, node = draft.graph, draft.registry, step.node
    metas = infer(graph, registry, set(graph))
    at, picture = place_of(graph, registry, metas, one, step), next(iter(graph.inputs(node.key)), None)
    if at is None or picture is None or step.branch or Branches(graph, registry).behind(one.ways.label, at):
        return None
    operator, label = windows.twin.operator, one.ways.label[at]
    sources = [label, *classes_of(graph, registry, metas, one, step, at, operator)]
    fed = [graph.consumers(port) for port in sources]
    arguments = dict(windows.twin.fixed)
    for theirs, ours in windows.drawn.items():
        value = given(graph, registry, node, ours)
        if not isinstance(value, tuple) or isinstance(value, PortRef):
            return None
        arguments[theirs] = tuple(
            math.sqrt(part) if theirs == windows.lengths else part for part in cast("tuple[float, ...]", value)
        )
    if corners := corners_of(graph, registry, one.source, windows.twin):
        arguments[corners[0]] = corners[1]
    window = graph.free_key("window")
    draft.do(
        AddNode(key=window, operator=operator, arguments=arguments),
        *(Connect(source=port, target=window, input=i) for i, port in enumerate(sources)),
    )
    cut = _instead_of(draft, node, windows.cut)
    draft.do(*(
        Connect(source=port, target=cut, input=i)
        for i, port in enumerate((picture, PortRef(node=window), PortRef(node=window, output=1)))
    ))  # fmt: skip
    made = cut
    if windows.sized:
        made = _instead_of(draft, node, windows.sized)
        draft.do(Connect(source=PortRef(node=cut), target=made, input=0))
    own = PortRef(node=node.key)
    draft.instead(own, PortRef(node=made), draft.graph.consumers(own))
    draft.do(RemoveNode(key=node.key))
    moved = {port: PortRef(node=window, output=2 + i) for i, port in enumerate(sources)}
    if at == len(one.ways.label) - 1:
        return take(draft, one, moved)
    behind = behind_of(one, at)
    for port, consumers in zip(sources, fed, strict=True):
        draft.instead(port, moved[port], [to for to in consumers if to[0] in behind])
    return one.label


def _instead_of(draft: Draft, node: Node, operator: str) -> str:
    """A node with what another one is given, as far as its operator knows of it."""
    schema = draft.registry.schema(operator)
    kept: dict[str, Value] = {
        name: value for name, value in node.arguments.items() if schema.argument(name) is not None and name != "seed"
    }
    key = draft.graph.free_key(schema.node_name)
    draft.do(
        AddNode(key=key, operator=operator, device=node.device, arguments=kept),
        *(
            Connect(source=port, target=key, argument=name)
            for name, port in draft.graph.argument_inputs(node.key).items() if schema.argument(name) is not None
        ),
    )  # fmt: skip
    return key
