"""Branches of a pipeline definition: what ``if``, ``and``, ``or`` and ``not`` on operator results become.

While a branch is traced, what comes from outside is split by the branch's condition, once for each condition; what the
branches assign is merged behind them. `rewriting` makes the calls of this module out of the statements.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, cast

import numpy as np

from dali_studio.api.constants import ScalarConstant, is_scalar
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import DataNode, call_site, constant, trace_operator
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import PortRef
from dali_studio.graph.node import Node
from dali_studio.schema.model import Value

_SPLIT, _MERGE = "_conditional.split", "_conditional.merge"


@dataclass(eq=False, slots=True)
class Condition:
    """The condition of an ``if``, and what has been split by it.

    Attributes
    ----------
    predicate : DataNode
        As the place around the ``if`` sees it.
    place : tuple
        That place.
    halves : dict
        Both halves of what was split.
    """

    predicate: DataNode
    place: Place
    halves: dict[PortRef, tuple[DataNode, DataNode]] = field(
        default_factory=dict[PortRef, "tuple[DataNode, DataNode]"]
    )


#: Where a definition stands: the conditions around it, and in which of their branches. Outside of all: ``()``.
Place = tuple[tuple[Condition, bool], ...]


class Branches:
    """Where a definition stands, and where each of its results belongs."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.place: Place = ()
        self._homes: dict[PortRef, Place] = {}
        self._merging = False
        #: Nodes that no call of the user has made.
        self._made: set[str] = set()

    def bring(self, node: DataNode) -> DataNode:
        """A result as the present place sees it: those of its samples that are processed here.

        Raises
        ------
        DaliStudioError
            DS304 for what belongs to a branch that has ended, or to another one.
        """
        node = self._trace.own(node)
        home = self._homes.get(node.port, ())
        if self._merging:
            return node
        if self.place[: len(home)] != home:
            raise _error(
                f"{node.name} belongs to a branch of an `if`, and is used outside of it.",
                "Assign it to a variable in both branches: what they assign is merged behind the `if`.", node.name,
            )  # fmt: skip
        for condition, holds in self.place[len(home) :]:
            halves = condition.halves.get(node.port)
            if halves is None:
                halves = condition.halves[node.port] = self._split(node, condition)
            node = halves[not holds]
        return node

    def scope(self) -> DataNode | None:
        """The samples of the present branch, for operators without inputs that depend on how many these are."""
        return self.bring(self.place[-1][0].predicate) if self.place else None

    def register(self, ports: Sequence[PortRef], *, fed: bool) -> None:
        """Note where new results belong: here, or, if nothing feeds their operator, outside of all branches."""
        if fed and self.place:
            self._homes.update(dict.fromkeys(ports, self.place))

    @contextmanager
    def at(self, place: Place, *, merging: bool = False) -> Generator[None]:
        """Stand elsewhere for a while; `merging`: results of the branches that have ended may be used."""
        before = self.place, self._merging
        self.place, self._merging = place, merging
        try:
            yield
        finally:
            self.place, self._merging = before

    def _split(self, node: DataNode, condition: Condition) -> tuple[DataNode, DataNode]:
        with self.at(condition.place):
            holds, other = self.own(_SPLIT, (node,), {"predicate": condition.predicate})
        for half, which in ((holds, True), (other, False)):
            self._homes[half.port] = (*condition.place, (condition, which))
        return holds, other

    def merge(self, condition: Condition, holds: Any, other: Any) -> DataNode:
        """One result of two, or of constants, where `condition` holds and where it does not."""
        halves: list[DataNode] = []
        for value, which in ((holds, True), (other, False)):
            with self.at((*condition.place, (condition, which))):
                halves.append(self.bring(value if isinstance(value, DataNode) else self._constant(value)))
        with self.at(condition.place, merging=True):
            return self.own(_MERGE, halves, {"predicate": condition.predicate})

    def _constant(self, value: Any) -> DataNode:
        plain, dtype = (value.value, value.dtype) if isinstance(value, ScalarConstant) else (value, None)
        made = cast(DataNode, constant(plain, dtype, device="cpu"))
        self._made.add(made.name)
        return made

    def own(self, name: str, inputs: Sequence[DataNode], arguments: Mapping[str, Any]) -> Any:
        """Append an operator that may be dropped if nothing uses it."""
        made: Any = trace_operator(name, inputs, arguments, self._trace)
        self._made.add((made[0] if name == _SPLIT else made).name)
        return made

    def drop_unused(self, kept: Iterable[str] = ()) -> None:
        """Take away what was split or merged and then not used, but for the nodes `kept`."""
        graph = self._trace.graph
        dropped: set[str] = set()
        used = {*kept, *(port.node for port in graph.outputs)}
        wires = graph.wires()
        for key in reversed(graph.order()):
            if key in self._made and key not in used:
                dropped.add(key)
            else:
                used.update(graph.predecessors(key))
        if dropped:
            nodes: list[Node] = [node for node in graph.nodes() if node.key not in dropped]
            graph.rebuild(nodes, [wire for wire in wires if wire.target not in dropped], graph.outputs)


