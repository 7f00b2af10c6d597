"""The logical program: nodes with arguments, wires between ports, what the pipeline returns, and its options."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import PortRef
from dali_studio.graph.node import GraphOptions, Node, Wire, cycle_found, slot
from dali_studio.graph.objects import fingerprint
from dali_studio.schema.registry import Registry

if TYPE_CHECKING:
    from dali_studio.graph.record import Record

__all__ = ["Graph", "GraphOptions", "Node", "Wire", "structural_keys"]


class Ends(NamedTuple):
    """What ends at a node, in the forms that are asked for."""

    wires: tuple[Wire, ...]
    inputs: tuple[PortRef | None, ...]
    arguments: dict[str, PortRef]
    sources: tuple[str, ...]

    @classmethod
    def of(cls, wires: Sequence[Wire]) -> Ends:
        """From wires in order."""
        found = {w.input: w.source for w in wires if w.input is not None}
        return cls(
            tuple(wires),
            tuple(found.get(i) for i in range(max(found, default=-1) + 1)),
            {w.argument: w.source for w in wires if w.input is None},
            tuple(dict.fromkeys(w.source.node for w in wires)),
        )


class Graph:
    """A pipeline's graph. Builders mutate it while tracing; afterwards it changes by edits, which work on copies.

    Attributes
    ----------
    options : GraphOptions
    extra, envelope : dict
        Unknown fields of a document's ``pipeline`` part and top level, kept as they were.
    record : Record or None
        What the document told of its writer, of a graph that was read.
    """

    def __init__(self, options: GraphOptions | None = None) -> None:
        self.options = options or GraphOptions()
        self.extra: dict[str, object] = {}
        self.envelope: dict[str, object] = {}
        self.record: Record | None = None
        self._outputs: tuple[PortRef, ...] = ()
        self._returned: dict[str, int] = {}  # node key to the number after its highest output that is returned
        self._nodes: dict[str, Node] = {}
        # By the target's slots: an int is a positional input, a str an argument. Each wire stands in both.
        self._wired: dict[str, dict[int | str, PortRef]] = {}
        self._from: dict[str, dict[str, dict[int | str, int]]] = {}  # source, target and slot to the source's output
        self._ends: dict[str, Ends] = {}  # what ends at a target, since validation asks for it many times

    # ------------------------------------------------------------------------------------------------ reading

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._nodes))

    def __contains__(self, key: object) -> bool:
        return key in self._nodes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self._state() == other._state() and self._places() == other._places()

    __hash__ = None  # type: ignore[assignment]

    def _state(self) -> tuple[object, ...]:
        return self.options, self._outputs, self.nodes(), self.extra, self.envelope

    def _places(self) -> dict[tuple[object, ...], PortRef]:
        return {(w.target, w.input, w.argument): w.source for w in self.wires()}

    @property
    def outputs(self) -> tuple[PortRef, ...]:
        """What the pipeline returns, in order."""
        return self._outputs

    def node(self, key: str) -> Node:
        """The node called `key`.

        Raises
        ------
        DaliStudioError
            DS209 if there is none.
        """
        node = self._nodes.get(key)
        if node is None:
            known = ", ".join(islice(self, 20)) + (" ..." if len(self) > 20 else "") or "none"
            raise DaliStudioError(
                Diagnostic(code="DS209", message=f"There is no node called {key!r}.", hint=f"Nodes: {known}.", node=key)
            )
        return node

    def free_key(self, name: str) -> str:
        """`name`, or with a number behind it if a node is called so."""
        key, number = name, 2
        while key in self:
            key, number = f"{name}_{number}", number + 1
        return key

    def nodes(self) -> list[Node]:
        """All nodes, in insertion order."""
        return list(self._nodes.values())

    def wires(self, target: str | None = None) -> list[Wire]:
        """All wires, or those that end at `target`: positional inputs first, then arguments by name."""
        targets = self if target is None else (target,)
        return [wire for key in targets for wire in self.ends(key).wires]

    def ends(self, key: str) -> Ends:
        """What ends at a node; the same object, in copies of the graph as well, until that changes."""
        known = self._ends.get(key)
        if known is None:
            found = [Wire(source, key, *_ends(at)) for at, source in self._wired.get(key, {}).items()]
            known = self._ends[key] = Ends.of(sorted(found, key=lambda w: (w.input is None, w.input or 0, w.argument)))
        return known

    def _wires_from(self, key: str) -> Iterator[tuple[str, int | str, int]]:
        """Target, slot there, and output."""
        for target, slots in self._from.get(key, {}).items():
            for at, output in slots.items():
                yield target, at, output

    def inputs(self, key: str) -> tuple[PortRef | None, ...]:
        """Sources of the positional inputs up to the last wired one; ``None`` where nothing is wired."""
        return self.ends(key).inputs

    def argument_inputs(self, key: str) -> dict[str, PortRef]:
        """Sources of the argument inputs, by name in alphabetical order (nvidia.dali's order of traversal)."""
        return dict(self.ends(key).arguments)

    def consumers(self, port: PortRef) -> list[tuple[str, int | None, str]]:
        """Who reads an output: (target key, input number or ``None``, argument name or empty)."""
        return [(target, *_ends(at)) for target, at, output in self._wires_from(port.node) if output == port.output]

    def predecessors(self, key: str) -> list[str]:
        """Keys that feed a node, each once: positional inputs first, then arguments by name."""
        return list(self.ends(key).sources)

    def fed_by(self, key: str) -> list[tuple[str, int | None]]:
        """What a node feeds: target key and input number, ``None`` for an argument."""
        return [(target, _ends(at)[0]) for target, at, _ in self._wires_from(key)]

    def outputs_used(self, key: str) -> int:
        """How many outputs a node must have for what is wired to it and returned of it."""
        wired = (output + 1 for _, _, output in self._wires_from(key))
        return max(max(wired, default=0), self._returned.get(key, 0))

    def order(self) -> list[str]:
        """All keys, sources first, and otherwise as inserted.

        Raises
        ------
        DaliStudioError
            DS204 if there is a cycle.
        """
        order = self.computable()
        if len(order) < len(self):
            raise DaliStudioError(cycle_found(self.find_cycle()))
        return order

    def computable(self) -> list[str]:
        """Keys as in `order`, without those on a cycle and those fed by one."""
        position = {key: i for i, key in enumerate(self._nodes)}
        waiting = {key: len(wired) for key, wired in self._wired.items()}
        ready = [(position[key], key) for key, sources in waiting.items() if not sources]
        order: list[str] = []
        while ready:
            _, key = heappop(ready)
            order.append(key)
            for target, slots in self._from[key].items():
                waiting[target] -= len(slots)
                if not waiting[target]:
                    heappush(ready, (position[target], target))
        return order

    def find_cycle(self) -> list[str]:
        """The keys along one cycle, or an empty list."""
        ordered = set(self.computable())
        rest = [key for key in self._nodes if key not in ordered]
        if not rest:
            return []
        walk: dict[str, int] = {}  # backwards: each of the rest is fed by another one, until one comes again
        key = rest[0]
        while key not in walk:
            walk[key] = len(walk)
            key = next(source.node for source in self._wired[key].values() if source.node not in ordered)
        cycle = list(walk)[walk[key] :][::-1]
        first = min(range(len(cycle)), key=cycle.__getitem__)
        return cycle[first:] + cycle[:first]

    def sinks(self, registry: Registry) -> list[str]:
        """Nodes that run even if no output depends on them: the schema or the argument ``preserve`` says so."""
        return [node.key for node in self.nodes() if _kept(node, registry)]

    def reachable(self, outputs: Iterable[PortRef] | None = None, registry: Registry | None = None) -> set[str]:
        """Keys on which `outputs` (default: the pipeline's) depend; with a registry also what `sinks` keep alive."""
        ports = self._outputs if outputs is None else outputs
        starts = [port.node for port in ports if port.node in self._nodes]
        starts += self.sinks(registry) if registry is not None else []
        return _walked(starts, lambda key: [source.node for source in self._wired[key].values()])

    def descendants(self, key: str) -> set[str]:
        """Keys that depend on `key`, without itself."""
        return _walked([key], lambda key: self._from[key]) - {key}

    def path(self, source: str, target: str) -> list[str]:
        """Keys along the shortest way from one node to another that depends on it, both included."""
        return list(_networkx().shortest_path(self.to_networkx(), source, target))

    def to_networkx(self) -> Any:
        """A copy as ``networkx.MultiDiGraph``: node attribute ``node``, edge attributes ``output, input, argument``."""
        graph = _networkx().MultiDiGraph(name=self.options.name)
        for node in self.nodes():
            graph.add_node(node.key, node=node)
        for wire in self.wires():
            ends = {"output": wire.source.output, "input": wire.input, "argument": wire.argument}
            graph.add_edge(wire.source.node, wire.target, **ends)
        return graph

    # ------------------------------------------------------------------------------------------------ building

    def copy(self) -> Graph:
        """An independent graph with the same (immutable) nodes."""
        other = Graph(self.options)
        other.extra, other.envelope, other.record = dict(self.extra), dict(self.envelope), self.record
        other._outputs, other._returned = self._outputs, self._returned
        other._nodes, other._ends = self._nodes.copy(), self._ends.copy()
        other._wired = {key: wired.copy() for key, wired in self._wired.items()}
        other._from = {
            key: {target: slots.copy() for target, slots in targets.items()} for key, targets in self._from.items()
        }
        return other

    def add_node(self, node: Node) -> None:
        """Append a node.

        Raises
        ------
        DaliStudioError
            DS208 if its key is taken.
        """
        if node.key in self._nodes:
            raise DaliStudioError(
                Diagnostic(
                    code="DS208", message=f"A node called {node.key!r} exists already.", hint="Choose another name.",
                    node=node.key,
                )
            )  # fmt: skip
        self._nodes[node.key] = node
        self._wired[node.key], self._from[node.key] = {}, {}

    def insert_node(self, node: Node, place: int, wires: Iterable[Wire]) -> None:
        """Put a node at a place in the order, with wires that begin or end at it."""
        behind = self.nodes()[place:]
        self.add_node(node)
        for one in behind:
            self._nodes[one.key] = self._nodes.pop(one.key)
        for wire in wires:
            self.connect(wire.source, wire.target, wire.input, wire.argument)

    def remove_node(self, key: str) -> tuple[int, list[Wire]]:
        """Take a node away, and what is returned of it; gives its place, and the wires that began or ended at it."""
        self.node(key)
        place, ends = list(self._nodes).index(key), self._wires_from(key)
        wires = [Wire(PortRef(node=key, output=output), to, *_ends(at)) for to, at, output in ends if to != key]
        wires = [*self.wires(key), *wires]
        for wire in wires:
            self.disconnect(wire.target, wire.input, wire.argument)
        if key in self._returned:
            self.set_outputs(port for port in self._outputs if port.node != key)
        for table in (self._nodes, self._wired, self._from, self._ends):
            table.pop(key, None)
        return place, wires

    def replace_node(self, node: Node) -> None:
        """Exchange the node of the same key; wires and order stay."""
        self.node(node.key)
        self._nodes[node.key] = node

    def connect(self, source: PortRef, target: str, input: int | None = None, argument: str = "") -> None:  # noqa: A002 - as in edits
        """Wire an output to an input or argument, in place of what was wired there.

        Raises
        ------
        DaliStudioError
            DS209 for an unknown node, or unless exactly one of `input` and `argument` is given.
        """
        at = slot(input, argument)
        self.node(source.node)
        self.node(target)
        self.disconnect(target, input, argument)
        self._wired[target][at] = source
        self._from[source.node].setdefault(target, {})[at] = source.output
        self._ends.pop(target, None)

    def disconnect(self, target: str, input: int | None = None, argument: str = "") -> PortRef | None:  # noqa: A002 - as in edits
        """Cut the wire that ends there; returns its source, or ``None`` if there was no wire."""
        at = slot(input, argument)
        source = self._wired.get(target, {}).pop(at, None)
        if source is not None:
            slots = self._from[source.node][target]
            del slots[at]
            if not slots:
                del self._from[source.node][target]
            self._ends.pop(target, None)
        return source

    def set_outputs(self, outputs: Iterable[PortRef]) -> None:
        """Choose what the pipeline returns (DS209 for an unknown node)."""
        chosen = tuple(outputs)
        for port in chosen:
            self.node(port.node)
        self._outputs = chosen
        self._returned = {}
        for port in chosen:
            self._returned[port.node] = max(self._returned.get(port.node, 0), port.output + 1)

    def rebuild(self, nodes: Sequence[Node], wires: Iterable[Wire], outputs: Iterable[PortRef]) -> None:
        """Replace the whole content."""
        self._nodes, self._wired, self._from, self._ends = {}, {}, {}, {}
        for node in nodes:
            self.add_node(node)
        for wire in wires:
            self.connect(wire.source, wire.target, wire.input, wire.argument)
        self.set_outputs(outputs)


def _networkx() -> Any:
    """networkx, imported for what needs it: that takes a fifth of the time until a program has its first pipeline."""
    import networkx as nx  # noqa: PLC0415 - see above

    return nx


def _walked(starts: Iterable[str], step: Callable[[str], Iterable[str]]) -> set[str]:
    found, pending = set[str](), list(starts)
    while pending:
        key = pending.pop()
        if key not in found:
            found.add(key)
            pending.extend(step(key))
    return found


def _ends(at: int | str) -> tuple[int | None, str]:
    return (None, at) if isinstance(at, str) else (at, "")


def _kept(node: Node, registry: Registry) -> bool:
    return node.arguments.get("preserve") is True or (node.operator in registry and registry.schema(node.operator).keep)


def structural_keys(
    graph: Graph, registry: Registry, seeds: Mapping[str, int], given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """A name for what each node computes: equal keys mean equal data, for equal pipeline options.

    Parameters
    ----------
    seeds
        The operator seed of every seeded node.
    given
        Keys of nodes whose data is given, whatever they would compute.

    Returns
    -------
    dict
        Node key to 32 hexadecimal digits over operator, version, device, arguments, seed and the keys of the inputs.

    Raises
    ------
    DaliStudioError
        DS204 if there is a cycle.
    """
    keys: dict[str, str] = {}
    for key in graph.order():
        node, wired = graph.node(key), graph.argument_inputs(key)
        seeded = node.operator in registry and registry.schema(node.operator).seeded
        content = [
            node.operator,
            node.version,
            node.device,
            [[name, node.arguments[name]] for name in sorted(node.arguments) if name not in wired],
            [[name, fingerprint(node.objects[name])] for name in sorted(node.objects)],
            [None if port is None else [keys[port.node], port.output] for port in graph.inputs(key)],
            [[name, keys[port.node], port.output] for name, port in wired.items()],
            seeds.get(key) if seeded else None,
        ]
        keys[key] = hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()
        if given and key in given:
            keys[key] = given[key]
    return keys
