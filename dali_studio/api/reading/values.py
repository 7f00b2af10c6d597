"""Values that a source has beside plain ones: its functions, classes and objects, and what they hold."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import PurePosixPath
from typing import Any, cast

import numpy as np

from dali_studio.api.branches import RETURNED
from dali_studio.api.constants import ScalarConstant
from dali_studio.api.reading import known
from dali_studio.api.reading.known import Imported
from dali_studio.api.tracing import DataNode
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.wording import nearest
from dali_studio.graph.edits import PortRef
from dali_studio.schema.model import Device

#: What makes pipelines, by the last of its names; functions of iterators make one behind them.
_CREATORS = {
    "Pipeline": "Pipeline",
    **dict.fromkeys(
        ("pipeline_def", "_pipeline_def_experimental", "data_iterator", "peekable_data_iterator"), "pipeline_def"
    ),
}  # fmt: skip
#: What programs call the result of several branches.
_JOINED = re.compile(r"merge(_\d+)?")
#: Characters of an expression that messages show.
_SHOWN = 60


@dataclass(slots=True)
class Scope:
    """Names and their values; those of the scope around it are seen, too."""

    names: dict[str, Any] = field(default_factory=dict[str, Any])
    outer: Scope | None = None
    opened: bool = False
    sources: dict[str, tuple[ast.expr, Any]] = field(default_factory=dict[str, "tuple[ast.expr, Any]"])
    """What variables were given last, with the values of that."""
    reassigned: frozenset[str] = frozenset()
    """Variables that hold one value after another."""

    def find(self, name: str) -> Any:
        """The value of a name; raises `KeyError`."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return known.BUILTINS[name]

    def is_open(self) -> bool:
        """Whether there may be names that are not told: all those of a module have been imported."""
        return self.opened or (self.outer is not None and self.outer.is_open())

    def nearest(self, name: str) -> str:
        """The name that is most like one that is not found; empty if none is."""
        there: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            there += scope.names
            scope = scope.outer
        return nearest(name, there)


@dataclass(frozen=True, slots=True, eq=False)
class UserFunction:
    """A function or a lambda of the source."""

    node: ast.FunctionDef | ast.Lambda
    scope: Scope


@dataclass(frozen=True, slots=True, eq=False)
class UserClass:
    """A class of the source."""

    node: ast.ClassDef
    scope: Scope
    is_pipeline: bool
    names: dict[str, Any]
    """Those that its body gives values."""
    bases: tuple[UserClass, ...] = ()
    """Those of the source."""

    def is_a(self, other: UserClass) -> bool:
        """Whether it is another class, or derived from it."""
        return self is other or any(base.is_a(other) for base in self.bases)

    def fields(self) -> list[str]:
        """What a data class is made with, those of its bases first."""
        own = [one.target for one in self.node.body if isinstance(one, ast.AnnAssign)]
        names = [name for base in self.bases for name in base.fields()]
        return [*dict.fromkeys([*names, *(one.id for one in own if isinstance(one, ast.Name))])]


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a class of the source, or a pipeline.

    Attributes
    ----------
    of : UserClass or None
        ``None`` for a plain ``Pipeline``.
    options : dict
        What a pipeline has been made with.
    outputs : list or None
        What `set_outputs` was given.
    found : list
        Findings about how it was made, which matter once it is looked into.
    """

    of: UserClass | None
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    outputs: list[Any] | None = None
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])


@dataclass(frozen=True, slots=True, eq=False)
class Maker:
    """What a call of ``pipeline_def`` gives, and a call of that: a pipeline that nothing has followed yet.

    Attributes
    ----------
    options : dict
        Those of its pipelines.
    function : UserFunction or None
        ``None`` until it is given.
    given : tuple or None
        Arguments of the call that makes the pipeline.
    """

    options: dict[str, Any]
    function: UserFunction | None = None
    given: tuple[list[Any], dict[str, Any]] | None = None

    def __call__(self, arguments: list[Any], keywords: dict[str, Any]) -> Maker:
        function = arguments[0] if arguments else None
        if self.function is not None:
            return replace(self, given=(arguments, keywords))
        return replace(self, function=function) if isinstance(function, UserFunction) else self


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of an object of the source, or of the class ``Pipeline``: called with a list and a dictionary."""

    call: Callable[[list[Any], dict[str, Any]], Any]
    is_property: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """``functools.partial``: a function with arguments that it always gets."""

    function: Any
    arguments: list[Any]
    keywords: dict[str, Any]


class UnknownResult(DataNode):
    """The result of an operator that nobody knows: as many outputs as are asked for."""

    def outputs(self, count: int) -> list[DataNode]:
        """Its first `count` outputs."""
        device = cast("Device", self.device)
        return [DataNode(self.trace, PortRef(node=self.name, output=i), device) for i in range(count)]


