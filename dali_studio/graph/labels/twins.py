"""Repairs of labels that do not move with their image: what moves them is changed, added or taken out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.apply import apply
from dali_studio.graph.draft import Draft
from dali_studio.graph.edits import (
    AddNode,
    Connect,
    Disconnect,
    Edit,
    PortRef,
    RemoveNode,
    SetArgument,
    SetBypass,
)
from dali_studio.graph.labels.alignment import Moving, alignments
from dali_studio.graph.labels.computed import computed_at, computes
from dali_studio.graph.labels.guard import (
    Unmoved,
    bypassed_twin,
    count_unmoved,
    counterpart,
    moved_elsewhere,
    twin_for,
    unmoved,
    word_of,
)
from dali_studio.graph.labels.movement import (
    apart_of,
    corners_of,
    default,
    given,
    in_pixels,
    movement_of,
    plain,
    scales,
    words_of,
)
from dali_studio.graph.labels.places import (
    classes_of,
    divided,
    draw_for_boxes,
    hand_on,
    merged,
    missing,
    place_of,
    shapes_of,
    take,
)
from dali_studio.graph.labels.placing import place
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import infer
from dali_studio.graph.ways import Branches, undivided
from dali_studio.schema.model import Apart, Device, Movement, Twin, Value
from dali_studio.schema.registry import Registry


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
    """What makes the label of a finding move as its image, as far as is known; ``None`` where nothing does.

    What is there and does it otherwise is changed. Nothing is offered after which as much would be wrong as before, or
    which would bring what a branch has together with what all samples have.
    """
    about = [
        one for one in unmoved(graph, registry, metas)
        if one.label.node == found.node and found.message.startswith(f"The {word_of(one.kind)} ")
    ]  # fmt: skip
    whole = made = _one_step(graph, registry, metas, about)
    while whole is not None and made is not None:  # each leaves less that is wrong
        graph, _ = apply(graph, made.edits, registry)
        metas = infer(graph, registry, set(graph))
        label = made.after
        about = [one for one in unmoved(graph, registry, metas) if (one.image, one.label) == (whole.image, label)]
        made = _one_step(graph, registry, metas, about)
        if made is not None:
            title = _joined(whole.title, made.title)
            whole = whole._replace(title=title, edits=(*whole.edits, *made.edits), after=made.after)
    return whole


def _joined(first: str, second: str) -> str:
    """The words of two repairs: what both end with stands once."""
    (before, the, end), (verb, _, other) = first.rpartition(" the "), second.rpartition(" the ")
    verb = verb[:1].lower() + verb[1:]
    return f"{before} and {verb}{the}{end}" if end == other else f"{first}, {verb} the {other}"


def _one_step(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], about: Sequence[Unmoved]
) -> Moved | None:  # fmt: skip
    """What leaves less wrong."""
    wrong = count_unmoved(graph, registry, metas) if about else 0
    mixed = Branches(graph, registry).mixed(graph).keys()
    for one in about:
        for title, attempt in chain(_turned_on(graph, registry, one), _attempts(graph, registry, metas, one)):
            draft = Draft(graph, registry)
            try:
                after = attempt(draft)
            except DaliStudioError:
                continue
            if Branches(draft.graph, registry).mixed(draft.graph).keys() - mixed:
                continue
            left = infer(draft.graph, registry, set(draft.graph))
            if after is not None and count_unmoved(draft.graph, registry, left) < wrong:
                return Moved(title, tuple(draft.edits), one.image, one.label, after)
    return None


_Attempt = tuple[str, "Callable[[Draft], PortRef | None]"]


def _turned_on(graph: Graph, registry: Registry, one: Unmoved) -> Iterator[_Attempt]:
    """What is there, and left out."""

    def turn_on(draft: Draft) -> PortRef:
        draft.do(SetBypass(key=off, bypassed=False))
        return one.label

    if off := bypassed_twin(graph, registry, one):
        yield f"Turn {off} on", turn_on


def _attempts(
    graph: Graph, registry: Registry, metas: Mapping[PortRef, TensorMeta], one: Unmoved
) -> Iterator[_Attempt]:
    """What may be done, the best first: what a button says, and what does it and gives the label as it is then."""
    word, step = word_of(one.kind), one.step
    if step is None:
        extra = one.ways.extra[0]
        if computes(registry, extra.node, one.kind):
            return  # what else belongs to a computation is not known
        verb, _ = words_of(registry, extra.node, one.kind)
        yield f"Do not {verb} the {word}", lambda draft: _take_out(draft, extra.node.key, one.label)
        return
    movement = movement_of(registry, step.node) or Movement()
    verb = movement.words[0].capitalize()
    other = counterpart(graph, registry, one)
    if there := moved_elsewhere(graph, registry, metas, one):
        taken = {one.label: there, **_chosen(graph, metas, one, there)}
        yield f"{verb} the {word} too", lambda draft: take(draft, one, taken)
    if (windows := movement.windows) and one.kind == "boxes":
        yield f"Draw the window for the {word}", lambda draft: draw_for_boxes(draft, one, step, windows)
    if movement.drawn:
        return
    if other is not None:
        yield f"{verb} the {word} alike", lambda draft: change(draft, one, step, other)
    twin = twin_for(graph, registry, one, step)
    if one.kind == "mask" or (twin is not None and twin.operator in registry):
        if other is not None:
            yield f"{verb} the {word} alike", lambda draft: _moved_to(draft, one, other)
        yield f"{verb} the {word} too", lambda draft: _insert(draft, metas, one, step)
    elif movement.computed and apart_of(graph, registry, step.node, movement) is None and (
        not in_pixels(graph, registry, one.source) or not one.ways.later
    ):  # fmt: skip
        backward = given(graph, registry, step.node, "inverse_map") is True
        title = f"Map forward, and {movement.words[0]} the {word}" if backward else f"{verb} the {word} too"
        yield title, lambda draft: place(draft, one, step)
    if one.kind != "mask" and twin is None and in_pixels(graph, registry, one.source):
        more = "" if scales(graph, registry, step.node, movement) else f", and {movement.words[0]} the {word}"
        yield f"Give fractions{more}", lambda draft: _in_fractions(draft, one)
    apart = apart_of(graph, registry, step.node, movement) if one.kind != "mask" and twin is None else None
    if apart is not None:
        title = f"{apart.operator.capitalize()} apart, and {movement.words[0]} the {word}"
        yield title, lambda draft: _apart(draft, one, step, apart)


def _fresh(draft: Draft, image: PortRef, label: PortRef, one: Unmoved) -> Unmoved | None:
    """How the ways are now."""
    found = alignments(draft.graph, draft.registry, image, label, one.kind)
    ways = next((ways for ways in found if ways.rest), None)
    return None if ways is None else Unmoved(image, label, one.kind, one.takers, ways)


# ------------------------------------------------------------------------------------------------- taken and taken out


def _take_out(draft: Draft, key: str, label: PortRef) -> PortRef | None:
    """Remove a node; what it feeds is fed by what feeds it."""
    for output, source in enumerate(draft.graph.inputs(key)):
        own = PortRef(node=key, output=output)
        if source is None:
            return None
        draft.instead(own, source, draft.graph.consumers(own))
        label = source if label == own else label
    draft.do(RemoveNode(key=key))
    return label


def _moved_to(draft: Draft, one: Unmoved, other: Moving) -> PortRef | None:
    """Take out what does the same at another place, and add it where it belongs."""
    label = _take_out(draft, other.node.key, one.label)
    now = None if label is None else _fresh(draft, one.image, label, one)
    if now is None or now.step is None:
        return None
    return _insert(draft, infer(draft.graph, draft.registry, set(draft.graph)), now, now.step)


def _apart(draft: Draft, one: Unmoved, step: Moving, apart: Apart) -> PortRef | None:
    """Let a node of its own do behind the step what some of its arguments do, and go on from there."""
    graph, node = draft.graph, step.node
    own, made = PortRef(node=node.key), PortRef(node=graph.free_key(apart.operator))
    fed = graph.consumers(own)
    draft.do(AddNode(key=made.node, operator=apart.operator, device=node.device),
             Connect(source=own, target=made.node, input=0))  # fmt: skip
    for theirs, ours in apart.arguments.items():
        _give(draft, made.node, theirs, given(graph, draft.registry, node, ours))
        _give(draft, node.key, ours, plain(default(draft.registry, node.operator, ours)))
    draft.instead(own, made, fed)
    image, label = made if one.image == own else one.image, one.label
    while (now := _fresh(draft, image, label, one)) is not None:
        metas, rest = infer(draft.graph, draft.registry, set(draft.graph)), now.ways.rest
        found = next(_attempts(draft.graph, draft.registry, metas, now), None) if now.step is not None else None
        after = found[1](draft) if found is not None else None
        left = None if after is None else _fresh(draft, image, after, one)
        if after is None or (left is not None and left.ways.rest >= rest):
            return None
        label = after
    return label


def _in_fractions(draft: Draft, one: Unmoved) -> PortRef | None:
    """Let the reader give fractions, and go on from there."""
    way = one.ways.label
    if computed_at(draft.graph, draft.registry, way, one.kind, 0) < len(way):
        return None  # what is computed is computed of pixels
    draft.do(SetArgument(key=one.source.node, argument="ratio", value=True))
    now = _fresh(draft, one.image, one.label, one)
    if now is None or now.step is None:
        return one.label
    metas = infer(draft.graph, draft.registry, set(draft.graph))
    for _, attempt in _attempts(draft.graph, draft.registry, metas, now):
        return attempt(draft)
    return None


# -------------------------------------------------------------------------------------------------------------- changed


def change(draft: Draft, one: Unmoved, step: Moving, other: Moving) -> PortRef | None:
    """Make a node that is there do what the step does, under the same conditions."""
    graph, registry, key = draft.graph, draft.registry, other.node.key
    movement = movement_of(registry, step.node) or Movement()
    label = one.label
    extra, opened = list(other.branch.items() - step.branch.items()), PortRef(node="")
    if extra:
        outside = _opened(draft, key, label)
        if outside is None or extra != list(other.branch.items())[-1:] or step.branch.items() - other.branch.items():
            return None
        label, opened = outside, extra[0][0]
    if one.kind == "mask":
        names = {name: name for name in (*movement.unless, *movement.by)}
        wires = [(at, port) for at, port in enumerate(graph.inputs(step.node.key)) if at > 0 and port is not None]
        draft.do(*(Connect(source=port, target=key, input=at) for at, port in wires))
        twin = None
    else:
        twin = twin_for(draft.graph, draft.registry, one, step)
        if twin is None:
            return None
        names = twin.arguments
    for theirs, ours in names.items():
        _give(draft, key, theirs, given(graph, registry, step.node, ours))
    if twin is not None:
        _tell(draft, one, step, key, twin, {})
    lacking = missing(step, other.branch)
    if not lacking:
        draft.join(key)
        draft.sweep(opened)
        return label
    sources = [port for port in draft.graph.inputs(key) if port is not None]
    made = [PortRef(node=key, output=at) for at in range(len(sources))]
    before = [draft.graph.consumers(own) for own in made]
    results = _enclose(draft, key, sources, [lacking] * len(sources))
    draft.join(key)
    for own, consumers, result in zip(made, before, results, strict=True):
        draft.instead(own, result, consumers)
        label = result if label == own else label
    return label


def _give(draft: Draft, key: str, argument: str, value: Value | PortRef) -> None:
    """Give an argument a wire or a value, if it has another one."""
    if value == given(draft.graph, draft.registry, draft.graph.node(key), argument):
        return
    if isinstance(value, PortRef):
        draft.do(Connect(source=value, target=key, argument=argument))
        return
    if argument in draft.graph.argument_inputs(key):
        draft.do(Disconnect(target=key, argument=argument))
    if value == given(draft.graph, draft.registry, draft.graph.node(key), argument):
        return
    if value == plain(default(draft.registry, draft.graph.node(key).operator, argument)):
        draft.do(SetArgument(key=key, argument=argument, unset=True))
    else:
        draft.do(SetArgument(key=key, argument=argument, value=_whole(value)))


def _tell(
    draft: Draft, one: Unmoved, step: Moving, key: str, twin: Twin, metas: Mapping[PortRef, TensorMeta]
) -> None:  # fmt: skip
    """Tell a twin how boxes are written, and the shapes of the pictures."""
    graph, registry = draft.graph, draft.registry
    for name, value in twin.fixed.items():
        _give(draft, key, name, plain(value))
    if corners := corners_of(graph, registry, one.source, twin):
        _give(draft, key, corners[0], plain(corners[1]) if not isinstance(corners[1], bool) else corners[1])
    if twin.normalized:
        pixels = in_pixels(graph, registry, one.source)
        if given(graph, registry, graph.node(key), twin.normalized) != plain(not pixels):
            draft.do(SetArgument(key=key, argument=twin.normalized, value=not pixels))
    before = next(iter(graph.inputs(step.node.key)), None)
    if not twin.shape or before is None:
        return
    before = undivided(graph, registry, before)
    shapes, layout = shapes_of(draft, metas or infer(graph, registry, graph.reachable([before])), before, twin.peek)
    if graph.argument_inputs(key).get(twin.shape) != shapes:
        draft.do(Connect(source=shapes, target=key, argument=twin.shape))
        draft.do(SetArgument(key=key, argument=twin.shape_layout, value=layout))


def _enclose(
    draft: Draft, key: str, sources: Sequence[PortRef], conditions: Sequence[Mapping[PortRef, int]]
) -> list[PortRef]:  # fmt: skip
    """Let a node work under conditions, of each source, and give what there is of its outputs without them."""
    inner, around = divided(draft, sources, conditions)
    for at, source in enumerate(inner):
        if draft.graph.inputs(key)[at : at + 1] != (source,):
            draft.do(Connect(source=source, target=key, input=at))
    return merged(draft, [PortRef(node=key, output=at) for at in range(len(sources))], around)


def _opened(draft: Draft, key: str, label: PortRef) -> PortRef | None:
    """Let a node that works alone in a branch work on all samples."""
    graph, branches = draft.graph, Branches(draft.graph, draft.registry)
    for output, source in enumerate(graph.inputs(key)):
        own = PortRef(node=key, output=output)
        behind = [target for target, _, _ in draft.graph.consumers(own)]
        outer = next(iter(draft.graph.inputs(source.node)), None) if source and source.node in branches.splits else None
        if outer is None or len(behind) != 1 or behind[0] not in branches.merges or source is None:
            return None
        merged = PortRef(node=behind[0])
        draft.do(Connect(source=outer, target=key, input=output))
        draft.instead(merged, own, draft.graph.consumers(merged))
        draft.do(RemoveNode(key=merged.node))
        if not draft.graph.fed_by(source.node):
            draft.do(RemoveNode(key=source.node))
        label = own if label == merged else label
    return label


# ---------------------------------------------------------------------------------------------------------------- added


def _insert(draft: Draft, metas: Mapping[PortRef, TensorMeta], one: Unmoved, step: Moving) -> PortRef | None:
    """Add what does to the label what the step does to the image, in the same order and under the same conditions."""
    graph, registry = draft.graph, draft.registry
    movement, twin = movement_of(registry, step.node) or Movement(), twin_for(graph, registry, one, step)
    at = place_of(graph, registry, metas, one, step)
    if at is None:
        return None
    way, last = one.ways.label, at == len(one.ways.label) - 1
    key = graph.free_key(f"{movement.words[1]}_{word_of(one.kind)}")
    sources = [way[at]]
    if one.kind == "mask":
        sources = [_typed(draft, metas, way[at], movement)]
        _add_mask_twin(draft, key, step, movement, graph.node(way[at].node).device)
    else:
        assert twin is not None
        draft.do(AddNode(key=key, operator=twin.operator))
        for theirs, ours in twin.arguments.items():
            _give(draft, key, theirs, given(graph, registry, step.node, ours))
        _tell(draft, one, step, key, twin, metas)
        sources += classes_of(graph, registry, metas, one, step, at, twin.operator)
    branches = Branches(graph, registry)
    there = [branches.behind(way, at), *(branches.under(graph, port) for port in sources[1:])]
    fed = [graph.consumers(port) for port in (way[at], *sources[1:])]
    results = _enclose(draft, key, sources, [missing(step, under) for under in there])
    draft.join(key)
    moved = {way[at] if at_input == 0 else sources[at_input]: port for at_input, port in enumerate(results)}
    return take(draft, one, moved) if last else hand_on(draft, one, at, sources, results, fed)


def _chosen(
    graph: Graph, metas: Mapping[PortRef, TensorMeta], one: Unmoved, there: PortRef
) -> dict[PortRef, PortRef]:
    """The classes of the boxes that a node has left, for those of all."""
    kept = [port for port, meta in metas.items() if port.node == there.node and meta.kind == "label"]
    all_of = [port for port in graph.inputs(there.node) if port is not None and metas[port].kind == "label"]
    return dict(zip(all_of, kept, strict=False)) if one.kind != "mask" else {}


def _typed(draft: Draft, metas: Mapping[PortRef, TensorMeta], source: PortRef, movement: Movement) -> PortRef:
    """A mask of a type that is taken."""
    meta = metas[source]
    operator, types = movement.takes or ("", ())
    if not types or meta.dtype is None or meta.dtype.name in types:
        return source
    key, device = draft.graph.free_key(operator), draft.graph.node(source.node).device
    draft.do(
        AddNode(key=key, operator=operator, device=device, arguments={"dtype": types[0]}),
        Connect(source=source, target=key, input=0),
    )
    return PortRef(node=key)


def _add_mask_twin(draft: Draft, key: str, step: Moving, movement: Movement, device: Device) -> None:
    """The same operator for a mask.

    It gets the arguments and wires that say where to, nearest neighbours, and the background where it fills.
    """
    node, graph = step.node, draft.graph
    names = {*movement.unless, *movement.by, "output_layout"}
    arguments = {name: value for name, value in node.arguments.items() if name in names}
    if movement.nearest is not None:
        arguments[movement.nearest[0]] = movement.nearest[1]
    if "fill_value" in {*node.arguments, *graph.argument_inputs(node.key)}:
        arguments["fill_value"] = 0.0
    draft.do(
        AddNode(key=key, operator=node.operator, device=device, arguments=arguments),
        *(
            Connect(source=wire.source, target=key, input=wire.input, argument=wire.argument)
            for wire in graph.wires(node.key) if (wire.argument in names if wire.input is None else wire.input > 0)
        ),
    )  # fmt: skip


def _whole(value: Value) -> Value:
    return int(value) if isinstance(value, float) and value.is_integer() else value
