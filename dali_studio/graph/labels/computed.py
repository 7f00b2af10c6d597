"""Labels that are moved by a computation: sums and matrices that take what moves the image.

Nobody knows whether such a computation is right. It is taken to be if it may shift points, and uses what the image's
step uses: numbers that are drawn, a matrix, or the extents of a picture on its way. What changes only how coordinates
are written, such as corners into centres, uses none of it; and a factor scales, and does no more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dali_studio.core.meta import Kind
from dali_studio.graph.edits import PortRef
from dali_studio.graph.labels.movement import given, moves_labels, scales
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.ways import PREDICATE
from dali_studio.schema.model import Movement
from dali_studio.schema.registry import Registry

#: Arguments of what transforms points: a matrix, what is added, and both in one.
_MATRIX, _SHIFT, BOTH = "M", "T", "MT"
#: What says where a window is, but for its size.
_PLACES = {"position": ("crop_pos_x", "crop_pos_y", "paste_x", "paste_y"), "corner": ("start", "rel_start"),
           "matrix": ("matrix",), "perspective": ("matrix",), "angle": ("angle",)}  # fmt: skip
_SUM = re.compile(r"\w\)? *[+-]|^-")  # of two, or the opposite of one
_PRODUCT = re.compile(r"[*/]")
_NUMBER = re.compile(r"\b\d")


@dataclass(frozen=True, slots=True)
class Computation:
    """What is computed of a label.

    Attributes
    ----------
    sources
        Where what it takes comes from, besides the label and the picture.
    of_picture
        It takes something of the picture, such as its extents.
    numbers
        It adds numbers that nothing draws.
    turns
        It turns or shears by numbers that nothing draws.
    constants
        Numbers that it takes by a wire.
    shifts, scales
        It may shift points, or scale them.
    matrices
        What points are transformed by.
    """

    sources: frozenset[PortRef]
    of_picture: bool
    numbers: bool
    turns: bool
    constants: frozenset[PortRef]
    shifts: bool
    scales: bool
    matrices: frozenset[PortRef]


def computes(registry: Registry, node: Node, kind: Kind) -> bool:
    """Whether a node computes something of labels, or takes elements out of them."""
    if node.operator not in registry or moves_labels(registry, node, kind):
        return False
    return registry.schema(node.operator).role in ("arithmetic", "subscript", "transform")


def computed_at(graph: Graph, registry: Registry, way: Sequence[PortRef], kind: Kind, behind: int) -> int:
    """The first place on the way of a label, behind another, where something is computed of it; or the way's end."""
    found = (at for at, port in enumerate(way) if at > behind and computes(registry, graph.node(port.node), kind))
    return len(way) if kind == "mask" else next(found, len(way))


def computation(
    graph: Graph, registry: Registry, image: Sequence[PortRef], label: Sequence[PortRef], kind: Kind
) -> Computation | None:
    """What is computed of a label on its way, or on a part of it; ``None``: nothing."""
    if not any(computes(registry, graph.node(port.node), kind) for port in label[1:]):
        return None
    seen, sources, of_picture = _behind(graph, registry, [label[-1]], {*image}, kind, begin=label[0])
    constants = frozenset(port for port in sources if _role(graph, registry, port) == "constant")
    numbers, turns, shifts, factors, matrices = False, False, False, False, set[PortRef]()
    for node in (graph.node(key) for key in seen):
        role = registry.schema(node.operator).role if node.operator in registry else ""
        if role == "transform":
            wires = graph.argument_inputs(node.key)
            matrices.update(wires[name] for name in (_MATRIX, BOTH) if name in wires)
            added = [node.arguments.get(name) for name in (_SHIFT, BOTH) if name in node.arguments]
            shifts = shifts or bool(added) or _SHIFT in wires or BOTH in wires
            numbers = numbers or bool(added)
            matrix = node.arguments.get(_MATRIX)
            turns = turns or bool({_MATRIX, BOTH} & node.arguments.keys())
            factors = factors or _MATRIX in wires or (isinstance(matrix, tuple) and len(matrix) == 1)
        elif role == "arithmetic":
            expression = str(node.arguments.get("expression", ""))
            if _SUM.search(expression):
                shifts, numbers = True, numbers or bool(_NUMBER.search(expression))
            factors = factors or bool(_PRODUCT.search(expression))
        elif node.operator.startswith("transforms.") and node.arguments:
            turns = True
    return Computation(frozenset(sources), of_picture, numbers, turns, constants, shifts, factors, frozenset(matrices))


