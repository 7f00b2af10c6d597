"""Lines of a program that are pasted become nodes of the graph that is there. Nothing of their text is run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from textwrap import dedent
from typing import Any

from dali_studio.api.branches import Branches
from dali_studio.api.reading import known, syntax
from dali_studio.api.reading.calls import Returned
from dali_studio.api.reading.interpreter import Interpreter, following
from dali_studio.api.reading.known import Function, Unknown
from dali_studio.api.reading.values import Bound, Instance, Scope, UnknownResult, UserFunction
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import DataNode
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, Severity
from dali_studio.core.wording import shortened
from dali_studio.graph.checks import output_schemas
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, SetOutputs
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.schema.dali_functions import FUNCTIONS
from dali_studio.schema.model import Device
from dali_studio.schema.registry import Registry

_LONGEST = 200_000
_HINT = "Paste assignments such as: images = fn.resize(images, size=224)."
#: Names that fragments use without an import.
_USUAL = {
    "fn": "dali.fn", "ops": "dali.ops", "types": "dali.types", "math": "dali.math", "dali": "dali",
    "dali_studio": "dali", "nvidia": "nvidia", "np": "numpy",
    "tfrec": "dali.tfrecord", "tfrecord": "dali.tfrecord", "pipeline_def": "dali.pipeline_def",
    "Pipeline": "dali.Pipeline",
    **{name: f"dali.auto_aug.{name}" for name in ("auto_augment", "rand_augment", "trivial_augment")},
}  # fmt: skip


def read_fragment(text: str, graph: Graph, registry: Registry) -> tuple[Edit, ...]:
    """The edits that add what `text` does to `graph`.

    It is read as `read` reads programs, be it a part of a function or a whole file. A variable that the text does not
    define is the node of this name, if the graph has one, and else an input that stays open.

    Raises
    ------
    DaliStudioError
        DS401 with the line that cannot be read; nothing is read then.
    """
    edits, reader = _followed(text, graph, registry)
    returned = [port for port in dict.fromkeys(reader.returned) if port.node in reader.trace.graph]
    return (*edits, SetOutputs(outputs=tuple(returned))) if returned and not graph.outputs else edits


def read_behind(
    text: str, graph: Graph, registry: Registry, images: PortRef | None
) -> tuple[tuple[Edit, ...], PortRef | None]:
    """As `read_fragment`, with what the variable ``images`` is at first; gives what it is in the end, too.

    Other variables give nodes their names.
    """
    edits, reader = _followed(text, graph, registry, images, names=True)
    end = reader.variable("images")
    return edits, end.port if isinstance(end, DataNode) else None


def _followed(
    text: str, graph: Graph, registry: Registry, images: PortRef | None = None, *, names: bool = False
) -> tuple[tuple[Edit, ...], _Fragment]:
    if len(text) > _LONGEST:
        raise _bad(f"The text has {len(text)} characters; {_LONGEST} are accepted.")
    statements = _parsed(text).body
    trace = Trace(graph.options)
    trace.graph = graph.copy()
    trace.branches = Branches(trace)
    reader = _Fragment(trace, registry, names=names)
    if images is not None:
        reader.give("images", images)
    with following(reader), trace.active():
        try:
            reader.follow(statements)
        except DaliStudioError as error:
            first = error.diagnostics[0]
            raise error if first.code == "DS401" else reader.bad(first.message, first.hint) from error
    trace.branches.drop_unused(reader.variables())
    edits = _edits(graph, trace.graph, reader.open)
    if not edits:
        raise _bad("The text calls no function of fn.")
    return edits, reader


def _parsed(text: str) -> ast.Module:
    """The text, whose lines may have been cut out of the middle of a function, with or without the first blanks."""
    first, _, rest = text.strip("\n").partition("\n")
    where = ""
    for form in (dedent(text), f"{first.strip()}\n{dedent(rest)}"):
        try:
            return ast.parse(form)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            if isinstance(error, SyntaxError):
                reason, line = syntax.told(form, error)
                where = where or f"Line {line}: syntax error: {reason}."
    raise _bad(where or "The text is nested too deeply, or has characters that no program has.")


def _no_output(name: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS502", message=f"there is no output {name[:40]!r}.", hint=_HINT))


def _bad(message: str, hint: str = "") -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS401", message=message, hint=hint or _HINT))


def _edits(before: Graph, after: Graph, without: set[str]) -> tuple[Edit, ...]:
    """What makes `after` of `before`, but for nodes that only stand for open inputs."""
    edits: list[Edit] = []
    for node in after.nodes():
        if node.key in before or node.key in without:
            continue
        edits.append(AddNode(key=node.key, operator=node.operator, device=node.device, arguments=dict(node.arguments)))
        edits += [
            Connect(source=wire.source, target=node.key, input=wire.input, argument=wire.argument)
            for wire in after.wires(node.key) if wire.source.node not in without
        ]  # fmt: skip
    return tuple(edits)


class _Result(UnknownResult):
    """An output of a node that is there already, or of one that stands for a variable which nothing defines."""

    def __init__(self, trace: Trace, key: str, outputs: Sequence[Device], names: Sequence[str] = ()) -> None:
        super().__init__(trace, PortRef(node=key), outputs[0])
        self._devices, self._names = outputs, names

    def outputs(self, count: int) -> list[DataNode]:
        """Its first `count` outputs."""
        known_ones = dict(enumerate(self._devices))
        return [DataNode(self.trace, PortRef(node=self.name, output=i), known_ones.get(i, "cpu")) for i in range(count)]

    def __getitem__(self, item: Any) -> DataNode:
        if isinstance(item, str) and self._names:
            if item not in self._names:
                raise _no_output(item)
            return self.outputs(len(self._names))[self._names.index(item)]
        if len(self._devices) > 1 and isinstance(item, int) and 0 <= item < len(self._devices):
            return self.outputs(item + 1)[item]
        return super().__getitem__(item)


class _Fragment(Interpreter):
    """Follows the statements of a fragment, and refuses what it does not understand.

    Attributes
    ----------
    returned
        What the fragment returns, or gives to ``set_outputs``.
    open
        Keys of nodes that stand for variables which nothing defines.
    """

    def __init__(self, trace: Trace, registry: Registry, *, names: bool = False) -> None:
        super().__init__("text", trace)
        self._registry, self._before, self._names = registry, trace.graph, names
        self.returned: list[PortRef] = []
        self.open: set[str] = set()
        self._scopes = [Scope({name: known.imported(path) for name, path in _USUAL.items()})]

    def follow(self, statements: Sequence[ast.stmt]) -> None:
        """Read the text: its statements, and the bodies of functions that make pipelines, or that nothing calls."""
        scope = self._scopes[0]
        inside = _pipelines(statements)
        for statement in statements:
            if _is_main(statement) or _called(statement) in inside:
                continue
            self._inline([statement], scope)
            if isinstance(statement, ast.FunctionDef) and statement.name in inside:
                self._scopes.append(self.bound(UserFunction(statement, scope), [], {}))
                self._inline(statement.body, self._scopes[-1])
        for value in scope.names.values():
            self._outputs(value.outputs if isinstance(value, Instance) else None)

    def variables(self) -> set[str]:
        """The nodes that variables hold in the end."""
        return {node.name for scope in self._scopes for node in known.nodes_in(list(scope.names.values()))}

    def variable(self, name: str) -> Any:
        """What a variable holds in the end."""
        return self._scopes[0].names.get(name)

    def give(self, name: str, port: PortRef) -> None:
        """Let a variable hold an output of the graph."""
        outputs = output_schemas(self._before, port.node, self._registry) or ()
        on_cpu = port.output < len(outputs) and outputs[port.output].on_cpu
        device = "cpu" if on_cpu else self._before.node(port.node).device
        self._scopes[0].names[name] = DataNode(self.trace, port, device)

    def bad(self, message: str, hint: str = "") -> DaliStudioError:
        """The refusal of the line that is being looked at."""
        return _bad(f"Line {self.line}: {message}", hint)

    def _inline(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        try:
            self.body(statements, scope)
        except Returned as way:
            self._outputs(way.value)

    def _outputs(self, value: Any) -> None:
        self.returned += [node.port for node in known.nodes_in(value) if node.name not in self.open]

    # --------------------------------------------------------------------------------------------- what reads otherwise

    def note(
        self, message: str, hint: str, *, code: str = "DS502", node: str = "", argument: str = "",
        severity: Severity = "warning",
    ) -> None:  # fmt: skip
        """Refuse what would be a finding in a program."""
        raise self.bad(message, hint)

    def expression(self, node: ast.expr, scope: Scope, name: str = "") -> Any:
        """The value of an expression; nodes are called after their operators, unless variables are to name them."""
        return super().expression(node, scope, name if self._names and name != "images" else "")

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        return Unknown("...") if node.value is ... else node.value  # what is missing in an unfinished program

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        value = super()._name(node, scope)
        return self._node_called(node.id) if _is(value, node.id) else value

    def _node_called(self, name: str) -> DataNode:
        """The node of a name that the text does not define, or one that stands for an open input."""
        if name in self._before:
            outputs = output_schemas(self._before, name, self._registry) or ()
            node = self._before.node(name)
            items = node.operator in self._registry and self._registry.schema(node.operator).by_name
            devices: list[Device] = ["cpu" if one.on_cpu else node.device for one in outputs] or [node.device]
            return _Result(self.trace, name, devices, [one.name for one in outputs] if items else ())
        key = self.trace.new_key(name)
        self.trace.graph.add_node(Node(key=key, operator="open"))
        self.open.add(key)
        return _Result(self.trace, key, ["cpu"])

    def _subscript(self, node: ast.Subscript, scope: Scope, name: str) -> Any:
        if isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
            owner = self.expression(node.value, scope)
            if isinstance(owner, dict) and known.nodes_in([owner]) and node.slice.value not in owner:
                raise _no_output(str(node.slice.value))
        return super()._subscript(node, scope, name)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        if node.attr in ("set_outputs", "build", "run"):
            return Bound(self._give if node.attr == "set_outputs" else lambda arguments, keywords: None)
        return super()._attribute(node, scope)

    def _give(self, arguments: list[Any], keywords: dict[str, Any]) -> None:
        self._outputs(arguments)

    def _operator(self, function: Function, arguments: list[Any], keywords: dict[str, Any], name: str) -> Any:
        if not function.known:
            unknown = self._registry.unknown(function.name)
            reason = unknown.message if function.name in FUNCTIONS else f"there is no fn.{shortened(function.name)}."
            raise self.bad(reason, unknown.hint)
        given: dict[str, Any] = {}
        for key, value in keywords.items():
            if known.has_unknown(value) and not _is(value, "..."):
                text = value.text if isinstance(value, Unknown) else "a list"
                raise self.bad(f"{key} is {shortened(text)}, of which nothing is known here.")
            if not _is(value, "...") and not (isinstance(value, DataNode) and value.name in self.open):
                given[key] = value
        self.trace.suggested = name
        return function(*map(self.as_input, arguments), **given)

    def as_input(self, value: Any) -> Any:
        """An input as operators take it; ``...`` leaves it open."""
        if _is(value, "..."):
            return self._node_called("...")
        if known.has_unknown(value) or isinstance(value, UserFunction | Instance):
            raise self.bad("inputs are results of fn and numbers.")
        return value

    def _unknown_function(
        self, path: str, arguments: list[Any], keywords: dict[str, Any], node: ast.Call, name: str, what: str
    ) -> Any:
        if hasattr(builtins, path):
            raise self.bad(f"{shortened(path)} is not called here.")
        raise self.bad(f"{known.unknown_name(path)}.", known.GIVE_DEF)

    def unknown_call(
        self, path: str, arguments: list[Any], keywords: dict[str, Any], name: str, reason: str = "", near: str = "",
        hint: str = "",
    ) -> UnknownResult:  # fmt: skip
        raise self.bad(f"{reason or f'{shortened(path)} is not read'}.", hint)


def _is(value: Any, text: str) -> bool:
    """Whether a value is the unknown one that the text calls so."""
    return isinstance(value, Unknown) and value.text == text


def _pipelines(statements: Sequence[ast.stmt]) -> set[str]:
    """The functions whose bodies are read where they stand."""
    functions = [node for node in statements if isinstance(node, ast.FunctionDef)]
    made = {node.name for node in functions if any("pipeline_def" in ast.unparse(one) for one in node.decorator_list)}
    used = {node.id for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return made or {node.name for node in functions} - used


def _called(statement: ast.stmt) -> str:
    """The function that a statement does nothing but call."""
    value = getattr(statement, "value", None)
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""


def _is_main(statement: ast.stmt) -> bool:
    """Whether it begins with ``if __name__ ==``."""
    test = statement.test if isinstance(statement, ast.If) else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"
