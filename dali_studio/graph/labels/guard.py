"""The label guard: masks, boxes and points that do not move as the image that they belong to.

A label belongs to an image if both come from one reader, or if a mask is read beside the images. From there, each has
its own way along first inputs: to the outputs, or to a node that makes something else of it, such as targets. What
moves the points of the image on its way must do so on the label's, in the same order and under the same conditions: the
same operator with the same arguments for masks, its twin for boxes and points; and nothing else may move the label.
Conditions make several ways, which are compared branch by branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.graph.labels.computed import computed_at, computed_until
from dali_studio.graph.labels.movement import (
    alike,
    alike_in_parts,
    apart_of,
    at_corner,
    given,
    in_fractions,
    in_pixels,
    movement_of,
    moves,
    moves_labels,
    only_scales,
    rests,
    scales,
    twin_of,
    words_of,
)
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.ways import Branches, way_to
from dali_studio.schema.model import Movement, Twin
from dali_studio.schema.registry import Registry

CODE = "DS210"
_LABELS: tuple[Kind, ...] = ("mask", "boxes", "points")
#: Arguments of readers that decide on the order of the samples.
_ORDER = ("random_shuffle", "shuffle_after_epoch", "initial_fill", "seed", "shard_id", "num_shards", "stick_to_shard")


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
    at, missed, begin, reach = 0, len(steps), 0, 0
    for number, (step, movement) in enumerate(steps):
        moving = moves(graph, registry, step.node, movement)
        if moving and _stays(graph, registry, step.node, movement, kind, source):
            follows[step.node.key] = True
            continue
        found = at
        while found < len(others) and not (
            others[found].branch == step.branch
            and alike(graph, registry, step.node, others[found].node, movement, kind, source)
        ):
            other = others[found].node
            # a picture of any size is mirrored alike
            sizeless = not movement.by and not movement.drawn and only_scales(graph, registry, other, kind)
            found = found + 1 if sizeless or rests(graph, registry, other, kind) else len(others)
        if found < len(others):
            pairs.append((step, others[found]))
            at = found + 1
        elif moving and (parts := _parts(graph, registry, step, movement, others[at:], kind)):
            pairs.append((step, others[at + parts - 1]))
            at += parts
        elif moving and (until := _computed(graph, registry, step.node, movement, *ways, kind, begin)) and (
            branches.of(ways[1], until[0]) == step.branch
        ):  # fmt: skip
            begin, reach = until[0], max(reach, until[1])
        elif moving:
            missed = number
            break
        if moving:
            follows[step.node.key] = True
    left = [
        one for one, movement in steps[missed:]
        if moves(graph, registry, one.node, movement)
        and not _stays(graph, registry, one.node, movement, kind, source)
        and not (
            (until := _computed(graph, registry, one.node, movement, *ways, kind, begin))
            and branches.of(ways[1], until[0]) == one.branch
        )
    ]  # fmt: skip
    extra = [
        one for one in others[at:]
        if not rests(graph, registry, one.node, kind) and not only_scales(graph, registry, one.node, kind)
    ]  # fmt: skip
    alone = [
        until[0] for one, movement in steps
        if one.node.bypassed and (until := _computed(graph, registry, one.node, movement, *ways, kind, 0))
    ]  # fmt: skip
    extra += [second[at] for at in alone if graph.wires(second[at].node.key)]  # computed of what is left out
    if extra and not left:  # moved twice: as nothing of the image is
        follows = dict.fromkeys(follows, False)
    follows |= {one.node.key: False for one in left}
    return Alignment(
        taken, *ways, kind, pairs, left[0] if left else None, others[at:], left[1:], extra,
        len(left) + len(extra), follows, reach,
    )


def _stays(graph: Graph, registry: Registry, step: Node, movement: Movement, kind: Kind, source: PortRef) -> bool:
    """Whether coordinates are the same behind a step as before it."""
    if kind == "mask":
        return False
    if in_fractions(graph, source):
        return scales(graph, registry, step, movement)
    return at_corner(graph, registry, step, movement)


def _computed(
    graph: Graph, registry: Registry, step: Node, movement: Movement, image: Sequence[PortRef],
    label: Sequence[PortRef], kind: Kind, begin: int,
) -> tuple[int, int] | None:  # fmt: skip
    """The places on a label's way where what a step does has been computed, and where what comes next may be done.

    Between them coordinates may be written as before, and boxes be cut. ``None``: it is not computed.
    """
    twin = twin_of(graph, registry, step, movement, kind, pixels=in_pixels(graph, registry, label[0]))
    at = computed_until(
        graph, registry, image, label, begin, step, movement, kind, has_twin=twin is not None
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
    return (end if movement.computed and movement.computed.by in ("matrix", "perspective", "angle") else at), end


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


@dataclass(frozen=True, slots=True)
class Unmoved:
    """A label that does not move with its image.

    Attributes
    ----------
    image
        Output of the pipeline.
    label
        Where the way of the label ends.
    takers
        Nodes that make something else of the label as it is there.
    ways
        How both go.
    """

    image: PortRef
    label: PortRef
    kind: Kind
    takers: tuple[str, ...]
    ways: Alignment

    @property
    def step(self) -> Moving | None:
        """What moves the image alone; ``None`` if what is wrong is that something moves the label alone."""
        return self.ways.step

    @property
    def source(self) -> PortRef:
        """What the reader gives of the label."""
        return self.ways.label[0]


def unmoved(graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]) -> Iterator[Unmoved]:
    """Each label that does not move with its image, and the first outcome of the conditions for which it does not."""
    for image, label, kind, takers in labels_of(graph, registry, metas):
        ways = next((one for one in alignments(graph, registry, image, label, kind) if one.rest), None)
        if ways is not None:
            yield Unmoved(image, label, kind, takers, ways)


def count_unmoved(graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]) -> int:
    """How much moves an image or its label alone, over all outcomes of the conditions."""
    return sum(
        ways.rest for image, label, kind, _ in labels_of(graph, registry, metas)
        for ways in alignments(graph, registry, image, label, kind)
    )  # fmt: skip


def masks_of(graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]) -> set[PortRef]:
    """Pictures that are masks of other pictures, though no operator declares them so: all ports on their way."""
    pictures = [port for port in graph.outputs if port in metas and metas[port].kind == "image"]
    ways = {port: way_to(graph, port, registry=registry) for port in pictures}
    masks = [port for port in ways if _looks_like_mask(graph, registry, ways[port], metas[port])]
    sources = {ways[port][0] for port in ways if port not in masks}
    found: set[PortRef] = set()
    for way in (ways[mask] for mask in masks):
        if any(_belongs(graph, registry, source, way[0], "mask") for source in sources - {way[0]}):
            found.update(port for port in way if metas[port].kind == "image")
    return found


def label_findings(graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]) -> list[Diagnostic]:
    """A finding for each label that does not move with its image."""
    return [_finding(graph, registry, metas, one) for one in unmoved(graph, registry, metas)]


def labels_of(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta]
) -> Iterator[tuple[PortRef, PortRef, Kind, tuple[str, ...]]]:  # fmt: skip
    """Each label that belongs to an image, both at the ends of their ways, and what takes the label there."""
    outputs = list(dict.fromkeys(port for port in graph.outputs if port in metas))
    ways = {port: way_to(graph, port, registry=registry) for port in outputs}
    masks = [port for port in outputs if _looks_like_mask(graph, registry, ways[port], metas[port])]
    images = [port for port in outputs if metas[port].kind == "image" and port not in masks]
    takers = _takers(graph, registry, metas, images)
    for label in dict.fromkeys((*outputs, *takers)):
        kind: Kind = "mask" if label in masks else metas[label].kind
        if kind not in _LABELS:
            continue
        source = way_to(graph, label, registry=registry)[0]
        of = [one for one in images if _belongs(graph, registry, ways[one][0], source, kind)]
        if of:  # of several pictures of the sample, it belongs to the one that it fits best
            image = of[0] if len(of) == 1 else min(
                of, key=lambda one: sum(ways.rest for ways in alignments(graph, registry, one, label, kind))
            )  # fmt: skip
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


def _looks_like_mask(graph: Graph, registry: Registry, way: Sequence[PortRef], meta: TensorMeta) -> bool:
    """Whether a picture holds classes: it is declared so, or it is decoded as gray, and by nothing interpolated."""
    if meta.kind != "image":
        return meta.kind == "mask"
    nodes = [graph.node(port.node) for port in way]
    if all(node.arguments.get("output_type") != "GRAY" for node in nodes):
        return False
    nearest = any(node.arguments.get("interp_type") == "INTERP_NN" for node in nodes)
    return nearest or all(_keeps_classes(registry, node) for node in nodes[2:])


def _keeps_classes(registry: Registry, node: Node) -> bool:
    """Whether a node only changes where elements are, or their type."""
    if node.operator not in registry or {"mean", "std"} & node.arguments.keys():
        return False
    schema = registry.schema(node.operator)
    return schema.category == "tensor" if schema.movement is None else schema.movement.nearest is None


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


def twin_for(graph: Graph, registry: Registry, one: Unmoved, step: Moving) -> Twin | None:
    """What would move the label as a step moves the image; ``None`` for masks, and where nothing is known that does."""
    pixels = in_pixels(graph, registry, one.source)
    movement = movement_of(registry, step.node) or Movement()
    return None if one.kind == "mask" else twin_of(graph, registry, step.node, movement, one.kind, pixels=pixels)


def _mover(graph: Graph, registry: Registry, one: Unmoved) -> str:
    """The operator that does to the label what the step does to the image; empty if none does."""
    step = one.step
    if step is None or (movement := movement_of(registry, step.node)) is None or movement.drawn:
        return ""
    twin = twin_for(graph, registry, one, step)
    return step.node.operator if one.kind == "mask" else twin.operator if twin else ""


def counterpart(graph: Graph, registry: Registry, one: Unmoved) -> Moving | None:
    """What is there to do to the label what the step does to the image, though it does it otherwise."""
    wanted = _mover(graph, registry, one)
    for other in one.ways.others:
        later = ((of, movement_of(registry, of.node) or Movement()) for of in one.ways.later)
        if other.node.operator == wanted and not any(
            of.branch == other.branch and alike(graph, registry, of.node, other.node, how, one.kind, one.source)
            for of, how in later
        ):
            return other
    return None


def moved_elsewhere(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved
) -> PortRef | None:
    """The label as a node has moved it already, for others than those that take it as it was."""
    step, movement = one.step, movement_of(registry, one.step.node) if one.step else None
    if step is None or movement is None or one.ways.others:
        return None
    fed = [wire.target for wire in graph.wires() if wire.source == one.label and wire.input == 0]
    for node in (graph.node(key) for key in fed if key not in one.takers and key != step.node.key):
        if alike(graph, registry, step.node, node, movement, one.kind, one.source):
            made = [port for port in metas if port.node == node.key]
            return next((port for port in made if metas[port].kind == one.kind), PortRef(node=node.key))
    return None


def bypassed_twin(graph: Graph, registry: Registry, one: Unmoved) -> str:
    """What would do to the label what the step does to the image, were it not left out; empty if nothing is."""
    wanted = _mover(graph, registry, one)
    nodes = (graph.node(port.node) for port in one.ways.label)
    return next((node.key for node in nodes if node.bypassed and node.operator == wanted), "")


def left_behind(graph: Graph, registry: Registry, one: Unmoved) -> list[str]:
    """All that moves the image, and that nothing on the label's way does."""
    if one.step is None:
        return []
    later = [
        of.node.key for of in one.ways.later
        if (how := movement_of(registry, of.node)) and not any(
            of.branch == other.branch and alike(graph, registry, of.node, other.node, how, one.kind, one.source)
            for other in one.ways.others
        )
    ]  # fmt: skip
    return list(dict.fromkeys((one.step.node.key, *later)))