# -------------------------------------------------------------------------------------------- what statements become


class Unavailable:
    """Stands for the value of a variable that has none that could be used."""

    def __init__(self, name: str, message: str, hint: str = "") -> None:
        self.name, self.message, self.hint = name, message, hint

    def error(self) -> Exception:
        """What reading it raises."""
        return _error(self.message, self.hint)


class Unset(Unavailable):
    """Stands for the value of a variable that has not been assigned."""

    def __init__(self, name: str) -> None:
        super().__init__(name, f"cannot access local variable {name!r} where it is not associated with a value")

    def error(self) -> Exception:
        """As Python raises it."""
        return UnboundLocalError(self.message)


#: The variable that holds what a function returns.
RETURNED = "dali_studio_returned"


class Branch:
    """An ``if`` statement: of a plain condition, which chooses one branch, or of a result, for which both are traced.

    Parameters
    ----------
    condition
        What stands behind ``if``.
    names : sequence of str
        Variables that the branches assign.
    values : sequence of callable
        They give the values of these variables.

    Attributes
    ----------
    holds : bool
        Whether the first branch is to run.
    traced : bool
        Whether both are, for different samples.
    before, merged : list
        Values of the variables before the ``if``, and behind it.
    """

    def __init__(self, condition: Any, names: Sequence[str], values: Sequence[Callable[[], Any]]) -> None:
        branches = _branches_of(condition)
        self.traced = branches is not None
        if branches is None:
            self.holds = bool(condition)
            return
        self._branches, self._names, self._values = branches, names, values
        self._condition = _opened(branches, condition)
        self.before = self._state()
        self.merged: list[Any] = []
        self.holds = True
        branches.place = (*self._condition.place, (self._condition, True))

    def turn(self) -> bool:
        """The end of the first branch; whether the second one is to run."""
        if not self.traced:
            return not self.holds
        self._first = self._state()
        self._branches.place = (*self._condition.place, (self._condition, False))
        return True

    def close(self) -> bool:
        """The end of the second branch; whether there is something to merge."""
        if not self.traced:
            return False
        second = self._state()
        self._branches.place = self._condition.place
        rows = zip(self._names, self.before, self._first, second, strict=True)
        self.merged = [
            before if isinstance(before, Unavailable) and one is before and other is before
            else self._merged(name, one, other)
            for name, before, one, other in rows
        ]
        return bool(self.merged)

    def _state(self) -> list[Any]:
        return [_value(name, value) for name, value in zip(self._names, self._values, strict=True)]

    def _merged(self, name: str, one: Any, other: Any) -> Any:
        for value in (one, other):
            if isinstance(value, Unavailable) and not isinstance(value, Unset):
                return value  # what no `if` inside could merge, no one may read behind this one
        try:
            return _merged(self._branches, self._condition, one, other)
        except _NotMergeable as error:
            return _unavailable(name, error)


def _branches_of(value: Any) -> Branches | None:
    """Those of the definition in which a result is used as a condition."""
    trace = value.trace if isinstance(value, DataNode) else None
    if trace is not None and trace.outside:
        trace = Trace.current()
    return None if trace is None else trace.branches


