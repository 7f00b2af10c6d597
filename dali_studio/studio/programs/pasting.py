"""A program or a ``Compose`` that is pasted on the canvas, as edits, and where its cards go."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from dali_studio.api.reading.composed.whole import compose_program, function_name, loader_of, read_what_can_be
from dali_studio.api.reading.fragment import read_fragment
from dali_studio.api.reading.program import read
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, SetOutputs, SetPipeline
from dali_studio.graph.history import History
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions
from dali_studio.schema.registry import Registry
from dali_studio.studio.aliases import differences, passed_on
from dali_studio.studio.places import in_columns, written_places
from dali_studio.studio.programs.boxes import box_of_added, renamed_boxes
from dali_studio.studio.programs.own_text import TEXT, boxes_in, named_text, opened_view
from dali_studio.studio.protocol.messages import Group
from dali_studio.studio.protocol.requests import AddTransform, PasteCode
from dali_studio.studio.view import differing, marks_of, named_marks, positions_in

#: What a program says of its pipeline, but for its name.
_SETTINGS = [name for name in GraphOptions.__struct_fields__ if name != "name"]
#: How they are had.
_OWN = "Pasted into an empty designer, the text brings its own."
#: The step of a ``Compose``'s pipeline behind which its transforms stand.
_DECODED = PortRef(node="decode")


class WholeProgram(NamedTuple):
    """A text that has a pipeline, as `Designer` reads it, and what it leaves open or has otherwise."""

    text: str
    graph: Graph
    found: Sequence[Diagnostic]

    @property
    def view(self) -> dict[str, Any]:
        """The text beside its graph, and its boxes, unless it calls what the graph cannot have."""
        lost = any(one.code in ("DS101", "DS102") for one in self.found)
        return {} if lost else opened_view(self.text, self.graph)

    def settings_left(self, options: GraphOptions) -> tuple[Diagnostic, ...]:
        """Which settings that the text gives are otherwise in a pipeline that takes its steps alone."""
        pairs = [(name, getattr(self.graph.options, name), getattr(options, name)) for name in _SETTINGS]
        left = [
            f"{name} is {own} (the text has {new})" for name, new, own in pairs
            if new != own and re.search(rf"\b{name}\s*=", self.text)
        ]  # fmt: skip
        if not left:
            return ()
        message = f"The steps were added; the pipeline's settings stay: {', '.join(left)}."
        return (Diagnostic(code="DS504", severity="info", message=message, hint=_OWN),)


def whole_program(text: str) -> WholeProgram | None:
    """What a text is as a whole; ``None`` if it has no pipeline, but lines of one, or a ``Compose``."""
    found = list[Diagnostic]()
    with suppress(DaliStudioError):
        return WholeProgram(text, read(f"{text}\n", found=found), found)
    return None


def pasted(
    message: PasteCode, graph: Graph, registry: Registry, found: list[Diagnostic], places: dict[str, object]
) -> tuple[Edit, ...]:
    """The edits that add the steps of a text: those of a ``Compose`` behind the card that is selected.

    Where none is, they stand at the end of what the pipeline returns first. `found` gets what they do otherwise than
    the ``Compose``, and `places` the boxes of its transforms of many steps, which an empty designer has as functions of
    its text.

    Raises
    ------
    DaliStudioError
        DS401 or DS502 if the text is neither, or has only transforms for which there is no operator.
    """
    if re.search(r"\bfn\.", message.text) or "Compose" not in message.text:
        return read_fragment(message.text, graph, registry)
    source = message.source or next(iter(graph.outputs), None)
    on_gpu = source is not None and graph.node(source.node).device != "cpu"
    composed = read_what_can_be(message.text, found, gpu=on_gpu)
    keys = set(composed) if source is None else composed.reachable() - composed.reachable([_DECODED])
    taken, ports = graph.copy(), dict[str, str]()
    for node in composed.nodes():
        if node.key in keys:
            ports[node.key] = taken.free_key(node.key)
            taken.add_node(replace(node, key=ports[node.key]))
    loader = loader_of(message.text)
    if source and loader.place:
        found[:] = [one for one in found if one.node != "reader"]
        said = f"The steps were added; the reader and the pipeline's settings stay: the {loader.place} is not taken."
        found.append(Diagnostic(code="DS504", severity="info", message=said, hint=_OWN))
    names = {"decode": source.node, **ports} if source else ports
    found[:] = [msgspec.structs.replace(one, node=names.get(one.node, one.node)) for one in found]
    program = compose_program(message.text, [], gpu=on_gpu, leave_out=True)
    boxes = boxes_in(program, composed)
    places |= named_marks(renamed_boxes(boxes, ports))
    if boxes and len(graph) == 0:
        places[TEXT] = named_text(program, composed)

    def port(one: PortRef) -> PortRef:
        return source if source and one == _DECODED else PortRef(node=ports[one.node], output=one.output)

    edits: list[Edit] = []
    for node in composed.nodes():
        if node.key in keys:
            made = AddNode(
                key=ports[node.key], operator=node.operator, device=node.device, arguments=dict(node.arguments)
            )
            edits += [made, *(
                Connect(source=port(wire.source), target=ports[node.key], input=wire.input, argument=wire.argument)
                for wire in composed.wires(node.key)
            )]  # fmt: skip
    if source is None:
        settings = (SetPipeline(option=name, value=value) for name, value in loader.options.items())
        return (*edits, *settings, SetOutputs(outputs=tuple(map(port, composed.outputs))))
    return (*edits, *passed_on(graph, source, port(composed.outputs[0])))


def added_marks(message: AddTransform, edits: Sequence[Edit], graph: Graph, registry: Registry) -> dict[str, object]:
    """What the nodes of a transform do otherwise, and their box if they are many."""
    box = box_of_added(edits, function_name(message.name), graph, registry)
    return {**named_marks({**marks_of(differing(differences(message.name, edits))), **box})}


def added_places(
    message: PasteCode | AddTransform, edits: Sequence[Edit], history: History, revision: int,
    marks: Mapping[str, object],
) -> dict[str, object]:  # fmt: skip
    """What is kept beside edits that add nodes: `marks`, and where the cards go.

    Those go into the wires that are theirs now, or below what is there; boxes among `marks` are one card. All cards are
    laid out anew where there was nothing, or little that nobody has moved.
    """
    boxes = [mark for mark in marks.values() if isinstance(mark, Group)]
    graph, count = history.graph, sum(isinstance(edit, AddNode) for edit in edits)
    if isinstance(message, PasteCode) and (len(graph) == 0 or (message.laid and count > 2 * len(graph))):
        return {**written_places(history, edits, revision), **marks}
    between = any(
        edit.target in graph if isinstance(edit, Connect) else isinstance(edit, SetOutputs) and bool(graph.outputs)
        for edit in edits
    )
    if between or isinstance(message, AddTransform):
        places = written_places(history, edits, revision, message.laid, boxes)
        if between or places:
            return {**places, **marks}
    return {**in_columns(edits, message.at, positions_in(history).values()), **marks}
