"""Applying edits: pure, all or nothing, and with the edits that take everything back."""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast

import msgspec

from dali_studio.core.diagnostics import ArgumentError, DaliStudioError, Diagnostic, errors
from dali_studio.core.wording import nearest
from dali_studio.graph import checks
from dali_studio.graph.bypass import needed
from dali_studio.graph.edits import (
    AddNode,
    Connect,
    Disconnect,
    Edit,
    PortRef,
    RemoveNode,
    Rename,
    SetArgument,
    SetBypass,
    SetDevice,
    SetOutputs,
    SetPipeline,
)
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions, Node, Wire, option_found, slot
from dali_studio.graph.validate import KnownTypes, port_missing
from dali_studio.graph.wiring import wire_findings
from dali_studio.schema.model import OperatorSchema, Value
from dali_studio.schema.registry import Registry
from dali_studio.schema.values import canonical

#: Names that emitted programs import.
RESERVED = ("fn", "types", "pipeline_def")


@dataclass(frozen=True, slots=True)
class RestoreNode:
    """Takes a removal back: the node with its objects, its place in the order, its wires and the outputs of that time.

    Never leaves Python, for objects have no JSON form.
    """

    node: Node
    position: int
    wires: tuple[Wire, ...]
    outputs: tuple[PortRef, ...]


@dataclass(frozen=True, slots=True)
class ReplaceNode:
    """Exchanges the content of the node of the same key, objects included. Never leaves Python."""

    node: Node


AnyEdit = Edit | RestoreNode | ReplaceNode


def apply(
    graph: Graph, edits: Sequence[AnyEdit], registry: Registry, *, check: bool = True
) -> tuple[Graph, tuple[AnyEdit, ...]]:
    """The graph after `edits`, and the edits that lead back.

    Parameters
    ----------
    graph
        Stays as it is.
    check
        Whether values, wires and names must be acceptable. History takes steps back without: what an opened document
        held before an edit may be faulty, and must come back all the same.

    Raises
    ------
    DaliStudioError
        With the findings of the first edit that cannot be done.
    """
    result = graph.copy()
    context = _Context(result, registry, check, KnownTypes(result, registry))
    inverse: list[list[AnyEdit]] = []
    for edit in edits:
        for key in _touched(edit, result):
            context.types.forget(key)
        inverse.append(_HANDLERS[type(edit)](context, edit))
    return result, tuple(back for one in reversed(inverse) for back in one)


def _touched(edit: AnyEdit, graph: Graph) -> Iterable[str]:
    """The nodes from which on an edit may change the types of outputs."""
    match edit:
        case AddNode() | SetOutputs():
            return ()
        case SetPipeline():
            return graph
        case Connect() | Disconnect():
            return (edit.target,)
        case RestoreNode():
            return [wire.target for wire in edit.wires]
        case ReplaceNode():
            return (edit.node.key,)
        case _:
            return (edit.key,)


@dataclass(frozen=True, slots=True)
class _Context:
    graph: Graph
    registry: Registry
    check: bool
    types: KnownTypes


def _refuse(code: str, message: str, hint: str, *, node: str = "", argument: str = "") -> NoReturn:
    raise DaliStudioError(Diagnostic(code=code, message=message, hint=hint, node=node, argument=argument))


# ------------------------------------------------------------------------------------------------------------- nodes


def _add_node(context: _Context, edit: AddNode) -> list[AnyEdit]:
    graph, registry = context.graph, context.registry
    node = Node(key=edit.key, operator=edit.operator, device=edit.device)
    if context.check:
        check_key(edit.key)
    schema = _schema(registry, node)
    values = {
        name: _canonical(node, schema, name, value) for name, value in edit.arguments.items() if value is not None
    }
    like = graph.node(edit.like) if edit.like in graph else None
    objects = dict(like.objects) if like is not None and like.operator == edit.operator else {}
    graph.add_node(replace(node, arguments=values, objects=objects, version=schema.version))
    return [RemoveNode(key=edit.key)]


def check_key(key: str) -> None:
    """Raise DS209 unless `key` can be a variable of an emitted program."""
    if not key.isidentifier() or keyword.iskeyword(key) or key in RESERVED:
        message = f"{key!r} cannot name a node, because names become variables of the Python program."
        hint = "Use letters, digits and underscores, not starting with a digit, and no word of the language."
        _refuse("DS209", message, hint, node=key)


def _schema(registry: Registry, node: Node) -> OperatorSchema:
    if node.operator not in registry:
        raise DaliStudioError(registry.unknown(node.operator, node.key))
    return registry.schema(node.operator)


def _canonical(node: Node, schema: OperatorSchema, name: str, value: Value) -> Value:
    argument = schema.argument(name)
    if argument is None:
        raise DaliStudioError(checks.unknown_argument(node, schema, name))
    if argument.type == "object":
        _refuse("DS104", f"{name} takes a Python object, which an edit cannot carry.",
                "Give it where the pipeline is built.", node=node.key, argument=name)  # fmt: skip
    try:
        result = canonical(argument, value)
    except ArgumentError as error:
        raise DaliStudioError(checks.from_error(node, error)) from None
    items = result if isinstance(result, tuple) else (result,)
    if any(isinstance(item, float) and math.isnan(item) for item in items):
        _refuse("DS105", f"{name} is not a number (NaN).", "Give a number.", node=node.key, argument=name)
    return result


def _remove_node(context: _Context, edit: RemoveNode) -> list[AnyEdit]:
    graph = context.graph
    node, outputs = graph.node(edit.key), graph.outputs
    place, wires = graph.remove_node(edit.key)
    return [RestoreNode(node, place, tuple(wires), outputs)]


