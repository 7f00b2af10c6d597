"""The label guard: masks, boxes and points that do not move as the image that they belong to.

A label belongs to an image if both come from one reader, or if a mask is read beside the images. From there, each has
its own way along first inputs: to the outputs, or to a node that makes something else of it, such as targets. Both ways
are compared (`alignment`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.graph.labels.alignment import Alignment, Moving, alignments
from dali_studio.graph.labels.movement import (
    alike,
    apart_of,
    given,
    in_pixels,
    movement_of,
    scales,
    twin_of,
    words_of,
)
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.ways import way_to
from dali_studio.schema.model import Movement, Twin
from dali_studio.schema.registry import Registry

CODE = "DS210"
_LABELS: tuple[Kind, ...] = ("mask", "boxes", "points")
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
