"""The graph as the browser draws it."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import msgspec

import dali_studio
from dali_studio.api.placement import gpu_missing
from dali_studio.codegen.dialects import installed_first
from dali_studio.codegen.functions import Function
from dali_studio.codegen.names import identifier
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.graph.cards import Cards, coin_around, part_of
from dali_studio.graph.checks import output_schemas
from dali_studio.graph.edits import CardEdit, Edit, PortRef, RemoveNode, Rename
from dali_studio.graph.fit import catalog
from dali_studio.graph.history import History
from dali_studio.graph.info import describe
from dali_studio.graph.labels.followers import followers
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import asked_outputs
from dali_studio.schema.registry import Registry
from dali_studio.studio import findings, gallery
from dali_studio.studio.aliases import named_elsewhere
from dali_studio.studio.cards import coins_in, folded
from dali_studio.studio.outputs import pins
from dali_studio.studio.outputs.renderers.volume import is_volume
from dali_studio.studio.programs import code_nodes
from dali_studio.studio.programs.drafts import draft_in, written_in
from dali_studio.studio.programs.own_text import words_in
from dali_studio.studio.protocol.messages import (
    DialectInfo,
    Differs,
    Fixed,
    GraphView,
    Group,
    Left,
    Mark,
    NodeView,
    Note,
    Opened,
    PipelineOptions,
    Position,
    RevisionChanged,
    Route,
    Tag,
)
from dali_studio.studio.repairs import offered
from dali_studio.studio.revision import Revision

#: What the names of marks begin with; no node is called so.
_MARK = re.compile("^mark ")
#: How what is kept of a transform begins that has no operator.
_LEFT_OUT = re.compile(r"\w+ was left out: ")
#: Name under which the position of the outputs card is kept.
OUTPUTS = "__outputs__"
#: Name under which the model's speed is kept beside the places of cards.
TARGET = "model target"
#: Name under which is kept in which revision the graph took the place of another.
ORIGIN = "origin"
#: Cards of two columns, at most: more would make all cards small.
_WIDE = 6


def opened(graph: Graph, registry: Registry, preview_width: int) -> Opened:
    """What a view needs to know once."""
    return Opened(
        catalog=named_elsewhere(catalog(registry)),
        dialects=languages(),
        recipes=gallery.recipes(registry),
        version=dali_studio.__version__,
        gpu=_without_gpu(graph),
        preview_width=preview_width,
    )


def languages() -> tuple[DialectInfo, ...]:
    """What programs can be written for, the one to begin with first."""
    return tuple(DialectInfo(name=name, title=title) for name, title in installed_first().items())


def _without_gpu(graph: Graph) -> str:
    """Why there is no GPU, and what happens instead; empty if there is one."""
    absent = gpu_missing(graph)
    if absent is None:
        return ""
    return f"{absent.reason}. Nodes that are placed on a GPU are computed on the CPU; the graph stays the same."


def revision_changed(
    history: History, revision: Revision, path: Path | None, saved: bool, waiting: str = "", variable: str = "",
    place: str = "",
) -> RevisionChanged:  # fmt: skip
    """The graph as it is now, and everything that is found about it.

    Parameters
    ----------
    history : History
    revision : Revision
        The state that `history` is in.
    path : Path or None
        The document's file.
    saved : bool
        Whether the file says all of it.
    waiting : str
        When edits were made that an earlier kernel has left.
    variable : str
        What the notebook calls the designer.
    place : str
        Under which name the browser keeps edits that no kernel has had.
    """
    graph, found = revision.graph, told(revision.validation.diagnostics, history)
    return RevisionChanged(
        revision=revision.number,
        graph=graph_view(revision),
        options=options_view(graph),
        positions=positions_in(history),
        marks=marks_in(history),
        coins=coins_in(marks_in(history), graph, revision.registry, revision.cards),
        diagnostics=(
            *findings.weighed(found, revision.in_run), *findings.mirrored(graph), *pins.misfits(revision),
            *_differing(history),
        ),
        repairs=tuple(repair for repair, _ in offered(graph, revision.registry, found)),
        can_undo=history.can_undo,
        can_redo=history.can_redo,
        document=path.as_posix() if path else "",
        saved=saved,
        waiting=waiting,
        target=target_in(history),
        origin=origin_in(history),
        variable=variable,
        place=place,
        draft=draft_in(history),
        written=written_in(history),
    )  # fmt: skip


def graph_view(revision: Revision) -> GraphView:
    """The graph of cards with what inference knows of it."""
    graph = revision.graph
    seeds: Mapping[str, int] = {}
    with suppress(DaliStudioError):  # a cycle has no order
        seeds = revision.seeds
    moved = followers(graph, revision.registry, revision.validation.metas)
    nodes = tuple(_node(revision, key, seeds.get(key), moved.get(key, {})) for key in graph)
    if sum(node.wide for node in nodes) > _WIDE:
        nodes = tuple(msgspec.structs.replace(node, wide=False) for node in nodes)
    return folded(GraphView(name=graph.options.name, nodes=nodes, outputs=graph.outputs), graph, revision.cards)


def _node(revision: Revision, key: str, seed: int | None, moved: dict[Kind, str]) -> NodeView:
    graph, registry = revision.graph, revision.registry
    node = graph.node(key)
    schemas = output_schemas(graph, key, registry)
    known = schemas is not None
    count = len(schemas if schemas is not None else asked_outputs(graph, key))
    ports = [PortRef(node=key, output=i) for i in range(count)]
    metas = [revision.validation.metas.get(revision.passing.get(port, port), TensorMeta()) for port in ports]
    inputs = graph.inputs(key)
    declared = registry.schema(node.operator).shown_inputs(len(inputs)) if known else 0
    named = schemas if schemas is not None and schemas != registry.schema(node.operator).outputs else ()
    return NodeView(
        key=key,
        operator=node.operator,
        device=node.device,
        arguments=dict(node.arguments),
        inputs=(*inputs, *(None,) * (declared - len(inputs))),
        argument_inputs=graph.argument_inputs(key),
        output_kinds=tuple(meta.kind for meta in metas),
        facts=tuple(describe(meta) for meta in metas),
        output_ranks=tuple(meta.ndim for meta in metas),
        output_names=tuple(schema.name for schema in named),
        in_run=key in revision.in_run,
        unknown=not known,
        bypassed=node.bypassed,
        code=code_nodes.shown(node),
        pin="here" if key in revision.pinned else "behind" if key in revision.behind_pins else "",
        pin_batch=revision.pinned[key].iteration if key in revision.pinned else 0,
        pin_old=key in revision.pinned and revision.pinned[key].computed not in ("", revision.written(key)),
        seed=seed,
        followers={**moved},
        chance=part if (coin := coin_around(graph, registry, key)) and (part := part_of(graph, coin)) < 1 else None,
        wide=bool(metas) and (metas[0].kind == "video" or is_volume(metas[0].layout or "")),
    )


def options_view(graph: Graph) -> PipelineOptions:
    """The options shown when nothing is selected."""
    options = graph.options
    return PipelineOptions(
        batch_size=options.batch_size, num_threads=options.num_threads, seed=options.seed, device_id=options.device_id,
        prefetch_queue_depth=options.prefetch_queue_depth,
    )  # fmt: skip


def renamed_places(history: History, edits: Sequence[Edit]) -> dict[str, object]:
    """Places, groups and pins of nodes that edits rename, and what Composes differ in."""
    names = {edit.key: edit.new_key for edit in edits if isinstance(edit, Rename)}
    if not names:
        return differing_after(history, edits)
    cards = {new: history.places[old] for old, new in names.items() if old in history.places}
    groups = {
        key: msgspec.structs.replace(
            mark, keys=tuple(names.get(one, one) for one in mark.keys),
            exposed=tuple((names.get(one, one), name) for one, name in mark.exposed),
        )
        for key, mark in history.places.items() if isinstance(mark, Group)
    }  # fmt: skip
    held = pins.named_pins(pins.renamed(pins.pins_in(history), edits))
    return {**cards, **groups, **differing_after(history, edits), **held}


def positions_in(history: History) -> dict[str, Position]:
    """Where the cards stand."""
    return {key: place for key, place in history.places.items() if isinstance(place, Position)}


def marks_in(history: History) -> dict[str, Mark]:
    """Notes, groups, and what belongs to wires and nodes that are there."""
    marks = {key: mark for key, mark in history.places.items() if isinstance(mark, Mark)}
    return {_MARK.sub("", key): mark for key, mark in marks.items() if _has_cards(mark, history.graph)}


def boxed_in(history: History) -> list[Group]:
    """The collapsed subgraphs that are in no other."""
    groups = [mark for mark in marks_in(history).values() if isinstance(mark, Group) and mark.collapsed]
    found: list[Group] = []
    for group in sorted(groups, key=lambda one: -len(one.keys)):
        if group.keys and not any({*group.keys} & {*one.keys} for one in found):
            found.append(group)
    return found


def hues_of(marks: Iterable[Mark]) -> dict[str, str]:
    """The colours that were given to nodes."""
    return {mark.node: mark.hue for mark in marks if isinstance(mark, Tag)}


def told(found: Iterable[Diagnostic], history: History) -> tuple[Diagnostic, ...]:
    """Findings without those about labels that are to stay as they are."""
    left = {(mark.node, mark.message) for mark in history.places.values() if isinstance(mark, Left)}
    return tuple(d for d in found if (d.node, d.message) not in left)


def notes_in(history: History) -> tuple[str, ...]:
    """What is written on the canvas, from above."""
    notes = [mark for mark in marks_in(history).values() if isinstance(mark, Note)]
    return tuple(note.text for note in sorted(notes, key=lambda note: (note.y, note.x)))


def _differing(history: History) -> list[Diagnostic]:
    """What nodes do otherwise; first the steps that were left out, of which the pipeline does nothing."""
    marks = [mark for mark in marks_in(history).values() if isinstance(mark, Differs)]
    return sorted(
        (
            Diagnostic(
                code="DS503", severity="warning" if _LEFT_OUT.match(mark.message) else "info", node=mark.node,
                message=mark.message,
            )
            for mark in marks
        ),
        key=lambda one: one.severity == "info",
    )  # fmt: skip


def differing(found: Iterable[Diagnostic]) -> dict[str, Any]:
    """The view part of a document: what nodes do otherwise than transforms of other packages."""
    marks = {
        f"differs {number:02} {one.node}": Differs(node=one.node, message=one.message)
        for number, one in enumerate(found) if one.code == "DS503"
    }  # fmt: skip
    return {"marks": msgspec.to_builtins(marks)}


def differing_after(
    history: History, edits: Iterable[CardEdit], found: Iterable[Diagnostic] | None = None
) -> dict[str, object]:
    """What nodes do otherwise, and what else is said of one, after edits that rename or remove it.

    `found` is that of a ``Compose``.
    """
    names: dict[str, str | None] = {}
    for edit in edits:
        if isinstance(edit, RemoveNode | Rename):
            names[edit.key] = edit.new_key if isinstance(edit, Rename) else None
    there = {key: mark for key, mark in history.places.items() if isinstance(mark, Differs | Tag | Fixed)}
    if found is not None:
        old = (key for key, mark in there.items() if isinstance(mark, Differs))
        return {**dict.fromkeys(old), **named_marks(marks_of(differing(found)))}
    moved = {key: (mark, names[mark.node]) for key, mark in there.items() if mark.node in names}
    return {key: new and msgspec.structs.replace(mark, node=new) for key, (mark, new) in moved.items()}


def _has_cards(mark: Mark, graph: Graph) -> bool:
    if isinstance(mark, Differs | Tag | Fixed):
        return mark.node in graph or mark.node == OUTPUTS
    if not isinstance(mark, Route):
        return True
    target = mark.wire.split("|")[0]
    return mark.source.node in graph and (target in graph or target == OUTPUTS)


def functions_in(marks: Iterable[Mark], cards: Cards) -> tuple[Function, ...]:
    """The subgraphs, as functions of programs."""
    groups = [mark for mark in marks if isinstance(mark, Group) and mark.subgraph]
    inner = [[part for key in group.keys for part in cards.parts.get(key, ())] for group in groups]
    return tuple(
        Function(group.title, frozenset((*group.keys, *parts)), group.exposed)
        for group, parts in zip(groups, inner, strict=True)
    )


def grown(
    places: Mapping[str, object], kept: Mapping[str, Mark], joined: Sequence[Collection[str]]
) -> dict[str, Group]:
    """Subgraphs with what was written into their functions, in the order of `functions_in`; `places`: what is new."""
    groups = {name: mark for name, mark in kept.items() if isinstance(mark, Group) and mark.subgraph}
    now = {name: cast("Group", places.get(f"mark {name}", mark)) for name, mark in groups.items()}
    added = zip(now.items(), joined, strict=False)
    return {name: msgspec.structs.replace(mark, keys=(*mark.keys, *keys)) for (name, mark), keys in added if keys}


def unwritten(history: History, before: str, source: str) -> dict[str, Mark | None]:
    """Subgraphs that were functions of the program `before` and are none of another one: they go."""

    def has(text: str, title: str) -> bool:
        return re.search(rf"^def {re.escape(identifier(title))}(_\d+)?\(", text, re.MULTILINE) is not None

    groups = {name: mark for name, mark in marks_in(history).items() if isinstance(mark, Group) and mark.subgraph}
    return {name: None for name, group in groups.items() if has(before, group.title) and not has(source, group.title)}


def named_marks(marks: Mapping[str, Mark | None]) -> dict[str, Mark | None]:
    """Notes and groups by the names under which they are kept beside the places of cards."""
    return {f"mark {name}": mark for name, mark in marks.items()}


def marks_of(view: Mapping[str, Any]) -> dict[str, Mark]:
    """Notes and groups of a document's view part; what cannot be read is left out."""
    found: dict[str, Mark] = {}
    marks: object = view.get("marks")
    for name, mark in cast("dict[str, Any]", marks).items() if isinstance(marks, dict) else ():
        try:
            found[str(name)] = msgspec.convert(mark, Mark)
        except msgspec.ValidationError:
            continue  # as with positions
    return found


