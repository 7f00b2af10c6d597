"""One state of the graph, and what follows from it: each is found once, for the canvas, the previews and the code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

from dali_studio.api.placement import gpu_missing
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.codegen.functions import Function
from dali_studio.compiler.pipeline import compile_graph
from dali_studio.compiler.plan import BatchStage, Plan, Segment, Stage
from dali_studio.core.diagnostics import errors
from dali_studio.core.random import operator_seeds
from dali_studio.graph.apply import AnyEdit, apply
from dali_studio.graph.bypass import rerouted, stand_in
from dali_studio.graph.cards import Cards, cards_in
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph, structural_keys
from dali_studio.graph.seeds import operator_indices
from dali_studio.graph.validate import Validation, validate
from dali_studio.schema.registry import Registry
from dali_studio.studio.outputs.pins import Pin


@dataclass(frozen=True, eq=False)
class Revision:
    """A graph that does not change any more.

    Attributes
    ----------
    graph : Graph
    registry : Registry
    number : int
        Counts every change, over all documents opened in a session.
    seed : int
        The pipeline's seed.
    indices : mapping
        Seed indices that nodes keep from another state, so that they draw the same numbers.
    pins : mapping
        Data that previews take for what nodes would give.
    """

    graph: Graph
    registry: Registry
    number: int
    seed: int
    indices: Mapping[str, int] = field(default_factory=dict[str, int])
    pins: Mapping[str, Pin] = field(default_factory=dict[str, Pin])

    def variant(self, edits: Sequence[AnyEdit], *, check: bool = True) -> Revision:
        """The state after edits that nobody keeps; random nodes draw what they draw in this one.

        Pins of the nodes that they change do not hold. Without `check`, what is wrong is not refused.

        Raises
        ------
        DaliStudioError
            If an edit cannot be done.
        """
        if not edits:
            return self
        changed = {getattr(edit, name, "") for edit in edits for name in ("key", "target")}
        made = self.like(apply(self.graph, edits, self.registry, check=check)[0])
        return replace(made, pins={key: pin for key, pin in self.pins.items() if key not in changed})

    def like(self, graph: Graph) -> Revision:
        """Another graph, whose random nodes draw what those of the same name draw in this one."""
        return Revision(graph, self.registry, self.number, self.seed, self._indices, self.pins)

    @cached_property
    def active(self) -> Graph:
        """The graph that runs: without the nodes that are left out."""
        return rerouted(self.graph)

    @cached_property
    def cards(self) -> Cards:
        """The cards that stand for several nodes."""
        return cards_in(self.graph, self.registry)

    @cached_property
    def near(self) -> dict[PortRef, PortRef | None]:
        """The images over which outputs are shown, as far as somebody has asked."""
        return {}

    @cached_property
    def passing(self) -> dict[PortRef, PortRef]:
        """The outputs of nodes that are left out, with what is taken in their place."""
        ports = [PortRef(node=node.key) for node in self.graph.nodes() if node.bypassed]
        found = ((port, stand_in(self.graph, port)) for port in ports)
        return {port: source for port, source in found if source is not None}

    @cached_property
    def validation(self) -> Validation:
        """All findings about the graph that runs, and what is known of its ports."""
        return validate(self.active, self.registry, self.graph)

    @cached_property
    def in_run(self) -> frozenset[str]:
        """Nodes that a run computes."""
        return frozenset(self.active.reachable(registry=self.registry))

    @cached_property
    def _indices(self) -> dict[str, int]:
        own = operator_indices(self.active, self.registry)
        free = count(max(self.indices.values(), default=-1) + 1)
        return {key: self.indices[key] if key in self.indices else next(free) for key in own}

    @cached_property
    def keys(self) -> dict[str, str]:
        """Structural keys by node: equal keys mean equal data (DS204 if there is a cycle)."""
        pinned = {key: pin.name for key, pin in self.pinned.items()}
        return structural_keys(self.active, self.registry, self.seeds, pinned)

    def written(self, key: str) -> str:
        """The structural key of what a node, pinned or not, would give now, seeds of the pipeline aside."""
        pinned = {other: pin.computed for other, pin in self.pinned.items() if other != key and pin.computed}
        return structural_keys(self.active, self.registry, {}, pinned)[key]

    @cached_property
    def seeds(self) -> dict[str, int]:
        """The seeds of nodes that draw by the pipeline's (DS204 if there is a cycle)."""
        table = operator_seeds(self.seed, max(self._indices.values(), default=0) + 1)
        return {key: int(table[i]) for key, i in self._indices.items()}

    @cached_property
    def kept(self) -> dict[str, Pin]:
        """The pins of nodes that still have these outputs and are not left out, where previews do not lie on a GPU."""
        ports = Counter(port.node for port in self.validation.metas)
        there = {node.key for node in self.graph.nodes() if not node.bypassed}
        kept = {key: pin for key, pin in self.pins.items() if key in there and ports[key] == len(pin.outputs)}
        return {key: pin for key, pin in kept.items() if self.active.node(key).device == "cpu" or not self.on_gpu}

    @cached_property
    def pinned(self) -> dict[str, Pin]:
        """The pins that hold: those of batches of this size."""
        size = self.active.options.batch_size
        return {key: pin for key, pin in self.kept.items() if len(pin.outputs[0]) == size}

    @cached_property
    def _loosened(self) -> Graph:
        """The graph without the wires to nodes whose outputs are pinned."""
        loose = self.active.copy()
        wires = [wire for wire in self.active.wires() if wire.target not in self.pinned]
        loose.rebuild(self.active.nodes(), wires, self.active.outputs)
        return loose

    def sources_of(self, ports: Iterable[PortRef]) -> set[str]:
        """Nodes that previews compute for outputs, or take the data of."""
        return (self._loosened if self.pinned else self.active).reachable(ports)

    @cached_property
    def behind_pins(self) -> frozenset[str]:
        """Nodes that matter for pinned outputs alone: previews leave them out."""
        if not self.pinned:
            return frozenset()
        ends = [PortRef(node=key) for key in self.active if not self.active.fed_by(key)]
        return frozenset(self.active) - self.sources_of([*ends, *self.active.outputs])

    @cached_property
    def computable(self) -> frozenset[str]:
        """Nodes without errors that depend on none that has one; none where there is a cycle."""
        if self.active.find_cycle():
            return frozenset()
        bad = {finding.node for finding in errors(self.validation.diagnostics) if finding.node}
        good: set[str] = set()
        for key in self.active.order():
            known = self.active.node(key).operator in self.registry
            if known and key not in bad and good.issuperset(self.active.predecessors(key)):
                good.add(key)
        return frozenset(good)

    @cached_property
    def ports(self) -> tuple[PortRef, ...]:
        """Every output of the nodes that can be computed."""
        return tuple(port for step in self.plan.steps() for port in step.outputs)

    @cached_property
    def on_gpu(self) -> bool:
        """Whether the previews of some nodes come from a GPU."""
        placed = any(self.active.node(key).device != "cpu" for key in self.computable)
        return placed and gpu_missing(self.active) is None

    @cached_property
    def plan(self) -> Plan:
        """Computes all that can be computed, and keeps every result."""
        part, kept = self.active.copy(), self.computable
        nodes = [self.active.node(key) for key in self.active if key in kept]
        wires = [w for w in self.active.wires() if w.target in kept and w.source.node in kept]
        part.rebuild(nodes, wires, ())
        taps = [port for port in self.validation.metas if port.node in kept]
        return compile_graph(part, self.registry, taps=taps, whole=True, seeds=self._indices, devices=self.on_gpu)

    def code(self, dialect: str, functions: Sequence[Function] = ()) -> Emitted:
        """The program in a dialect; subgraphs are functions of it."""
        return emit(self.active, self.registry, dialect, functions=functions)


def part_of(plan: Plan, nodes: frozenset[str]) -> Plan:
    """The steps of `nodes`, which contain all their sources, out of a plan that keeps every result."""
    stages: list[Stage] = []
    for stage in plan.stages:
        match stage:
            case BatchStage(step=step):
                stages += [stage] if step.key in nodes else []
            case Segment(steps=steps, kept=kept):
                left = tuple(step for step in steps if step.key in nodes)
                stages += [Segment(left, frozenset(port for port in kept if port.node in nodes))] if left else []
            case _:
                raise TypeError("in a plan that keeps every result no steps are fused")
    return replace(plan, stages=tuple(stages), last_use={})
