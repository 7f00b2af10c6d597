"""What a document tells of its writer: the version of the engine, and in which form it had each operator.

A document holds only arguments that are not the defaults, so another default changes what it computes without a change
of its text. Data and code have no hash: data may change without the document, and the text of a code node is in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

import msgspec

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.version import __version__
from dali_studio.graph.model import Graph
from dali_studio.schema.model import OperatorSchema
from dali_studio.schema.registry import Registry

_ENGINE, _OPERATORS = "dali_studio", "operators"


class Record(NamedTuple):
    """What a document said of its writer, if anything, and the digest of the pipeline of which it did."""

    said: object
    digest: str


def digest(pipeline: str) -> str:
    """What tells the text of a document's pipeline from others."""
    return hashlib.sha256(pipeline.encode()).hexdigest()


def form_of(schema: OperatorSchema) -> str:
    """The version of an operator's arguments, and a hash of what a document relies on: neither words nor ranges."""
    relied = (
        [(one.name, one.optional, one.repeated) for one in schema.inputs],
        [(one.name, one.of_input) for one in schema.outputs],
        sorted((one.name, one.type, repr(one.default), one.required, one.per_output) for one in schema.arguments),
    )
    return f"{schema.version}-{hashlib.sha256(msgspec.json.encode(relied)).hexdigest()[:8]}"


def written_by(graph: Graph, pipeline: str, registry: Registry) -> object:
    """What the document of `graph` says of its writer: as it was read, as long as its pipeline is what was read."""
    if graph.record is not None and graph.record.digest == digest(pipeline):
        return graph.record.said
    known = {node.operator for node in graph.nodes() if node.operator in registry}
    return {_ENGINE: __version__, _OPERATORS: {name: form_of(registry.schema(name)) for name in known}}


def written_otherwise(graph: Graph, registry: Registry) -> tuple[Diagnostic, ...]:
    """One warning if operators are not what they were for the writer of the document that `graph` was read from."""
    said = graph.record.said if graph.record is not None else None
    if not isinstance(said, Mapping):
        return ()
    fields = cast("Mapping[str, Any]", said)
    used = {node.operator for node in graph.nodes()}
    names = sorted(used.intersection(_changed(fields.get(_OPERATORS), registry)))
    if not names:
        return ()
    engine = fields.get(_ENGINE)
    version = engine[:20] if isinstance(engine, str) else "of an unknown version"
    message = (
        f"dali_studio {version} wrote the document, with other inputs, arguments or defaults of "
        f"{', '.join(names)} than are installed here (dali_studio {__version__})."
    )
    hint = "Look at what these nodes give. The next change of the pipeline that is saved records what is installed."
    return (Diagnostic(code="DS403", severity="warning", message=message, hint=hint),)


def _changed(forms: object, registry: Registry) -> Iterator[str]:
    """Operators in another form of the same version; between versions, migrations lead."""
    for name, form in cast("Mapping[str, object]", forms).items() if isinstance(forms, Mapping) else ():
        if name in registry and isinstance(form, str):
            now = form_of(registry.schema(name))
            if form != now and form.partition("-")[0] == now.partition("-")[0]:
                yield name