def _value(name: str, value: Callable[[], Any]) -> Any:
    try:
        return value()
    except (NameError, KeyError, IndexError, AttributeError):
        return Unset(name)


def _opened(branches: Branches, condition: DataNode) -> Condition:
    if condition.device == "gpu":
        raise _error(
            f"{condition.name} lies on the GPU; conditions are read on the CPU.",
            "Compute it on the CPU, or copy it with .cpu().", condition.name, "DS207",
        )  # fmt: skip
    return Condition(branches.bring(condition), branches.place)


class _NotMergeable(Exception):  # noqa: N818 - no error yet: the variable may never be read
    """Why values of two branches have no common one."""

    def __init__(self, message: str, hint: str = "", missing: str = "") -> None:
        self.message, self.hint, self.missing = message, hint, missing
        super().__init__(message)


def _unavailable(name: str, reason: _NotMergeable) -> Unavailable:
    if reason.missing and name == RETURNED:
        return Unavailable(
            name, f"One branch of an `if` returns, its `{reason.missing}` branch does not.",
            "Return in both branches, or behind the `if`.",
        )  # fmt: skip
    if reason.missing:
        return Unavailable(
            name, f"{name} has no value where the `{reason.missing}` branch of an `if` was taken.",
            "Assign it in both branches, or before the `if`.",
        )  # fmt: skip
    what = "What is returned" if name == RETURNED else name
    return Unavailable(name, f"{what} cannot be merged behind an `if`: {reason.message}.", reason.hint)


def _merged(branches: Branches, condition: Condition, one: Any, other: Any) -> Any:
    """The common value of two branches; structures are merged leaf by leaf."""
    for value, which in ((one, "if"), (other, "else")):
        if isinstance(value, Unset):
            raise _NotMergeable("it is not set", missing=which)
        if isinstance(value, Unavailable):
            raise value.error()
    if isinstance(one, dict | list | tuple) or isinstance(other, dict | list | tuple):
        return _merged_structure(branches, condition, one, other)
    if isinstance(one, DataNode) or isinstance(other, DataNode) or one is not other or _is_computed(one):
        for value in (one, other):
            if not isinstance(value, DataNode) and not _is_number(value):
                raise _NotMergeable(
                    f"the branches give {_kind(one)} and {_kind(other)}",
                    "Operator results, numbers, arrays, and lists, tuples and dictionaries of them can be merged.",
                )  # fmt: skip
        return branches.merge(condition, one, other)
    return one


def _merged_structure(branches: Branches, condition: Condition, one: Any, other: Any) -> Any:
    kind = cast("type[Any]", type(one))
    alike = type(other) is kind and len(one) == len(other) and (not isinstance(one, dict) or one.keys() == other.keys())
    if not alike:
        raise _NotMergeable(
            f"the branches give {_kind(one)} and {_kind(other)}",
            "Give values of one structure: lists or tuples of one length, dictionaries of the same keys.",
        )  # fmt: skip
    if isinstance(one, dict):
        items = cast("dict[Any, Any]", one).items()
        return kind({key: _merged(branches, condition, value, other[key]) for key, value in items})
    merged = [_merged(branches, condition, *pair) for pair in zip(one, other, strict=True)]
    return kind(*merged) if hasattr(kind, "_fields") else kind(merged)


def _is_computed(value: Any) -> bool:
    """Whether a number stands for a result even where both branches give it; members of enumerations are settings."""
    return _is_number(value) and not isinstance(value, Enum)


def _is_number(value: Any) -> bool:
    if isinstance(value, np.ndarray | np.generic):
        return cast("np.ndarray[Any, Any]", value).dtype.kind in "biuf"
    return is_scalar(value) or isinstance(value, ScalarConstant)


