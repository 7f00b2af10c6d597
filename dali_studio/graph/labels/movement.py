"""Whether a node on the way of a label does what a node on the way of its image does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dali_studio.core.meta import Kind
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.ways import undivided, way_to
from dali_studio.schema.model import Apart, Movement, Twin, Value
from dali_studio.schema.registry import Registry


def movement_of(registry: Registry, node: Node) -> Movement | None:
    """How a node moves points, if it may."""
    return registry.schema(node.operator).movement if node.operator in registry else None


def moves(graph: Graph, registry: Registry, step: Node, movement: Movement) -> bool:
    """Whether a step moves the points of an image, as its arguments are."""
    return not step.bypassed and (
        not movement.unless
        or any(given(graph, registry, step, name) != plain(still) for name, still in movement.unless.items())
    )


def scales(graph: Graph, registry: Registry, step: Node, movement: Movement) -> bool:
    """Whether points in fractions of the extents stay where they are."""
    told = movement.scales
    return told is not None and all(given(graph, registry, step, name) == plain(told[name]) for name in told)


def at_corner(graph: Graph, registry: Registry, step: Node, movement: Movement) -> bool:
    """Whether points in pixels stay where they are: a window begins at the first pixel."""
    mirrored = any(given(graph, registry, step, ours) for apart in movement.apart for ours in apart.arguments.values())
    placed = movement.computed is not None and movement.computed.by == "position"
    return placed and not mirrored and all(
        given(graph, registry, step, name) == 0 for name in ("crop_pos_x", "crop_pos_y")
    )  # fmt: skip


def given(graph: Graph, registry: Registry, node: Node, name: str) -> Value | PortRef:
    """The wire or the value of an argument, or its default."""
    wire = graph.argument_inputs(node.key).get(name)
    if wire is not None:
        return wire
    value = node.arguments.get(name)
    return plain(default(registry, node.operator, name) if value is None else value)


def default(registry: Registry, operator: str, name: str) -> Value:
    """What an argument is that nobody gives."""
    declared = registry.schema(operator).argument(name)
    return None if declared is None else declared.default


def plain(value: Value) -> Value:
    """Numbers as they compare: 1 and 1.0 are the same, and so are no list and an empty one."""
    if isinstance(value, tuple) and not value:
        return None
    if isinstance(value, tuple):
        return tuple(float(one) if isinstance(one, int | float) else one for one in value)
    return float(value) if isinstance(value, bool | int | float) else value


def in_fractions(graph: Graph, source: PortRef) -> bool:
    """Whether a reader gives coordinates as fractions of the extents."""
    return bool(graph.node(source.node).arguments.get("ratio"))


def in_pixels(graph: Graph, registry: Registry, source: PortRef) -> bool:
    """Whether it is known that a reader gives coordinates in pixels: it was not asked for fractions of the extents."""
    operator = graph.node(source.node).operator
    asked = operator in registry and registry.schema(operator).argument("ratio") is not None
    return asked and not in_fractions(graph, source)


def twin_of(
    graph: Graph, registry: Registry, step: Node, movement: Movement, kind: Kind, *, pixels: bool
) -> Twin | None:  # fmt: skip
    """What moves labels of a kind, in pixels or not, as `step` moves images, if that is all that it does to points."""
    for twin in movement.twins:
        ours = set(twin.arguments.values())
        others = {name: still for name, still in movement.unless.items() if name not in ours}
        if not movement.unless:
            others = {name: default(registry, step.operator, name) for name in movement.by if name not in ours}
        others |= twin.only
        moved = any(given(graph, registry, step, name) != plain(still) for name, still in others.items())
        if twin.kind == kind and not moved and (twin.normalized or not pixels):
            return twin
    return None


def apart_of(graph: Graph, registry: Registry, step: Node, movement: Movement) -> Apart | None:
    """The last thing that a step does and that another node behind it may do."""
    for apart in movement.apart:
        values = {ours: given(graph, registry, step, ours) for ours in apart.arguments.values()}
        if any(value != plain(default(registry, step.operator, ours)) for ours, value in values.items()):
            fits = all(isinstance(one, PortRef) or one in apart.plain for one in values.values())
            return apart if fits or not apart.plain else None
    return None


def moves_labels(registry: Registry, node: Node, kind: Kind) -> bool:
    """Whether a node may move labels of a kind."""
    if node.operator not in registry:
        return True  # nobody knows
    schema = registry.schema(node.operator)
    if kind == "mask" or schema.movement is not None:
        return schema.movement is not None
    return bool(schema.inputs) and schema.inputs[0].kind == kind and any(one.kind == kind for one in schema.outputs)


def rests(graph: Graph, registry: Registry, node: Node, kind: Kind) -> bool:
    """Whether what may move labels leaves them where they are, or does what is not known."""
    if node.operator not in registry or node.bypassed:
        return True
    movement = registry.schema(node.operator).movement
    if kind == "mask":
        return movement is None or not moves(graph, registry, node, movement)
    still = {
        theirs: of.unless[ours] for of, twin in _twins(registry, node.operator, kind)
        for theirs, ours in twin.arguments.items() if ours in of.unless
    }  # fmt: skip
    return bool(still) and all(given(graph, registry, node, name) == plain(value) for name, value in still.items())


def only_scales(graph: Graph, registry: Registry, node: Node, kind: Kind) -> bool:
    """Whether a mask is as its picture behind a node, but for its size."""
    movement = movement_of(registry, node)
    return kind == "mask" and movement is not None and scales(graph, registry, node, movement)


def words_of(registry: Registry, node: Node, kind: Kind) -> tuple[str, str]:
    """What a node on the way of a label does to it, and what has then been done to it."""
    own = movement_of(registry, node)
    told = (
        of.words for of, twin in _twins(registry, node.operator, kind)
        if all(node.arguments.get(name) == value for name, value in twin.fixed.items())
    )  # fmt: skip
    return next(told, own.words if own else Movement().words)


def _twins(registry: Registry, operator: str, kind: Kind) -> Iterator[tuple[Movement, Twin]]:
    for name in registry:
        movement = registry.schema(name).movement
        for twin in movement.twins if movement is not None else ():
            if (twin.operator, twin.kind) == (operator, kind):
                yield movement or Movement(), twin


def corners_of(graph: Graph, registry: Registry, source: PortRef, twin: Twin) -> tuple[str, Value] | None:
    """The twin's argument, and its value, for boxes as a reader gives them; ``None`` where nobody knows how."""
    reader = graph.node(source.node)
    known = reader.operator in registry and registry.schema(reader.operator).argument("ltrb") is not None
    if twin.corners is None or not known:
        return None
    name, two, size = twin.corners
    return name, two if reader.arguments.get("ltrb") else size


