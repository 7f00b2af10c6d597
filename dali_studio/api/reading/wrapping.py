"""A step behind one that is made within an ``if``: its call is written around the expression of that one."""

from __future__ import annotations

import ast

from dali_studio.api.default import default_registry
from dali_studio.api.reading.patches import Patches
from dali_studio.api.reading.text import ProgramText, is_simple
from dali_studio.codegen.calls import Writer
from dali_studio.codegen.dialects import find
from dali_studio.codegen.names import Names
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph

#: Stands for what the new call is written around.
_INNER = "_inner"


def wrapped(source: ProgramText, graph: Graph) -> ProgramText:
    """The text with one of the new steps of `graph`, which alone takes what a step within an ``if`` gives.

    The very same text where there is none, or where it would say more than the graph.
    """
    for key in graph.order():
        port = _behind(source, graph, key)
        if port is not None:
            made = ProgramText(_around(source, graph, key, port))
            return made if len(made.graph) <= len(graph) else source
    return source


def _behind(source: ProgramText, graph: Graph, key: str) -> PortRef | None:
    """What a new step takes of one within a statement of several, if nothing else takes it."""
    wires = graph.wires(key)
    if key in source.graph or len(wires) != 1 or graph.node(key).operator not in default_registry():
        return None
    (wire,) = wires
    port = wire.source
    if port.output or port in graph.outputs or [one for one in graph.wires() if one.source == port] != [wire]:
        return None
    step = next((one for one in source.steps if port.node in one.made), None)
    return port if step is not None and not is_simple(step) and port.node in source.spans else None


def _around(source: ProgramText, graph: Graph, key: str, port: PortRef) -> str:
    registry, dialect = default_registry(), find(source.dialect)
    made = [one for one in (graph.node(key), graph.node(port.node)) if one.operator in registry]
    outputs = {one.key: registry.outputs(one.operator, one.arguments, len(graph.inputs(one.key))) for one in made}
    names = Names(ports={port: _INNER, PortRef(node=key): ""})
    writer = Writer(graph, registry, dialect, names, outputs, frozenset(outputs))
    writer.defined([port])
    (statement,) = writer.statements(key)
    assert isinstance(statement, ast.Assign | ast.Expr)
    span, patches = source.span(port.node), Patches(source.text)

    class Inner(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return span if node.id == _INNER else node

    patches.replace(span, Inner().visit(statement.value))
    lacking = source.lacking(patches.names() & {"fn", "types", "math"})
    if lacking:
        patches.insert_after(source.imports, f"from {dialect.module} import {', '.join(lacking)}")
    return patches.applied()
