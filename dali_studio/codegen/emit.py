"""From a graph to a Python program: built as a syntax tree, so that every name and value is what it is.

Whatever a document holds, its program calls functions of the registry and of the dialect's ``fn``, ``types.Constant``
and copies, with literals and variables of its own, and nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from dali_studio.codegen import dialects, layout, values
from dali_studio.codegen.branches import Variables, statements
from dali_studio.codegen.calls import Writer
from dali_studio.codegen.dialects.base import Dialect
from dali_studio.codegen.functions import Function, Order, Written, arranged, written
from dali_studio.codegen.names import identifier, name_ports
from dali_studio.codegen.parameters import Parameters
from dali_studio.codegen.structure import CONDITIONAL, NotStructured, Structure, keys_of, structured
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
        Node key to the numbers (from 1) of the lines of the statements that make it.
    diagnostics
        What the dialect cannot express, what is unfinished, and what was left out.
    """

    source: str
    lines: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    diagnostics: tuple[Diagnostic, ...] = ()


def emit(
    graph: Graph, registry: Registry, dialect: str, given: Parameters | None = None,
    functions: Sequence[Function] = (), *, autoserialize: bool = False,
) -> Emitted:  # fmt: skip
    """Write `graph` as a program that draws the same numbers.

    Seeds depend on the outputs and on the wires only (`graph.seeds`), and both are written as they are. Unfinished
    graphs are written too: ``...`` stands for what is missing, with a finding.

    Parameters
    ----------
    dialect
        A key of `dialects.DIALECTS`.
    given
        Arguments that become parameters of the program's function (`parameters.module_parameters`).
    functions
        Groups of nodes that are written as functions, as far as nothing else lies between their nodes, and they have
        all of an `if` or nothing.
    autoserialize
        Mark the function for Triton, which serializes it, in place of running it.

    Raises
    ------
    DaliStudioError
        DS501 for an unknown dialect.
    """
    target = dialects.find(dialect)
    keys = _written(graph, registry)
    structure, found = _structure(graph, registry, keys)
    order = arranged(graph, keys, functions)
    if structure is not None and order.owners:
        structure, found = _structure(graph, registry, order.keys)
    if structure is not None:
        order.keep_whole(graph, [keys_of(item) for item in structure.body])
    outputs = {key: _outputs(graph, registry, key) for key in order.keys}
    used = {wire.source.node for key in keys for wire in graph.wires(key)} | {port.node for port in graph.outputs}
    used |= set() if graph.outputs else {*keys}  # what may be returned has a name
    operators = {key: graph.node(key).operator for key in outputs}
    by_name = {key for key, name in operators.items() if name in registry and registry.schema(name).by_name}
    names = name_ports(graph, outputs, by_name)
    writer = Writer(graph, registry, target, names, outputs, frozenset(used), structure, given or {})
    writer.found += found
    made: list[Written] = []
    body = _with_functions(writer, order, made)
    source = _program(graph.options, target, body, writer, made,
                      conditions=structure is not None, autoserialize=autoserialize)  # fmt: skip
    left_out = [
        finding(graph.node(key), "DS501", f"{key} is left out: no output of the pipeline depends on it.",
                "Add it to the outputs, or set preserve.", severity="info")
        for key in graph if key not in outputs and not graph.node(key).bypassed
    ]  # fmt: skip
    between = "other nodes lie between its nodes", "Take these into the group."
    refused = [_refused(one, *between) for one in order.refused]
    divided = "a condition is partly outside of it", "Take what the condition decides into the group, or all of it out."
    refused += [_refused(one, *divided) for one in order.divided]
    lines = _lines(source, [*(one.body for one in made), body], writer, keys)
    return Emitted(source, lines, tuple(writer.found + left_out + refused))


def _with_functions(writer: Writer, order: Order, made: list[Written]) -> list[ast.stmt]:
    """The statements of a program: calls stand in place of those that become functions, in `made`."""
    for (key, _), parameter in writer.given.items() if order.owners else ():
        if key in writer.outputs:
            writer.parameter_name(parameter)  # before the functions' own: callers know it
    for key, path in order.owners.items():
        exposed = dict.fromkeys(one for function in path for one in function.exposed if one[0] == key)
        writer.exposed.update({one: writer.names.unused(one[1]) for one in exposed})
    body = list(_statements(writer, order))
    end = _return(writer.graph, writer)
    if order.owners:
        writer.names.unused(writer.graph.options.name)  # the pipeline's own function
    return [*_Nested(writer, order, [*body, ([], end)], made).statements(body), end]


def _statements(writer: Writer, order: Order) -> Iterator[tuple[Sequence[str], ast.stmt]]:
    """What is written for nodes, with these."""
    if writer.structure is None:
        yield from (([key], statement) for key in order.keys for statement in writer.statements(key))
        return
    variables = Variables(writer.structure, writer.names)
    variables.choose()
    for item in writer.structure.body:
        yield from ((keys_of(item), statement) for statement in statements(writer, [item], variables))


