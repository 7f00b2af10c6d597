"""The text that a user has written for the pipeline, beside the graph; the steps of its history carry it along."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from dali_studio.api.default import default_registry
from dali_studio.api.reading.boxing import boxed
from dali_studio.api.reading.changes import changed
from dali_studio.api.reading.composed.loader import Loader
from dali_studio.api.reading.composed.whole import compose_program, loader_of, read_what_can_be
from dali_studio.api.reading.known import usual_name
from dali_studio.api.reading.patches import NotWritable
from dali_studio.api.reading.text import ProgramText
from dali_studio.codegen.dialects import installed_first
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.codegen.functions import Function
from dali_studio.codegen.names import Names
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.apply import AnyEdit, apply
from dali_studio.graph.difference import edits_between, matched, pairs
from dali_studio.graph.edits import AddNode, Edit, PortRef, Rename, SetPipeline
from dali_studio.graph.history import History
from dali_studio.graph.model import Graph
from dali_studio.graph.ways import Branches
from dali_studio.graph.written import ARGUMENT, OPERATOR, WrittenFunction
from dali_studio.studio.programs import drafts
from dali_studio.studio.programs.boxes import boxes_of, boxes_of_own, renamed_boxes
from dali_studio.studio.programs.left_out import used_again, with_comments, without_comments
from dali_studio.studio.programs.trust import is_own, signature
from dali_studio.studio.protocol.messages import Group
from dali_studio.studio.revision import Revision

#: Name under which the text is kept beside the places of cards; no node is called so.
TEXT = "program text"
#: What is no operator, argument or value, and what a reader of files says of it, who goes on without it.
_WRONG = ("DS101", "DS102", "DS104", "DS105", "DS207")
_LEFT_OUT = re.compile(r" \w+ of fn\.\S+ is left out\.$")
#: What a ``Compose`` begins with.
_DECODER = "decoders.image"
#: The reader of a folder of classes, and arguments with which it reads what is listed.
_READER = "readers.file"
_LISTED = {"files", "file_list", "labels"}
#: Its names in the view part of a document.
_PROGRAM, _SIGNATURE = "program", "program_signature"


def text_in(history: History) -> ProgramText | None:
    """What the user has written; as long as nothing else is opened, the graph's changes are written into it."""
    text = history.places.get(TEXT)
    return text if isinstance(text, ProgramText) else None


def source_in(history: History) -> str:
    """The text that a document keeps; empty if nobody has written one."""
    text = text_in(history)
    return text.text if text else ""


def in_view(source: str) -> dict[str, str]:
    """A text in the view part of a document: signed, since a document of a stranger must not bring code into a cell."""
    return {_PROGRAM: source, _SIGNATURE: signature(source)} if source else {}


def opened_view(source: str, graph: Graph) -> dict[str, Any]:
    """The view part of a program that is opened: its text, and those of its functions that are boxes."""
    boxes: dict[str, Group] = {}
    with suppress(DaliStudioError, NotWritable):  # it has no functions that are told apart
        boxes = boxes_of_own(named_text(source, graph))
    return {**in_view(source), "marks": msgspec.to_builtins(boxes)}


def words_in(history: History) -> dict[str, Any]:
    """The texts that a document keeps in its view part."""
    return in_view(source_in(history)) | drafts.in_view(history)


def kept(view: Mapping[str, Any], revision: Revision) -> ProgramText | None:
    """The text of a document's view part.

    ``None`` if there is none that goes with the document's graph, or if it comes from somebody else.
    """
    source: object = view.get(_PROGRAM)
    if isinstance(source, str) and is_own(source, view.get(_SIGNATURE)):
        with suppress(DaliStudioError, NotWritable):
            text = named_text(source, _said(source, revision))
            changed(text, _tellable(revision, text))
            return text
    return None


def with_renames(history: History, edits: Sequence[AnyEdit]) -> dict[str, ProgramText]:
    """The user's text, if edits rename nodes: with the new names, as the place that it has."""
    text, names = text_in(history), {edit.key: edit.new_key for edit in edits if isinstance(edit, Rename)}
    return {TEXT: text.with_names(names)} if text is not None and names else {}