def alike(
    graph: Graph, registry: Registry, step: Node, other: Node, movement: Movement, kind: Kind, source: PortRef
) -> bool:
    """Whether `other`, on the way of the label from `source`, does what `step` does to the image."""
    if other.operator not in registry or other.key == step.key:
        return True  # nobody knows; one node moves both
    if step.bypassed != other.bypassed:
        return False
    if kind == "mask":
        if other.operator != step.operator or movement.drawn:
            return False
        names = (*movement.unless, *movement.by)
        same = all(given(graph, registry, step, name) == given(graph, registry, other, name) for name in names)
        return same and graph.inputs(step.key)[1:] == graph.inputs(other.key)[1:]
    if other.key in {wire.source.node for wire in graph.wires(step.key) if wire.input != 0}:
        return True  # what it has chosen for the label is what the image gets
    pixels = in_pixels(graph, registry, source)
    twin = twin_of(graph, registry, step, movement, kind, pixels=pixels)
    if twin is None or twin.operator != other.operator:
        return False
    wanted = {theirs: given(graph, registry, step, ours) for theirs, ours in twin.arguments.items()}
    wanted |= {name: plain(value) for name, value in twin.fixed.items()}
    if twin.normalized:
        wanted[twin.normalized] = plain(not pixels)
    if corners := corners_of(graph, registry, source, twin):
        wanted[corners[0]] = plain(corners[1])
    elif twin.corners:
        wanted[twin.corners[0]] = given(graph, registry, other, twin.corners[0])
    free = {*twin.free, twin.shape, twin.shape_layout}
    for one in registry.schema(other.operator).arguments:
        if one.name not in wanted and one.name not in free and one.name not in _COMMON:
            wanted[one.name] = plain(one.default)
    same = all(given(graph, registry, other, name) == value for name, value in wanted.items())
    return same and (not twin.shape or _of_picture(graph, registry, step, other, twin))


def alike_in_parts(
    graph: Graph, registry: Registry, step: Node, movement: Movement, others: Sequence[Node]
) -> int:  # fmt: skip
    """How many of some nodes, the first ones, do together what `step` does; 0: they do not."""
    core, known = registry.schema(movement.core), registry.schema(step.operator)
    names = (*core.movement.unless, *core.movement.by) if core.movement else ()
    parts = [(movement.core, {name: name for name in names if known.argument(name)})]
    for apart in reversed(movement.apart):
        values = [given(graph, registry, step, ours) for ours in apart.arguments.values()]
        if apart.plain and any(not isinstance(one, PortRef) and one not in apart.plain for one in values):
            return 0
        parts.append((apart.operator, apart.arguments))
    count = 0
    for operator, arguments in parts:
        values = {theirs: given(graph, registry, step, ours) for theirs, ours in arguments.items()}
        still = all(values[name] == plain(default(registry, operator, name)) for name in arguments)
        own = registry.schema(operator).movement or Movement()
        if still and own.unless:
            continue
        wanted = {name: values.get(name, plain(default(registry, operator, name))) for name in (*own.unless, *own.by)}
        other = others[count] if count < len(others) else None
        if other is None or other.operator != operator:
            return 0
        if any(given(graph, registry, other, name) != value for name, value in wanted.items()):
            return 0
        count += 1
    return count


#: Arguments of all operators, which say nothing of where to.
_COMMON = ("preserve", "bytes_per_sample_hint", "seed")


def _of_picture(graph: Graph, registry: Registry, step: Node, other: Node, twin: Twin) -> bool:
    """Whether `other` knows the shape of the picture that `step` takes."""
    shape = graph.argument_inputs(other.key).get(twin.shape)
    picture = next(iter(graph.inputs(step.key)), None)
    measure = undivided(graph, registry, shape).node if shape is not None else ""
    measured = next(iter(graph.inputs(measure)), None) if measure else None
    if measured is None or picture is None:
        return False
    measured = undivided(graph, registry, measured)  # the shapes of a branch's pictures are those of all of them
    for port in reversed(way_to(graph, picture)):
        if port == measured:
            return True
        node = graph.node(port.node)
        merged = node.operator in registry and registry.schema(node.operator).role == "merge"
        if merged or ((movement := movement_of(registry, node)) and moves(graph, registry, node, movement)):
            return False
    return False
