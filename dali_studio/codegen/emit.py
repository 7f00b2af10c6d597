"""From a graph to a Python program: built as a syntax tree, so that every name and value is what it is.

Whatever a document holds, its program calls functions of the registry and of the dialect's ``fn``, ``types.Constant``
and copies, with literals and variables of its own, and nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from dali_studio.codegen import dialects, layout, values
from dali_studio.codegen.calls import Writer
from dali_studio.codegen.dialects.base import Dialect
from dali_studio.codegen.functions import Function, Order, Written, arranged, written
from dali_studio.codegen.names import Names, identifier, name_ports
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.checks import finding, output_schemas
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions
from dali_studio.graph.validate import asked_outputs
from dali_studio.schema.model import OutputSchema, Value
from dali_studio.schema.registry import Registry


@dataclass(frozen=True, slots=True)
class Emitted:
    """A program.

    Attributes
    ----------
    source
        Its text, as black formats it.
    lines
        Node key to the numbers (from 1) of the lines that define or use it.
    diagnostics
        What the dialect cannot express, what is unfinished, and what was left out.
    """

    source: str
    lines: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    diagnostics: tuple[Diagnostic, ...] = ()


def emit(
    graph: Graph, registry: Registry, dialect: str, roots: Mapping[str, str] | None = None,
    functions: Sequence[Function] = (),
) -> Emitted:  # fmt: skip
    """Write `graph` as a program that draws the same numbers.

    Seeds depend on the outputs and on the wires only (`graph.seeds`), and both are written as they are. Unfinished
    graphs are written too: ``...`` stands for what is missing, with a finding.

    Parameters
    ----------
    dialect
        A key of `dialects.DIALECTS`.
    roots
        Folders for readers that are not told what to read, by node: defaults of parameters of the program's function.
    functions
        Groups of nodes that are written as functions, as far as nothing else lies between their nodes.

    Raises
    ------
    DaliStudioError
        DS501 for an unknown dialect.
    """
    target = dialects.find(dialect)
    order = arranged(graph, _written(graph, registry), functions)
    keys = order.keys
    outputs = {key: _outputs(graph, registry, key) for key in keys}
    names = name_ports(graph, outputs)
    writer = Writer(graph, registry, target, names, roots or {})
    used = {wire.source.node for key in keys for wire in graph.wires(key)} | {port.node for port in graph.outputs}
    for key, function in order.owner.items():
        names_here = {argument: names.unused(argument) for node, argument in function.exposed if node == key}
        writer.exposed.update({(key, argument): name for argument, name in names_here.items()})
    body: list[tuple[str | None, ast.stmt]] = [
        (key, statement)
        for key in keys
        for statement in writer.statements(graph.node(key), len(outputs[key]), used=key in used)
    ]
    body.append((None, _return(graph, writer)))
    body, made = _with_functions(body, order, writer)
    source = _program(graph.options, target, [statement for _, statement in body], writer.parameters, made)
    left_out = [
        finding(graph.node(key), "DS501", f"{key} is left out: no output of the pipeline depends on it.",
                "Add it to the outputs, or set preserve.", severity="info")
        for key in graph if key not in outputs
    ]  # fmt: skip
    refused = [
        Diagnostic(
            code="DS501", severity="info", node=min(function.keys),
            message=f"{function.title} is no function of the program: other nodes lie between its nodes.",
            hint="Take these into the group.",
        )
        for function in order.refused
    ]  # fmt: skip
    lines = _lines(source, names, [[key for key, _ in body], *(list(one.owners) for one in made)])
    return Emitted(source, lines, tuple(writer.found + left_out + refused))


def _with_functions(
    body: list[tuple[str | None, ast.stmt]], order: Order, writer: Writer
) -> tuple[list[tuple[str | None, ast.stmt]], list[Written]]:
    """The body with calls in place of the statements that became functions, and these."""
    made: list[Written] = []
    if order.owner:
        writer.names.unused(writer.graph.options.name)  # the pipeline's own function
    result: list[tuple[str | None, ast.stmt]] = []
    for function, group in groupby(body, lambda one: order.owner.get(one[0] or "")):
        inner = [(key, statement) for key, statement in group if key is not None]
        if function is None:
            result += inner
            continue
        outside = [statement for key, statement in body if order.owner.get(key or "") is not function]
        exposed = [writer.exposed.get(one, "") for one in function.exposed]
        given = {name: writer.given[name] for name in exposed if name in writer.given}
        made.append(written(function, inner, outside, writer.names, given))
        result.append((None, made[-1].call))
    return [*result, body[-1]], made


def _written(graph: Graph, registry: Registry) -> list[str]:
    """The keys of the run, sources first; what hangs on a cycle comes last, as inserted."""
    in_run = graph.reachable(registry=registry)
    order = graph.computable()
    ordered = set(order)
    rest = [key for key in graph if key not in ordered]
    return [key for key in [*order, *rest] if key in in_run]


def _outputs(graph: Graph, registry: Registry, key: str) -> tuple[OutputSchema, ...]:
    declared = output_schemas(graph, key, registry)
    return asked_outputs(graph, key) if declared is None else declared


def _return(graph: Graph, writer: Writer) -> ast.stmt:
    if not graph.outputs:
        hint = "Choose at least one output of a node as output of the pipeline."
        writer.found.append(Diagnostic(code="DS205", message="The pipeline returns nothing.", hint=hint))
        return ast.Return(values.hole())
    returned = [writer.use(port, None, f"Output {i} of the pipeline") for i, port in enumerate(graph.outputs)]
    return ast.Return(returned[0] if len(returned) == 1 else ast.Tuple(elts=returned, ctx=ast.Load()))


# ------------------------------------------------------------------------------------------------------------- module


def _program(
    options: GraphOptions, dialect: Dialect, body: list[ast.stmt], parameters: dict[str, ast.expr | None],
    functions: Sequence[Written],
) -> str:  # fmt: skip
    name = identifier(options.name)
    decorator = _call("pipeline_def", _options(options))
    whole = [*body, *(statement for function in functions for statement in function.body)]
    words = {node.id for part in whole for node in ast.walk(part) if isinstance(node, ast.Name)} | {"pipeline_def"}
    imported = ", ".join(word for word in ("fn", "math", "pipeline_def", "types") if word in words)
    parameters = dict(sorted(parameters.items(), key=lambda item: item[1] is not None))  # defaults come last
    call = _call(name, [ast.keyword(one, values.hole()) for one, default in parameters.items() if default is None])
    lines = [
        f"from {dialect.module} import {imported}", "", "",
        *(line for function in functions for line in _definition(function)),
        *layout.fitted("@", decorator, 0),
        *layout.definition(name, parameters),
        *(line for statement in body for line in layout.statement(statement)), "", "",
        'if __name__ == "__main__":',
        *layout.statement(ast.Assign(targets=[ast.Name("pipe", ast.Store())], value=call, lineno=1)),
        "    pipe.build()",
        "    outputs = pipe.run()",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _definition(function: Written) -> list[str]:
    lines = [line for statement in function.body for line in layout.statement(statement)]
    return [*layout.definition(function.name, dict.fromkeys(function.parameters)), *lines, "", ""]


def _call(path: str, keywords: list[ast.keyword]) -> ast.expr:
    return ast.Call(func=values.dotted(path), args=[], keywords=keywords)


def _options(options: GraphOptions) -> list[ast.keyword]:
    given: dict[str, Value] = {
        "batch_size": options.batch_size, "num_threads": options.num_threads, "device_id": options.device_id,
    }  # fmt: skip
    defaults = GraphOptions()
    for name in ("seed", "prefetch_queue_depth"):
        if getattr(options, name) != getattr(defaults, name):
            given[name] = getattr(options, name)
    return [ast.keyword(name, values.constant(value)) for name, value in given.items()]


def _lines(source: str, names: Names, owners: Sequence[list[str | None]]) -> dict[str, tuple[int, ...]]:
    """Lines of each node, from the tree of the text: whole statements that define it, and its uses.

    Parameters
    ----------
    owners
        Node key of every statement, ``None`` for calls and returns: of the pipeline's function, which is the last of
        the text, and of the others in turn.
    """
    found: dict[str, set[int]] = {key: set() for part in owners for key in part if key is not None}
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    for function, part in zip([functions[-1], *functions[:-1]], owners, strict=True):
        for key, statement in zip(part, function.body, strict=True):
            if key is not None:
                found[key].update(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in names.owners:
                found[names.owners[node.id]].add(node.lineno)
    return {key: tuple(sorted(lines)) for key, lines in found.items()}
