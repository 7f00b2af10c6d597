"""What expressions of a source give: plain values, operators' results, or that the source does not tell."""

from __future__ import annotations

import ast
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, MappingView, Sequence
from enum import Enum
from functools import partial
from typing import Any, cast

import numpy as np

from dali_studio.api import branches
from dali_studio.api.reading import known
from dali_studio.api.reading.known import Imported, Unknown
from dali_studio.api.reading.options import Options
from dali_studio.api.reading.values import (
    Bound,
    Instance,
    Scope,
    Super,
    UnknownResult,
    UserClass,
    UserFunction,
    is_json,
    is_plain,
    items_of,
    json_of,
    kind_of,
    method_in,
    name_for,
    text_of,
)
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import DataNode
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, Severity
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node

#: Expressions that are looked at.
_MAX_STEPS = 200_000


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
        #: What has been taken for what a program asks its surroundings for.
        self.taken: list[Diagnostic] = []
        #: Nodes of which an argument is left out: how many outputs they have is not told, either.
        self.lacking: set[str] = set()
        self.line, self._steps = 0, 0

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
        self.at(node)
        if isinstance(node, ast.Call):
            return self.call(node, scope, name)
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
            return Unknown(node.id, None if scope.is_open() else scope.nearest(node.id))
        except UnboundLocalError as error:
            message = f"{node.id} has no value where a branch does not set it."
            raise self.error(message, "Set it before the if.") from error

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        return self.attribute_of(self.expression(node.value, scope), node.attr, text_of(node))

    def attribute_of(self, owner: Any, name: str, text: str) -> Any:
        if isinstance(owner, Imported):
            return known.imported(f"{owner.path}.{name}")
        if isinstance(owner, known.Function) and not owner.known:  # a group that is written otherwise
            return known.Function(f"{owner.name}.{name}")
        if isinstance(owner, UserClass) and name == "__annotations__":
            return dict.fromkeys(owner.fields())
        if isinstance(owner, UserClass) or (isinstance(owner, type) and issubclass(owner, Enum)):
            names = owner.names if isinstance(owner, UserClass) else owner.__members__
            found = method_in(owner, name) if isinstance(owner, UserClass) and name not in names else None
            if found is not None and kind_of(found) in ("classmethod", "staticmethod"):
                return self.method(Instance(cast("UserClass", owner)), name)
            if found is None and name == "__init__" and isinstance(owner, UserClass) and owner.is_pipeline:
                return Bound(lambda given, named: self.base_method(given[0], name, given[1:], named))
            return names.get(name, found or Unknown(text))
        if isinstance(owner, Instance):
            return self._of_instance(owner, name)
        if isinstance(owner, Options):
            if name in owner.values:
                return owner.get(name)
            owner = owner.values  # whose methods such objects have
        if isinstance(owner, Super):
            return self.method(owner, name) or Bound(partial(self.base_method, owner.instance, name))
        found = known.method_of(owner, name)
        return Unknown(text) if found is None else found

    def _of_instance(self, owner: Instance, name: str) -> Any:
        if name in owner.attributes:
            self.found += owner.found
            owner.found.clear()
            return owner.attributes[name]
        if name == "__dict__":
            return owner.attributes
        method = self.method(owner, name)
        if method is not None:
            return method.call([], {}) if method.is_property else method
        if name in ("set_outputs", "build"):
            return Bound(partial(self.base_method, owner, name))
        return Unknown(f"self.{name}")

    def _tuple(self, node: ast.Tuple, scope: Scope) -> Any:
        items = self._list(node, scope)
        return items if isinstance(items, Unknown) else tuple(items)

    def _list(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Any:
        items = self.several(node.elts, scope)
        # of values, no place is known where their number is not; results are kept, as they may be outputs
        lost = any(isinstance(one, Unknown) and one.text.startswith("*") for one in items)
        return Unknown(text_of(node)) if lost and not [*known.nodes_in(items)] else items

    def several(self, nodes: Sequence[ast.expr], scope: Scope) -> list[Any]:
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
            else:
                self._put(made, self.expression(key, scope), item)
        return made

    def _put(self, made: dict[Any, Any], key: Any, item: Any) -> None:
        if is_plain(key) and not isinstance(key, list | dict | np.ndarray):
            self.computed(partial(made.__setitem__, key, item), "")

    def _dictcomp(self, node: ast.DictComp, scope: Scope) -> Any:
        turns = self._turns(node.generators, Scope(outer=scope))
        if turns is None:
            return Unknown(text_of(node))
        made: dict[Any, Any] = {}
        for turn in turns:
            self._put(made, self.expression(node.key, turn), self.expression(node.value, turn))
        return made

    def _set(self, node: ast.Set | ast.SetComp, scope: Scope) -> Any:
        items = self._list(node, scope) if isinstance(node, ast.Set) else self._listcomp(node, scope)
        return self.computed(lambda: list(dict.fromkeys(items)), text_of(node))

    _setcomp = _set

    def _namedexpr(self, node: ast.NamedExpr, scope: Scope) -> Any:
        value = self.expression(node.value, scope, name_for([node.target], scope))
        self.assign(node.target, value, scope)
        return value

    def condition(self, test: ast.expr, scope: Scope, expected: bool | None = None) -> Any:
        """The value of a condition; of one that the source does not tell, that it holds, or what is `expected`."""
        condition = self.expression(test, scope)
        if not self.is_defined(condition):
            return True
        if isinstance(condition, Unknown | Imported) and expected is not None:
            return expected
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
            if isinstance(part, ast.FormattedValue) and chr(max(part.conversion, 0)) in "ra" and is_plain(value):
                value = repr(value)
            if not isinstance(value, known.WRITABLE) or not isinstance(form, str):
                return Unknown(text_of(node))
            parts.append(self.computed(partial(known.formatted, value, form), text_of(node)))
        return Unknown(text_of(node)) if known.has_unknown(parts) else "".join(parts)

    def _slice(self, node: ast.Slice, scope: Scope) -> Any:
        ends = (node.lower, node.upper, node.step)
        return slice(*(None if one is None else self.expression(one, scope) for one in ends))

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> Any:
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
            return self.appended(lambda: owner[at], text_of(node), [owner, at], {}, name)
        if known.has_unknown(at) or isinstance(owner, Unknown | Imported):
            return Unknown(text_of(node))
        if isinstance(owner, Options):
            return owner.get(at) if isinstance(at, str) and at in owner.values else Unknown(text_of(node))
        if isinstance(owner, list | tuple | dict | str | np.ndarray):
            return self.computed(lambda: cast(Any, owner)[at], text_of(node))
        return Unknown(text_of(node))

    def _operation(
        self, operation: Callable[..., Any], operands: Sequence[ast.expr], node: ast.expr, scope: Scope, name: str
    ) -> Any:
        values = [self.expression(one, scope) for one in operands]
        if any(isinstance(one, DataNode) for one in values):
            return self.appended(lambda: operation(*values), text_of(node), values, {}, name)
        if any(one is ... for one in values) and operation not in (operator.is_, operator.is_not):
            filled = [self.as_input(one) if one is ... else one for one in values]
            made = self.appended(lambda: operation(*filled), text_of(node), filled, {}, name)
            self.leave_open(made, filled)
            return made
        identity = operation in (operator.is_, operator.is_not) and any(one is None for one in values)
        if identity and all(map(known.is_there, values)):
            return operation(*values)
        if any(not is_plain(one) for one in values):
            return Unknown(text_of(node))
        return self.computed(lambda: operation(*values), text_of(node))

    def computed(self, compute: Callable[[], Any], text: str) -> Any:
        """A plain value, or that it is not known."""
        try:
            value = compute()
            if isinstance(value, MappingView):  # of a dictionary
                return [*cast("Any", value)]
            return value if not isinstance(value, int) or value.bit_length() <= known.MAX_ITEMS else Unknown(text)
        except DaliStudioError:
            if Trace.current() is not None:
                raise
            return Unknown(text)  # outside of a pipeline, operators are not appended
        except Exception:  # noqa: BLE001 - whatever Python's own operations object to
            return Unknown(text)

    @abstractmethod
    def call(self, node: ast.Call, scope: Scope, name: str) -> Any:
        """What a call gives."""

    @abstractmethod
    def as_input(self, value: Any) -> Any:
        """An input as operators take it."""

    @abstractmethod
    def leave_open(self, made: Any, inputs: Sequence[Any], unset: Sequence[str] = ()) -> None:
        """Say what lacks an input or an argument, and leave inputs open in whose places others stand."""

    @abstractmethod
    def method(self, owner: Instance | Super, name: str) -> Bound | None:
        """A method of an object of the source; behind ``super()``, of the bases of its class."""

    @abstractmethod
    def base_method(self, owner: Instance, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """What the class ``Pipeline`` itself does."""

    # ----------------------------------------------------------------------------------------------- nodes and findings

    def is_defined(self, value: Any) -> bool:
        """Whether it is no name that nothing is called by, which is noted."""
        if not isinstance(value, Unknown) or value.near is None:
            return True
        self.note(f"Nothing is called {value.text!r} here.", f"Did you mean {value.near!r}?" if value.near else
                  "Give it a value in a line above.", code="DS101")  # fmt: skip
        return False

    def unknown_call(
        self, path: str, arguments: list[Any], keywords: dict[str, Any], name: str, reason: str = "", near: str = "",
        hint: str = "",
    ) -> UnknownResult | Unknown:  # fmt: skip
        """A node for a call of something that is no operator here; none outside of pipelines, as of `run(pipe())`."""
        if Trace.current() is None:
            return Unknown(path)
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
        reason = reason or f"{path} is no operator of dali_studio"
        hint = hint or "Replace the node, or write what it does with operators."
        self.note(f"{reason}: {key} keeps its place, and cannot run.", f"Did you mean fn.{near}?" if near else hint,
                  node=key)  # fmt: skip
        return UnknownResult(self.trace, PortRef(node=key, output=0), "cpu")

    def appended(
        self, append: Callable[[], Any], text: str, arguments: list[Any], keywords: dict[str, Any], name: str,
        before: Graph | None = None,
    ) -> Any:  # fmt: skip
        """What an operation on operators' results appends; `before` is the graph to go back to if that fails."""
        untold = [one for one in [*arguments, *keywords.values()] if known.has_unknown(one)]
        if untold:
            return self.unknown_call(text, arguments, keywords, name, known.untold(untold, text))
        self.trace.suggested = name
        try:
            return append()
        except (DaliStudioError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, DaliStudioError) and error.diagnostics[0].code == "DS304":
                raise
            said = error.diagnostics[0].message if isinstance(error, DaliStudioError) else str(error)
            self.trace.graph = before or self.trace.graph
            reason = f"`{text}` is not understood ({said.rstrip('.')})"
            return self.unknown_call(text, arguments, keywords, name, reason)
        finally:
            self.trace.suggested = ""

    def error(self, message: str, hint: str) -> DaliStudioError:
        """What ends the reading, at the line that is being looked at."""
        return DaliStudioError(Diagnostic(code="DS502", message=message, hint=hint, source=self.place()))

    def at(self, node: ast.AST) -> None:
        self.line = getattr(node, "lineno", self.line)
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise self.error("The source has loops over more than is read.", "Shorten the loops.")
