"""The graphs that pipeline definitions are building, one above the other in each thread."""

from __future__ import annotations

import keyword
import re
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions

if TYPE_CHECKING:
    from dali_studio.api.branches import Branches
    from dali_studio.api.tracing import DataNode

_local = threading.local()


class Trace:
    """The graph that a pipeline definition is building.

    Attributes
    ----------
    graph : Graph
    names : dict
        Node key by the name that the user gave.
    branches : Branches or None
        Where a definition with conditionals stands.
    """

    def __init__(self, options: GraphOptions) -> None:
        self.graph = Graph(options)
        self.names: dict[str, str] = {}
        self.branches: Branches | None = None
        #: What the next operator is called whose call gives no name; constants that it needs are not called so.
        self.suggested = ""
        #: Variables that have held a node.
        self.held: set[str] = set()
        #: The highest number tried for a name: a thousand nodes of one name do not ask for each of them again.
        self._taken: dict[str, int] = {}
        #: What computes an operator in place of appending it (debug mode): name, inputs and arguments of the call.
        self.immediate: Callable[[str, Sequence[Any], Mapping[str, Any]], Any] | None = None

    @staticmethod
    def current() -> Trace | None:
        """The trace of the pipeline that this thread is defining."""
        stack = _stack()
        return stack[-1] if stack else None

    @contextmanager
    def active(self) -> Generator[None]:
        """Make this the current trace."""
        _stack().append(self)
        try:
            yield
        finally:
            _stack().remove(self)

    def here(self, node: DataNode) -> DataNode:
        """The node as the branch that is being traced sees it."""
        return node if self.branches is None else self.branches.bring(node)

    def name_of(self, variable: str) -> str:
        """The name of the first node that a variable holds; others are called by what they do."""
        return "" if variable in self.held else variable

    def new_key(self, name: str) -> str:
        """A free node key like `name`."""
        key = re.sub(r"\W", "_", name)
        if not key.isidentifier() or keyword.iskeyword(key):
            key = f"n_{key}"
        number = self._taken.get(key, 1)
        free = key if number == 1 else f"{key}_{number}"
        while free in self.graph:
            number += 1
            free = f"{key}_{number}"
        self._taken[key] = number
        return free


def _stack() -> list[Trace]:
    stack: list[Trace] | None = getattr(_local, "stack", None)
    if stack is None:
        stack = _local.stack = []
    return stack


def push(trace: Trace) -> None:
    """Make `trace` current until `pop`."""
    _stack().append(trace)


def pop() -> None:
    """Undo the last `push`."""
    _stack().pop()
