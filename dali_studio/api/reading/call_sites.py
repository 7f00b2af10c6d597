"""What the first call of a function in a source gives it: calls in functions see what these have computed by then."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from dali_studio.api.reading import known
from dali_studio.api.reading.interpreter import Interpreter
from dali_studio.api.reading.known import Unknown
from dali_studio.api.reading.values import Instance, Scope, UserClass, UserFunction, items_of, text_of

_Given = tuple[list[Any], dict[str, Any]]


class CallSites:
    """Where a source calls its functions.

    Parameters
    ----------
    tree : Module
    scope : Scope
        The names of the module.
    interpreter : callable
        Makes one whose nodes and findings nobody needs.
    """

    def __init__(self, tree: ast.Module, scope: Scope, interpreter: Callable[[], Interpreter]) -> None:
        self._tree, self._module, self._interpreter = tree, scope, interpreter
        #: Functions whose first calls are being looked at: one may call itself.
        self._open: set[str] = set()

    def first(self, name: str) -> _Given:
        """What the first call of `name` gives it, as far as the source tells."""
        call = self._call(name)
        if call is None or name in self._open:
            return [], {}
        self._open.add(name)
        positional, keywords = list[Any](), dict[str, Any]()
        interpreter = self._interpreter()
        try:
            with suppress(Exception), interpreter.trace.active():  # what cannot be followed is not told
                scope = self._scope(call, interpreter)
                positional = interpreter.several([one for one in call.args if not isinstance(one, ast.Starred)], scope)
                keywords = interpreter.named(call.keywords, scope)
        finally:
            self._open.discard(name)
        told = {key: value for key, value in keywords.items() if not _untold(value)}
        return [Unknown("") if _untold(one) else one for one in positional], told

    def has(self, name: str) -> bool:
        """Whether the source calls `name`."""
        return self._call(name) is not None

    def _call(self, name: str) -> ast.Call | None:
        """The first call of a name, or of a variable that it is given to."""
        known_as = [name, *(text_of(one.targets[0]) for one in ast.walk(self._tree)
                            if isinstance(one, ast.Assign) and getattr(one.value, "id", "") == name)]  # fmt: skip
        calls = [one for one in ast.walk(self._tree) if isinstance(one, ast.Call)]
        calls.sort(key=lambda one: isinstance(one.func, ast.Attribute))  # ``pipe.build()`` calls no function ``build``
        return next((call for one in known_as for call in calls if _called(call) == one), None)

    def _scope(self, call: ast.Call, interpreter: Interpreter) -> Scope:
        """The names at a call: those of the functions around it, each with the arguments of its own first call."""
        scope, owner = self._module, None
        for node in _around(self._tree, call):
            if isinstance(node, ast.ClassDef):
                owner = scope.names.get(node.name)
            elif isinstance(node, ast.FunctionDef):
                scope, owner = self._inside(node, call, scope, owner, interpreter), None
            elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp):
                scope = Scope(outer=scope)
                for one in node.generators:
                    _first_turn(one, scope, interpreter)
            elif isinstance(node, ast.For) and scope is self._module:  # the module's other statements are followed
                scope = Scope(outer=scope)
                with suppress(Exception):
                    _lead([node], call, scope, interpreter)
        return scope

    def _inside(
        self, node: ast.FunctionDef, call: ast.Call, scope: Scope, owner: Any, interpreter: Interpreter
    ) -> Scope:  # fmt: skip
        makes = isinstance(owner, UserClass) and node.name == "__init__"
        positional, keywords = self.first(owner.node.name if makes else node.name)
        if isinstance(owner, UserClass):
            positional = [self._object(owner, node, interpreter), *positional]
        made = interpreter.bound(UserFunction(node, scope), positional, keywords)
        with suppress(Exception), interpreter.trace.active():  # what is known by then is known
            _lead(node.body, call, made, interpreter)
        return made

    def _object(self, owner: UserClass, method: ast.FunctionDef, interpreter: Interpreter) -> Instance:
        return Instance(owner, dict(owner.names)) if method.name == "__init__" else self.made(owner, interpreter)

    def made(self, of: UserClass, interpreter: Interpreter | None = None) -> Instance:
        """An object of a class of the source, made as the source makes the first one."""
        interpreter = interpreter or self._interpreter()
        with suppress(Exception), interpreter.trace.active():
            return interpreter.instance(of, *self.first(of.node.name))
        return Instance(of, dict(of.names))


def _called(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _untold(value: Any) -> bool:
    return known.has_unknown(value) or bool([*known.nodes_in(value)])


def _holds(node: ast.AST, part: ast.AST) -> bool:
    return any(one is part for one in ast.walk(node))


def _around(node: ast.AST, part: ast.AST) -> list[ast.AST]:
    """What stands around a part of a syntax tree, outermost first."""
    for inner in ast.iter_child_nodes(node):
        if _holds(inner, part):
            return [inner, *_around(inner, part)]
    return []


def _first_turn(loop: ast.For | ast.comprehension, scope: Scope, interpreter: Interpreter) -> None:
    """Give the variables of a loop their first values."""
    with suppress(Exception):
        items = items_of(interpreter.expression(loop.iter, scope))
        if items:
            interpreter.assign(loop.target, items[0], scope)


def _lead(statements: Sequence[ast.stmt], call: ast.Call, scope: Scope, interpreter: Interpreter) -> None:
    """Follow the statements before a call, into those around it."""
    for statement in statements:
        if not _holds(statement, call):
            interpreter.statement(statement, scope)
            continue
        if isinstance(statement, ast.For):
            _first_turn(statement, scope, interpreter)
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            for part in ("body", "orelse", "finalbody"):
                inner: Sequence[ast.stmt] = getattr(statement, part, ())
                if any(_holds(one, call) for one in inner):
                    _lead(inner, call, scope, interpreter)
        return
