"""Findings about single nodes: operator, arguments, inputs, placement. Wires' types are the business of `validate`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from dali_studio.core.diagnostics import ArgumentError, Diagnostic, Severity
from dali_studio.core.dtypes import ENUMERATIONS
from dali_studio.core.meta import TensorMeta
from dali_studio.core.wording import nearest, shortened
from dali_studio.graph.model import Graph, GraphOptions
from dali_studio.graph.node import Node
from dali_studio.graph.objects import MISSING
from dali_studio.graph.written import ForeignFunction
from dali_studio.schema.model import ArgumentSchema, OperatorSchema, OutputSchema, Value
from dali_studio.schema.registry import Registry
from dali_studio.schema.values import canonical


def finding(
    node: Node,
    code: str,
    message: str,
    hint: str = "",
    *,
    argument: str = "",
    severity: Severity = "error",
    detail: str = "",
) -> Diagnostic:
    """A diagnostic that points at `node` and at the call that made it."""
    return Diagnostic(code=code, message=message, hint=hint, node=node.key, argument=argument, severity=severity,
                      source=node.origin, detail=detail)  # fmt: skip


def on_its_device(node: Node, metas: tuple[TensorMeta, ...]) -> tuple[TensorMeta, ...]:
    """The types of a node's results; refuses those that there are on the CPU alone."""
    for meta in metas:
        if node.device != "cpu" and meta.dtype in ENUMERATIONS:
            raise ArgumentError(
                f"{meta.dtype.name} is not supported on the GPU: it feeds arguments, which are read on the CPU.",
                hint="Place it on the CPU, or cast it to INT32.", code="DS207",
            )  # fmt: skip
    return metas


def from_error(node: Node, error: ArgumentError) -> Diagnostic:
    """The finding for what an operator (or `canonical`) raised."""
    return Diagnostic(code=error.code, message=error.message, hint=error.hint, node=node.key, argument=error.argument,
                      sample=error.sample, source=node.origin)  # fmt: skip


def unknown_argument(node: Node, schema: OperatorSchema, name: str) -> Diagnostic:
    """DS102; the hint names the nearest argument."""
    known = [argument.name for argument in schema.arguments]
    near = nearest(name, known)
    hint = f"Did you mean {near!r}?" if near else f"Arguments: {', '.join(known)}."
    return finding(node, "DS102", f"{node.operator} has no argument {shortened(name)}.", hint, argument=name)


def output_schemas(graph: Graph, key: str, registry: Registry) -> tuple[OutputSchema, ...] | None:
    """A node's outputs under its arguments and inputs; ``None`` for an unknown operator.

    Arguments that are wrong in themselves have findings of their own; the schema's plain outputs stand in then.
    """
    node = graph.node(key)
    if node.operator not in registry:
        return None
    values, wired = clean_values(node, registry.schema(node.operator)), len(graph.inputs(key))
    try:
        return registry.outputs(node.operator, values, wired)
    except (ArgumentError, TypeError, ValueError, KeyError):
        return registry.schema(node.operator).outputs


def clean_values(node: Node, schema: OperatorSchema) -> dict[str, Value]:
    """The arguments that are set, known and acceptable, in canonical form."""
    known = cast("tuple[OperatorSchema, dict[str, Value]] | None", node.known.get("values"))
    if known is None or known[0] is not schema:
        known = schema, _clean_values(node, schema)
        node.known["values"] = known
    return dict(known[1])


def _clean_values(node: Node, schema: OperatorSchema) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for name, value in node.arguments.items():
        argument = schema.argument(name)
        if argument is None or value is None:
            continue
        try:
            values[name] = canonical(argument, value)
        except ArgumentError:
            continue
    return values


def check_node(graph: Graph, node: Node, schema: OperatorSchema) -> list[Diagnostic]:
    """Every finding about a node of a known operator, wires' types aside."""
    found = _placement(node, schema, graph.options)
    for name, value in node.arguments.items():
        found += _value(node, schema, name, value)
    for name, value in node.objects.items():
        found += _object(node, schema, name, value)
    return found + _missing_arguments(graph, node, schema) + _inputs(graph, node, schema)


def _placement(node: Node, schema: OperatorSchema, options: GraphOptions) -> list[Diagnostic]:
    if node.device not in schema.devices:
        accepted = " or ".join(schema.devices)
        message = f"{node.operator} runs on {accepted}; {node.device} was given."
        return [finding(node, "DS206", message, f"Set its device to {accepted}.", argument="device")]
    if node.device != "cpu" and options.device_id is None:
        copied = schema.role == "copy"
        what = "It copies to a GPU (.gpu())" if copied else f"It is placed on a GPU (device {node.device!r})"
        out = "take the copy (.gpu()) away" if copied else "place the node on the cpu"
        message = f"{what}, but the pipeline has no GPU (device_id is None)."
        return [finding(node, "DS206", message, f"Set device_id to the GPU's number, or {out}.", argument="device")]
    return []


