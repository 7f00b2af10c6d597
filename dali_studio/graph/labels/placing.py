"""Boxes and points behind windows and matrices, which no operator takes: sums of extents, and a transform.

Coordinates are scaled and shifted as the pixels are, to half a pixel: windows begin at whole ones. Boxes are then cut
to the picture, and left out, with their classes, where too little of them is inside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from dali_studio.core.meta import TensorMeta
from dali_studio.graph.draft import Draft
from dali_studio.graph.edits import AddNode, Connect, PortRef, SetArgument
from dali_studio.graph.labels.alignment import Moving
from dali_studio.graph.labels.computed import BOTH
from dali_studio.graph.labels.guard import Unmoved, word_of
from dali_studio.graph.labels.movement import corners_of, given, in_pixels, movement_of
from dali_studio.graph.labels.places import (
    classes_of,
    divided,
    hand_on,
    merged,
    missing,
    place_of,
    shapes_of,
    take,
)
from dali_studio.graph.node import Node
from dali_studio.graph.validate import infer
from dali_studio.graph.ways import Branches
from dali_studio.schema.model import Computed, Movement, Value

#: Of two corners of boxes the other two; of a corner and a size two corners; and the other way round.
_OTHER_CORNERS = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_CORNERS = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
_SIZES = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 1.0)
_Pair = tuple["float | PortRef", "float | PortRef"]


def place(draft: Draft, one: Unmoved, step: Moving) -> PortRef | None:
    """Compute where a step takes boxes or points; ``None`` where that is not known."""
    graph, registry, node = draft.graph, draft.registry, step.node
    movement, metas = movement_of(registry, node) or Movement(), infer(graph, registry, set(graph))
    at, before = place_of(graph, registry, metas, one, step), next(iter(graph.inputs(node.key)), None)
    if at is None or before is None or movement.computed is None:
        return None
    boxes, cut, by = one.kind == "boxes", movement.computed.cut, movement.computed.by
    corners = corners_of(graph, registry, one.source, cut)
    if boxes and corners is None:
        return None
    sized = corners is not None and corners[1] != cut.corners[1] if cut.corners else False
    label = one.ways.label[at]
    sources = [label, *(classes_of(graph, registry, metas, one, step, at, cut.operator) if boxes else ())]
    fed = [graph.consumers(port) for port in sources]
    branches = Branches(graph, registry)
    there = [branches.behind(one.ways.label, at), *(branches.under(graph, port) for port in sources[1:])]
    inner, around = divided(draft, sources, [missing(step, under) for under in there])
    pixels = in_pixels(graph, registry, one.source)
    sums = _Sums(draft, metas, movement.computed, boxes=boxes, sized=boxes and sized, pixels=pixels)
    how = {"position": sums.cropped, "corner": sums.sliced, "matrix": sums.transformed,
           "perspective": sums.transformed, "angle": sums.turned}  # fmt: skip
    moved = how[by](inner[0], node, before)
    if moved is None:
        return None
    results = [moved]
    if boxes:
        key = draft.graph.free_key(f"{movement.words[1]}_{word_of(one.kind)}")
        shapes, layout = shapes_of(draft, metas, PortRef(node=node.key), cut.peek)
        told: dict[str, Value] = {**cut.fixed, cut.shape_layout: layout}
        told |= dict([corners] if corners else []) | {cut.normalized: not sums.pixels}
        usual = {one.name: one.default for one in registry.schema(cut.operator).arguments}
        told = {name: value for name, value in told.items() if usual.get(name) != value}
        draft.do(
            AddNode(key=key, operator=cut.operator, arguments=told),
            *(Connect(source=port, target=key, input=i) for i, port in enumerate([moved, *inner[1:]])),
            Connect(source=shapes, target=key, argument=cut.shape),
        )
        results = [PortRef(node=key, output=i) for i in range(len(sources))]
    results = merged(draft, results, around)
    draft.join(node.key, *(key for key in draft.graph if key not in graph))
    if at == len(one.ways.label) - 1:
        return take(draft, one, dict(zip(sources, results, strict=True)))
    return hand_on(draft, one, at, sources, results, fed)


def _inverse(matrix: Sequence[Value]) -> tuple[float, ...]:
    """The matrix that takes points the other way; empty if there is none."""
    rows = [*cast("Sequence[float]", matrix), *((0.0, 0.0, 1.0) if len(matrix) == 6 else ())]
    a, b, c, d, e, f, g, h, i = rows if len(rows) == 9 else [0.0] * 9
    made = (e * i - f * h, c * h - b * i, b * f - c * e, f * g - d * i, a * i - c * g, c * d - a * f,
            d * h - e * g, b * g - a * h, a * e - b * d)  # fmt: skip
    whole = a * made[0] + b * made[3] + c * made[6]
    return tuple(one / whole for one in made[: len(matrix)]) if whole else ()


class _Sums:
    """What computes the coordinates of boxes or points in a draft.

    Attributes
    ----------
    sized
        Boxes are a corner and a size; otherwise two corners.
    pixels
        Coordinates are in pixels; otherwise in fractions of the extents.
    """

    def __init__(
        self, draft: Draft, metas: Mapping[PortRef, TensorMeta], computed: Computed, *, boxes: bool, sized: bool,
        pixels: bool,
    ) -> None:  # fmt: skip
        self.draft, self.metas, self.computed = draft, metas, computed
        self.boxes, self.sized, self.pixels = boxes, sized, pixels

    def cropped(self, label: PortRef, node: Node, before: PortRef) -> PortRef | None:
        """Coordinates in a window at a relative position, or on a canvas on which the picture is at one."""
        names = ("crop_pos_x", "crop_pos_y"), ("paste_x", "paste_y")
        known = self.draft.registry.schema(node.operator)
        places = [self._shared(node, name) for name in next(pair for pair in names if known.argument(pair[0]))]
        place = self._row((places[0], places[1]), "position", shift=True)
        old, new = self._extents(before, before=True), self._extents(PortRef(node=node.key))
        if old is None or new is None:
            return None
        if self.pixels:
            return self._sum("a - b", label, self._sum("a * b", place, self._sum("a - b", old, new)))
        factor = self._sum("a / b", old, new, key="scale")
        return self._sum("a - b", self._sum("a * b", label, factor),
                         self._sum("a * b", place, self._sum("a - 1", factor)))  # fmt: skip

    def sliced(self, label: PortRef, node: Node, before: PortRef) -> PortRef | None:
        """Coordinates in a window that begins at a corner."""
        graph, registry = self.draft.graph, self.draft.registry
        anchors, names = graph.inputs(node.key)[1:], ("start", "rel_start")
        begun = [
            name for name in names
            if name in graph.argument_inputs(node.key) or node.arguments.get(name) is not None
        ]  # fmt: skip
        letters = self._letters(node, before)
        trimmed = given(graph, registry, node, "out_of_bounds_policy") == "trim_to_shape"
        if {*letters} != {"W", "H"} or (not anchors and not begun) or trimmed:
            return None
        anchor = anchors[0] if anchors else self._shared(node, begun[0])
        kind = self.metas.get(anchor, TensorMeta()).dtype if anchor is not None else None
        if anchor is None or (anchors and kind is None):
            return None
        relative = begun == ["rel_start"]
        if anchors and kind is not None:
            relative = kind.name.startswith("FLOAT") and bool(given(graph, registry, node, "normalized_anchor"))
        pair = [self._made("subscript", anchor, index=str(letters.index(letter))) for letter in "WH"]
        corner = self._row((pair[0], pair[1]), "corner", shift=True)
        old, new = self._extents(before, before=True), self._extents(PortRef(node=node.key))
        if old is None or new is None:
            return None
        if self.pixels:
            return self._sum("a - b", label, self._sum("a * b", corner, old) if relative else corner)
        if relative:
            return self._sum("a * b", self._sum("a - b", label, corner), self._sum("a / b", old, new))
        return self._sum("a / b", self._sum("a - b", self._sum("a * b", label, old), corner), new)

    def transformed(self, label: PortRef, node: Node, before: PortRef) -> PortRef | None:
        """Points, or the upright boxes that hold the corners of boxes, behind a matrix that takes points forward."""
        registry, given_as = self.draft.registry, next(iter(self.draft.graph.inputs(node.key)[1:]), None)
        if given(self.draft.graph, registry, node, "inverse_map"):
            backward = given(self.draft.graph, registry, node, "matrix")
            if given_as is not None or not isinstance(backward, tuple) or not (forward := _inverse(backward)):
                return None
            self.draft.do(SetArgument(key=node.key, argument="matrix", value=forward),
                          SetArgument(key=node.key, argument="inverse_map", value=False))  # fmt: skip
            node = self.draft.graph.node(node.key)
        old, new = self._extents(before, before=True), self._extents(PortRef(node=node.key))
        if old is None or new is None:
            return None
        perspective = self.computed.by == "perspective"
        centred = perspective and given(self.draft.graph, registry, node, "pixel_origin") == "center"
        matrix = given_as or self._shared(node, "matrix", (3, 3) if perspective else (2, 3))
        points = label if self.pixels else self._sum("a * b", label, old)
        if self.boxes:
            if self.sized:
                points = self._made("placed", points, M=_CORNERS)
            others = self._made("placed", points, M=_OTHER_CORNERS)
            all_of = self._made("joined", points, others, axis=1)
            points = self._made("shaped", all_of, shape=(-1, 4, 2))
        if centred:  # the matrix counts from the middle of the first pixel
            points = self._sum("a - 0.5", points)
        if perspective:  # x and y of a point, and what they are divided by
            rows = [self._made("subscript", matrix, index=index) for index in ("0:2", "2:3")]
            points = self._sum("a / b", *(self._made("placed", points, wires={BOTH: row}) for row in rows))
        else:
            points = self._made("placed", points, wires={BOTH: matrix})
        if centred:
            points = self._sum("a + 0.5", points)
        if self.boxes:
            ends = [self._made(name, points, axes=(1,)) for name in ("least", "greatest")]
            points = self._made("joined", *ends, axis=1)
            if self.sized:
                points = self._made("placed", points, M=_SIZES)
        return points if self.pixels else self._sum("a / b", points, new)

    def turned(self, label: PortRef, node: Node, before: PortRef) -> PortRef | None:
        """Points of a picture that is turned about its middle."""
        old, new = self._extents(before, before=True), self._extents(PortRef(node=node.key))
        if self.boxes or old is None or new is None:
            return None
        back = self._sum("-a", self._shared(node, "angle"))  # transforms turn the other way, as y points down
        matrix = self._made("turned", wires={"angle": back})
        points = label if self.pixels else self._sum("a * b", label, old)
        points = self._sum("a - b", points, self._sum("a / 2", old))
        points = self._made("placed", points, wires={BOTH: matrix})
        points = self._sum("a + b", points, self._sum("a / 2", new))
        return points if self.pixels else self._sum("a / b", points, new)

    def _extents(self, picture: PortRef, *, before: bool = False) -> PortRef | None:
        """Width and height of a picture, for each coordinate.

        Those before a step are not those behind another one, so that a step that comes between can part them.
        """
        graph, registry = self.draft.graph, self.draft.registry
        anew = before and movement_of(registry, graph.node(picture.node)) is not None
        shapes, layout = shapes_of(self.draft, self.metas, picture, self.computed.cut.peek, anew=anew)
        if "D" in layout or not {"W", "H"} <= {*layout}:
            return None
        pair = [
            self._made("subscript", shapes, key=f"{picture.node}_{name}", index=str(layout.index(name[0].upper())))
            for name in ("width", "height")
        ]
        return self._row((pair[0], pair[1]), f"{picture.node}_extents")

    def _row(self, pair: _Pair, key: str, *, shift: bool = False) -> PortRef:
        """A number for x and one for y, for each coordinate; of sizes, which are not shifted, 0."""
        parts = [*pair]
        if self.boxes:
            parts += [0.0, 0.0] if shift and self.sized else pair
        ports = {
            part: part if isinstance(part, PortRef) else self._made("constant", fdata=(part,), shape=())
            for part in dict.fromkeys(parts)
        }
        metas = infer(self.draft.graph, self.draft.registry, self.draft.graph.reachable(ports.values()))
        if len({metas[port].dtype for port in ports.values()}) > 1:  # numbers of one type can be stacked
            ports = {part: self._made("typed", port, dtype="FLOAT") for part, port in ports.items()}
        return self._made("row", *(ports[part] for part in parts), key=key)

    def _shared(self, node: Node, name: str, shape: Sequence[int] | None = None) -> PortRef:
        """What feeds an argument: its wire, or a constant of its value, so that both change together."""
        graph = self.draft.graph
        wire = graph.argument_inputs(node.key).get(name)
        if wire is not None:
            return wire
        value = given(graph, self.draft.registry, node, name)
        numbers = cast("tuple[float, ...]", value if isinstance(value, tuple) else (value,))
        whole = name == "start"
        told: dict[str, Value] = {"idata" if whole else "fdata": tuple(int(one) if whole else one for one in numbers)}
        if not isinstance(value, tuple) or shape:
            told["shape"] = tuple(shape or ())
        key = graph.free_key(name)
        self.draft.do(
            AddNode(key=key, operator="constant", arguments=told),
            *([SetArgument(key=node.key, argument=name, unset=True)] if name in node.arguments else []),
            Connect(source=PortRef(node=key), target=node.key, argument=name),
        )
        return PortRef(node=key)

    def _letters(self, node: Node, before: PortRef) -> str:
        """The letters of the axes of a slice's window, in order; empty: they are not known."""
        graph, registry = self.draft.graph, self.draft.registry
        axes = node.arguments.get("axes")
        if {"axes", "axis_names"} & graph.argument_inputs(node.key).keys():
            return ""
        if axes is None:
            return str(given(graph, registry, node, "axis_names"))
        layout = self.metas.get(before, TensorMeta()).layout or "HWC"
        return "".join(layout[i] for i in cast("tuple[int, ...]", axes))

    def _sum(self, expression: str, *sources: PortRef, key: str = "") -> PortRef:
        return self._made("arithmetic", *sources, key=key, expression=expression)

    def _made(
        self, operator: str, *sources: PortRef, key: str = "", wires: Mapping[str, PortRef] | None = None,
        **arguments: Value,
    ) -> PortRef:  # fmt: skip
        """The first result of a node, which may be there already."""
        graph, operator = self.draft.graph, self.computed.operators.get(operator, operator)
        fed = graph.consumers(sources[0]) if sources else []
        for there in dict.fromkeys(target for target, to, _ in fed if to == 0):
            node = graph.node(there)
            same = node.operator == operator and dict(node.arguments) == arguments and graph.inputs(there) == sources
            if same and graph.argument_inputs(there) == (wires or {}) and not node.bypassed:
                return PortRef(node=there)
        key = graph.free_key(key or self.draft.registry.schema(operator).node_name)
        self.draft.do(
            AddNode(key=key, operator=operator, arguments=arguments),
            *(Connect(source=port, target=key, input=i) for i, port in enumerate(sources)),
            *(Connect(source=port, target=key, argument=name) for name, port in (wires or {}).items()),
        )
        return PortRef(node=key)
