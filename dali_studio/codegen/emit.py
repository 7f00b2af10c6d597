"""From a graph to a Python program: built as a syntax tree, so that every name and value is what it is."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from dali_studio.codegen import dialects, values
from dali_studio.codegen.calls import Writer
from dali_studio.codegen.dialects.base import Dialect
from dali_studio.codegen.names import Names, identifier, name_ports
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.checks import finding, output_schemas
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions
from dali_studio.graph.validate import asked_outputs, computable
from dali_studio.schema.model import OutputSchema, Value
from dali_studio.schema.registry import Registry

#: black's default, which most programs follow.
LINE_LENGTH = 88


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


def emit(graph: Graph, registry: Registry, dialect: str) -> Emitted:
    """Write `graph` as a program that draws the same numbers.

    Seeds depend on the outputs and on the wires only (`graph.seeds`), and both are written as they are. Unfinished
    graphs are written too: ``...`` stands for what is missing, with a finding.

    Parameters
    ----------
    dialect
        A key of `dialects.DIALECTS`.

    Raises
    ------
    DaliStudioError
        DS501 for an unknown dialect.
    """
    target = dialects.find(dialect)
    keys = _written(graph, registry)
    outputs = {key: _outputs(graph, registry, key) for key in keys}
    names = name_ports(graph, outputs)
    writer = Writer(graph, registry, target, names)
    used = {wire.source.node for key in keys for wire in graph.wires(key)} | {port.node for port in graph.outputs}
    body = [writer.statement(graph.node(key), len(outputs[key]), used=key in used) for key in keys]
    body.append(_return(graph, writer))
    source = _format(_module(graph.options, target, body, writer.parameters))
    left_out = [
        finding(graph.node(key), "DS501", f"{key} is left out: no output of the pipeline depends on it.",
                "Add it to the outputs, or set preserve.", severity="info")
        for key in graph if key not in outputs
    ]  # fmt: skip
    return Emitted(source, _lines(source, names, keys), tuple(writer.found + left_out))


def _written(graph: Graph, registry: Registry) -> list[str]:
    """The keys of the run, sources first; what hangs on a cycle comes last, as inserted."""
    in_run = graph.reachable(registry=registry)
    order = computable(graph)
    rest = [key for key in graph if key not in set(order)]
    return [key for key in [*order, *rest] if key in in_run]


def _outputs(graph: Graph, registry: Registry, key: str) -> tuple[OutputSchema, ...]:
    declared = output_schemas(graph.node(key), registry)
    return asked_outputs(graph, key) if declared is None else declared


def _return(graph: Graph, writer: Writer) -> ast.stmt:
    if not graph.outputs:
        hint = "Choose at least one output of a node as output of the pipeline."
        writer.found.append(Diagnostic(code="DS205", message="The pipeline returns nothing.", hint=hint))
        return ast.Return(values.hole())
    returned = [writer.use(port, None, f"Output {i} of the pipeline") for i, port in enumerate(graph.outputs)]
    return ast.Return(returned[0] if len(returned) == 1 else ast.Tuple(elts=returned, ctx=ast.Load()))


# ------------------------------------------------------------------------------------------------------------- module


def _module(options: GraphOptions, dialect: Dialect, body: list[ast.stmt], parameters: list[str]) -> ast.Module:
    name = identifier(options.name)
    function = ast.FunctionDef(
        name=name,
        args=ast.arguments(
            posonlyargs=[], args=[ast.arg(p) for p in parameters], kwonlyargs=[], kw_defaults=[], defaults=[]
        ),
        body=body,
        decorator_list=[ast.Call(func=values.dotted("pipeline_def"), args=[], keywords=_options(options))],
        lineno=1,
    )
    words = {node.id for part in (function, *body) for node in ast.walk(part) if isinstance(node, ast.Name)}
    imported = [word for word in ("fn", "pipeline_def", "types") if word in words]
    imports = ast.ImportFrom(module=dialect.module, names=[ast.alias(word) for word in imported], level=0)
    module = ast.Module(body=[imports, function, _main(name, parameters)], type_ignores=[])
    return ast.fix_missing_locations(module)


def _options(options: GraphOptions) -> list[ast.keyword]:
    given: dict[str, Value] = {
        "batch_size": options.batch_size, "num_threads": options.num_threads, "device_id": options.device_id,
    }  # fmt: skip
    defaults = GraphOptions()
    for name in ("seed", "prefetch_queue_depth"):
        if getattr(options, name) != getattr(defaults, name):
            given[name] = getattr(options, name)
    return [ast.keyword(name, values.constant(value)) for name, value in given.items()]


def _main(name: str, parameters: list[str]) -> ast.stmt:
    def assign(target: str, value: ast.expr) -> ast.stmt:
        return ast.Assign(targets=[ast.Name(target, ast.Store())], value=value, lineno=1)

    def call(path: str, keywords: list[ast.keyword]) -> ast.expr:
        return ast.Call(func=values.dotted(path), args=[], keywords=keywords)

    condition = ast.Compare(
        left=ast.Name("__name__", ast.Load()), ops=[ast.Eq()], comparators=[ast.Constant("__main__")]
    )
    return ast.If(
        test=condition,
        body=[
            assign("pipe", call(name, [ast.keyword(p, values.hole()) for p in parameters])),
            ast.Expr(call("pipe.build", [])),
            assign("outputs", call("pipe.run", [])),
        ],
        orelse=[],
    )


def _format(module: ast.Module) -> str:
    import black  # noqa: PLC0415 - slow to import, and only needed here

    return black.format_str(_bare_returns(ast.unparse(module)), mode=black.Mode(line_length=LINE_LENGTH))


def _bare_returns(source: str) -> str:
    """``return a, b`` in place of ``return (a, b)``: whether unparsing adds parentheses depends on Python's version."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
            start, end = node.value.col_offset, node.value.end_col_offset
            line = lines[node.lineno - 1].encode()  # columns count bytes
            if line[start : start + 1] == b"(":
                lines[node.lineno - 1] = (line[:start] + line[start:end][1:-1]).decode()
    return "\n".join(lines)


def _lines(source: str, names: Names, keys: list[str]) -> dict[str, tuple[int, ...]]:
    """Lines of each node, from the tree of the formatted text: whole statements that define it, and its uses."""
    found: dict[str, set[int]] = {key: set() for key in keys}
    function = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    for key, statement in zip(keys, function.body, strict=False):
        found[key].update(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in names.owners:
            found[names.owners[node.id]].add(node.lineno)
    return {key: tuple(sorted(lines)) for key, lines in found.items()}
