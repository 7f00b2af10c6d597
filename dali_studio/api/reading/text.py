"""A program's text and its graph: where in the text each node comes from, and what it is called there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from dali_studio.api.branches import RETURNED
from dali_studio.api.default import default_registry
from dali_studio.api.reading.interpreter import Interpreter
from dali_studio.api.reading.known import usual_name
from dali_studio.api.reading.patches import NotWritable
from dali_studio.api.reading.program import Program
from dali_studio.api.reading.renaming import renamed
from dali_studio.api.reading.values import Scope
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import DataNode
from dali_studio.codegen.dialects import DIALECTS
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.difference import matched, pairs
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.written import ForeignFunction, WrittenFunction


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
        before, names = len(self.trace.graph), dict(scope.names)
        step = Step(node, node)
        self.steps.append(step)
        try:
            super().statement(node, scope)
        finally:
            step.made = list(self.trace.graph)[before:]
            new = {name: value for name, value in scope.names.items() if value is not names.get(name)}
            step.names = {
                name: value.port for name, value in new.items() if isinstance(value, DataNode) and name != RETURNED
                and not (isinstance(was := names.get(name), DataNode) and was.port == value.port)
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
        self._tree = program.tree
        self._imports = [node for node in program.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]

    @property
    def parameters_read(self) -> set[str]:
        """The parameters of the pipeline's function that something in it reads."""
        if self._function is None:
            return set()
        names = {one.arg for one in ast.walk(self._function.args) if isinstance(one, ast.arg)}
        read = [one for part in self._function.body for one in ast.walk(part) if isinstance(one, ast.Name)]
        return {one.id for one in read if isinstance(one.ctx, ast.Load) and one.id in names}

    def _is_called(self, port: PortRef, variable: str) -> bool:
        """Whether a node has its name from a variable, or, if that held another node before, from its operator."""
        usual = usual_name(self.graph.node(port.node).operator) if not port.output else variable
        numbers = [port.node.removeprefix(stem) for stem in (variable, usual) if port.node.startswith(stem)]
        return any(not one or (one[0] == "_" and one[1:].isdecimal()) for one in numbers)

    def lines(self) -> dict[str, tuple[int, ...]]:
        """The lines in which each node is made."""
        return {
            key: tuple(range(span.lineno, (span.end_lineno or span.lineno) + 1)) for key, span in self._spans.items()
        }

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

    def with_names_of(self, graph: Graph) -> ProgramText:
        """The text with other names for nodes that are called otherwise in `graph`, as far as it can say them."""
        found = matched(self.graph, graph) if set(self.graph) != set(graph) else {}
        return self.with_names({old: new for new, old in found.items() if old not in graph and new not in self.graph})

    def with_names(self, names: Mapping[str, str]) -> ProgramText:
        """The text with other names for nodes, as far as it can say them."""
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
        self.found = [msgspec.structs.replace(one, node=made.get(one.node, one.node)) for one in self.found]
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
    def spans(self) -> Mapping[str, ast.expr]:
        """Where each node comes from; several may come from one place."""
        return self._spans

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
        sharing = [one for one, place in self._spans.items() if span and ends_of(place) == ends_of(span) and one != key]
        others = [one for one in sharing if not self.is_helper(one)]
        if span is None or others:
            raise NotWritable(f"{key} is not made by a statement of its own")
        return span

    def is_helper(self, key: str) -> bool:
        """Whether a node is made on the way to another one."""
        operator, registry = self.graph.node(key).operator, default_registry()
        return operator in registry and registry.schema(operator).role in ("split", "merge", "constant")

    def around(self, key: str, others: Sequence[str]) -> list[str]:
        """Those of other nodes in whose expressions a node stands, from the innermost on."""
        if key not in self._spans:
            return []
        begin, end = ends_of(self._spans[key])
        found = {one: ends_of(self._spans[one]) for one in others if one in self._spans}
        outer = [one for one, (first, last) in found.items() if first <= begin and end <= last]
        return sorted((one for one in outer if found[one] != (begin, end)), key=lambda one: found[one][::-1])

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

    def read_at(self, name: str) -> list[ast.Name]:
        """Where a name of the module is read."""
        return [one for one in ast.walk(self._tree) if isinstance(one, ast.Name) and one.id == name]

    @property
    def imports(self) -> Sequence[ast.stmt]:
        """The imports of the module."""
        return self._imports


def _is_named(span: ast.expr | None, name: str) -> bool:
    """Whether a call gives its node this name."""
    return isinstance(span, ast.Call) and any(
        one.arg == "name" and isinstance(one.value, ast.Constant) and one.value.value == name for one in span.keywords
    )


def _place(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _free(key: str, taken: set[str]) -> str:
    return next(name for name in (key, *(f"{key}_{i}" for i in range(2, len(taken) + 3))) if name not in taken)


def is_simple(step: Step) -> bool:
    """Whether a statement assigns variables, is a call or a ``return``: all of it is run, and once."""
    if isinstance(step.node, ast.Assign):
        targets = step.node.targets
        return len(targets) == 1 and all(isinstance(one, ast.Name | ast.Tuple | ast.List) for one in targets)
    return isinstance(step.node, ast.Expr | ast.Return)


def held_before(steps: Sequence[Step]) -> Iterator[dict[str, PortRef]]:
    """What the variables hold before each statement."""
    held: dict[str, PortRef] = {}
    for step in steps:
        yield dict(held)
        held |= step.names


def names_in(node: ast.AST, kind: type[ast.expr_context] = ast.expr_context) -> list[ast.Name]:
    """The names that stand in a piece of a text, be they read or assigned."""
    return [one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, kind)]


def ends_of(node: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where an expression begins and ends: lines and columns."""
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