def word_of(kind: Kind) -> str:
    """What labels of a kind are called."""
    return {"mask": "mask", "boxes": "boxes"}.get(kind, "points")


def _finding(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved
) -> Diagnostic:  # fmt: skip
    label, word = one.label.node, word_of(one.kind)
    verb, hint = "is" if word == "mask" else "are", ""
    if one.step is None:
        extra = one.ways.extra[0].node
        _, done = words_of(registry, extra, one.kind)
        message = f"The {word} {verb} {done}, and the picture is not: {extra.key} works on the {word} alone."
        hint = f"Take {extra.key} out, or do the same to the picture."
    else:
        step, movement = one.step.node, movement_of(registry, one.step.node) or Movement()
        message = f"The {word} {verb} not {movement.words[1]}: {step.key} works on the picture alone."
        other = counterpart(graph, registry, one)
        if off := bypassed_twin(graph, registry, one):
            hint = f"{off} is bypassed: turn it on."
        elif other is not None:
            message = f"The {word} {verb} not {movement.words[1]} as the picture is: "
            message += f"{other.node.key} does not do as {step.key}."
            hint = f"Give {other.node.key} the arguments of {step.key}, and the same place."
        else:
            hint = _advice(graph, registry, metas, one, one.step, movement)
        if one.step.branch and not movement.drawn:
            hint = f"{hint} {step.key} works in a branch: do so in the same one."
        if others := left_behind(graph, registry, one)[1:]:
            message = f"{message[:-1]}, and so {'do' if len(others) > 1 else 'does'} {' and '.join(others)}."
    if one.takers:
        message = f"{message[:-1]}, and {' and '.join(one.takers)} would learn from wrong {word}."
    origin = graph.node(label).origin
    return Diagnostic(code=CODE, severity="warning", message=message, hint=hint, node=label, source=origin)