def _tellable(revision: Revision, text: ProgramText) -> Graph:
    """What a text says of a graph: of what no output needs, that which it has, unless nobody could run it."""
    graph, has = revision.active, text.graph
    open_ones = {one.node for one in revision.validation.diagnostics if one.code in ("DS103", "DS201")}
    loose = {key for key in graph if key not in revision.in_run and (key in open_ones or key not in has)}
    return _without(graph, loose.union(*map(graph.descendants, loose)))


def _without(graph: Graph, gone: Collection[str]) -> Graph:
    made = graph.copy()
    if gone:
        wires = [wire for wire in graph.wires() if wire.target not in gone]
        made.rebuild([node for node in graph.nodes() if node.key not in gone], wires, graph.outputs)
    return made


def _said(program: str, revision: Revision) -> Graph:
    """What a revision's program says of its graph; all of that where it has none that can be read."""
    with suppress(DaliStudioError):
        text = named_text(program, revision.graph)
        run = _without(revision.active, {*revision.active} - revision.in_run)
        is_run = pairs(text.graph, run, default_registry()) is not None
        return run if is_run else _tellable(revision, text)
    return revision.graph


def named_text(source: str, graph: Graph) -> ProgramText:
    """A text, whose nodes are called as those of `graph` that they are."""
    text = ProgramText(source)
    text.rename(pairs(text.graph, graph, default_registry()) or matched(graph, text.graph))
    return text


class Taken(NamedTuple):
    """An edited program, its dialect, and the edits that make the graph what it says; none if nothing is changed.

    Attributes
    ----------
    text
        ``None`` if it would be written so anyway.
    found
        What nodes do otherwise than the ``Compose`` that it was.
    boxes
        Its transforms of many steps, which are one card each.
    joined
        The new nodes that were written into each of the functions.
    """

    text: ProgramText | None
    dialect: str
    edits: tuple[Edit, ...]
    found: Sequence[Diagnostic] | None = None
    boxes: Mapping[str, Group] = {}
    joined: Sequence[frozenset[str]] = ()


def boxes_in(program: str, graph: Graph) -> dict[str, Group]:
    """The boxes of a ``Compose``, by its program and its graph."""
    return boxes_of(named_text(program, graph))


def taken(
    source: str, revision: Revision, functions: Sequence[Function], notes: Sequence[str], before: str
) -> Taken:
    """An edited program as what changes a designer.

    A ``Compose`` of torchvision or albumentations takes the place of the steps between the decoder and the output, with
    what differs as comments. Nodes are called as those of the graph that they are.

    Parameters
    ----------
    before
        The program of `revision`. Nodes that the edited one calls otherwise are renamed.

    Raises
    ------
    DaliStudioError
        DS502 if the text is no Python, or has neither a pipeline nor a ``Compose`` of which anything can be done;
        DS101 and DS102 for names and arguments that are not there.
    """
    plain, before = (without_comments(one, revision.graph, revision.registry) for one in (source, before))
    if plain != source:
        with suppress(DaliStudioError):  # else it is told by the lines of `source`
            return taken(plain, revision, functions, notes, before)
    graph, composed, found, boxes = revision.graph, Graph(), list[Diagnostic](), dict[str, Group]()
    said = _said(before, revision)
    try:
        text = named_text(source, said)
    except DaliStudioError as error:
        source, composed, boxes = _of_compose(source, said, before, found)
        if not source:
            raise error from None
        text = named_text(source, said)
    if again := [] if composed.outputs else used_again(graph, said, text.graph):
        made = taken(source, revision.variant(again, check=False), functions, notes, before)
        return made._replace(edits=(*again, *made.edits))
    # else a program that does not run would be kept, and what it cannot mean would be guessed
    if wrong := [one for one in text.found if one.code in _WRONG]:
        raise DaliStudioError(msgspec.structs.replace(one, message=_LEFT_OUT.sub("", one.message)) for one in wrong)
    first: tuple[Edit, ...] = ()
    if renames := [] if composed.outputs else _renames(text, before, graph, said):
        first = tuple(renames)
        text.rename({edit.key: edit.new_key for edit in renames})
        said, _ = apply(said, first, default_registry())
    # nodes that the program does not have stay as they are
    text.rename({key: graph.free_key(key) for key in text.graph if key in graph and key not in said})
    edits = edits_between(said, text.graph)
    for edit in edits:
        if isinstance(edit, AddNode) and edit.operator not in default_registry():
            place = text.graph.node(edit.key).origin
            # what is not understood has no name to look for
            why = [msgspec.structs.replace(one, message=one.message.partition(f": {edit.key} keeps")[0] + ".", node="")
                   for one in text.found if one.node == edit.key and "is no operator" not in one.message]  # fmt: skip
            found = why or [default_registry().unknown(edit.operator)]
            raise DaliStudioError(msgspec.structs.replace(one, source=place, severity="error") for one in found)
    keys = pairs(composed, text.graph, default_registry()) or {key: key for key in text.graph}
    found = [msgspec.structs.replace(one, node=keys.get(one.node, one.node)) for one in found]
    # another comment is a step, too, which a view hears of by another revision
    same = [] if source == before else [SetPipeline(option="name", value=graph.options.name)]
    edits = (*first, *edits) or tuple(same)
    joined = _joined(text, functions, edits)
    grown = [replace(one, keys=one.keys | keys) for one, keys in zip(functions, joined, strict=True)]
    anew = _told(None, revision.variant(edits, check=False), text.dialect, grown, notes)
    told = found if composed.outputs else None
    placed = renamed_boxes(boxes, keys)
    return Taken(None if anew.source == source else text, text.dialect, edits, told, placed, joined)


