"""The label guard: masks, boxes and points that do not move as the image that they belong to.

A label belongs to an image if both come from one reader, or if a mask is read beside the images. From there, each has
its own way along first inputs: to the outputs, or to a node that makes something else of it, such as targets. What
moves the points of the image on its way must do so on the label's: the same operator with the same arguments for masks,
its twin for boxes and points. Conditions make several ways, which are compared branch by branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, SetArgument, SetOutputs
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.ways import PREDICATE, Branches, way_to
from dali_studio.schema.model import Movement, Twin, Value
from dali_studio.schema.registry import Registry

CODE = "DS210"
_LABELS: tuple[Kind, ...] = ("mask", "boxes", "points")
_SHAPES = "shapes"
#: Arguments of readers that decide on the order of the samples.
_ORDER = ("random_shuffle", "shuffle_after_epoch", "initial_fill", "seed", "shard_id", "num_shards", "stick_to_shard")


@dataclass(frozen=True, slots=True)
class Unmoved:
    """A label that does not move with its image.

    Attributes
    ----------
    image
        Output of the pipeline.
    label
        Where the way of the label ends.
    branch
        Conditions under which the step is done, and their outcome: 0 if they hold, else 1.
    takers
        Nodes that make something else of the label as it is there.
    step
        Node on the way of the image that moves its points.
    twin
        What would move the label as well; ``None`` where nothing is known that does.
    """

    image: PortRef
    label: PortRef
    kind: Kind
    step: Node
    movement: Movement
    twin: Twin | None
    branch: Mapping[PortRef, int]
    takers: tuple[str, ...] = ()


def masks_of(graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]) -> set[PortRef]:
    """Pictures that are masks of other pictures, though no operator declares them so: all ports on their way."""
    ways = {port: way_to(graph, port) for port in graph.outputs if port in metas and metas[port].kind == "image"}
    masks = [port for port in ways if _looks_like_mask(graph, ways[port], metas[port])]
    sources = {ways[port][0] for port in ways if port not in masks}
    found: set[PortRef] = set()
    for way in (ways[mask] for mask in masks):
        if any(_belongs(graph, registry, source, way[0], "mask") for source in sources - {way[0]}):
            found.update(port for port in way if metas[port].kind == "image")
    return found


def label_findings(graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]) -> list[Diagnostic]:
    """A finding for each label that does not move with its image."""
    return [_finding(graph, registry, metas, one) for one in _unmoved(graph, registry, metas)]


class Moved(NamedTuple):
    """What makes a label move with its image.

    Attributes
    ----------
    title
        What a button says.
    edits
    image
        What the pipeline returns of the image.
    before, after
        The label as it is, and as it is after the edits.
    """

    title: str
    edits: tuple[Edit, ...]
    image: PortRef
    before: PortRef
    after: PortRef


def twin_edits(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], found: Diagnostic
) -> Moved | None:
    """What makes the label of a finding move as well; ``None`` where nothing does."""
    one = next((one for one in _unmoved(graph, registry, metas) if one.label.node == found.node), None)
    there = None if one is None else _there(graph, registry, metas, one)
    known = one is not None and (one.kind == "mask" or (one.twin is not None and one.twin.operator in registry))
    if one is None or one.movement.drawn or not (known or there):
        return None
    verb, done = one.movement.words
    title = f"{verb.capitalize()} the {_word(one.kind)} too"
    edits: list[Edit] = []
    if there is not None:
        moved = {one.label: there, **_chosen_classes(graph, metas, one, there)}
    elif one.kind == "mask":
        edits, moved = _mask_twin(graph, registry, metas, one, graph.free_key(f"{done}_mask"))
    else:
        key = graph.free_key(f"{done}_{_word(one.kind)}")
        edits = _label_twin(graph, registry, metas, one, key)
        moved = {one.label: PortRef(node=key), **_classes(graph, registry, metas, one, key)}
        edits += [Connect(source=port, target=key, input=1) for port in moved if port != one.label]
    if one.branch and there is None:
        if len(one.branch) > 1 or len(moved) > 1:
            return None
        edits, merged = _in_branch(graph, registry, edits, one.branch)
        moved = dict.fromkeys(moved, merged)
    for taker in one.takers:
        edits += [
            Connect(source=moved[wire.source], target=taker, input=wire.input, argument=wire.argument)
            for wire in graph.wires(taker) if wire.source in moved
        ]  # fmt: skip
    outputs = tuple(moved.get(port, port) for port in graph.outputs)
    edits += [SetOutputs(outputs=outputs)] if outputs != graph.outputs else []
    return Moved(title, tuple(edits), one.image, one.label, moved.get(one.label, one.label))


# ------------------------------------------------------------------------------------------------------- what moves


def _unmoved(graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]) -> list[Unmoved]:
    found: list[Unmoved] = []
    for image, label, kind, takers in labels_of(graph, registry, metas):
        missed = _missed(graph, registry, image, label, kind)
        if missed is not None:
            step, movement, branch = missed
            pixels = in_pixels(graph, registry, way_to(graph, label)[0])
            twin = _twin(graph, registry, step, movement, kind, pixels=pixels)
            found.append(Unmoved(image, label, kind, step, movement, twin, branch, takers))
    return found


def labels_of(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]
) -> Iterator[tuple[PortRef, PortRef, Kind, tuple[str, ...]]]:  # fmt: skip
    """Each label that belongs to an image, both at the ends of their ways, and what takes the label there."""
    outputs = list(dict.fromkeys(port for port in graph.outputs if port in metas))
    ways = {port: way_to(graph, port) for port in outputs}
    masks = [port for port in outputs if _looks_like_mask(graph, ways[port], metas[port])]
    images = [port for port in outputs if metas[port].kind == "image" and port not in masks]
    takers = _takers(graph, registry, metas, images)
    for label in dict.fromkeys((*outputs, *takers)):
        kind: Kind = "mask" if label in masks else metas[label].kind
        if kind not in _LABELS:
            continue
        source = way_to(graph, label)[0]
        image = next((one for one in images if _belongs(graph, registry, ways[one][0], source, kind)), None)
        if image is not None:
            yield image, label, kind, tuple(takers.get(label, ()))


def _takers(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], images: Sequence[PortRef]
) -> dict[PortRef, list[str]]:
    """Boxes and points that end at a node, which makes something else of them, and these nodes.

    What an image depends on, such as windows that are drawn for its boxes, comes before the image is moved.
    """
    takers: dict[PortRef, list[str]] = {}
    before = graph.reachable(images) if images else set[str]()
    for wire in graph.wires():
        meta, operator = metas.get(wire.source), graph.node(wire.target).operator
        if meta is None or meta.kind not in ("boxes", "points") or wire.target in before or operator not in registry:
            continue
        schema = registry.schema(operator)
        if wire.input is None or wire.input >= len(schema.inputs) or schema.inputs[wire.input].kind != meta.kind:
            continue
        if all(output.kind != meta.kind for output in schema.outputs):
            takers.setdefault(wire.source, []).append(wire.target)
    run = graph.reachable() if takers else set[str]()
    return {port: [key for key in keys if key in run] for port, keys in takers.items() if run.intersection(keys)}


def _looks_like_mask(graph: Graph, way: Sequence[PortRef], meta: TensorMeta) -> bool:
    """Whether a picture holds classes: it is declared so, or it is decoded as gray and never interpolated."""
    if meta.kind != "image":
        return meta.kind == "mask"
    arguments = [graph.node(port.node).arguments for port in way]
    return any(one.get("output_type") == "GRAY" for one in arguments) and any(
        one.get("interp_type") == "INTERP_NN" for one in arguments
    )


def _belongs(graph: Graph, registry: Registry, image: PortRef, label: PortRef, kind: Kind) -> bool:
    """Whether both come from one node, or a mask from a reader beside the one of the images, in the same order."""
    if image.node == label.node:
        return True
    first, second = graph.node(image.node), graph.node(label.node)
    if kind != "mask" or first.operator != second.operator or first.operator not in registry:
        return False
    schema = registry.schema(first.operator)
    given = [[node.arguments.get(name) for name in _ORDER] for node in (first, second)]
    shuffled = bool(given[0][0] or given[0][1])
    return schema.role == "reader" and given[0] == given[1] and (not shuffled or given[0][3] is not None)


def _missed(
    graph: Graph, registry: Registry, image: PortRef, label: PortRef, kind: Kind
) -> tuple[Node, Movement, dict[PortRef, int]] | None:
    """A step that moves the image, and not the label, under the conditions given."""
    branches = Branches(graph, registry)
    ways = ((way_to(graph, image, taken), way_to(graph, label, taken)) for taken in branches.taken())
    tried = (_first_missed(graph, registry, branches, *way, kind) for way in ways)
    return next((found for found in tried if found is not None), None)


def _first_missed(
    graph: Graph, registry: Registry, branches: Branches, image: Sequence[PortRef], label: Sequence[PortRef],
    kind: Kind,
) -> tuple[Node, Movement, dict[PortRef, int]] | None:
    following = [port.node for port in label]
    within = {port.node: branches.of(label, at) for at, port in enumerate(label)}
    for place, port in enumerate(image):
        step = graph.node(port.node)
        movement = registry.schema(step.operator).movement if step.operator in registry else None
        if movement is None or not moves(graph, registry, step, movement):
            continue
        if step.key in following:  # one node moves both
            del following[: following.index(step.key) + 1]
            continue
        if kind != "mask" and movement.scales and in_fractions(graph, label[0]):
            continue
        pixels = in_pixels(graph, registry, label[0])
        branch = branches.of(image, place)
        same = (
            i for i, key in enumerate(following)
            if within[key] == branch and alike(graph, registry, step, graph.node(key), movement, kind, pixels=pixels)
        )  # fmt: skip
        at = next(same, None)
        if at is None:
            return step, movement, branch
        del following[: at + 1]
    return None


def moves(graph: Graph, registry: Registry, step: Node, movement: Movement) -> bool:
    """Whether a step moves the points of an image, as its arguments are."""
    return not movement.unless or any(
        _given(graph, registry, step, name) != _plain(still) for name, still in movement.unless.items()
    )


def _given(graph: Graph, registry: Registry, node: Node, name: str) -> Value | PortRef:
    """The wire or the value of an argument, or its default."""
    wire = graph.argument_inputs(node.key).get(name)
    if wire is not None:
        return wire
    declared = registry.schema(node.operator).argument(name)
    value = node.arguments.get(name)
    return _plain((declared.default if declared is not None else None) if value is None else value)


def _plain(value: Value) -> Value:
    """Numbers as they compare: 1 and 1.0 are the same, and so are one number and a list of it."""
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


def alike(
    graph: Graph, registry: Registry, step: Node, other: Node, movement: Movement, kind: Kind, *, pixels: bool
) -> bool:
    """Whether `other`, on the way of the label, does what `step` does to the image."""
    if other.operator not in registry:
        return True  # nobody knows
    fed = {wire.source.node for wire in graph.wires(step.key) if wire.input != 0}
    if kind != "mask":
        if other.key in fed:
            return True  # what it has chosen for the label is what the image gets
        twin = _twin(graph, registry, step, movement, kind, pixels=pixels)
        if twin is None or twin.operator != other.operator:
            return False
        if pixels and _given(graph, registry, other, twin.normalized) != _plain(False):
            return False
        return all(
            _given(graph, registry, step, ours) == _given(graph, registry, other, theirs)
            for theirs, ours in twin.arguments.items()
        )
    if other.operator != step.operator or movement.drawn:
        return False
    names = (*movement.unless, *movement.by)
    same = all(_given(graph, registry, step, name) == _given(graph, registry, other, name) for name in names)
    return same and graph.inputs(step.key)[1:] == graph.inputs(other.key)[1:]


def _twin(
    graph: Graph, registry: Registry, step: Node, movement: Movement, kind: Kind, *, pixels: bool
) -> Twin | None:
    """What moves labels of a kind, in pixels or not, as `step` moves images, if that is all that it does to points."""
    for twin in movement.twins:
        others = {name: still for name, still in movement.unless.items() if name not in twin.arguments.values()}
        moved = any(_given(graph, registry, step, name) != _plain(still) for name, still in others.items())
        if twin.kind == kind and not moved and (twin.normalized or not pixels):
            return twin
    return None


# ---------------------------------------------------------------------------------------------- findings and repairs


def _finding(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved
) -> Diagnostic:  # fmt: skip
    label, step, word = one.label.node, one.step, _word(one.kind)
    _, done = one.movement.words
    verb = "is" if word == "mask" else "are"
    message = f"The {word} {verb} not {done}: {step.key} works on the picture alone."
    if one.takers:
        message = f"{message[:-1]}, and {' and '.join(one.takers)} would learn from wrong {word}."
    if one.movement.drawn:
        hint = "Draw the window once, for both, with random_bbox_crop or random_crop_generator; then slice."
    elif one.kind == "mask":
        nearest = "" if one.movement.nearest is None else f" and {one.movement.nearest[0]}={one.movement.nearest[1]}"
        hint = f"Pass the mask through {step.operator} as well, with the same arguments{nearest}."
    elif one.twin is not None and one.twin.operator in registry:
        hint = f"Pass them through {one.twin.operator}, with the arguments of {step.key}."
    elif there := _there(graph, registry, metas, one):
        hint = f"Take the {word} of {there.node}, which go with the window."
    elif one.movement.scales:
        hint = "Let the reader give fractions of the extents (ratio=True), which stay as they are."
    elif fractions := [twin.operator for twin in one.movement.twins if twin.kind == one.kind]:
        hint = f"Let the reader give fractions of the extents (ratio=True): {fractions[0]} takes no pixels."
    else:
        hint = f"Compute where {step.key} takes them, for instance with coord_transform."
    if one.branch and not one.movement.drawn:
        hint = f"{hint} {step.key} works in a branch: do so in the same one."
    origin = graph.node(label).origin
    return Diagnostic(code=CODE, severity="warning", message=message, hint=hint, node=label, source=origin)


def _there(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved
) -> PortRef | None:
    """The label as a node has moved it already, for others than those that take it as it was."""
    pixels = in_pixels(graph, registry, way_to(graph, one.label)[0])
    fed = [wire.target for wire in graph.wires() if wire.source == one.label and wire.input == 0]
    for node in (graph.node(key) for key in fed if key not in one.takers and key != one.step.key):
        if alike(graph, registry, one.step, node, one.movement, one.kind, pixels=pixels):
            made = [port for port in metas if port.node == node.key]
            return next((port for port in made if metas[port].kind == one.kind), PortRef(node=node.key))
    return None


def _chosen_classes(
    graph: Graph, metas: Mapping[PortRef, TensorMeta], one: Unmoved, there: PortRef
) -> dict[PortRef, PortRef]:
    """The classes of the boxes that a node has left, for those of all."""
    kept = [port for port, meta in metas.items() if port.node == there.node and meta.kind == "label"]
    given = [port for port in graph.inputs(there.node) if port is not None and metas[port].kind == "label"]
    return dict(zip(given, kept, strict=False)) if one.kind != "mask" else {}


def _classes(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved, key: str
) -> dict[PortRef, PortRef]:
    """What the twin makes of the boxes' classes, where it leaves boxes out, and so their classes."""
    assert one.twin is not None or one.kind == "mask"
    schema = registry.schema(one.twin.operator) if one.twin is not None else None
    if schema is None or len(schema.inputs) < 2 or schema.inputs[1].kind != "label":
        return {}
    source = way_to(graph, one.label)[0].node
    classes = [port for port, meta in metas.items() if port.node == source and meta.kind == "label"]
    return {port: PortRef(node=key, output=1) for port in classes[:1] if graph.consumers(port) or port in graph.outputs}