def kept_view(history: History) -> dict[str, Any]:
    """The view part of a document."""
    places = positions_in(history)
    view: dict[str, Any] = {
        "positions": {key: (p.x, p.y) for key, p in places.items() if key in history.graph or key == OUTPUTS}
    }
    if target := target_in(history):
        view["target"] = target
    view |= words_in(history) | code_nodes.in_view(history.graph) | pins.in_view(history)
    marks = marks_in(history)
    return {**view, "marks": msgspec.to_builtins(marks)} if marks else view


def target_in(history: History) -> float:
    """Samples a second that the model takes; 0 if nobody has said it."""
    target = history.places.get(TARGET)
    return target if isinstance(target, float) else 0.0


def origin_in(history: History) -> int:
    """The revision in which the graph took the place of another; 0: in none."""
    origin = history.places.get(ORIGIN)
    return origin if isinstance(origin, int) else 0


def target_of(view: Mapping[str, Any]) -> float | None:
    """The target of a document's view part; ``None`` if it has none that can be read."""
    target: object = view.get("target")
    usable = isinstance(target, int | float) and not isinstance(target, bool) and math.isfinite(target) and target > 0
    return float(cast("float", target)) if usable else None


def places_of(view: Mapping[str, Any]) -> dict[str, object]:
    """What a document's view part keeps beside the nodes."""
    held = pins.named_pins(pins.of_view(view))
    return {**positions_of(view), **named_marks(marks_of(view)), **held, TARGET: target_of(view)}


def positions_of(view: Mapping[str, Any]) -> dict[str, Position]:
    """Where a document's view part places the cards; what cannot be read is left out."""
    found: dict[str, Position] = {}
    places: object = view.get("positions")
    for key, place in cast("dict[str, Any]", places).items() if isinstance(places, dict) else ():
        try:
            x, y = map(float, place)
        except (TypeError, ValueError, OverflowError):
            continue  # a damaged position costs the layout of one card, not the document
        if math.isfinite(x) and math.isfinite(y):
            found[key] = Position(x=x, y=y)
    return found