def _joined(text: ProgramText, functions: Sequence[Function], edits: Sequence[Edit]) -> list[frozenset[str]]:
    """The new nodes in those functions of a text that have all the other nodes of a subgraph, for each of these."""
    names = {edit.key: edit.new_key for edit in edits if isinstance(edit, Rename)}
    added = {edit.key for edit in edits if isinstance(edit, AddNode)}
    inner = [
        {key for step in text.steps_of(place) for key in step.made if not text.is_helper(key)}
        for place in text.functions if text.steps_of(place) != text.steps
    ]  # fmt: skip
    known = [{names.get(key, key) for key in one.keys} & {*text.graph} for one in functions]
    return [frozenset(key for made in inner if keys and made - added == keys for key in made & added) for keys in known]


def _of_compose(
    source: str, graph: Graph, before: str, found: list[Diagnostic]
) -> tuple[str, Graph, dict[str, Group]]:  # fmt: skip
    """The program of `graph` with a ``Compose`` in place of its steps, its graph and boxes; empty if the text has none.

    `found` gets what nodes do otherwise.
    """
    registry = default_registry()
    try:
        made = read_what_can_be(source, found)
    except DaliStudioError as error:
        if any(one.source for one in error.diagnostics):  # of a Compose
            raise
        return "", Graph(), {}
    start = _decoded(graph)
    gpu = start is not None and graph.node(start.node).device == "mixed"
    composed = read_what_can_be(source, [], gpu=gpu) if gpu else made
    made, names = _in_place(composed, graph, start)
    _with_data(made, loader_of(source), names, found)
    found[:] = [msgspec.structs.replace(one, node=names.get(one.node, one.node)) for one in found]
    program = compose_program(source, [], gpu=gpu, leave_out=True)
    boxes, emitted = boxes_in(program, composed), emit(made, registry, next(iter(installed_first())))
    try:
        text = named_text(before, graph)
        is_same = pairs(text.graph, made, registry) is not None  # but for names
        emitted = Emitted(text.text if is_same else changed(text, made)[0].text, {}, ())
    except (DaliStudioError, NotWritable):  # it is written anew
        is_same = False
    if boxes and not is_same:
        with suppress(DaliStudioError, NotWritable):
            text = ProgramText(program)
            same = pairs(text.graph, composed, registry) or {}
            text.rename({key: names.get(was, was) for key, was in same.items()})
            emitted = Emitted(changed(text, made)[0].text, {}, ())
    told = dict.fromkeys(one.message for one in found if f"# {one.message}" not in emitted.source)
    own = names or {key: key for key in composed}  # a graph that is replaced keeps their names
    return _annotated(emitted, [*told]).source, made, renamed_boxes(boxes, own)