def _word(kind: Kind) -> str:
    return {"mask": "mask", "boxes": "boxes"}.get(kind, "points")


def _mask_twin(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved, key: str
) -> tuple[list[Edit], dict[PortRef, PortRef]]:
    """The same operator on the mask, and what takes the place of the label.

    It gets the arguments and wires that say where to, nearest neighbours, and the background where it fills. It stands
    at the end of the mask's way, or before what gives the mask a layout that it does not take.
    """
    step, movement, way = one.step, one.movement, way_to(graph, one.label)
    declared = registry.schema(step.operator).inputs[0]
    fits = (i for i, port in enumerate(way) if not declared.layouts or metas[port].layout in (None, *declared.layouts))
    at = max(fits, default=len(way) - 1)
    names = {*movement.unless, *movement.by, "output_layout"}
    arguments = {name: value for name, value in step.arguments.items() if name in names}
    if movement.nearest is not None:
        arguments[movement.nearest[0]] = movement.nearest[1]
    if "fill_value" in {*step.arguments, *graph.argument_inputs(step.key)}:
        arguments["fill_value"] = 0.0
    source, meta, device = way[at], metas[way[at]], graph.node(way[at].node).device
    edits: list[Edit] = []
    operator, types = movement.takes or ("", ())
    if types and meta.dtype is not None and meta.dtype.name not in types:
        typed = PortRef(node=graph.free_key(operator))
        edits = [
            AddNode(key=typed.node, operator=operator, device=device, arguments={"dtype": types[0]}),
            Connect(source=source, target=typed.node, input=0),
        ]
        source = typed
    edits.append(AddNode(key=key, operator=step.operator, device=device, arguments=arguments))
    edits.append(Connect(source=source, target=key, input=0))
    edits += [
        Connect(source=wire.source, target=key, input=wire.input, argument=wire.argument)
        for wire in graph.wires(step.key) if (wire.argument in names if wire.input is None else wire.input > 0)
    ]  # fmt: skip
    if at == len(way) - 1:
        return edits, {one.label: PortRef(node=key)}
    return [*edits, Connect(source=PortRef(node=key), target=way[at + 1].node, input=0)], {}


