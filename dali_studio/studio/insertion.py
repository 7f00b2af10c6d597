"""Putting an operator into the graph of a designer, and knowing which designer was used last."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, errors
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, SetOutputs
from dali_studio.schema.model import OperatorSchema, Value
from dali_studio.studio.protocol.requests import ApplyEdits
from dali_studio.studio.revision import Revision
from dali_studio.studio.session import Session

_used: list[weakref.ref[Session]] = []


def used(session: Session) -> None:
    """Remember that somebody works in a designer."""
    _used[:] = [other for other in _used if other() not in (None, session)]
    _used.append(weakref.ref(session))


def closed(session: Session) -> None:
    """Forget a designer."""
    _used[:] = [other for other in _used if other() not in (None, session)]


def insert(schema: OperatorSchema, arguments: Mapping[str, Value]) -> str:
    """Put an operator behind the last picture, in the graph of the designer that was used last, that it takes.

    Returns
    -------
    str
        What was done, as a sentence.

    Raises
    ------
    DaliStudioError
        DS209 if no designer is open, or no picture in its graph is what the operator takes.
    """
    session = next((there for one in reversed(_used) if (there := one()) is not None), None)
    if session is None:
        hint = "Open one: Designer(...) in a cell, or a tile in a designer of its own."
        raise DaliStudioError(Diagnostic(code="DS209", message="No designer is open in this notebook.", hint=hint))
    revision = session.current()
    for port in reversed(_pictures(revision)):
        edits = _edits(revision, port, schema, arguments)
        if not _new_errors(revision, edits):
            session.handle(ApplyEdits(base_revision=revision.number, edits=tuple(edits)))
            return f"{edits[0].key} is in {session.graph.options.name}, behind {port.node}."
    message = f"There is no picture in {session.graph.options.name} that {schema.name} takes."
    raise DaliStudioError(Diagnostic(code="DS209", message=message, hint="Add a reader and a decoder first."))


def _pictures(revision: Revision) -> list[PortRef]:
    """Outputs of nodes that are pictures, in the order in which they are computed."""
    known = revision.validation.metas
    order = revision.active.order()
    found = [port for port in known if known[port].kind == "image" and port.node in revision.in_run]
    return sorted(found, key=lambda port: order.index(port.node))


def _edits(
    revision: Revision, port: PortRef, schema: OperatorSchema, arguments: Mapping[str, Value]
) -> tuple[AddNode, *tuple[Edit, ...]]:
    graph = revision.graph
    key = graph.free_key(schema.node_name)
    wires = [wire for wire in graph.wires() if wire.source == port]
    put = PortRef(node=key)
    outputs = tuple(put if one == port else one for one in graph.outputs)
    return (
        AddNode(key=key, operator=schema.name, arguments=dict(arguments)),
        Connect(source=port, target=key, input=0),
        *(Connect(source=put, target=w.target, input=w.input, argument=w.argument) for w in wires if w.input == 0),
        *([SetOutputs(outputs=outputs)] if port in graph.outputs else []),
    )


def _new_errors(revision: Revision, edits: Sequence[Edit]) -> bool:
    """Whether the edits make something wrong that is right without them."""
    try:
        there = errors(revision.variant(edits).validation.diagnostics)
    except DaliStudioError:
        return True
    before = {(one.code, one.node, one.argument) for one in errors(revision.validation.diagnostics)}
    return any((one.code, one.node, one.argument) not in before for one in there)
