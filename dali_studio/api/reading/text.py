"""A program's text that changes with its graph: lines that a change does not concern stay as they are.

The text is read once more after each change: what is written is what the graph says, or it is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dali_studio.api.branches import RETURNED
from dali_studio.api.default import default_registry
from dali_studio.api.reading.interpreter import Interpreter
from dali_studio.api.reading.known import usual_name
from dali_studio.api.reading.patches import NotWritable, Patches
from dali_studio.api.reading.program import Program
from dali_studio.api.reading.renaming import renamed
from dali_studio.api.reading.values import Scope
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import DataNode
from dali_studio.codegen import layout, values
from dali_studio.codegen.calls import Writer
from dali_studio.codegen.dialects import DIALECTS, find
from dali_studio.codegen.names import Names
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.difference import matched, pairs
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions, Node
from dali_studio.graph.written import ForeignFunction, WrittenFunction
from dali_studio.schema.model import Value


@dataclass(slots=True)
class Step:
    """A statement of the pipeline's function: the nodes that it appends, and the variables that it sets.

    Attributes
    ----------
    node
        As it stands in the text.
    followed
        As it was followed: a copy, in which a ``return`` may be another statement.
    """

    node: ast.stmt
    followed: ast.stmt
    made: list[str] = field(default_factory=list[str])
    names: dict[str, PortRef] = field(default_factory=dict[str, PortRef])


class _Recorder(Interpreter):
    """Remembers where in the text each node comes from."""

    def __init__(self, file: str, trace: Trace) -> None:
        super().__init__(file, trace)
        self.spans: dict[str, ast.expr] = {}
        self.steps: list[Step] = []

    def expression(self, node: ast.expr, scope: Scope, name: str = "") -> Any:
        """The value of an expression; the innermost one that appends a node is its place."""
        before = len(self.trace.graph)
        value = super().expression(node, scope, name)
        for key in list(self.trace.graph)[before:] if len(self.trace.graph) > before else ():
            self.spans.setdefault(key, node)
        return value

    def statement(self, node: ast.stmt, scope: Scope) -> None:
        """Follow one statement."""
        before, names = len(self.trace.graph), _ports(scope)
        step = Step(node, node)
        self.steps.append(step)
        try:
            super().statement(node, scope)
        finally:
            step.made = list(self.trace.graph)[before:]
            step.names = {name: port for name, port in _ports(scope).items() if names.get(name) != port}


def _ports(scope: Scope) -> dict[str, PortRef]:
    return {
        name: value.port for name, value in scope.names.items() if isinstance(value, DataNode) and name != RETURNED
    }  # fmt: skip


class ProgramText:
    """The source of a straight-line pipeline function, and its graph.

    Parameters
    ----------
    text : str

    Attributes
    ----------
    graph : Graph
        What the text says; variables name its nodes.
    found : list of Diagnostic
        What was not understood.
    called : dict
        What nodes are called in the text: by their variable, or by the name that they are given.
    dialect : str
        The language: the package that the text imports.
    functions : list of FunctionDef
        All functions of the module.

    Raises
    ------
    DaliStudioError
        DS502 if the text is no Python, or has no pipeline.
    """

    def __init__(self, text: str) -> None:
        self.text, self.found = text, list[Diagnostic]()
        program = Program(text, "program", self.found, _Recorder)
        self.graph = program.graph("", {})
        recorder = program.interpreter
        assert isinstance(recorder, _Recorder)
        self._function = next((node for node in program.tree.body if isinstance(node, ast.FunctionDef)
                               and node.name == self.graph.options.name), None)  # fmt: skip
        followed = {_place(step.node): step for step in recorder.steps}
        self.called = {
            port.node: name for step in recorder.steps for name, port in step.names.items()
            if port.node in step.made and self._is_called(port, name)
        } | {key: key for key in self.graph if _is_named(recorder.spans.get(key), key)}  # fmt: skip
        self._followed = followed
        self._steps: list[Step] = [] if self._function is None else self.steps_of(self._function)
        self._spans, self._defined = recorder.spans, set(program.names())
        imported = [node.module or "" for node in program.tree.body if isinstance(node, ast.ImportFrom)]
        self.dialect = next((name for name in DIALECTS if name in imported), next(iter(DIALECTS)))
        self.functions = [node for node in program.tree.body if isinstance(node, ast.FunctionDef)]
        self._imports = [node for node in program.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]

    def _is_called(self, port: PortRef, variable: str) -> bool:
        """Whether a node has its name from a variable, or, if that held another node before, from its operator."""
        usual = usual_name(self.graph.node(port.node).operator) if not port.output else variable
        return re.fullmatch(rf"({re.escape(variable)}|{re.escape(usual)})(_\d+)?", port.node) is not None

    def lines(self) -> dict[str, tuple[int, ...]]:
        """The lines in which each node is made."""
        return {
            key: tuple(range(span.lineno, (span.end_lineno or span.lineno) + 1)) for key, span in self._spans.items()
        }

    def changed(self, graph: Graph) -> tuple[ProgramText, dict[str, str]]:
        """The text of `graph`, which has come from this one by edits.

        Returns
        -------
        ProgramText, dict
            The new text, and the node of `graph` that each of its nodes is.

        Raises
        ------
        NotWritable
            If the change is not one of single statements.
        """
        same = pairs(self.graph, graph, default_registry())
        if same is not None and all(old == new for old, new in same.items()) and (
            self.graph.options == graph.options and not any(map(self.lacks, graph.nodes()))
        ):
            return self, same
        try:
            source = self._with_names_of(graph)
            if source is not self:
                return source.changed(graph)
            made = ProgramText(_Change(self, graph).text())
        except DaliStudioError as error:
            raise NotWritable(error.diagnostics[0].message.rstrip(".")) from error
        return made, made.nodes_of(graph)

    def nodes_of(self, graph: Graph) -> dict[str, str]:
        """The node of `graph` that each node of the text is.

        Raises
        ------
        NotWritable
            If the text says something else.
        """
        same = pairs(self.graph, graph, default_registry())
        if same is None or self.graph.options != graph.options:
            raise NotWritable("the text would say something else")
        return same

    def _with_names_of(self, graph: Graph) -> ProgramText:
        """The text with other names for nodes that are called otherwise in `graph`, as far as it can say them."""
        found = matched(self.graph, graph) if set(self.graph) != set(graph) else {}
        names = {old: new for new, old in found.items() if old not in graph and new not in self.graph}
        if not names:
            return self
        variables = {
            step.node: (variable, names[port.node])
            for step in self._steps for variable, port in step.names.items()
            if port.node in names and port.node in step.made and self.called.get(port.node) == variable
        }  # fmt: skip
        calls = {
            span: new for old, new in names.items()
            if _is_named(span := self._spans.get(old), self.called.get(old, "")) and isinstance(span, ast.Call)
        }  # fmt: skip
        for text in (renamed(self.text, [step.node for step in self._steps], variables, calls), self.text):
            made = ProgramText(text)
            same = pairs(made.graph, self.graph, default_registry())
            if same is not None:
                made.rename({key: names.get(was, was) for key, was in same.items()})
                return made
        return self

    def rename(self, names: Mapping[str, str]) -> None:
        """Call nodes otherwise than their variables; those without another name keep theirs, if it is free."""
        taken = set(names.values())
        made: dict[str, str] = {}
        for key in self.graph:
            made[key] = names.get(key) or _free(key, taken)
            taken.add(made[key])

        def port(one: PortRef) -> PortRef:
            return PortRef(node=made[one.node], output=one.output)

        self.called = {made[key]: name for key, name in self.called.items() if key in made}
        graph = self.graph
        nodes = [replace(node, key=made[node.key]) for node in graph.nodes()]
        wires = [wire._replace(source=port(wire.source), target=made[wire.target]) for wire in graph.wires()]
        graph.rebuild(nodes, wires, [port(one) for one in graph.outputs])
        self._spans = {made[key]: span for key, span in self._spans.items() if key in made}

        def step(one: Step) -> Step:
            names = {name: port(at) for name, at in one.names.items() if at.node in made}
            return replace(one, made=[made[key] for key in one.made if key in made], names=names)

        self._steps = [step(one) for one in self._steps]
        self._followed = {place: step(one) for place, one in self._followed.items()}

    def steps_of(self, function: ast.FunctionDef) -> list[Step]:
        """The statements of a function of the text."""
        return [replace(self._followed.get(_place(one), Step(one, one)), node=one) for one in function.body]

    @property
    def steps(self) -> Sequence[Step]:
        """The statements of the function."""
        return self._steps

    @property
    def function(self) -> ast.FunctionDef:
        """The pipeline's function.

        Raises
        ------
        NotWritable
            If the pipeline is made otherwise.
        """
        if self._function is None:
            raise NotWritable("the pipeline is no function of the text")
        return self._function

    def span(self, key: str) -> ast.expr:
        """Where a node comes from.

        Raises
        ------
        NotWritable
            If several nodes come from there, as in a loop or a function that is called.
        """
        span = self._spans.get(key)
        sharing = [one for one, place in self._spans.items() if span and _extent(place) == _extent(span) and one != key]
        others = [one for one in sharing if not self.is_helper(one)]
        if span is None or others:
            raise NotWritable(f"{key} is not made by a statement of its own")
        return span

    def is_helper(self, key: str) -> bool:
        """Whether a node is made on the way to another one."""
        operator, registry = self.graph.node(key).operator, default_registry()
        return operator in registry and registry.schema(operator).role in ("split", "merge", "constant")

    def lacking(self, names: set[str]) -> list[str]:
        """Which of the usual names the text does not import."""
        return sorted(names - self._defined)

    def lacks(self, node: Node) -> bool:
        """Whether the text neither imports nor has the function that a node's user has written."""
        function = node.objects.get("function")
        had = self.graph.node(node.key).objects.get("function") if node.key in self.graph else None
        if not isinstance(function, WrittenFunction) or had == ForeignFunction(function.source):
            return False
        return not any(
            isinstance(one, ast.ImportFrom) and one.module == function.module
            and any(name.name == function.name and name.asname is None for name in one.names)
            for one in self._imports
        )  # fmt: skip

    @property
    def imports(self) -> Sequence[ast.stmt]:
        """The imports of the module."""
        return self._imports