def _in_branch(
    graph: Graph, registry: Registry, edits: Sequence[Edit], branch: Mapping[PortRef, int]
) -> tuple[list[Edit], PortRef]:
    """Edits that add a node last or before wires of it, with that node in one branch of a condition; and its result."""
    ((predicate, side),) = branch.items()
    branches = Branches(graph, registry)
    splitting, merging = (graph.node(next(iter(some))).operator for some in (branches.splits, branches.merges))
    split, merged = PortRef(node=graph.free_key("split")), PortRef(node=graph.free_key("merge"))
    twin = next(one for one in reversed(edits) if isinstance(one, AddNode) and one.operator != _SHAPES)
    made: list[Edit] = []
    behind: list[Edit] = []
    for edit in edits:
        if isinstance(edit, Connect) and edit.target == twin.key and edit.input == 0:
            made += [
                AddNode(key=split.node, operator=splitting, device=twin.device),
                Connect(source=edit.source, target=split.node, input=0),
                Connect(source=predicate, target=split.node, argument=PREDICATE),
                Connect(source=PortRef(node=split.node, output=side), target=twin.key, input=0),
            ]
        elif isinstance(edit, Connect) and edit.source.node == twin.key:
            behind.append(Connect(source=merged, target=edit.target, input=edit.input, argument=edit.argument))
        else:
            made.append(edit)
    made += [
        AddNode(key=merged.node, operator=merging, device=twin.device),
        Connect(source=predicate, target=merged.node, argument=PREDICATE),
    ]
    sides = [PortRef(node=split.node), PortRef(node=split.node, output=1)]
    sides[side] = PortRef(node=twin.key)
    made += [Connect(source=port, target=merged.node, input=at) for at, port in enumerate(sides)]
    return [*made, *behind], merged