def _restore_node(context: _Context, edit: RestoreNode) -> list[AnyEdit]:
    context.graph.insert_node(edit.node, edit.position, edit.wires)
    context.graph.set_outputs(edit.outputs)
    return [RemoveNode(key=edit.node.key)]


def _replace_node(context: _Context, edit: ReplaceNode) -> list[AnyEdit]:
    before = context.graph.node(edit.node.key)
    context.graph.replace_node(edit.node)
    return [ReplaceNode(before)]


def _rename(context: _Context, edit: Rename) -> list[AnyEdit]:
    graph, old, new = context.graph, edit.key, edit.new_key
    node, outputs = graph.node(old), graph.outputs
    if context.check:
        check_key(new)
    if new in graph and new != old:
        _refuse("DS208", f"A node called {new!r} exists already.", "Choose another name.", node=old)

    def port(ref: PortRef) -> PortRef:
        return PortRef(node=new, output=ref.output) if ref.node == old else ref

    place, wires = graph.remove_node(old)
    ends = [one._replace(source=port(one.source), target=new if one.target == old else one.target) for one in wires]
    graph.insert_node(replace(node, key=new), place, ends)
    graph.set_outputs(port(ref) for ref in outputs)
    return [Rename(key=new, new_key=old)]


def _set_device(context: _Context, edit: SetDevice) -> list[AnyEdit]:
    node = context.graph.node(edit.key)
    context.graph.replace_node(replace(node, device=edit.device))
    return [SetDevice(key=edit.key, device=node.device)]


def _set_bypass(context: _Context, edit: SetBypass) -> list[AnyEdit]:
    node = context.graph.node(edit.key)
    reason = needed(context.graph, context.registry, edit.key) if context.check and edit.bypassed else ""
    if reason:
        _refuse("DS304", reason, "Remove it, or leave out another node.", node=edit.key)
    context.graph.replace_node(replace(node, bypassed=edit.bypassed))
    return [SetBypass(key=edit.key, bypassed=node.bypassed)]


def _set_argument(context: _Context, edit: SetArgument) -> list[AnyEdit]:
    node, name = context.graph.node(edit.key), edit.argument
    value = edit.value
    if context.check and not edit.unset:
        value = _canonical(node, _schema(context.registry, node), name, value)
    arguments = {other: kept for other, kept in node.arguments.items() if other != name}
    if not edit.unset and value is not None:
        arguments[name] = value
    objects = {other: kept for other, kept in node.objects.items() if other != name}
    context.graph.replace_node(replace(node, arguments=arguments, objects=objects))
    if name in node.objects or node.arguments.get(name, 0) is None:
        return [ReplaceNode(node)]
    before = node.arguments.get(name)
    return [SetArgument(key=edit.key, argument=name, value=before, unset=before is None)]


# ------------------------------------------------------------------------------------------------------------- wires


def _connect(context: _Context, edit: Connect) -> list[AnyEdit]:
    graph = context.graph
    slot(edit.input, edit.argument)
    graph.node(edit.source.node)
    graph.node(edit.target)
    if context.check:
        found = errors(wire_findings(graph, edit, context.registry, context.types))
        if found:
            raise DaliStudioError(found)
    before = graph.disconnect(edit.target, edit.input, edit.argument)
    graph.connect(edit.source, edit.target, edit.input, edit.argument)
    if before is None:
        return [Disconnect(target=edit.target, input=edit.input, argument=edit.argument)]
    return [Connect(source=before, target=edit.target, input=edit.input, argument=edit.argument)]


def _disconnect(context: _Context, edit: Disconnect) -> list[AnyEdit]:
    graph = context.graph
    graph.node(edit.target)
    before = graph.disconnect(edit.target, edit.input, edit.argument)
    if before is None:
        where = f"input {edit.input + 1}" if edit.input is not None else edit.argument
        _refuse(
            "DS209", f"Nothing is wired to {where}.", "Choose a wire that exists.", node=edit.target, argument=where
        )
    return [Connect(source=before, target=edit.target, input=edit.input, argument=edit.argument)]


# ---------------------------------------------------------------------------------------------------------- pipeline


def _set_outputs(context: _Context, edit: SetOutputs) -> list[AnyEdit]:
    before = context.graph.outputs
    for port in edit.outputs if context.check else ():
        missing = port_missing(context.graph, context.registry, port)
        if missing:
            _refuse("DS209", missing[0].upper() + missing[1:], "Choose another output.", node=port.node)
    context.graph.set_outputs(edit.outputs)
    return [SetOutputs(outputs=before)]


def _set_pipeline(context: _Context, edit: SetPipeline) -> list[AnyEdit]:
    options, name = context.graph.options, edit.option
    known = [field.name for field in msgspec.structs.fields(GraphOptions)]
    if name not in known:
        near = nearest(name, known)
        hint = f"Did you mean {near!r}?" if near else f"Options: {', '.join(known)}."
        _refuse("DS102", f"A pipeline has no option {name!r}.", hint, argument=name)
    value = int(edit.value) if isinstance(edit.value, float) and edit.value.is_integer() else edit.value
    found = option_found(name, value) if context.check else None
    if found is not None:
        raise DaliStudioError(found)
    context.graph.options = msgspec.structs.replace(options, **{name: value})
    return [SetPipeline(option=name, value=cast(Value, getattr(options, name)))]


_HANDLERS: dict[type, Callable[[_Context, Any], list[AnyEdit]]] = {
    AddNode: _add_node, RemoveNode: _remove_node, SetArgument: _set_argument, Connect: _connect,
    Disconnect: _disconnect, Rename: _rename, SetDevice: _set_device, SetBypass: _set_bypass,
    SetOutputs: _set_outputs,
    SetPipeline: _set_pipeline, RestoreNode: _restore_node, ReplaceNode: _replace_node,
}  # fmt: skip
