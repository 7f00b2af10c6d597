"""Nodes that are applied to some samples only: with a coin, a split for each wire and a merge they are one card."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from dali_studio.graph.edits import PortRef
from dali_studio.schema.model import OperatorSchema
from dali_studio.studio.messages import GraphView, NodeView
from dali_studio.studio.run_messages import NodeTiming


@dataclass(frozen=True)
class Chance:
    """How a node is applied: to which part of the samples, and which nodes do so besides it."""

    part: float
    merge: str
    parts: frozenset[str]


def summed(timings: Iterable[NodeTiming], chances: Mapping[str, Chance]) -> dict[str, float]:
    """Milliseconds of the nodes that are drawn."""
    cards = {part: key for key, chance in chances.items() for part in chance.parts}
    times: dict[str, float] = defaultdict(float)
    for one in timings:
        times[cards.get(one.key, one.key)] += one.milliseconds
    return times


def folded(graph: GraphView, schemas: Mapping[str, OperatorSchema]) -> tuple[GraphView, dict[str, Chance]]:
    """The graph as it is drawn (`core/chances.ts`), and the nodes that are applied with a probability."""
    nodes = {node.key: node for node in graph.nodes}
    used: dict[str, set[str]] = defaultdict(set)
    for node in graph.nodes:
        for ref in _sources(node):
            used[ref.node].add(node.key)
    for ref in graph.outputs:
        used[ref.node].add("")
    hidden: dict[str, str] = {}
    chances: dict[str, Chance] = {}
    for merge in graph.nodes:
        node = nodes.get(merge.inputs[0].node) if _role(merge, schemas) == "merge" and merge.inputs[0] else None
        coin = merge.argument_inputs.get("predicate")
        if node is None or coin is None or "coin" not in nodes[coin.node].operator or _sources(nodes[coin.node]):
            continue
        splits = [nodes[ref.node] for ref in _sources(node)]
        parts = {merge.key, *(split.key for split in splits)}
        decided = all(nodes[key].argument_inputs.get("predicate") == coin for key in parts)
        right = splits and all(_role(split, schemas) == "split" for split in splits) and len(parts) == 1 + len(splits)
        own = all(used[key] <= parts | {node.key} for key in (coin.node, *(split.key for split in splits)))
        if right and decided and own and used[node.key] == {merge.key}:
            part = nodes[coin.node].arguments.get("probability", 0.5)
            probability = float(part) if isinstance(part, (int, float)) else 0.5
            chances[node.key] = Chance(probability, merge.key, frozenset({coin.node, *parts}))
            hidden |= dict.fromkeys((coin.node, *parts), node.key)

    def given(ref: PortRef) -> PortRef:
        return PortRef(node=hidden[ref.node]) if ref.node in hidden else ref

    def outer(ref: PortRef | None, *, split: bool) -> PortRef | None:
        before = nodes[ref.node].inputs[0] if split and ref is not None else ref
        return None if before is None else given(before)

    def drawn(node: NodeView) -> NodeView:
        split = node.key in chances
        wired = {name: ref for name, one in node.argument_inputs.items() if (ref := outer(one, split=split))}
        inputs = tuple(outer(ref, split=split) for ref in node.inputs)
        return msgspec.structs.replace(node, inputs=inputs, argument_inputs=wired)

    kept = tuple(drawn(node) for node in graph.nodes if node.key not in hidden)
    outputs = tuple(given(ref) for ref in graph.outputs)
    return msgspec.structs.replace(graph, nodes=kept, outputs=outputs), chances


def _sources(node: NodeView) -> list[PortRef]:
    return [*(ref for ref in node.inputs if ref is not None), *node.argument_inputs.values()]


def _role(node: NodeView, schemas: Mapping[str, OperatorSchema]) -> str:
    schema = schemas.get(node.operator)
    return "" if schema is None else schema.role