def _label_twin(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved, key: str
) -> list[Edit]:
    """The twin, with what the step is given."""
    twin, step = one.twin, one.step
    assert twin is not None
    edits: list[Edit] = []
    for theirs, ours in twin.arguments.items():
        given = _given(graph, registry, step, ours)
        if isinstance(given, PortRef):
            edits.append(Connect(source=given, target=key, argument=theirs))
        elif given != _plain(_default(registry, twin.operator, theirs)):
            edits.append(SetArgument(key=key, argument=theirs, value=_whole(given)))
    source = graph.node(way_to(graph, one.label)[0].node)
    if twin.corners is not None:
        name, two, size = twin.corners
        value = two if source.arguments.get("ltrb") else size
        if value != _default(registry, twin.operator, name):
            edits.append(SetArgument(key=key, argument=name, value=value))
    if twin.normalized and in_pixels(graph, registry, way_to(graph, one.label)[0]):
        edits.append(SetArgument(key=key, argument=twin.normalized, value=False))
    before = next(iter(graph.inputs(step.key)), None)
    made: list[Edit] = [AddNode(key=key, operator=twin.operator)]
    if twin.shape and before is not None:
        shapes = graph.free_key(f"{before.node}_{_SHAPES}")
        made += [AddNode(key=shapes, operator=_SHAPES), Connect(source=before, target=shapes, input=0)]
        edits.append(Connect(source=PortRef(node=shapes), target=key, argument=twin.shape))
        layout = metas.get(before, TensorMeta()).layout or "HWC"
        edits.append(SetArgument(key=key, argument=twin.shape_layout, value=layout))
    return [*made, Connect(source=one.label, target=key, input=0), *edits]


def _default(registry: Registry, operator: str, name: str) -> Value:
    declared = registry.schema(operator).argument(name)
    return None if declared is None else declared.default


def _whole(value: Value) -> Value:
    return int(value) if isinstance(value, float) and value.is_integer() else value