def computed_until(
    graph: Graph, registry: Registry, image: Sequence[PortRef], label: Sequence[PortRef], begin: int, least: int,
    step: Node, movement: Movement, kind: Kind, *, has_twin: bool,
) -> int | None:  # fmt: skip
    """The place on a label's way where all has been computed that a step does to its image; ``None``: it is not.

    It begins behind a place, until which other steps' parts are computed. What it draws may be used before, too, but
    not before another place.
    """
    by = movement.computed.by if movement.computed else ""
    names = _PLACES.get(by, (*movement.unless, *movement.by))
    ends = [wire for wire in graph.wires(step.key) if wire.input or wire.argument in names]
    # how large a window is, its picture tells
    wires = [wire.source for wire in ends if not by or (wire.input or 1) == 1]
    _, drawn, of_picture = _behind(graph, registry, wires, {*image}, "any")
    scaled = scales(graph, registry, step, movement)
    backwards = by in ("matrix", "perspective") and bool(given(graph, registry, step, "inverse_map"))

    turned = by in ("matrix", "perspective", "angle")
    fed = [wire.source for port in image if port.node != step.key for wire in graph.wires(port.node) if wire.argument]
    others = _behind(graph, registry, fed, {*image}, "any")[1] if not drawn else ()
    cuts = any(given(graph, registry, step, name) is not None for name in movement.by)

    def explained(made: Computation) -> bool:
        known = drawn <= made.sources and (made.of_picture or not of_picture)
        if scaled:
            return (made.scales or made.shifts) and (made.of_picture or (known and not has_twin))
        if not made.shifts or (backwards and bool(made.matrices & {*wires})):
            return False
        if drawn or of_picture:
            return known
        if has_twin:
            return made.of_picture and cuts and not theirs
        own = bool(made.constants.difference(others))
        if turned and (made.turns or (own and made.matrices)):
            return True
        return (own or made.numbers or (made.of_picture and not turned)) and not theirs

    whole = computation(graph, registry, image, label[begin:], kind) if others else None
    theirs = whole is not None and not whole.sources.isdisjoint(others)  # another step's, as a whole
    for first in dict.fromkeys((begin, least) if drawn or scaled else (begin,)):
        for at in range(first + 1, len(label)):
            made = computation(graph, registry, image, label[first : at + 1], kind)
            if made is not None and explained(made):
                return max(at, begin)
    return None


def _behind(
    graph: Graph, registry: Registry, ports: Sequence[PortRef], image: set[PortRef], kind: Kind,
    begin: PortRef | None = None,
) -> tuple[set[str], set[PortRef], bool]:  # fmt: skip
    """The nodes that ports come from, those of them that nothing feeds, and whether it is also the picture.

    What an operator that moves labels is told, conditions, and what is before `begin`, are left out.
    """
    seen, sources, waiting, of_picture = set[PortRef](), set[PortRef](), [*ports], False
    while waiting:
        port = waiting.pop()
        if port in image:
            of_picture = True
        elif port not in seen and port != begin:
            seen.add(port)
            node, wires = graph.node(port.node), graph.wires(port.node)
            first = kind != "any" and moves_labels(registry, node, kind)
            waiting += [wire.source for wire in wires if wire.argument != PREDICATE and (wire.input == 0 or not first)]
            if not wires:
                sources.add(port)
    return {port.node for port in seen}, sources, of_picture


def _role(graph: Graph, registry: Registry, port: PortRef) -> str:
    operator = graph.node(port.node).operator
    return registry.schema(operator).role if operator in registry else ""