def _advice(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved, step: Moving,
    movement: Movement,
) -> str:  # fmt: skip
    """What to do about a label that nothing moves."""
    key, twin, word = step.node.key, twin_for(graph, registry, one, step), word_of(one.kind)
    if movement.drawn:
        return "Draw the window once, for both, with random_bbox_crop or random_crop_generator; then slice."
    if one.kind == "mask":
        nearest = "" if movement.nearest is None else f" and {movement.nearest[0]}={movement.nearest[1]}"
        return f"Pass the mask through {step.node.operator} as well, with the same arguments{nearest}."
    if twin is not None and twin.operator in registry:
        return f"Pass them through {twin.operator}, with the arguments of {key}."
    if there := moved_elsewhere(graph, registry, metas, one):
        return f"Take the {word} of {there.node}, which go with the window."
    if scales(graph, registry, step.node, movement):
        return "Let the reader give fractions of the extents (ratio=True), which stay as they are."
    of_fractions = twin_of(graph, registry, step.node, movement, one.kind, pixels=False)
    if of_fractions and in_pixels(graph, registry, one.source):
        return f"Let the reader give fractions of the extents (ratio=True): {of_fractions.operator} takes no pixels."
    if how := apart_of(graph, registry, step.node, movement):
        return f"Take its {next(iter(how.arguments.values()))} apart: a {how.operator} behind it does the same."
    if movement.computed and movement.computed.by in ("matrix", "perspective"):
        inverse = f"Give {key} the inverse of its matrix (inverse_map=False; no operator inverts a wired one), and pass"
        first = inverse if given(graph, registry, step.node, "inverse_map") else "Pass"
        third = " Divide by the third number then." if movement.computed.by == "perspective" else ""
        return f"{first} them through coord_transform, with its matrix as MT.{third}"
    return f"Compute where {key} takes them, for instance with coord_transform."
