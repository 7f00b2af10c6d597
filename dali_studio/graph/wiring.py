"""Whether a wire may be drawn into a graph."""

from __future__ import annotations

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph import checks
from dali_studio.graph.edits import Connect
from dali_studio.graph.fit import argument_misfits, input_misfits
from dali_studio.graph.model import Graph
from dali_studio.graph.node import cycle_found
from dali_studio.graph.validate import KnownTypes, port_missing
from dali_studio.schema.registry import Registry


def wire_findings(graph: Graph, edit: Connect, registry: Registry, types: KnownTypes) -> list[Diagnostic]:
    """Why the wire cannot be drawn; empty if it can. Layouts may still be repaired upstream and do not prevent it."""
    target = graph.node(edit.target)
    if target.operator not in registry:
        return [registry.unknown(target.operator, target.key)]
    schema = registry.schema(target.operator)
    missing = port_missing(graph, registry, edit.source)
    if missing:
        return [checks.finding(target, "DS209", missing[0].upper() + missing[1:], "Wire another output.")]
    if edit.source.node == edit.target or edit.source.node in graph.descendants(edit.target):
        return [cycle_found(graph.path(edit.target, edit.source.node))]
    meta = types.of(edit.source)
    if edit.input is None:
        argument = schema.argument(edit.argument)
        if argument is None:
            return [checks.unknown_argument(target, schema, edit.argument)]
        return argument_misfits(target, edit.source, meta, argument)
    declared = schema.input(edit.input) if edit.input >= 0 else None
    if declared is None:
        count = schema.most_inputs
        message = f"{target.operator} has {count} inputs; number {edit.input} was given."
        return [checks.finding(target, "DS202", message, f"Use 0 to {count - 1}." if count else "Feed an argument.")]
    name = schema.input_name(edit.input)
    return input_misfits(target, edit.source, meta, declared, registry, name, layouts=False)
