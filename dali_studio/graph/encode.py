"""From a graph to the text of a document: sorted keys, one node a line, no noise in differences."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any, cast

import msgspec

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import PortRef
from dali_studio.graph.migrations import VERSION
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.record import written_by
from dali_studio.schema.registry import Registry

#: What a document calls itself.
FORMAT = "dali-studio"


def dumps(graph: Graph, view: Mapping[str, Any] | None = None, registry: Registry | None = None) -> str:
    """The document as text, with a line break at its end.

    Parameters
    ----------
    view
        Positions, zoom, selection: JSON values that only the designer reads. Numbers are rounded to 1/100.
    registry
        What is told of the writer (`record`) is told of its operators; ``None``: nothing is told.

    Raises
    ------
    DaliStudioError
        DS401 if a value has no JSON form (NaN, or objects in `view` or in unknown fields).
    """
    try:
        return _document(graph, view, registry) + "\n"
    except RecursionError:
        raise _unwritable("document", "values are nested too deep") from None


def pipeline_text(graph: Graph) -> str:
    """The pipeline's part of a document."""
    pipeline = {**graph.extra, **msgspec.structs.asdict(graph.options)}
    pipeline["nodes"] = [_node(graph, node) for node in graph.nodes()]
    pipeline["outputs"] = [_port(port) for port in graph.outputs]
    return _block(pipeline, 1, "document.pipeline")


def _document(graph: Graph, view: Mapping[str, Any] | None, registry: Registry | None) -> str:
    pipeline = pipeline_text(graph)
    fields = {**graph.envelope, "format": FORMAT, "version": VERSION, "view": _rounded(dict(view or {}))}
    writer = written_by(graph, pipeline, registry) if registry is not None else None
    if writer is not None:
        fields["written_by"] = writer
    texts = {name: _block(value, 1, f"document.{name}") for name, value in fields.items()}
    texts["pipeline"] = pipeline
    return "{\n" + ",\n".join(f"  {_text(name)}: {texts[name]}" for name in sorted(texts)) + "\n}"


def _node(graph: Graph, node: Node) -> dict[str, Any]:
    fields: dict[str, Any] = {
        **node.extra, "key": node.key, "operator": node.operator, "device": node.device, "version": node.version,
    }  # fmt: skip
    lists: dict[str, Any] = {
        "arguments": dict(node.arguments),
        "inputs": [None if port is None else _port(port) for port in graph.inputs(node.key)],
        "argument_inputs": {name: _port(port) for name, port in graph.argument_inputs(node.key).items()},
        "objects": sorted(node.objects),
        "bypassed": node.bypassed,
    }
    return {**fields, **{name: value for name, value in lists.items() if value}}


def _port(port: PortRef) -> list[Any]:
    return [port.node, port.output]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 2) if math.isfinite(value) else value
    if isinstance(value, Mapping):
        return {str(k): _rounded(v) for k, v in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_rounded(v) for v in cast("Sequence[object]", value)]
    return value


#: Objects and lists at these places are spread over lines; everything below stays on one line.
_SPREAD = (
    "document.pipeline", "document.pipeline.nodes", "document.view", "document.view.positions",
    "document.written_by", "document.written_by.operators",
)  # fmt: skip


def _block(value: Any, depth: int, path: str) -> str:
    if path not in _SPREAD or not isinstance(value, dict | list) or not value:
        return _line(value, path)
    inner, outer = "  " * (depth + 1), "  " * depth
    if isinstance(value, list):
        items = [_block(item, depth + 1, f"{path}[{i}]") for i, item in enumerate(cast("list[object]", value))]
        opening, closing = "[]"
    else:
        fields = cast("dict[str, object]", value)
        items = [f"{_text(name)}: {_block(fields[name], depth + 1, f'{path}.{name}')}" for name in sorted(fields)]
        opening, closing = "{}"
    return opening + "\n" + ",\n".join(inner + item for item in items) + "\n" + outer + closing


def _line(value: Any, path: str) -> str:
    if value is None or isinstance(value, bool | int | str):
        return _text(value)
    if isinstance(value, float):
        return _number(value, path)
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        return "{" + ", ".join(f"{_text(k)}: {_line(fields[k], f'{path}.{k}')}" for k in sorted(fields)) + "}"
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        return "[" + ", ".join(_line(item, f"{path}[{i}]") for i, item in enumerate(items)) + "]"
    raise _unwritable(path, f"a {type(value).__name__} has no JSON form")


def _number(value: float, path: str) -> str:
    if math.isnan(value):
        raise _unwritable(path, "NaN is not a number")
    if math.isinf(value):
        return "1e999" if value > 0 else "-1e999"  # JSON has no word for infinity, but every reader overflows to it
    return repr(value)


def _text(value: str | float | None) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    text = encode_basestring(value)
    return text if text.isascii() else _LONE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


#: Halves of UTF-16 pairs: names of files that are not UTF-8 have them, but no file in UTF-8 can hold them as they are.
_LONE = re.compile("[\ud800-\udfff]")


def _unwritable(path: str, reason: str) -> DaliStudioError:
    return DaliStudioError(
        Diagnostic(code="DS401", message=f"{path} cannot be written: {reason}.", hint="Give another value.")
    )