def _kind(value: Any) -> str:
    if value is None or isinstance(value, str):
        return repr(value)
    if isinstance(value, dict):
        return f"a dictionary of {', '.join(map(repr, cast('dict[Any, Any]', value))) or 'nothing'}"
    if isinstance(value, list | tuple):
        return f"a {type(cast(Any, value)).__name__} of {len(cast('Sequence[Any]', value))}"
    return "an operator result" if isinstance(value, DataNode) else f"a {type(value).__name__}"


def read(value: Any) -> Any:
    """The value of a variable that branches assign.

    Raises
    ------
    DaliStudioError or UnboundLocalError
        If it has none.
    """
    if isinstance(value, Unavailable):
        raise value.error()
    return value


def returned(value: Any) -> Any:
    """What a function returns, ``None`` if no ``return`` was met."""
    return None if isinstance(value, Unset) else read(value)


def unset() -> Unset:
    """The value of `RETURNED` before a ``return`` is met."""
    return Unset(RETURNED)


def jump(word: str, *left: Branch) -> None:
    """Refuse to leave branches of which both are traced.

    Raises
    ------
    DaliStudioError
        DS304 there.
    """
    if any(branch.traced for branch in left):
        raise _error(
            f"`{word}` would leave a branch for some samples only; both branches are traced, one after the other.",
            "Return at the end of both branches." if word == "return" else "Choose by a plain Python condition.",
        )  # fmt: skip


def place() -> tuple[Branches, Place] | None:
    """Where the current definition stands."""
    trace = Trace.current()
    return None if trace is None or trace.branches is None else (trace.branches, trace.branches.place)


def stand(where: tuple[Branches, Place] | None) -> None:
    """Go back to a place, out of branches that an exception has left."""
    if where is not None:
        where[0].place = where[1]


def choose(condition: Any, holds: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """What one function gives where a condition holds, and the other where not: an ``if`` for library code.

    Parameters
    ----------
    condition : bool or DataNode
        With a DataNode both functions are called, and their results merged.
    holds, other : callable
    """
    where, found = place(), [cast(Any, Unset("result"))]
    try:
        branch = Branch(condition, ("result",), (lambda: found[0],))
        if branch.holds:
            found[0] = holds()
        if branch.turn():
            found[0] = other()
        return read(branch.merged[0]) if branch.close() else found[0]
    except BaseException:
        stand(where)
        raise


def not_(value: Any) -> Any:
    """``not value``."""
    if _branches_of(value) is not None:
        return trace_operator("_conditional.not_", (value,), {}, value.trace)
    return not value


def and_(*operands: Callable[[], Any]) -> Any:
    """``a and b and ...``: an operand is computed for samples for which those before it hold."""
    return _logical("and", operands)


def or_(*operands: Callable[[], Any]) -> Any:
    """``a or b or ...``: an operand is computed for samples for which none before it holds."""
    return _logical("or", operands)


def _logical(word: str, operands: Sequence[Callable[[], Any]]) -> Any:
    first, *rest = operands
    value = first()
    if not rest:
        return value
    goes_on = word == "and"  # the branch of the condition `value` in which the next operand is computed
    branches = _branches_of(value)
    if branches is None:
        return _logical(word, rest) if bool(value) is goes_on else value
    condition = _opened(branches, _checked(branches, value, word, "left"))
    with branches.at((*condition.place, (condition, goes_on))):
        further = _checked(branches, _logical(word, rest), word, "right")
    halves = (further, condition.predicate) if goes_on else (condition.predicate, further)
    return branches.merge(condition, *halves)


def _checked(branches: Branches, value: Any, word: str, side: Value) -> DataNode:
    names = {"expression_name": word, "expression_side": side}
    if isinstance(value, DataNode) and value.device == "gpu":
        raise _error(
            f"The {side} side of `{word}`, {value.name}, lies on the GPU; conditions are read on the CPU.",
            "Compute it on the CPU, or copy it with .cpu().", value.name, "DS207",
        )  # fmt: skip
    return branches.own("_conditional.validate_logical", (value,), names)


def _error(message: str, hint: str, node: str = "", code: str = "DS304") -> DaliStudioError:
    return DaliStudioError(Diagnostic(code=code, message=message, hint=hint, node=node, source=call_site()))
