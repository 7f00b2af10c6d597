"""Subgraphs that are applied with a probability: one coin decides for all of their nodes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.cards import COIN, before, role_of
from dali_studio.graph.draft import Draft
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, RemoveNode, SetArgument
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate
from dali_studio.graph.ways import PREDICATE, Branches, undivided, way_to
from dali_studio.schema.registry import Registry


@dataclass(frozen=True)
class BoxChance:
    """What applies a subgraph to a part of the samples.

    Attributes
    ----------
    coin
        What is tossed.
    tossed
        The splits that give it to a branch.
    splits, merges
        One for each output that comes in, and for each that goes out.
    """

    coin: str
    tossed: tuple[str, ...]
    splits: tuple[str, ...]
    merges: tuple[str, ...]


def chance_of(graph: Graph, registry: Registry, keys: Collection[str]) -> BoxChance | None:
    """What applies the nodes of a subgraph with a probability, if it is in the subgraph and nothing else uses it."""
    within = [key for key in graph if key in keys]
    coins = [key for key in within if COIN in graph.node(key).operator and not graph.wires(key)]
    return next((one for coin in coins if (one := _chance(graph, registry, within, coin))), None)


def _chance(graph: Graph, registry: Registry, within: Sequence[str], coin: str) -> BoxChance | None:
    def tossed(port: PortRef | None) -> bool:
        return port is not None and undivided(graph, registry, port).node == coin

    def decided(role: str) -> tuple[str, ...]:
        some = (key for key in within if role_of(graph, registry, key) == role)
        return tuple(key for key in some if tossed(graph.argument_inputs(key).get(PREDICATE)))

    splits, merges = decided("split"), decided("merge")
    halved = (key for key in graph if role_of(graph, registry, key) == "split")
    passes = tuple(key for key in halved if tossed(before(graph, key)))
    if not splits or not merges:
        return None
    inner = {key for split in splits for key in graph.descendants(split)}.intersection(within)
    entering = [wire for key in inner for wire in graph.wires(key) if wire.source.node not in inner]
    taken = all({wire.source.node, wire.target}.intersection(splits) or tossed(wire.source) for wire in entering)
    passed = all(
        len(sides := graph.inputs(merge)) == 2 and all(sides) and sides[1] is not None
        and sides[1].node in splits and sides[1].output == 1
        for merge in merges
    )
    others = {target for split in splits for target, _, _ in graph.consumers(PortRef(node=split, output=1))} - {*merges}
    own = {*within, *passes}
    used = {target for key in (coin, *passes, *(inner - {*merges})) for target, _ in graph.fed_by(key)}
    returned = {port.node for port in graph.outputs}.intersection((coin, *passes, *splits, *(inner - {*merges})))
    if not (taken and passed) or others or used - own or returned:
        return None
    return BoxChance(coin, passes, splits, merges)


def with_chance(graph: Graph, registry: Registry, keys: Collection[str], part: float) -> list[Edit]:
    """Edits after which all nodes of a subgraph are applied to the same part of the samples; 1: to all of them.

    What nothing outside feeds, such as random numbers, is computed for all samples.

    Raises
    ------
    DaliStudioError
        If samples that are left alone cannot stand beside those that are not.
    """
    known = chance_of(graph, registry, keys)
    if known and part < 1:
        return [SetArgument(key=known.coin, argument="probability", value=part)]
    draft = Draft(graph, registry)
    if known:
        _always(draft, known)
    elif part < 1:
        _sometimes(draft, _inner(graph, keys), part)
    return draft.edits


def _inner(graph: Graph, keys: Collection[str]) -> list[str]:
    """The nodes that follow from what comes into a subgraph, in the order of computation."""
    found: dict[str, None] = {}
    for key in (one for one in graph.order() if one in keys):
        if any(wire.source.node not in keys or wire.source.node in found for wire in graph.wires(key)):
            found[key] = None
    return [*found]


def _sometimes(draft: Draft, inner: Sequence[str], part: float) -> None:
    graph, registry = draft.graph, draft.registry
    passing = _passing(graph, registry, inner)
    toss = next(name for name in registry if COIN in name)
    coin = PortRef(node=graph.free_key("coin"))
    draft.do(AddNode(key=coin.node, operator=toss, arguments={"probability": part, "dtype": "BOOL"}))
    splits: dict[PortRef, str] = {}
    for wire in [wire for key in inner for wire in graph.wires(key) if wire.source.node not in inner]:
        if wire.source not in splits:
            splits[wire.source] = _added(draft, "split", wire.source.node, coin, wire.source)
        ready = PortRef(node=splits[wire.source])
        draft.do(Connect(source=ready, target=wire.target, input=wire.input, argument=wire.argument))
    for exit_, entry in passing.items():
        merge = _added(draft, "merge", exit_.node, coin, exit_, PortRef(node=splits[entry], output=1))
        outside = [one for one in graph.consumers(exit_) if one[0] not in inner]
        draft.instead(exit_, PortRef(node=merge), outside)


def _added(draft: Draft, role: str, beside: str, coin: PortRef, *inputs: PortRef) -> str:
    """A new split or merge, on the device of a node."""
    registry, key = draft.registry, draft.graph.free_key(role)
    operator = next(name for name in registry if registry.schema(name).role == role)
    draft.do(AddNode(key=key, operator=operator, device="cpu" if draft.graph.node(beside).device == "cpu" else "gpu"))
    draft.do(*(Connect(source=source, target=key, input=at) for at, source in enumerate(inputs)))
    draft.do(Connect(source=coin, target=key, argument=PREDICATE))
    return key


def _always(draft: Draft, chance: BoxChance) -> None:
    for split in chance.splits:
        (source,) = draft.graph.inputs(split)
        for target, at, argument in draft.graph.consumers(PortRef(node=split)):
            assert source is not None
            draft.do(Connect(source=source, target=target, input=at, argument=argument))
    for merge in chance.merges:
        made = draft.graph.inputs(merge)[0]
        assert made is not None
        old = PortRef(node=merge)
        draft.instead(old, made, draft.graph.consumers(old))
    draft.do(*(RemoveNode(key=key) for key in (*chance.merges, *chance.splits, *reversed(chance.tossed), chance.coin)))


def _passing(graph: Graph, registry: Registry, inner: Sequence[str]) -> dict[PortRef, PortRef]:
    """By what goes out of a subgraph what comes in and is passed on in its place."""
    made = [PortRef(node=key, output=at) for key in inner for at in range(graph.outputs_used(key))]
    used = [any(to not in inner for to, _, _ in graph.consumers(port)) for port in made]
    exits = [port for port, is_used in zip(made, used, strict=True) if is_used or port in graph.outputs]
    if not exits:
        _refuse(
            "Nothing that comes into this subgraph goes out of it again.",
            "Wire what it takes and what it gives, and take sources of data, such as readers, out of it.",
        )
    metas, branches = validate(graph, registry).metas, Branches(graph, registry)
    decided = branches.splits | branches.merges
    for condition in dict.fromkeys(decided.values()):
        parts = [key for key, by in decided.items() if by == condition]
        if not {*parts}.isdisjoint(inner) and not {*parts}.issubset(inner):
            _refuse_part(next(key for key in parts if key in inner))
    found: dict[PortRef, PortRef] = {}
    for port in exits:
        outside = [one for one in way_to(graph, port, registry=registry) if one.node not in inner]
        if not outside:
            _refuse(
                f"Nothing comes into this subgraph that could pass in place of what {port.node} gives.",
                f"Wire the first input of what {port.node} follows from, or take {port.node} out.", port.node,
            )  # fmt: skip
        entry = found[port] = outside[-1]
        if branches.under(graph, entry) != branches.under(graph, port):
            _refuse_part(port.node)
        given, gives = (metas.get(one, TensorMeta()) for one in (entry, port))
        if _differ(given, gives):
            placed = given.device != gives.device
            _refuse(
                f"A batch cannot have both what {port.node} gives ({_type(gives, placed)}) and what passes in its "
                f"place ({_type(given, placed)}, from {entry.node}).",
                f"Take {port.node} out of the subgraph, or end it with a step that gives {_type(given, placed)}.",
                port.node,
            )  # fmt: skip
    return found


def _refuse_part(node: str) -> None:
    _refuse(
        f"A condition is partly in this subgraph, at {node}, and partly outside of it.",
        "Take all that the condition decides into the subgraph, with its if and merge, or all of it out.", node,
    )  # fmt: skip


def _differ(one: TensorMeta, other: TensorMeta) -> bool:
    """Whether samples of two types cannot be in one batch; shapes may differ, and what is not known is no reason."""
    facts = ("dtype", "ndim", "layout", "device")
    pairs = [(getattr(one, fact), getattr(other, fact)) for fact in facts]
    return any(a != b and a not in (None, "") and b not in (None, "") for a, b in pairs)


def _type(meta: TensorMeta, placed: bool) -> str:
    dtype = "" if meta.dtype is None else meta.dtype.name.lower()
    axes = meta.layout or ("" if meta.ndim is None else f"{meta.ndim} axes" if meta.ndim != 1 else "1 axis")
    return " ".join(filter(None, (dtype, axes, f"on the {meta.device.upper()}" if placed else "")))


def _refuse(message: str, hint: str, node: str = "") -> None:
    raise DaliStudioError([Diagnostic(code="DS203", message=message, hint=hint, node=node)])
