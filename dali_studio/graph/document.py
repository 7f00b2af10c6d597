"""Documents: reading and writing the JSON form of a graph."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, cast

import msgspec

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.limits import DEEPEST, MAX_DOCUMENT_BYTES, MAX_OUTPUTS
from dali_studio.core.wording import shortened
from dali_studio.graph import encode, roots
from dali_studio.graph.edits import PortRef
from dali_studio.graph.encode import FORMAT
from dali_studio.graph.files import read_file, replace_file
from dali_studio.graph.migrations import OperatorMigrations, migrate_document, migrate_operators
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions, Node, option_found
from dali_studio.graph.objects import MISSING
from dali_studio.graph.png_text import text_in
from dali_studio.graph.record import Record, digest
from dali_studio.schema.model import Device, Value
from dali_studio.schema.registry import Registry

__all__ = ["MIME", "dumps", "load", "loads", "save"]

#: Of a document in the output of a cell, which JupyterLab's extension shows.
MIME = "application/vnd.dali-studio.graph+json"

_Port = tuple[str, Annotated[int, msgspec.Meta(ge=0, lt=MAX_OUTPUTS)]]


class _NodeForm(msgspec.Struct, kw_only=True):
    key: str
    operator: str
    device: Device = "cpu"
    version: Annotated[int, msgspec.Meta(ge=1)] = 1
    arguments: dict[str, Value] = {}
    inputs: tuple[_Port | None, ...] = ()
    argument_inputs: dict[str, _Port] = {}
    objects: tuple[str, ...] = ()
    bypassed: bool = False


class _PipelineForm(GraphOptions, frozen=True, kw_only=True):
    nodes: tuple[_NodeForm, ...] = ()
    outputs: tuple[_Port, ...] = ()


class _DocumentForm(msgspec.Struct, kw_only=True):
    format: str
    version: int
    pipeline: _PipelineForm
    view: dict[str, Any] = {}
    written_by: Any = None


def dumps(graph: Graph, view: Mapping[str, Any] | None = None, registry: Registry | None = None) -> str:
    """The document as text, as `encode.dumps`; data roots stand for the folders of this machine (`roots`)."""
    return roots.named(encode.dumps(graph, view, registry), graph)


def save(
    graph: Graph, view: Mapping[str, Any] | None, path: str | os.PathLike[str], registry: Registry | None = None
) -> None:
    """Write a document so that the file is always whole: the old one or the new one, also after a crash.

    Raises
    ------
    DaliStudioError
        DS401 if a value has no JSON form, DS302 if the file cannot be written; the old file is untouched then.
    """
    text = dumps(graph, view, registry)
    try:
        replace_file(path, text)
    except OSError as error:
        message = f"{os.fspath(path)} could not be written: {error.strerror or error}."
        hint = "Choose a folder that exists and may be written."
        raise DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint, source=os.fspath(path))) from error


def load(
    path: str | os.PathLike[str], registry: Registry | None = None, migrations: OperatorMigrations | None = None
) -> tuple[Graph, dict[str, Any], tuple[Diagnostic, ...]]:
    """Read a document, also of a PNG picture that carries one; as `loads`, and DS302 if the file cannot be read."""
    name = os.fspath(path)
    if name.endswith(".py"):
        message = f"{name} is a Python program, not a document; nothing of it was run."
        hint = f"Run it with: python {name}. To make a document of its pipeline: dali-studio import {name}."
        raise DaliStudioError(Diagnostic(code="DS401", message=message, hint=hint, source=name))
    try:
        data = read_file(path, MAX_DOCUMENT_BYTES)
        text = text_in(data) or data.decode("utf-8")
    except OSError as error:
        message, hint = f"{name} could not be read: {error.strerror or error}.", "Check the path."
        raise DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint, source=name)) from error
    except UnicodeDecodeError as error:
        message = f"{name} is not a text in UTF-8 (byte {error.start})."
        raise DaliStudioError(_invalid(message, "Open a document that DALI Studio has saved.")) from error
    try:
        return loads(text, registry, migrations)
    except DaliStudioError as error:  # which of several files it is
        found = (msgspec.structs.replace(one, source=one.source or name) for one in error.diagnostics)
        raise DaliStudioError(found) from error


def loads(
    text: str, registry: Registry | None = None, migrations: OperatorMigrations | None = None
) -> tuple[Graph, dict[str, Any], tuple[Diagnostic, ...]]:
    """The graph and the view of a document, and findings that did not prevent opening it.

    Unknown operators, arguments and fields are kept as they are. With a registry, arguments written for older versions
    of operators are brought up to date.

    Raises
    ------
    DaliStudioError
        DS401 for broken JSON (with line and column), a wrong shape or a number out of bounds (with the path in the
        document), DS402 for a document of a newer version.
    """
    raw = migrate_document(_parse(roots.resolved(text.removeprefix("\ufeff"))))
    try:
        form = msgspec.convert(raw, _DocumentForm)
    except msgspec.ValidationError as error:
        reason, _, where = str(error).partition(" - at ")
        path = where.strip("`").removeprefix("$").removeprefix(".") or "the document"
        raise DaliStudioError(_invalid(f"{path}: {reason}.", "Correct this place in a text editor.")) from None
    except UnicodeEncodeError as error:  # half of a pair of UTF-16 in a text where a number or a word is expected
        message = f"The document has the text {shortened(error.object)} where another value is expected."
        raise DaliStudioError(_invalid(message, "Correct this place in a text editor.")) from None
    graph = Graph(_options(form.pipeline))
    graph.envelope = _unknown(raw, _DocumentForm)
    graph.extra = _unknown(raw["pipeline"], _PipelineForm)
    found = _fill(graph, form.pipeline, raw["pipeline"].get("nodes", []))
    graph.record = Record(form.written_by, digest(encode.pipeline_text(graph)))
    if registry is not None:
        found += migrate_operators(graph, registry, migrations or {})
    found += [_unknown_root(*one) for one in roots.missing(graph)]
    return graph, form.view, tuple(found)


def _unknown_root(node: str, argument: str, name: str) -> Diagnostic:
    message = f"This machine does not know where {name} is, of which the document reads."
    hint = f"Give the folder in the designer, or set {roots.ROOTS_VARIABLE} to {name}=FOLDER."
    return Diagnostic(code="DS302", node=node, argument=argument, severity="warning", message=message, hint=hint)


def _parse(text: str) -> dict[str, Any]:
    try:
        raw: object = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        message = f"Broken JSON in line {error.lineno}, column {error.colno}: {error.msg}."
        raise DaliStudioError(_invalid(message, "Correct this place in a text editor.")) from None
    except (ValueError, RecursionError) as error:
        raise DaliStudioError(_invalid(f"Not a document: {error}.", "Correct it in a text editor.")) from None
    if _deep(raw):
        message = f"Values are nested more than {DEEPEST} deep."
        raise DaliStudioError(_invalid(message, "Open a document that DALI Studio has saved."))
    if not isinstance(raw, dict) or cast("dict[str, Any]", raw).get("format") != FORMAT:
        message = f'This is no pipeline of DALI Studio: it has no "format": "{FORMAT}".'
        raise DaliStudioError(_invalid(message, "Open a document that DALI Studio has saved."))
    return cast("dict[str, Any]", raw)


def _object(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(fields)
    if len(made) < len(fields):  # to take the last of them would lose the others when the document is saved
        names = [name for name, _ in fields]
        twice = next(name for name in made if names.count(name) > 1)
        raise ValueError(f"{shortened(twice)} is there twice in one object")
    return made


def _deep(value: object) -> bool:
    """Whether lists and objects lie deeper inside each other than this program will follow them."""
    level = [value]
    for _ in range(DEEPEST):
        level = [part for one in level for part in _parts(one) if isinstance(part, dict | list)]
    return bool(level)


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def _invalid(message: str, hint: str) -> Diagnostic:
    return Diagnostic(code="DS401", message=message, hint=hint)


def _options(form: _PipelineForm) -> GraphOptions:
    values = {name: getattr(form, name) for name in GraphOptions.__struct_fields__}
    for name, value in values.items():
        wrong = option_found(name, value)
        if wrong is not None:
            raise DaliStudioError(_invalid(f"pipeline.{wrong.message}", wrong.hint))
    return GraphOptions(**values)


def _unknown(raw: dict[str, Any], form: type[msgspec.Struct]) -> dict[str, object]:
    return {name: value for name, value in raw.items() if name not in form.__struct_fields__}


def _fill(graph: Graph, form: _PipelineForm, raw: list[dict[str, Any]]) -> list[Diagnostic]:
    for index, (node, fields) in enumerate(zip(form.nodes, raw, strict=True)):
        if node.key in graph:
            raise DaliStudioError(_invalid(f"pipeline.nodes[{index}].key: {node.key!r} is there twice.", "Rename one."))
        graph.add_node(
            Node(
                key=node.key, operator=node.operator, device=node.device, version=node.version,
                arguments=node.arguments, objects=dict.fromkeys(node.objects, MISSING),
                bypassed=node.bypassed, extra=_unknown(fields, _NodeForm),
            )
        )  # fmt: skip
    found = [
        Diagnostic(
            code="DS304", node=node.key, argument=name, severity="warning",
            message=f"{name} was a Python object, which a document cannot hold.", hint="Give it again before running.",
        )
        for node in form.nodes for name in node.objects
    ]  # fmt: skip
    for node in form.nodes:
        for number, port in enumerate(node.inputs):
            found += _wire(graph, port, node.key, number, "") if port is not None else []
        for name, port in node.argument_inputs.items():
            found += _wire(graph, port, node.key, None, name)
    known = [port for port in form.outputs if port[0] in graph]
    graph.set_outputs(PortRef(node=key, output=output) for key, output in known)
    return found + [_dangling(port, "An output of the pipeline", "") for port in form.outputs if port not in known]


def _wire(graph: Graph, port: tuple[str, int], target: str, number: int | None, argument: str) -> list[Diagnostic]:
    if port[0] not in graph:
        return [_dangling(port, argument if number is None else f"input {number + 1}", target)]
    graph.connect(PortRef(node=port[0], output=port[1]), target, number, argument)
    return []


def _dangling(port: tuple[str, int], where: str, node: str) -> Diagnostic:
    message = f"{where} is fed by {port[0]!r}, which is not in the document; the wire was left out."
    return Diagnostic(code="DS209", message=message, hint="Wire it again.", node=node)