def _in_place(composed: Graph, graph: Graph, start: PortRef | None) -> tuple[Graph, dict[str, str]]:
    """A graph with the steps of a ``Compose`` between its decoder and the output that comes of it, and their names.

    What other outputs need stays as well. A graph that decodes no images (no `start`) is replaced, but for its options.
    A decoder that cuts windows out gives whole pictures then.
    """
    (images, *_), plain = composed.outputs, composed.node("decode")
    made = (composed if start is None else graph).copy()
    if start is None:
        made.options = graph.options
        return made, {}
    decoder = graph.node(start.node)
    steps = set(composed) - composed.reachable([PortRef(node="decode")])
    at = next((i for i, port in enumerate(graph.outputs) if decoder.key in graph.reachable([port])), None)
    others = [port for i, port in enumerate(graph.outputs) if i != at]
    registry = default_registry()
    whole = replace(decoder, operator=plain.operator, arguments={
        name: value for name, value in decoder.arguments.items() if registry.schema(plain.operator).argument(name)
    })  # fmt: skip
    alike = registry.schema(decoder.operator).category == registry.schema(plain.operator).category
    cuts = alike and decoder.operator != plain.operator
    source = graph.inputs(decoder.key)[0] if cuts else None
    needed = graph.reachable([*others, source or start]) | {decoder.key}
    gone = graph.reachable() - needed
    kept = [whole if cuts and node == decoder else node for node in graph.nodes() if node.key not in gone]
    wires = [w for w in graph.wires() if {w.target, w.source.node}.isdisjoint(gone)]
    made.rebuild(kept, (w for w in wires if not cuts or w.target != decoder.key or w.input == 0), others)
    names = {"decode": decoder.key}
    for node in composed.nodes():
        if node.key in steps:
            names[node.key] = made.free_key(node.key)
            made.add_node(replace(node, key=names[node.key], device=node.device))
    for wire in composed.wires():
        if wire.target in steps:
            source = PortRef(node=names[wire.source.node], output=wire.source.output)
            made.connect(source, names[wire.target], wire.input, wire.argument)
    end = PortRef(node=names[images.node], output=images.output)
    made.set_outputs([*others[: at or 0], end, *others[at or 0 :]])
    return made, names


def _with_data(made: Graph, loader: Loader, names: dict[str, str], found: list[Diagnostic]) -> None:
    """Give a graph and its reader of files what a program says of its data; `names` get the reader's."""
    made.options = msgspec.structs.replace(made.options, **loader.options)
    if (decoder := names.get("decode")) is None:
        return  # a graph that is replaced has it
    read = [made.node(key) for key in made.reachable([PortRef(node=decoder)])]
    readers = [node for node in read if node.operator == _READER]
    reader = readers[0] if len(readers) == 1 and _LISTED.isdisjoint(readers[0].arguments) else None
    names["reader"] = reader.key if reader else decoder
    has = dict(reader.arguments) if reader else {}
    given = {name: value for name, value in loader.arguments.items() if value is not False or name in has}
    if given and reader is None:
        left = ", ".join(f"{name}={value!r}" for name, value in given.items())
        verb = "is" if len(given) == 1 else "are"
        message = f"{loader.place}: {left} {verb} not taken, since {decoder} is fed by no {_READER} of a folder."
        found.append(Diagnostic(code="DS503", message=message, node="reader", severity="info"))
    elif given and reader:
        made.replace_node(replace(reader, arguments={**has, **given}))


def _decoded(graph: Graph) -> PortRef | None:
    """Where the first decoded images are, all of them together; ``None`` if none are decoded.

    Raises
    ------
    DaliStudioError
        DS502 if they are decoded in a branch of which other steps are.
    """
    registry = default_registry()
    category = registry.schema(_DECODER).category
    decodes = (
        node.key for node in graph.nodes() if node.operator in registry
        and (schema := registry.schema(node.operator)).category == category and schema.outputs[0].kind == "image"
    )  # fmt: skip
    key = next(decodes, "")
    branches = Branches(graph, registry)
    while key and branches.under(graph, PortRef(node=key)):
        fed = graph.consumers(PortRef(node=key))
        merges = [to for to, at, _ in fed if at is not None and to in branches.merges]
        if not merges:
            message = f"{key} decodes in a branch that has other steps; a Compose has no place behind it."
            raise DaliStudioError(Diagnostic(code="DS502", message=message, hint="Decode before the branch."))
        key = merges[0]
    return PortRef(node=key) if key else None


def _renames(text: ProgramText, before: str, graph: Graph, said: Graph) -> list[Rename]:
    """For nodes of a graph that an edited text calls otherwise than its program did, which is `said`."""
    try:
        old = named_text(before, said).called
    except DaliStudioError:  # of a graph that has no program
        return []
    names, found, held = Names(), list[Rename](), Counter(text.called.values())
    for key in {*graph, *text.graph}:
        names.unused(key)
    for key, name in text.called.items():
        if key in graph and old.get(key, name) != name:
            usual = usual_name(graph.node(key).operator)
            new = names.unused(name) if held[name] == 1 else ""
            if new != name:  # another node is called so, or a variable goes from node to node
                new = key if key.rstrip("0123456789_") == usual else names.unused(usual)
            found += [Rename(key=key, new_key=new)] if new != key else []
    return found


