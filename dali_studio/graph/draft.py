"""A graph that edits change one by one."""

from __future__ import annotations

from collections.abc import Sequence

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.apply import apply
from dali_studio.graph.cards import COIN
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, RemoveNode, SetOutputs
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Wire
from dali_studio.graph.ways import PREDICATE, Branches, undivided
from dali_studio.schema.model import Device
from dali_studio.schema.registry import Registry


class Draft:
    """A graph that edits change one by one."""

    def __init__(self, graph: Graph, registry: Registry) -> None:
        self.graph, self.registry = graph, registry
        self.edits: list[Edit] = []

    def do(self, *edits: Edit) -> None:
        """Apply edits.

        Raises
        ------
        DaliStudioError
            If one of them cannot be done.
        """
        for edit in edits:
            self.graph, _ = apply(self.graph, (edit,), self.registry)
            self.edits.append(edit)

    def instead(self, old: PortRef, new: PortRef, consumers: Sequence[tuple[str, int | None, str]]) -> None:
        """Feed what an output feeds, and return what it returns, from another one."""
        for target, at, argument in consumers:
            self.do(Connect(source=new, target=target, input=at, argument=argument))
        outputs = tuple(new if port == old else port for port in self.graph.outputs)
        if outputs != self.graph.outputs:
            self.do(SetOutputs(outputs=outputs))

    def join(self, *keys: str) -> bool:
        """Split what some nodes take besides what they have of a branch; whether that helped, else nothing is done."""
        before, after = Branches(self.graph, self.registry).mixed(self.graph).keys(), Draft(self.graph, self.registry)
        while True:
            branches = Branches(after.graph, self.registry)
            mixed = branches.mixed(after.graph)
            key = next((one for one in mixed if one in keys), "")
            edits = _split(after.graph, self.registry, branches, key, mixed[key]) if key else []
            if not edits or edits[-1] in after.edits:  # else what one does, another one may take back without end
                break
            try:
                after.do(*edits)
            except DaliStudioError:  # the condition depends on it
                break
        if key or mixed.keys() - before:
            return False
        self.do(*after.edits)
        return True

    def sweep(self, condition: PortRef) -> None:
        """Remove the splits of a condition, and the coin that it is, if nothing uses them any more."""
        splits = Branches(self.graph, self.registry).splits
        returned = {port.node for port in self.graph.outputs}
        unused = [condition.node, *(key for key, by in splits.items() if by == condition)]
        while unused:
            key = unused.pop()
            if key not in self.graph or key in returned or self.graph.fed_by(key):
                continue
            if key in splits or COIN in self.graph.node(key).operator:
                unused += self.graph.predecessors(key)
                self.do(RemoveNode(key=key))


def _split(
    graph: Graph, registry: Registry, branches: Branches, key: str, about: Sequence[tuple[Wire, dict[PortRef, int]]]
) -> list[Edit]:  # fmt: skip
    """Edits that split the first wire which lacks a condition, by the outermost of these; none if that is wrong."""
    own = branches.merges.get(key)
    decided = [one for _, under in about for one in under if own is not None]
    for one in decided:  # what is to be merged was divided by the part of the condition that a branch has
        if own and one != own and undivided(graph, registry, one) == undivided(graph, registry, own):
            return [Connect(source=one, target=key, argument=PREDICATE)]
    ends = [(wire, wire.input) for wire, _ in about if wire.input is not None]
    side = {wire: {own: branches.side(key, at)} for wire, at in ends if own is not None}
    inside = [under for wire, under in about if own not in under or wire not in side]
    wanted = max([{}, *inside], key=len)
    for wire, told in about:
        end = side.get(wire, {})
        under = told if not end else {p: at for p, at in told.items() if p != own} if own in told else told | end
        missing = [(p, at) for p, at in (wanted | end).items() if p not in under]
        if under.items() - (wanted | end).items():
            return []
        if missing:
            (condition, at), source = missing[0], wire.source
            there = [
                to for to, place, _ in graph.consumers(source) if place == 0 and branches.splits.get(to) == condition
            ]
            key, new = (there or [graph.free_key("split")])[0], list[Edit]()
            if not there:
                roles = {registry.schema(name).role: name for name in registry}
                device: Device = "cpu" if graph.node(source.node).device == "cpu" else "gpu"
                new = [AddNode(key=key, operator=roles["split"], device=device),
                       Connect(source=source, target=key, input=0),
                       Connect(source=condition, target=key, argument=PREDICATE)]  # fmt: skip
            ready = PortRef(node=key, output=branches.side(key, at))
            return [*new, Connect(source=ready, target=wire.target, input=wire.input, argument=wire.argument)]
    return []