@dataclass(frozen=True, slots=True)
class Super:
    """``super()`` in a method of a class."""

    instance: Instance
    of: UserClass | None


def creator_of(value: Any) -> str:
    """``pipeline_def`` or ``Pipeline`` for what is imported under these names; an empty text for all else."""
    if not isinstance(value, Imported) or not value.path.startswith(known.ROOT):
        return ""
    return _CREATORS.get(value.path.rpartition(".")[2], "")


def calls_creator(node: ast.AST) -> bool:
    """Whether an expression is a call of ``pipeline_def``, by its name alone."""
    named = text_of(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
    return _CREATORS.get(named) == "pipeline_def"


#: Under which methods see their class.
_CLASS = "__class__"


def method_in(of: UserClass | None, name: str) -> UserFunction | None:
    """A method of a class of the source, or of a base of it."""
    if of is None:
        return None
    found = next((one for one in of.node.body if isinstance(one, ast.FunctionDef) and one.name == name), None)
    return inherited(of, name) if found is None else UserFunction(found, Scope({_CLASS: of}, of.scope))


def inherited(of: UserClass | None, name: str) -> UserFunction | None:
    """A method of the bases of a class."""
    return next(filter(None, (method_in(base, name) for base in (of.bases if of else ()))), None)


def class_around(scope: Scope) -> UserClass | None:
    """The class whose method is being followed."""
    try:
        return scope.find(_CLASS)
    except KeyError:
        return None


def name_for(targets: Sequence[ast.expr], scope: Scope) -> str:
    """The name for the node that an assignment makes.

    There is none for places and for `_`, nor where a variable says what goes through a chain (``images``), which would
    name its first step alone, or is called after what joins branches, of which it would name the first.
    """
    target = targets[0]
    if len(targets) != 1 or not isinstance(target, ast.Name) or target.id.startswith("_") or target.id == RETURNED:
        return ""
    return "" if target.id in scope.reassigned or _JOINED.fullmatch(target.id) else target.id


def reassigned(statements: Sequence[ast.stmt], held: Sequence[str] = ()) -> frozenset[str]:
    """Variables that are assigned where they hold a value already; those of either branch of an `if` are not."""
    found = set[str]()

    def follow(node: ast.AST, bound: set[str]) -> set[str]:
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            return bound
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                found.update({node.id} & bound)
                return bound | {node.id}
            return bound
        if isinstance(node, ast.If):
            before = follow(node.test, bound)
            return follow_all(node.body, before) | follow_all(node.orelse, before)
        return follow_all([*ast.iter_child_nodes(node)], bound)

    def follow_all(nodes: Sequence[ast.AST], bound: set[str]) -> set[str]:
        for one in nodes:
            bound = follow(one, bound)
        return bound

    follow_all(statements, set(held))
    return frozenset(found)


def loaded(target: ast.expr) -> ast.expr:
    """The expression that reads what `target` assigns."""
    made = copy.deepcopy(target)
    cast(Any, made).ctx = ast.Load()
    return made


def text_of(node: ast.AST) -> str:
    """The first line of a syntax tree, for messages."""
    try:
        text = ast.unparse(node).partition("\n")[0]
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    except RecursionError:
        return type(node).__name__



def kind_of(method: UserFunction) -> str:
    """What Python's own decorators make of a method: `staticmethod`, `classmethod` or `property`."""
    names = [text_of(one).rpartition(".")[2] for one in getattr(method.node, "decorator_list", ())]
    found = next((one for one in names if one in ("staticmethod", "classmethod")), "")
    return found or ("property" if any(one.endswith("property") for one in names) else "")


def is_plain(value: Any) -> bool:
    """Whether Python's operators may be used on a value."""
    plain = isinstance(value, bool | int | float | str | list | tuple | dict | np.ndarray | np.generic | type(None))
    return (plain or isinstance(value, ScalarConstant | PurePosixPath | Enum)) and not known.has_unknown(value)


def is_json(value: Any) -> bool:
    """Whether a document may hold a value."""
    if isinstance(value, list | tuple):
        return all(map(is_json, cast("Sequence[Any]", value)))
    return isinstance(value, bool | int | float | str)


def json_of(value: Any) -> Any:
    """A value as documents hold it."""
    if isinstance(value, list | tuple):
        return tuple(map(json_of, cast("Sequence[Any]", value)))
    return value


def items_of(value: Any) -> list[Any] | None:
    """What a loop over a value takes one after the other; ``None`` if the source does not tell."""
    if isinstance(value, dict):
        return list(cast("dict[Any, Any]", value))
    plain = isinstance(value, list | tuple | range | str | np.ndarray) or type(value).__name__.startswith("dict_")
    return list(cast("Sequence[Any]", value)) if plain else None