def shown(
    text: ProgramText | None, revision: Revision, dialect: str, functions: Sequence[Function] = (),
    notes: Sequence[str] = (),
) -> Emitted:  # fmt: skip
    """The program of a revision: the user's text with what has changed since, or a program that is written anew.

    Bypassed nodes are comments of both.

    Parameters
    ----------
    functions
        Subgraphs, which a program that is written anew has as functions.
    notes
        What is written on the canvas, which such a program has as comments.
    """
    made = _told(text, revision, dialect, functions, notes)
    return with_comments(made, revision.graph, revision.registry, dialect)


def _told(
    text: ProgramText | None, revision: Revision, dialect: str, functions: Sequence[Function], notes: Sequence[str]
) -> Emitted:
    """What is shown, without comments for bypassed nodes."""
    if text is None or text.dialect != dialect:
        return _annotated(revision.code(dialect, functions), notes)
    try:
        graph = _tellable(revision, text)
        made, same = changed(text, graph)
    except NotWritable as error:
        emitted = revision.code(dialect, functions)
        found = Diagnostic(
            code="DS501", severity="warning",
            message=f"This change cannot be written into your text: {str(error).rstrip('.')}.",
            hint="The program is written anew; undo brings your text back.",
        )  # fmt: skip
        return Emitted(emitted.source, emitted.lines, (*emitted.diagnostics, found))
    made, same, refused = _boxed(made, same, graph, functions)
    lines = {same[key]: numbers for key, numbers in made.lines().items() if key in same}
    calls = [node.objects.get(ARGUMENT) for node in revision.active.nodes() if node.operator == OPERATOR]
    known = all(isinstance(one, WrittenFunction) for one in calls)
    found = [
        msgspec.structs.replace(one, node=same.get(one.node, one.node)) for one in made.found
        if not (known and calls and one.argument == ARGUMENT)
    ]  # fmt: skip
    idle = [_idle(name) for name in sorted(text.parameters_read - made.parameters_read)]
    return Emitted(made.text, lines, (*found, *refused, *idle))


def _idle(parameter: str) -> Diagnostic:
    return Diagnostic(
        code="DS502", severity="warning",
        message=f"The parameter {parameter} has no effect any more: what it gave is set in its place.",
        hint="Callers that give it should know. Undo brings it back.",
    )  # fmt: skip


def _boxed(
    text: ProgramText, same: Mapping[str, str], graph: Graph, functions: Sequence[Function]
) -> tuple[ProgramText, Mapping[str, str], list[Diagnostic]]:
    """A text with subgraphs as functions; which node of the graph each of its nodes is, and what is none."""
    refused: list[Diagnostic] = []
    for function in sorted(functions, key=lambda one: -len(one.keys)):
        here = {now: key for key, now in same.items()}
        keys = frozenset(here[now] for now in function.keys if now in here)
        exposed = tuple((here[now], name) for now, name in function.exposed if now in here)
        try:
            made = boxed(text, replace(function, keys=keys, exposed=exposed))
            same = made.nodes_of(graph)
            text = made
        except (NotWritable, DaliStudioError) as error:
            message = f"{function.title} is no function of your text: {error}."
            hint = "Write it as one, or take what is missing into the group."
            found = Diagnostic(code="DS501", severity="info", node=min(function.keys), message=message, hint=hint)
            refused.append(found)
    return text, same, refused


def _annotated(made: Emitted, notes: Sequence[str]) -> Emitted:
    """A program with notes as comments above the pipeline's function, which is the last one."""
    words = [f"# {line}".rstrip() for note in notes for line in note.strip().splitlines()]
    lines = made.source.split("\n")
    begins = [[number for number, line in enumerate(lines) if line.startswith(word)] for word in ("@", "def ")]
    at = max(begins[0] or begins[1] or [0])
    source = "\n".join((*lines[:at], *words, *lines[at:]))
    places = {key: tuple(n + len(words) * (n > at) for n in numbers) for key, numbers in made.lines.items()}
    return Emitted(source, places, made.diagnostics)
