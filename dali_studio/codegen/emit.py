"""From a graph to a Python program: built as a syntax tree, so that every name and value is what it is.

Whatever a document holds, its program calls functions of the registry and of the dialect's ``fn``, ``types.Constant``
and copies, with literals and variables of its own, and nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dali_studio.codegen import dialects, layout, values
from dali_studio.codegen.branches import Variables, statements
from dali_studio.codegen.calls import Writer
from dali_studio.codegen.dialects.base import Dialect
from dali_studio.codegen.names import identifier, name_ports
from dali_studio.codegen.parameters import Parameters
from dali_studio.codegen.structure import CONDITIONAL, NotStructured, Structure, structured
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


def emit(graph: Graph, registry: Registry, dialect: str, given: Parameters | None = None) -> Emitted:
    """Write `graph` as a program that draws the same numbers.

    Seeds depend on the outputs and on the wires only (`graph.seeds`), and both are written as they are. Unfinished
    graphs are written too: ``...`` stands for what is missing, with a finding.

    Parameters
    ----------
    dialect
        A key of `dialects.DIALECTS`.
    given
        Arguments that become parameters of the program's function (`parameters.module_parameters`).

    Raises
    ------
    DaliStudioError
        DS501 for an unknown dialect.
    """
    target = dialects.find(dialect)
    keys = _written(graph, registry)
    outputs = {key: _outputs(graph, registry, key) for key in keys}
    used = {wire.source.node for key in keys for wire in graph.wires(key)} | {port.node for port in graph.outputs}
    structure, found = _structure(graph, registry, keys)
    names = name_ports(graph, outputs)
    writer = Writer(graph, registry, target, names, outputs, frozenset(used), structure, given or {})
    writer.found += found
    if structure is None:
        body = [statement for key in keys for statement in writer.statements(key)]
    else:
        variables = Variables(structure, names)
        variables.choose()
        body = list(statements(writer, structure.body, variables))
    body.append(_return(graph, writer))
    source = _program(graph.options, target, body, writer.parameters, conditions=structure is not None)
    left_out = [
        finding(graph.node(key), "DS501", f"{key} is left out: no output of the pipeline depends on it.",
                "Add it to the outputs, or set preserve.", severity="info")
        for key in graph if key not in outputs
    ]  # fmt: skip
    return Emitted(source, _lines(source, body, writer, keys), tuple(writer.found + left_out))


def _structure(graph: Graph, registry: Registry, keys: Sequence[str]) -> tuple[Structure | None, list[Diagnostic]]:
    """The `if` statements of a graph that has conditions, or a finding that it cannot be written with them."""
    if not any(graph.node(key).operator in CONDITIONAL for key in keys):
        return None, []
    try:
        return structured(graph, registry, keys), []
    except NotStructured as error:
        message = f"The branches are not written as `if`: {error}. The program calls split and merge instead."
        hint = "Wire each branch from a split to a merge of the same condition."
        return None, [finding(graph.node(error.node), "DS501", message, hint, severity="info")]


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
    *, conditions: bool,
) -> str:  # fmt: skip
    name = identifier(options.name)
    switch = [ast.keyword("enable_conditionals", ast.Constant(True))] if conditions else []
    decorator = _call("pipeline_def", [*_options(options), *switch])
    words = {node.id for part in body for node in ast.walk(part) if isinstance(node, ast.Name)} | {"pipeline_def"}
    imported = ", ".join(word for word in ("fn", "math", "pipeline_def", "types") if word in words)
    parameters = dict(sorted(parameters.items(), key=lambda item: item[1] is not None))  # defaults come last
    call = _call(name, [ast.keyword(one, values.hole()) for one, default in parameters.items() if default is None])
    lines = [
        f"from {dialect.module} import {imported}", "", "",
        *layout.fitted("@", decorator, 0),
        *layout.definition(name, parameters),
        *(line for statement in body for line in layout.statement(statement)), "", "",
        'if __name__ == "__main__":',
        *layout.statement(ast.Assign(targets=[ast.Name("pipe", ast.Store())], value=call, lineno=1)),
        "    pipe.build()",
        "    outputs = pipe.run()",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


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


def _lines(source: str, body: Sequence[ast.stmt], writer: Writer, keys: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Lines of each node, from the tree of the text: statements that define it, and its uses."""
    found: dict[str, set[int]] = {key: set() for key in keys}
    function = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    for made, read in zip(_walked(body), _walked(function.body), strict=True):
        end = read.test if isinstance(read, ast.If) else read
        for key in writer.owners.get(id(made), ()):
            found[key].update(range(read.lineno, (end.end_lineno or read.lineno) + 1))
    return {key: tuple(sorted(lines)) for key, lines in found.items()}


def _walked(nodes: Iterable[ast.AST]) -> Iterator[ast.stmt | ast.Name]:
    """Statements and variables, as they stand in the text."""
    for node in nodes:
        if isinstance(node, ast.stmt | ast.Name):
            yield node
        yield from _walked(ast.iter_child_nodes(node))