def _is_named(span: ast.expr | None, name: str) -> bool:
    """Whether a call gives its node this name."""
    return isinstance(span, ast.Call) and any(
        one.arg == "name" and isinstance(one.value, ast.Constant) and one.value.value == name for one in span.keywords
    )


def _extent(node: ast.expr) -> tuple[int | None, ...]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _place(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _free(key: str, taken: set[str]) -> str:
    return next(name for name in (key, *(f"{key}_{i}" for i in range(2, len(taken) + 3))) if name not in taken)


class _Change:
    """Writes the difference between a text's graph and another one into the text."""

    def __init__(self, source: ProgramText, graph: Graph) -> None:
        self._source, self._before, self._after = source, source.graph, graph
        self._patches = Patches(source.text)
        self._registry, self._dialect = default_registry(), find(source.dialect)
        self._variables: dict[str, PortRef] = {}
        self._functions: dict[WrittenFunction, str] = {}
        self._taken = {node.id for node in ast.walk(source.function) if isinstance(node, ast.Name)}

    def text(self) -> str:
        """The new text."""
        gone = {key for key in self._before if not self._stays(key)}
        waiting = [key for key in self._after.order() if key not in self._before or key in gone]
        body = self._source.function.body
        for step in self._source.steps:
            self._insert(waiting, step.node)
            if step.made and gone.issuperset(step.made):
                self._patches.remove(step.node, alone=len(body) == 1)
                continue
            if gone & set(step.made):
                raise NotWritable(f"{', '.join(gone & set(step.made))} is a part of a statement that stays")
            for key in step.made:
                self._node(key)
            if isinstance(step.node, ast.Return):
                self._return(step.node)
            self._variables.update(step.names)
        if waiting:
            raise NotWritable(f"{waiting[0]} has no place in the text")
        self._options()
        self._import()
        return self._patches.applied()

    def _stays(self, key: str) -> bool:
        return key in self._after and self._after.node(key).operator == self._before.node(key).operator

    # ----------------------------------------------------------------------------------------------------- statements

    def _insert(self, waiting: list[str], before: ast.stmt) -> None:
        """Write the new nodes whose inputs are there, as late as it can be."""
        for key in list(waiting):
            sources = [wire.source for wire in self._after.wires(key)]
            if any(source not in self._variables.values() for source in sources):
                continue
            if not self._is_needed(key, before):
                continue
            waiting.remove(key)
            name = self._unused(key)
            outputs = range(max(self._after.outputs_used(key), len(self._outputs(key))))
            names = [name] if len(outputs) == 1 else [self._unused(f"{key}_{i}") for i in outputs]
            ports = {one: PortRef(node=key, output=i) for i, one in zip(outputs, names, strict=True)}
            writer = self._writer(extra=ports)
            made = [line for one in writer.statements(key) for line in layout.statement(one, before.col_offset)]
            self._write(writer)
            self._patches.insert_before(before, made)
            self._variables.update(ports)

    def _is_needed(self, key: str, before: ast.stmt) -> bool:
        """Whether what follows from a new node is read by this statement, or what it takes is lost by it."""
        if isinstance(before, ast.Return):
            return True
        step = next(step for step in self._source.steps if step.node is before)
        left = [port for name, port in self._variables.items() if name not in step.names]
        taken = {wire.source for wire in self._after.wires(key)}.intersection(self._variables.values())
        readers = {target for target, _ in self._after.fed_by(key)}
        lost = any(map(self._stays, step.made)) and not taken.issubset(left)
        return lost or any(
            one in step.made or (one not in self._before and self._is_needed(one, before)) for one in readers
        )

    def _outputs(self, key: str) -> Sequence[object]:
        node = self._after.node(key)
        if node.operator not in self._registry:
            raise NotWritable(f"{node.operator} is not known here")
        return self._registry.outputs(node.operator, node.arguments, len(self._after.inputs(key)))

    def _unused(self, wanted: str) -> str:
        names = Names()
        for one in self._taken:
            names.unused(one)
        name = names.unused(wanted)
        self._taken.add(name)
        return name

    def _writer(self, extra: dict[str, PortRef] | None = None) -> Writer:
        named = {port: name for name, port in (self._variables | (extra or {})).items()}
        outputs = {
            node.key: self._registry.outputs(node.operator, node.arguments, len(self._after.inputs(node.key)))
            for node in self._after.nodes() if node.operator in self._registry
        }  # fmt: skip
        writer = Writer(self._after, self._registry, self._dialect, Names(ports=named), outputs, frozenset(outputs))
        writer.defined(self._variables.values())
        return writer

    def _write(self, writer: Writer) -> None:
        """Note what is imported; refuse what the writer could not write."""
        self._functions |= writer.imports
        if writer.found or writer.parameters:
            raise NotWritable(writer.found[0].message if writer.found else "a Python object has no text")

    def _node(self, key: str) -> None:
        """Change what differs in a node that stays."""
        old, new = self._before.node(key), self._after.node(key)
        inputs = self._before.inputs(key) != self._after.inputs(key)
        wired = (self._before.argument_inputs(key), self._after.argument_inputs(key))
        lacks = self._source.lacks(new)
        if (old.arguments, old.device, old.bypassed) == (new.arguments, new.device, new.bypassed) and not inputs and (
            wired[0] == wired[1] and not lacks
        ):
            return
        span = self._source.span(key)
        if not isinstance(span, ast.Call) or self._registry.schema(new.operator).role in ("constant", "copy"):
            self._whole(key, span)
            return
        if inputs:
            self._inputs(key, span)
        function = new.objects.get("function")
        if lacks and isinstance(function, WrittenFunction):
            self._functions[function] = function.name
            self._patches.keyword(span, "function", ast.Name(function.name, ast.Load()))
        if old.device != new.device:
            self._patches.keyword(span, "device", ast.Constant(new.device))
        for name in dict.fromkeys([*old.arguments, *new.arguments, *wired[0], *wired[1]]):
            before = wired[0].get(name) or old.arguments.get(name)
            after = wired[1].get(name) or new.arguments.get(name)
            if before != after:
                self._patches.keyword(span, name, self._value(new, name, after))

    def _value(self, node: Node, name: str, value: PortRef | Value) -> ast.expr | None:
        if isinstance(value, PortRef):
            return self._variable(value)
        argument = self._registry.schema(node.operator).argument(name)
        if value is None or argument is None:
            return None if value is None else values.constant(value)
        return values.argument_value(argument, value)

    def _variable(self, port: PortRef) -> ast.expr:
        name = next((name for name, one in reversed(self._variables.items()) if one == port), None)
        if name is None:
            raise NotWritable(f"{port.node} is in no variable there")
        return ast.Name(name, ast.Load())

    def _inputs(self, key: str, span: ast.Call) -> None:
        old, new = self._before.inputs(key), self._after.inputs(key)
        if len(old) != len(new) or len(span.args) != len(new) or any(isinstance(one, ast.Starred) for one in span.args):
            self._whole(key, span)
            return
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            if one != other and other is not None:
                self._patches.replace(span.args[at], self._variable(other))

    def _whole(self, key: str, span: ast.expr) -> None:
        """Write a node anew."""
        writer = self._writer(extra={"": PortRef(node=key)})
        (made,) = writer.statements(key)
        self._write(writer)
        assert isinstance(made, ast.Assign | ast.Expr)
        self._patches.replace(span, made.value)

    def _return(self, node: ast.Return) -> None:
        if self._before.outputs == self._after.outputs or node.value is None:
            return
        self._patches.unfold(node.value, [self._variable(port) for port in self._after.outputs])

    # --------------------------------------------------------------------------------------------------------- module

    def _options(self) -> None:
        old, new = self._before.options, self._after.options
        changed = [name for name in GraphOptions.__struct_fields__ if getattr(old, name) != getattr(new, name)]
        for name in changed:
            decorator = next((one for one in self._source.function.decorator_list if isinstance(one, ast.Call)), None)
            if name == "name" or decorator is None:
                raise NotWritable(f"{name} has no place in the text")
            value = getattr(new, name)
            unset = value is None and name == "seed"
            self._patches.keyword(decorator, name, None if unset else ast.Constant(value))

    def _import(self) -> None:
        lacking = self._source.lacking(self._patches.names() & {"fn", "types", "math"})
        if lacking:
            self._patches.insert_after(self._source.imports, f"from {self._dialect.module} import {', '.join(lacking)}")
        for function, name in self._functions.items():
            if name in self._taken:
                raise NotWritable(f"{name} is a variable of the text")
            for old in self._source.imports:  # what the module does not have any more
                if isinstance(old, ast.ImportFrom) and old.module == function.module:
                    self._patches.remove(old, alone=False)
            self._patches.insert_after(self._source.imports, f"from {function.module} import {name}")
