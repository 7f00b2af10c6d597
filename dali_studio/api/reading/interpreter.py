"""Follows the statements of a pipeline's function, without running them: calls of ``fn`` become nodes of a graph.

Values are numbers, texts, lists, operators' results, and what `known` knows by name. Whatever else the source does is
an `Unknown`, or, where an operator's result goes into it, a node whose operator nobody knows. So a stranger's program
may be read: nothing of it is imported or called.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from functools import partial
from typing import Any, cast

import numpy as np

from dali_studio import types
from dali_studio.api.branches import Branch
from dali_studio.api.reading import known
from dali_studio.api.reading.calls import Calls, Refused, Returned
from dali_studio.api.reading.known import Imported, Unknown
from dali_studio.api.reading.options import Options
from dali_studio.api.reading.values import (
    Instance,
    Scope,
    UnknownResult,
    UserClass,
    creator_of,
    items_of,
    loaded,
    name_for,
    text_of,
)
from dali_studio.api.statements import assigned
from dali_studio.api.tracing import DataNode, reading_at
from dali_studio.schema.model import Device


class _Leaves(Exception):  # noqa: N818 - no error: the way out of a loop, or to its next turn
    def __init__(self, word: str) -> None:
        self.word = word


#: Of a loop whose end a condition says.
_MAX_TURNS = 100


class Interpreter(Calls):
    """Follows statements."""

    def body(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Follow statements, one after the other."""
        for statement in statements:
            self.statement(statement, scope)

    def statement(self, node: ast.stmt, scope: Scope) -> None:
        """Follow one statement."""
        self.at(node)
        follow: Callable[[Any, Scope], None] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if follow is None:
            self.note(f"`{text_of(node)}` is not read.", "Only what makes up the pipeline is read.", severity="info")
        else:
            follow(node, scope)

    def _pass(self, node: ast.stmt, scope: Scope) -> None:
        """Nothing to do."""

    _assert = _global = _nonlocal = _delete = _raise = _pass

    def _import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            if alias.asname:
                scope.names[alias.asname] = known.imported(alias.name)
            else:
                self._import_plain(alias.name, scope)

    def _import_plain(self, path: str, scope: Scope) -> None:
        """``import nvidia.dali.fn`` binds ``nvidia``, below which the rest is found."""
        scope.names[path.partition(".")[0]] = Imported(path.partition(".")[0])

    def _importfrom(self, node: ast.ImportFrom, scope: Scope) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self._import_all(module, scope)
            else:
                scope.names[alias.asname or alias.name] = known.imported(f"{module}.{alias.name}")

    def _import_all(self, module: str, scope: Scope) -> None:
        if module in ("nvidia.dali.types", "dali_studio.types"):
            scope.names |= {one: known.imported(f"{module}.{one}") for one in dir(types) if not one.startswith("_")}
        names = {"nvidia.dali": ("fn", "ops", "types", "math", "tfrecord", "pipeline_def", "Pipeline")}
        names["dali_studio"] = names["nvidia.dali"]
        scope.opened = scope.opened or not known.imported(module).path.startswith(known.ROOT)
        for name in names.get(module, ("pipeline_def", "Pipeline") if module == "nvidia.dali.pipeline" else ()):
            scope.names[name] = known.imported(f"{module}.{name}")

    def _functiondef(self, node: ast.FunctionDef, scope: Scope) -> None:
        scope.names[node.name] = self.decorated(node, scope)

    def _classdef(self, node: ast.ClassDef, scope: Scope) -> None:
        bases = [self.expression(base, scope) for base in node.bases]
        is_pipeline = any(creator_of(base) == "Pipeline" or (isinstance(base, UserClass) and base.is_pipeline)
                          for base in bases)  # fmt: skip
        if any(isinstance(base, Unknown | Imported) for base in bases):
            is_pipeline = is_pipeline or any(getattr(one, "name", "") == "define_graph" for one in node.body)
        names: dict[str, Any] = {}
        for base in bases:
            names = (base.names if isinstance(base, UserClass) else {}) | names
        values = [one for one in node.body if isinstance(one, ast.Assign | ast.AnnAssign | ast.ClassDef)]
        self.body(values, Scope(names, scope))
        own = tuple(base for base in bases if isinstance(base, UserClass))
        if any(isinstance(base, Imported) and base.path.startswith("enum.") for base in bases):
            members = {key: value for key, value in names.items() if not known.has_unknown(value)}
            scope.names[node.name] = self.computed(partial(cast(Any, Enum), node.name, members), node.name)
            return
        scope.names[node.name] = UserClass(node, scope, is_pipeline, names, own)

    def _expr(self, node: ast.Expr, scope: Scope) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expression(node.value, scope)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.expression(node.value, scope, name_for(node.targets, scope))
        for target in node.targets:
            self.assign(target, value, scope)
            if isinstance(target, ast.Name):
                scope.sources[target.id] = node.value, value

    def _annassign(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self.assign(node.target, self.expression(node.value, scope, name_for([node.target], scope)), scope)

    def _augassign(self, node: ast.AugAssign, scope: Scope) -> None:
        left = copy.copy(node.target)
        cast(Any, left).ctx = ast.Load()
        operation = ast.copy_location(ast.BinOp(left, node.op, node.value), node)
        self.assign(node.target, self.expression(operation, scope, name_for([node.target], scope)), scope)

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Give a target a value."""
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value, scope)
        elif isinstance(target, ast.Attribute):
            owner = self.expression(target.value, scope)
            if isinstance(owner, Instance | UserClass):
                (owner.attributes if isinstance(owner, Instance) else owner.names)[target.attr] = value
            elif isinstance(owner, Options):
                owner.values[target.attr] = value
        elif isinstance(target, ast.Subscript):
            owner, at = self.expression(target.value, scope), self.expression(target.slice, scope)
            if isinstance(owner, list | dict) and not known.has_unknown(at):
                self.computed(partial(cast(Any, owner).__setitem__, at, value), text_of(target))

    def _unpack(self, targets: Sequence[ast.expr], value: Any, scope: Scope) -> None:
        starred = next((i for i, one in enumerate(targets) if isinstance(one, ast.Starred)), None)
        results = cast("list[Any]", value) if isinstance(value, list) else [value]
        first = results[0] if results else None
        if isinstance(first, DataNode) and first.name in self.lacking and len(results) != len(targets):
            value = UnknownResult(self.trace, first.port, cast("Device", first.device))
        if isinstance(value, UnknownResult):
            value = value.outputs(len(targets) - (starred is not None))
        items = list(cast("Sequence[Any]", value)) if isinstance(value, list | tuple | np.ndarray) else None
        if items is None or (starred is None and len(items) != len(targets)) or len(items) < len(targets) - 1:
            if isinstance(value, DataNode) or items is not None:
                given = f"{len(items)} values" if items is not None else "one result"
                raise self.error(f"{given} cannot be assigned to {len(targets)} names.", "Write a name for each.")
            items, starred = [value if isinstance(value, Unknown) else Unknown(text_of(one)) for one in targets], None
            targets = [one.value if isinstance(one, ast.Starred) else one for one in targets]
        if starred is not None:
            behind = len(items) - (len(targets) - 1 - starred)
            items = [*items[:starred], items[starred:behind], *items[behind:]]
        for target, item in zip(targets, items, strict=True):
            self.assign(target.value if isinstance(target, ast.Starred) else target, item, scope)

    def _return(self, node: ast.Return, scope: Scope) -> None:
        raise Returned(None if node.value is None else self.expression(node.value, scope))

    def _break(self, node: ast.Break, scope: Scope) -> None:
        raise _Leaves("break")

    def _continue(self, node: ast.Continue, scope: Scope) -> None:
        raise _Leaves("continue")

    def _if(self, node: ast.If, scope: Scope) -> None:
        stops, goes_on = _stops(node.body), _stops(node.orelse)
        condition = self.condition(node.test, scope, None if stops == goes_on else goes_on)
        targets = assigned([*node.body, *node.orelse])
        values = [partial(self._held, target, scope) for target in map(loaded, targets.values())]

        def give(all_values: Sequence[Any]) -> None:
            for target, value in zip(targets.values(), all_values, strict=True):
                self.assign(target, value, scope)

        branch = Branch(condition, tuple(targets), values)
        if branch.holds:
            self.body(node.body, scope)
        if branch.turn():
            if branch.traced:
                give(branch.before)
            self.body(node.orelse, scope)
        if branch.close():
            give(branch.merged)

    def _match(self, node: ast.Match, scope: Scope) -> None:
        """The ``if`` statements that it stands for; of patterns, values and names are read."""
        rest: list[ast.stmt] = []
        for case in reversed(node.cases):
            test = _test(node.subject, case.pattern)
            if test is None:
                self.note(f"`case {text_of(case.pattern)}` is not read.", "Compare values by `if`.")
                continue
            name = case.pattern.name if isinstance(case.pattern, ast.MatchAs) else None
            held = [ast.Assign([ast.Name(name, ast.Store())], node.subject)] if name else []
            test = test if case.guard is None else ast.BoolOp(ast.And(), [test, case.guard])
            rest = [*held, ast.If(test, case.body, rest)]
        self.body([ast.fix_missing_locations(ast.copy_location(one, node)) for one in rest], scope)

    def _held(self, target: ast.expr, scope: Scope) -> Any:
        """What a variable holds, be it that it cannot be used; raises `KeyError` if it has never been assigned."""
        return scope.find(target.id) if isinstance(target, ast.Name) else self.expression(target, scope)

    def _for(self, node: ast.For, scope: Scope) -> None:
        items = items_of(self.expression(node.iter, scope))
        if items is None and isinstance(node.iter, ast.Call) and text_of(node.iter.func) == "range":
            self.note(f"The source does not tell the turns of the loop over `{text_of(node.iter)}`; one is read.",
                      "Give arguments={...} with values of the function's parameters.")  # fmt: skip
            items = [0]
        elif items is None:
            self.note(f"The loop over `{text_of(node.iter)}` is not read: the source does not tell its items.",
                      "Loops over ranges, lists and tuples are read.")  # fmt: skip
            for target in assigned(node.body).values():
                if isinstance(target, ast.Name):
                    scope.names.setdefault(target.id, Unknown(target.id))
            return
        for item in items:
            self.assign(node.target, item, scope)
            try:
                self.body(node.body, scope)
            except _Leaves as way:
                if way.word == "break":
                    return
        self.body(node.orelse, scope)

    def _while(self, node: ast.While, scope: Scope) -> None:
        for _ in range(_MAX_TURNS):
            holds = self.expression(node.test, scope)
            if isinstance(holds, Unknown | Imported | DataNode) or isinstance(node.test, ast.Constant):
                break
            if not holds:
                return self.body(node.orelse, scope)
            try:
                self.body(node.body, scope)
            except _Leaves as way:
                if way.word == "break":
                    return None
        self.note(f"`{text_of(node)}` is not read to its end.", "Only what makes up the pipeline is read.",
                  severity="info")  # fmt: skip
        return None

    def _try(self, node: ast.Try, scope: Scope) -> None:
        self.guarded += bool(node.handlers)
        try:
            self.body(node.body, scope)
        except Refused as error:
            if not node.handlers:
                raise
            if node.handlers[0].name:
                scope.names[node.handlers[0].name] = Unknown(str(error))
            rest = node.handlers[0].body
        else:
            rest = node.orelse
        finally:
            self.guarded -= bool(node.handlers)
        self.body([*rest, *node.finalbody], scope)

    def _with(self, node: ast.With, scope: Scope) -> None:
        with ExitStack() as stack:
            for item in node.items:
                context = self.expression(item.context_expr, scope)
                if isinstance(context, Instance):
                    stack.enter_context(self.trace.active())
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, context, scope)
            self.body(node.body, scope)


def _stops(statements: Sequence[ast.stmt]) -> bool:
    """Whether the program ends behind statements, as it does where it does not like what it is given."""
    return bool(statements) and isinstance(statements[-1], ast.Raise)


@contextmanager
def following(interpreter: Interpreter) -> Generator[None]:
    """While the body follows a source: nodes come from its lines, and what nests too deep is an error."""
    with reading_at(interpreter.place):
        try:
            yield
        except (RecursionError, MemoryError) as error:
            raise interpreter.error("The source is nested too deeply.", "Split the expression.") from error


def _test(subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
    """The condition that a pattern is; ``None`` for one that looks into what it is given."""
    match pattern:
        case ast.MatchValue(value):
            return ast.Compare(subject, [ast.Eq()], [value])
        case ast.MatchSingleton(value):
            return ast.Compare(subject, [ast.Is()], [ast.Constant(value)])
        case ast.MatchOr(patterns):
            tests = [_test(subject, one) for one in patterns]
            return None if None in tests else ast.BoolOp(ast.Or(), [one for one in tests if one is not None])
        case ast.MatchAs(inner):
            return ast.Constant(True) if inner is None else _test(subject, inner)
        case _:
            return None
