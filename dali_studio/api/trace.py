"""The graphs that pipeline definitions are building, one above the other in each thread."""

from __future__ import annotations

import keyword
import re
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions

if TYPE_CHECKING:
    from dali_studio.api.branches import Branches
    from dali_studio.api.tracing import DataNode
    from dali_studio.schema.model import Device

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
    outside : bool
        Whether it is of calls outside of definitions, which take over what they use of these calls.
    """

    def __init__(self, options: GraphOptions, *, outside: bool = False) -> None:
        self.graph = Graph(options)
        self.outside = outside
        #: Keys of the nodes that have been taken over, by where they are from.
        self._taken_over: dict[tuple[Trace, str], str] = {}
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
        return self.own(node) if self.branches is None else self.branches.bring(node)

    def own(self, node: DataNode) -> DataNode:
        """The node; if it is from outside of definitions, what it is once it has been taken over."""
        if node.trace is self or not node.trace.outside:
            return node
        port = PortRef(node=self._take_over(node.trace, node.name), output=node.port.output)
        return type(node)(self, port, cast("Device", node.device))

    def _take_over(self, trace: Trace, name: str) -> str:
        """The key of what a node of another trace is here, with all that it needs."""
        graph, taken = trace.graph, self._taken_over
        needed, waiting = set[str](), [name]
        while waiting:
            one = waiting.pop()
            if one not in needed and (trace, one) not in taken:
                needed.add(one)
                waiting += graph.predecessors(one)
        for one in filter(needed.__contains__, graph.order()):
            key = taken[trace, one] = self.new_key(one)
            self.graph.add_node(replace(graph.node(one), key=key))
            self.names |= {given: key for given, own in trace.names.items() if own == one}
            for wire in graph.wires(one):
                port = PortRef(node=taken[trace, wire.source.node], output=wire.source.output)
                self.graph.connect(port, key, wire.input, wire.argument)
        return taken[trace, name]

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