def _value(node: Node, schema: OperatorSchema, name: str, value: Value) -> list[Diagnostic]:
    argument = schema.argument(name)
    if argument is None:
        return [unknown_argument(node, schema, name)]
    if value is None:
        return []
    try:
        given = canonical(argument, value)
    except ArgumentError as error:
        return [from_error(node, error)]
    return _support(node, argument, same=given == argument.default)


def _object(node: Node, schema: OperatorSchema, name: str, value: object) -> list[Diagnostic]:
    argument = schema.argument(name)
    if argument is None:
        return [unknown_argument(node, schema, name)]
    if value is MISSING:
        message = f"{name} was a Python object, which a document cannot hold."
        return [finding(node, "DS304", message, f"Give {name} again before running.", argument=name)]
    if isinstance(value, ForeignFunction):
        message = f"{name} is code that came with the document. It does not run before you trust it."
        return [finding(node, "DS304", message, "Read it in the inspector, then trust it.", argument=name)]
    return _support(node, argument, same=False)


def _support(node: Node, argument: ArgumentSchema, *, same: bool) -> list[Diagnostic]:
    """Findings for an argument that was given; `same`: with its default value."""
    found: list[Diagnostic] = []
    if argument.deprecated:
        message = f"{argument.name} is deprecated."
        found.append(finding(node, "DS106", message, f"Use {argument.deprecated} instead.", argument=argument.name,
                             severity="warning"))  # fmt: skip
    if same or argument.support == "used":
        return found
    if argument.support == "refused":
        message = f"{argument.name} is not supported: {argument.reason}."
        hint = "Leave it unset." if argument.default is None else f"Leave it at {argument.default!r}."
        return [*found, finding(node, "DS106", message, hint, argument=argument.name)]
    message = f"{argument.name} has no effect here: {argument.reason}."
    return [*found, finding(node, "DS106", message, argument=argument.name, severity="info")]


def _missing_arguments(graph: Graph, node: Node, schema: OperatorSchema) -> list[Diagnostic]:
    given = {*graph.argument_inputs(node.key), *node.objects}
    given |= {name for name, value in node.arguments.items() if value is not None}
    missing = [one for one in schema.arguments if one.required and one.name not in given]
    read = [one.name for one in missing if schema.role == "reader" and one.widget in ("path", "files")]
    if read:  # the rest is asked for when that is there
        names = " and ".join(read)
        message = f"nothing to read: {names} {'is' if len(read) == 1 else 'are'} not set."
        hint = f"Give {names}, such as {read[0]}='/data/photos'."
        return [finding(node, "DS103", message, hint, argument=read[0])]
    return [
        finding(
            node, "DS103", f"{node.key} needs {argument.name}.",
            "Give it in the program." if argument.type == "object"
            else "Set a value or feed it by a wire." if argument.tensor else "Set a value.", argument=argument.name,
        )
        for argument in missing
    ]  # fmt: skip


def _inputs(graph: Graph, node: Node, schema: OperatorSchema) -> list[Diagnostic]:
    wired = graph.inputs(node.key)
    found: list[Diagnostic] = []
    for index in range(max(schema.least_inputs, min(len(wired), schema.most_inputs))):
        declared = schema.input(index)
        if declared is not None and (wired[index] if index < len(wired) else None) is None:
            name = schema.input_name(index)  # a later input is wired, or it is needed: there may be no gap
            message = f"{node.key} needs {name if name.startswith('input ') else f'its input {name}'}."
            found.append(finding(node, "DS201", message, f"Wire {_wanted(declared.kind)} to it.", argument=name))
    for index in range(schema.most_inputs, len(wired)):
        if wired[index] is not None:
            message = f"Input {index + 1} is wired, but {node.operator} has {schema.most_inputs} inputs."
            found.append(finding(node, "DS202", message, "Cut the wire.", argument=f"input {index + 1}"))
    return found


def _wanted(kind: str) -> str:
    return "an output" if kind == "any" else "encoded bytes" if kind == "encoded" else f"{kind} data"


def check_devices(node: Node, schema: OperatorSchema, sources: Mapping[str, tuple[str, str]]) -> list[Diagnostic]:
    """Whether positional inputs lie where the operator reads them.

    Parameters
    ----------
    sources
        Input name to (key of the source, device of its output).
    """
    if schema.role == "copy":
        return []
    wanted = "gpu" if node.device == "gpu" else "cpu"
    either = {
        declared.name for declared in schema.inputs
        if declared.shape_only or (declared.either_device and wanted == "gpu")
    }  # fmt: skip
    place = f"Place {node.key} on the GPU, or copy" if wanted == "cpu" and "gpu" in schema.devices else "Copy"
    return [
        finding(
            node, "DS207", f"{source} lies on the {device.upper()}; {node.key} on the {node.device.upper()} reads "
            f"{name} from the {wanted.upper()}.", f"{place} {source} to the {wanted.upper()} with .{wanted}().",
            argument=name,
        )
        for name, (source, device) in sources.items() if device != wanted and name.partition("[")[0] not in either
    ]  # fmt: skip
