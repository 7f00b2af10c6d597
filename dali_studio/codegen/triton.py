"""Models for Triton's DALI backend: a program that the server serializes itself, and the model's configuration."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dali_studio.codegen.names import identifier
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.validate import validate
from dali_studio.schema.registry import Registry

#: Where the backend looks for the program, below the model's folder.
PROGRAM, CONFIG = "1/dali.py", "config.pbtxt"
_INPUT = "external_source"
_TYPES = {
    DALIDataType.BOOL: "BOOL", DALIDataType.UINT8: "UINT8", DALIDataType.UINT16: "UINT16",
    DALIDataType.UINT32: "UINT32", DALIDataType.UINT64: "UINT64", DALIDataType.INT8: "INT8",
    DALIDataType.INT16: "INT16", DALIDataType.INT32: "INT32", DALIDataType.INT64: "INT64",
    DALIDataType.FLOAT16: "FP16", DALIDataType.FLOAT: "FP32", DALIDataType.FLOAT64: "FP64",
}  # fmt: skip


def served(graph: Graph, registry: Registry) -> tuple[Graph, list[Diagnostic]]:
    """The graph that a server runs: what readers of files read comes from requests.

    Outputs that only the reader knows, such as labels, are left out.

    Returns
    -------
    Graph
    list of Diagnostic
        What was changed; errors where something else depends on what only the reader knows.
    """
    result, found = graph.copy(), list[Diagnostic]()
    for node in graph.nodes():
        if node.operator not in registry or registry.schema(node.operator).role != "reader":
            continue
        if registry.schema(node.operator).outputs[0].kind != "encoded":
            found.append(_finding(
                node.key, f"{node.key} reads what no request brings.", "Replace it by an external_source."
            ))  # fmt: skip
            continue
        needed = [wire for wire in graph.wires() if wire.source.node == node.key and wire.source.output]
        if needed:
            found.append(_finding(
                node.key, f"{needed[0].target} takes an output of {node.key} that no request brings.",
                "Feed it by an external_source, or leave it out.",
            ))  # fmt: skip
            continue
        dropped = [port for port in result.outputs if port.node == node.key and port.output]
        result.replace_node(
            Node(key=node.key, operator=_INPUT, arguments={"dtype": DALIDataType.UINT8.name, "ndim": 1})
        )
        result.set_outputs([port for port in result.outputs if port not in dropped])
        without = f"; without {len(dropped)} output{'s' if len(dropped) > 1 else ''} of it" if dropped else ""
        message = f"Requests bring the files that {node.key} reads{without}."
        hint = "Pad the files of a request with zeros to one length."
        found.append(Diagnostic(code="DS501", severity="info", node=node.key, message=message, hint=hint))
    return result, found


def model_config(graph: Graph, registry: Registry) -> tuple[str, list[Diagnostic]]:
    """The text of a model's ``config.pbtxt``, in protobuf's text format, and what it lacks.

    Parameters
    ----------
    graph
        As `served` gives it. Inputs are its external sources, by name; outputs are called ``OUTPUT_0`` and so on.
    """
    found = list[Diagnostic]()
    metas = validate(graph, registry).metas
    run = graph.reachable(registry=registry)
    sources = [node.key for node in graph.nodes() if node.key in run and node.operator == _INPUT]
    if not sources:
        found.append(_finding("", "The pipeline takes nothing from requests.", "Add an external_source."))
    for key in sources:
        if graph.node(key).arguments.get("num_outputs") is not None:
            found.append(_finding(
                key, f"{key} has num_outputs; an input of a model is one tensor.", "Add an external_source for each."
            ))  # fmt: skip
    lines = [
        f'name: "{identifier(graph.options.name)}"', 'backend: "dali"', f"max_batch_size: {graph.options.batch_size}"
    ]
    inputs = [(key, PortRef(node=key), "Give it dtype and ndim.") for key in sources]
    hint = "Convert it by a cast, or a reshape, that tells it."
    outputs = [(f"OUTPUT_{number}", port, hint) for number, port in enumerate(graph.outputs)]
    for what, ports in (("input", inputs), ("output", outputs)):
        for name, port, hint in ports:
            lines += _tensor(what, name, metas.get(port, TensorMeta()))
            if not _known(metas.get(port, TensorMeta())):
                message = f"Type and number of axes of {port.node} are not known, which the configuration says."
                found.append(_finding(port.node, message, hint))
    if graph.options.device_id is None:
        lines += _block("instance_group", ["kind: KIND_CPU"])
    return "\n".join(lines) + "\n", found


def _known(meta: TensorMeta) -> bool:
    return meta.ndim is not None and meta.dtype in _TYPES


def _tensor(what: str, name: str, meta: TensorMeta) -> list[str]:
    kind = _TYPES.get(meta.dtype, "INVALID") if meta.dtype else "INVALID"
    dims = ", ".join(["-1"] * meta.ndim if meta.ndim else ["1"])
    items = [f"name: {json.dumps(name, ensure_ascii=False)}", f"data_type: TYPE_{kind}", f"dims: [ {dims} ]"]
    if meta.ndim == 0:  # dims cannot be empty
        items.append("reshape: { shape: [ ] }")
    return _block(what, items)


def _block(name: str, items: Sequence[str]) -> list[str]:
    return [f"{name} [", "  {", *(f"    {item}" for item in items), "  }", "]"]


def _finding(node: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code="DS501", node=node, message=message, hint=hint)
