"""What expressions of a source give: plain values, operators' results, or that the source does not tell."""

from __future__ import annotations

import ast
import copy
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any, cast

import numpy as np

from dali_studio.api import branches
from dali_studio.api.branches import RETURNED
from dali_studio.api.reading import known
from dali_studio.api.reading.known import Function, FunctionClass, FunctionObject, Imported, Unknown
from dali_studio.api.reading.values import (
    Bound,
    Instance,
    Scope,
    Super,
    UnknownResult,
    UserClass,
    UserFunction,
    creator_of,
    is_json,
    is_plain,
    items_of,
    json_of,
    method_in,
    text_of,
)
from dali_studio.api.statements import at_ends
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import DataNode
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, Severity
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node

#: Expressions that are looked at, and calls inside each other.
_MAX_STEPS, _MAX_DEPTH = 200_000, 40


class Returned(Exception):  # noqa: N818 - no error
    """The way out of a function."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Expressions(ABC):
    """Evaluates expressions, and follows the functions of the source that they call.

    Parameters
    ----------
    file : str
        Name of the file, for messages.
    trace : Trace
        Gets the nodes.
    """

    def __init__(self, file: str, trace: Trace) -> None:
        self._file, self.trace = file, trace
        self.found: list[Diagnostic] = []
        self.line, self._steps, self._depth = 0, 0, 0

    def place(self) -> str:
        """``file:line`` that is being looked at."""
        return f"{self._file}:{self.line}"

    def note(
        self, message: str, hint: str, *, code: str = "DS502", node: str = "", argument: str = "",
        severity: Severity = "warning",
    ) -> None:  # fmt: skip
        """Add a finding about the line that is being looked at."""
        self.found.append(
            Diagnostic(code=code, message=message, hint=hint, node=node, argument=argument, severity=severity,
                       source=self.place())
        )  # fmt: skip

    @abstractmethod
    def body(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Follow statements, one after the other."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Give a target a value."""

    # ----------------------------------------------------------------------------------------------------- expressions

    def expression(self, node: ast.expr, scope: Scope, name: str = "") -> Any:
        """The value of an expression.

        Parameters
        ----------
        name
            How the node is to be called that the outermost operation appends.
        """
        self._at(node)
        if isinstance(node, ast.Call):
            return self._call(node, scope, name)
        if isinstance(node, ast.BinOp):
            return self._operation(known.BINARY[type(node.op).__name__], [node.left, node.right], node, scope, name)
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return self._operation(known.UNARY[type(node.op).__name__], [node.operand], node, scope, name)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            sides = [node.left, node.comparators[0]]
            return self._operation(known.BINARY[type(node.ops[0]).__name__], sides, node, scope, name)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, scope, name)
        evaluate: Callable[[Any, Scope], Any] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        return Unknown(text_of(node)) if evaluate is None else evaluate(node, scope)

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        return node.value

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        try:
            return branches.read(scope.find(node.id))
        except KeyError:
            return Unknown(node.id, scope.nearest(node.id))

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        owner = self.expression(node.value, scope)
        if isinstance(owner, Imported):
            return known.imported(f"{owner.path}.{node.attr}")
        if isinstance(owner, UserClass) or (isinstance(owner, type) and issubclass(owner, Enum)):
            names = owner.names if isinstance(owner, UserClass) else owner.__members__
            return names.get(node.attr, Unknown(text_of(node)))
        if isinstance(owner, Instance):
            return self._of_instance(owner, node.attr)
        if isinstance(owner, Super):
            return Bound(partial(self._base_method, owner.instance, node.attr))
        found = known.method_of(owner, node.attr)
        return Unknown(text_of(node)) if found is None else found

    def method(self, owner: Instance, name: str) -> Bound | None:
        """A method of an object of the source."""
        found = method_in(owner.of, name)
        return None if found is None else Bound(partial(self._invoke, found, [owner]))

    def _of_instance(self, owner: Instance, name: str) -> Any:
        if name in owner.attributes:
            return owner.attributes[name]
        method = self.method(owner, name)
        if method is not None:
            return method
        if name in ("set_outputs", "build"):
            return Bound(partial(self._base_method, owner, name))
        return Unknown(f"self.{name}")

    def _base_method(self, owner: Instance, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """What the class ``Pipeline`` itself does."""
        if name == "__init__":
            names = ("batch_size", "num_threads", "device_id", "seed")
            owner.options |= dict(zip(names, arguments, strict=False)) | keywords
        elif name == "set_outputs":
            owner.outputs = arguments
        return None

    def _tuple(self, node: ast.Tuple, scope: Scope) -> Any:
        return tuple(self._several(node.elts, scope))

    def _list(self, node: ast.List, scope: Scope) -> Any:
        return self._several(node.elts, scope)

    def _several(self, nodes: Sequence[ast.expr], scope: Scope) -> list[Any]:
        made: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                items = items_of(self.expression(node.value, scope))
                made += [Unknown(text_of(node))] if items is None else items
            else:
                made.append(self.expression(node, scope))
        return made

    def _dict(self, node: ast.Dict, scope: Scope) -> Any:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            item = self.expression(value, scope)
            if key is None:
                made |= cast("dict[Any, Any]", item) if isinstance(item, dict) else {}
            elif isinstance(name := self.expression(key, scope), str | int | float | bool):
                made[name] = item
        return made

    def condition(self, test: ast.expr, scope: Scope) -> Any:
        """The value of a condition; of one that the source does not tell, that it holds."""
        condition = self.expression(test, scope)
        if not self._named(condition):
            return True
        if isinstance(condition, Unknown | Imported):
            self.note(
                f"The source does not tell whether `{text_of(test)}` holds; it is read as if it did.",
                "Give arguments={...} with values of the function's parameters.",
            )
            return True
        return condition

    def _ifexp(self, node: ast.IfExp, scope: Scope) -> Any:
        return self.expression(node.body if self.condition(node.test, scope) else node.orelse, scope)

    def _boolop(self, node: ast.BoolOp, scope: Scope) -> Any:
        operands = [partial(self.expression, value, scope) for value in node.values]
        try:
            return (branches.and_ if isinstance(node.op, ast.And) else branches.or_)(*operands)
        except ValueError:
            return Unknown(text_of(node))

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:
        """``a < b < c`` is ``a < b and b < c``."""
        sides = [node.left, *node.comparators]
        pairs: list[ast.expr] = [
            ast.copy_location(ast.Compare(left, [sign], [right]), node)
            for left, sign, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return self._boolop(ast.copy_location(ast.BoolOp(ast.And(), pairs), node), scope)

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> Any:
        value = self.expression(node.operand, scope)
        return Unknown(text_of(node)) if known.has_unknown(value) else branches.not_(value)

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Any:
        return UserFunction(node, scope)

    def _joinedstr(self, node: ast.JoinedStr, scope: Scope) -> Any:
        parts: list[Any] = []
        for part in node.values:
            value = self.expression(part.value if isinstance(part, ast.FormattedValue) else part, scope)
            spec = part.format_spec if isinstance(part, ast.FormattedValue) else None
            form = "" if spec is None else self.expression(spec, scope)
            if not isinstance(value, known.WRITABLE) or not isinstance(form, str):
                return Unknown(text_of(node))
            parts.append(self._computed(partial(known.formatted, value, form), text_of(node)))
        return Unknown(text_of(node)) if known.has_unknown(parts) else "".join(parts)

    def _slice(self, node: ast.Slice, scope: Scope) -> Any:
        ends = (node.lower, node.upper, node.step)
        return slice(*(None if one is None else self.expression(one, scope) for one in ends))

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp, scope: Scope) -> Any:
        turns = self._turns(node.generators, Scope(outer=scope))
        if turns is None:
            return Unknown(text_of(node))
        return [self.expression(node.elt, turn) for turn in turns]

    _generatorexp = _listcomp

    def _turns(self, generators: Sequence[ast.comprehension], scope: Scope) -> Iterator[Scope] | None:
        items = items_of(self.expression(generators[0].iter, scope))
        return None if items is None else self._turned(items, generators, scope)

    def _turned(self, items: list[Any], generators: Sequence[ast.comprehension], scope: Scope) -> Iterator[Scope]:
        first, *rest = generators
        for item in items:
            self.assign(first.target, item, scope)
            if all(self.condition(test, scope) for test in first.ifs):
                yield from (self._turns(rest, scope) or ()) if rest else (scope,)

    def _subscript(self, node: ast.Subscript, scope: Scope, name: str) -> Any:
        owner, at = self.expression(node.value, scope), self.expression(node.slice, scope)
        if isinstance(owner, DataNode):
            return self._appended(lambda: owner[at], text_of(node), [owner, at], {}, name)
        if known.has_unknown(at) or isinstance(owner, Unknown | Imported):
            return Unknown(text_of(node))
        if isinstance(owner, list | tuple | dict | str | np.ndarray):
            return self._computed(lambda: cast(Any, owner)[at], text_of(node))
        return Unknown(text_of(node))

    def _operation(
        self, operation: Callable[..., Any], operands: Sequence[ast.expr], node: ast.expr, scope: Scope, name: str
    ) -> Any:
        values = [self.expression(one, scope) for one in operands]
        if any(isinstance(one, DataNode) for one in values):
            return self._appended(lambda: operation(*values), text_of(node), values, {}, name)
        if any(not is_plain(one) for one in values):
            return Unknown(text_of(node))
        return self._computed(lambda: operation(*values), text_of(node))

    def _computed(self, compute: Callable[[], Any], text: str) -> Any:
        """A plain value, or that it is not known."""
        try:
            value = compute()
            return value if not isinstance(value, int) or value.bit_length() <= known.MAX_ITEMS else Unknown(text)
        except DaliStudioError:
            if Trace.current() is not None:
                raise
            return Unknown(text)  # outside of a pipeline, operators are not appended
        except Exception:  # noqa: BLE001 - whatever Python's own operations object to
            return Unknown(text)

    # ----------------------------------------------------------------------------------------------------------- calls

    def _call(self, node: ast.Call, scope: Scope, name: str) -> Any:
        function = self.expression(node.func, scope)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and isinstance(function, Unknown):
            owner = scope.names.get("self")
            return Super(owner) if isinstance(owner, Instance) else Unknown(text_of(node))
        arguments = self._several(node.args, scope)
        keywords: dict[str, Any] = {}
        for one in node.keywords:
            value = self.expression(one.value, scope)
            if one.arg is not None:
                keywords[one.arg] = value
            elif isinstance(value, dict):
                keywords |= cast("dict[str, Any]", value)
            elif value is not None:
                self.note(f"`**{text_of(one.value)}` is not read: the source does not tell its items.",
                          "Write the arguments by their names.")  # fmt: skip
        self._at(node)
        return self._applied(function, arguments, keywords, node, name)

    def _applied(
        self, function: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.Call, name: str
    ) -> Any:
        if isinstance(function, Function):
            return self._operator(function, arguments, keywords, name)
        if isinstance(function, FunctionClass):
            return FunctionObject(function.function, keywords)
        if isinstance(function, FunctionObject):
            return self._operator(function.function, arguments, {**function.arguments, **keywords}, name)
        if isinstance(function, UserFunction):
            return self._invoke(function, [], arguments, keywords)
        if isinstance(function, UserClass):
            return self.instance(function, arguments, keywords)
        if isinstance(function, Instance) and (method := self.method(function, "__call__")) is not None:
            return method.call(arguments, keywords)
        if creator_of(function) == "Pipeline":
            made = Instance(None)
            self._base_method(made, "__init__", arguments, keywords)
            return made
        if isinstance(function, Bound):
            return function.call(arguments, keywords)
        return self._called(function, arguments, keywords, node, name)

    def _called(
        self, function: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.Call, name: str
    ) -> Any:
        """What a function gives that the source does not define."""
        text, given = text_of(node.func), [*arguments, *keywords.values()]
        if isinstance(function, Unknown | Imported) or not callable(function):
            path = function.path if isinstance(function, Imported) else text
            return self._unknown_function(path, arguments, keywords, name)
        if known.is_library(function):
            return self._library(function, text, arguments, keywords, name)
        if [*known.nodes_in(given)] or isinstance(getattr(function, "__self__", None), DataNode):
            return self._appended(lambda: function(*arguments, **keywords), text, arguments, keywords, name)
        if known.has_unknown(given) and not isinstance(getattr(function, "__self__", None), list | dict):
            return Unknown(text_of(node))
        return self._computed(lambda: function(*arguments, **keywords), text_of(node))

    def _unknown_function(self, path: str, arguments: list[Any], keywords: dict[str, Any], name: str) -> Any:
        """What a function gives that is known neither here nor in the source."""
        plain = not [*known.nodes_in([*arguments, *keywords.values()])]
        return Unknown(path) if plain else self._unknown_call(path, arguments, keywords, name)

    def _library(
        self, function: Callable[..., Any], text: str, arguments: list[Any], keywords: dict[str, Any], name: str
    ) -> Any:
        """What a function of `auto_aug` appends, or gives."""
        traces = [*known.nodes_in([*arguments, *keywords.values()])]
        if known.has_unknown([*arguments, *keywords.values()]) or known.is_large(arguments, keywords):
            return self._unknown_call(text, arguments, keywords, name) if traces else Unknown(text)
        if not traces:
            return self._computed(lambda: function(*arguments, **keywords), text)
        before = self.trace.graph.copy()
        return self._appended(lambda: function(*arguments, **keywords), text, arguments, keywords, "", before)

    def _operator(self, function: Function, arguments: list[Any], keywords: dict[str, Any], name: str) -> Any:
        """Append a call of an operator; what the source does not tell is left out."""
        if not function.known:
            return self._unknown_call(function.name, arguments, keywords, name)
        given = {key: value for key, value in keywords.items() if not self._left_out(function, key, value)}
        inputs = [self.as_input(one) for one in arguments]
        while True:
            try:
                self.trace.suggested = name
                return function(*inputs, **given)
            except DaliStudioError as error:
                first = error.diagnostics[0]
                if first.argument not in given:
                    if first.code == "DS304":  # what belongs to a branch is used outside of it
                        raise
                    self.note(f"fn.{function.name}: {first.message}", first.hint, argument=first.argument)
                    return self._unknown_call(function.name, inputs, given, name)
                unknown = first.code == "DS102"
                left_out = "" if unknown else f" {first.argument} of fn.{function.name} is left out."
                self.note(first.message + left_out, first.hint, code="DS102" if unknown else "DS502",
                          argument=first.argument)  # fmt: skip
                del given[first.argument]
            finally:
                self.trace.suggested = ""

    def _left_out(self, function: Function, key: str, value: Any) -> bool:
        if not known.has_unknown(value) and not isinstance(value, UserFunction | UserClass | Instance):
            return False
        what = f"`{value.text}`" if isinstance(value, Unknown) else "a Python object"
        self.note(
            f"{key} of fn.{function.name} is {what}, whose value the source does not tell; it is left out.",
            "Set it in the designer, or give arguments={...} with values of the function's parameters.", argument=key,
        )  # fmt: skip
        return True

    def _named(self, value: Any) -> bool:
        """Whether it is no name that nothing is called by, which is noted."""
        if not isinstance(value, Unknown) or value.near is None:
            return True
        self.note(f"Nothing is called {value.text!r} here.", f"Did you mean {value.near!r}?" if value.near else
                  "Give it a value in a line above.", code="DS101")  # fmt: skip
        return False

    def as_input(self, value: Any) -> Any:
        """An input as operators take it; of one that is not known, the result of an operator that nobody knows."""
        self._named(value)
        if isinstance(value, Unknown | Imported | UserFunction | Instance):
            text = value.text if isinstance(value, Unknown) else getattr(value, "path", "value")
            return self._unknown_call(text, [], {}, "")
        return value

    def _unknown_call(self, path: str, arguments: list[Any], keywords: dict[str, Any], name: str) -> UnknownResult:
        """A node for a call of something that is no operator here."""
        operator = re.sub(r"[^\w.]+", "_", path.removeprefix("dali.fn.")).strip("_.")[:80] or "unknown"
        graph = self.trace.graph
        key = self.trace.new_key(self.trace.name_of(name) or operator.rpartition(".")[2])
        wires = {key: value for key, value in keywords.items() if isinstance(value, DataNode)}
        values = {key: json_of(value) for key, value in keywords.items() if key not in wires and is_json(value)}
        graph.add_node(Node(key=key, operator=operator, arguments=values, origin=self.place()))
        self.trace.held.add(name)
        for position, source in enumerate(known.nodes_in(arguments)):
            graph.connect(self.trace.here(source).port, key, position)
        for argument, source in wires.items():
            graph.connect(self.trace.here(source).port, key, argument=argument)
        self.note(f"{path} is no operator of dali_studio: {key} keeps its place, and cannot run.",
                  "Replace the node, or write what it does with operators.", node=key)  # fmt: skip
        return UnknownResult(self.trace, PortRef(node=key, output=0), "cpu")

    def _appended(
        self, append: Callable[[], Any], text: str, arguments: list[Any], keywords: dict[str, Any], name: str,
        before: Graph | None = None,
    ) -> Any:  # fmt: skip
        """What an operation on operators' results appends; `before` is the graph to go back to if that fails."""
        self.trace.suggested = name
        try:
            return append()
        except (DaliStudioError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, DaliStudioError) and error.diagnostics[0].code == "DS304":
                raise
            said = error.diagnostics[0].message if isinstance(error, DaliStudioError) else str(error)
            self.trace.graph = before or self.trace.graph
            self.note(f"{text}: {said}", "What nvidia.dali computes there is not known here.")
            return self._unknown_call(text, arguments, keywords, name)
        finally:
            self.trace.suggested = ""

    def instance(self, made_of: UserClass, arguments: list[Any], keywords: dict[str, Any]) -> Instance:
        made = Instance(made_of, dict(made_of.names))
        method = method_in(made_of, "__init__")
        if method is not None:
            self._invoke(method, [made], arguments, keywords)
        elif made_of.is_pipeline:
            self._base_method(made, "__init__", arguments, keywords)
        else:
            made.attributes |= dict(zip(made_of.fields(), arguments, strict=False)) | keywords
        return made

    def _invoke(
        self, function: UserFunction, first: list[Any], arguments: Sequence[Any] = (),
        keywords: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Follow a function of the source; methods get their object `first`."""
        if self._depth >= _MAX_DEPTH:
            raise self.error("Functions of the source call each other without end.", "Write the loop out.")
        scope = self.bound(function, [*first, *arguments], keywords or {})
        self._depth += 1
        try:
            return self.result(function.node, scope)
        finally:
            self._depth -= 1

    def result(self, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Any:
        """What a function returns."""
        if isinstance(node, ast.Lambda):
            return self.expression(node.body, scope)
        scope.names[RETURNED] = branches.unset()
        try:
            self.body(at_ends(copy.deepcopy(list(node.body))), scope)
        except Returned as way:
            return way.value
        return branches.returned(scope.names[RETURNED])

    def bound(self, function: UserFunction, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Scope:
        """The names of a function's parameters; what nothing gives a value is unknown."""
        scope, parameters = Scope(outer=function.scope), function.node.args
        names = [one.arg for one in (*parameters.posonlyargs, *parameters.args)]
        defaults = dict(zip(reversed(names), reversed(parameters.defaults), strict=False))
        named = zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        defaults |= {one.arg: default for one, default in named if default is not None}
        rest = dict(keywords)
        for position, name in enumerate([*names, *(one.arg for one in parameters.kwonlyargs)]):
            given = arguments[position] if position < min(len(arguments), len(names)) else rest.pop(name, Unknown(name))
            if isinstance(given, Unknown) and name in defaults:
                given = self.expression(defaults[name], function.scope)
            scope.names[name] = given
        if parameters.vararg is not None:
            scope.names[parameters.vararg.arg] = tuple(arguments[len(names) :])
        if parameters.kwarg is not None:
            scope.names[parameters.kwarg.arg] = rest
        return scope

    def error(self, message: str, hint: str) -> DaliStudioError:
        """What ends the reading, at the line that is being looked at."""
        return DaliStudioError(Diagnostic(code="DS502", message=message, hint=hint, source=self.place()))

    def _at(self, node: ast.AST) -> None:
        self.line = getattr(node, "lineno", self.line)
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise self.error("The source has loops over more than is read.", "Shorten the loops.")