@dataclass(slots=True)
class _Nested:
    """Statements become functions, from the innermost on.

    Attributes
    ----------
    whole
        The statements of the whole program, with their nodes.
    made
        The functions, in the order of the text.
    """

    writer: Writer
    order: Order
    whole: list[tuple[Sequence[str], ast.stmt]]
    made: list[Written]

    def statements(self, body: Iterable[tuple[Sequence[str], ast.stmt]], depth: int = 0) -> list[ast.stmt]:
        """Statements within `depth` functions, with calls in place of those that are in one more."""
        result: list[ast.stmt] = []
        for function, group in groupby(body, lambda one: self._owner(one[0], depth)):
            part = list(group)
            result += [statement for _, statement in part] if function is None else [self._call(function, part, depth)]
        return result

    def _owner(self, keys: Sequence[str], depth: int) -> Function | None:
        return self.order.owner(keys[0], depth) if keys else None

    def _call(self, function: Function, part: list[tuple[Sequence[str], ast.stmt]], depth: int) -> ast.stmt:
        inner = self.statements(part, depth + 1)
        outside = [statement for keys, statement in self.whole if self._owner(keys, depth) is not function]
        here = {key for keys, _ in part for key in keys}
        made = written(function, inner, outside, self.writer.names, self._passed(here, depth))
        self.made.append(made)
        return made.call

    def _passed(self, keys: Collection[str], depth: int) -> dict[str, ast.expr]:
        """What a function of these nodes gets for its own and its callers' exposed arguments, by their parameters."""
        found: dict[str, ast.expr] = {}
        around = self.order.owners[min(keys)][: depth + 1]
        for one in (exposed for function in reversed(around) for exposed in function.exposed if exposed[0] in keys):
            name = self.writer.exposed[one]
            if name in self.writer.passed:
                given = self.order.exposing(*one) == depth
                found[name] = self.writer.passed[name] if given else ast.Name(name, ast.Load())  # the caller's own
        return found


def _refused(function: Function, reason: str, hint: str) -> Diagnostic:
    message = f"{function.title} is no function of the program: {reason}."
    return Diagnostic(code="DS501", severity="info", node=min(function.keys), message=message, hint=hint)


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
    """The keys of the run, sources first; what hangs on a cycle comes last, as inserted.

    Of a graph that returns nothing yet these are all keys.
    """
    in_run = graph.reachable(registry=registry) if graph.outputs else {*graph}
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
    options: GraphOptions, dialect: Dialect, body: list[ast.stmt], writer: Writer, functions: Sequence[Written], *,
    conditions: bool, autoserialize: bool,
) -> str:  # fmt: skip
    name = identifier(options.name)
    switch = [ast.keyword("enable_conditionals", ast.Constant(True))] if conditions else []
    decorator = _call("pipeline_def", [*_options(options), *switch])
    whole = [*body, *(statement for function in functions for statement in function.body)]
    words = {node.id for part in whole for node in ast.walk(part) if isinstance(node, ast.Name)} | {"pipeline_def"}
    imported = ", ".join(word for word in ("fn", "math", "pipeline_def", "tfrecord", "types") if word in words)
    parameters = dict(sorted(writer.parameters.items(), key=lambda item: item[1] is not None))  # defaults come last
    call = _call(name, [ast.keyword(one, values.hole()) for one, default in parameters.items() if default is None])
    lines = [
        f"from {dialect.module} import {imported}",
        *([f"from {dialect.module}.plugin.triton import autoserialize"] if autoserialize else []),
        *_imports(writer), "", "",
        *(line for function in functions for line in _definition(function)),
        *(["@autoserialize"] if autoserialize else []),
        *layout.fitted("@", decorator, 0),
        *layout.definition(name, parameters),
        *(line for statement in body for line in layout.statement(statement)),
    ]  # fmt: skip
    if not autoserialize:
        lines += [
            "", "", 'if __name__ == "__main__":',
            *layout.statement(ast.Assign(targets=[ast.Name("pipe", ast.Store())], value=call, lineno=1)),
            "    pipe.build()",
            "    outputs = pipe.run()",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _imports(writer: Writer) -> list[str]:
    """The functions that its user has written in modules of their own."""
    lines = [
        f"from {function.module} import {function.name}{f' as {name}' if name != function.name else ''}"
        for function, name in writer.imports.items()
    ]
    return ["", *lines] if lines else []


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


def _lines(
    source: str, bodies: Sequence[Sequence[ast.stmt]], writer: Writer, keys: Sequence[str]
) -> dict[str, tuple[int, ...]]:
    """Lines of each node, from the tree of the text: those of the statements that make it.

    Parameters
    ----------
    bodies
        Those of the program's functions, in the order of the text.
    """
    found: dict[str, set[int]] = {key: set() for key in keys}
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    for body, function in zip(bodies, functions, strict=True):
        for made, read in zip(_statements_in(body), _statements_in(function.body), strict=True):
            end = read.test if isinstance(read, ast.If) else read
            for key in writer.owners.get(made, ()):
                found[key].update(range(read.lineno, (end.end_lineno or read.lineno) + 1))
    return {key: tuple(sorted(lines)) for key, lines in found.items()}


def _statements_in(nodes: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """Statements and those within them, as they stand in the text."""
    for node in nodes:
        if isinstance(node, ast.stmt):
            yield node
        yield from _statements_in(ast.iter_child_nodes(node))
