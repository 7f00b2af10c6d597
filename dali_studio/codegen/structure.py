"""Which `if` statements a graph's splits and merges stand for, and in which branch each node is written.

A split is no statement: it is what reading a variable in a branch means. A merge is a variable that the branches
assign. What remains is to find the statements of each branch and their order; graphs that have another shape, made by
hand, are `NotStructured`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry

SPLIT, MERGE, NOT, CHECK = (f"_conditional.{name}" for name in ("split", "merge", "not_", "validate_logical"))
#: Operators of conditions; programs that have one of them are written with ``enable_conditionals``.
CONDITIONAL = frozenset((SPLIT, MERGE, NOT, CHECK))
#: Statements inside each other, and operations of one condition.
_MAX_DEPTH = 24

#: The branches around a statement, from the outermost: what decides, and whether it holds.
Path = tuple[tuple[PortRef, bool], ...]


class NotStructured(Exception):  # noqa: N818 - no error: the program calls the operators instead
    """Why a graph is not written with `if`, and the node at which that was found."""

    def __init__(self, node: str, reason: str) -> None:
        super().__init__(f"{node} {reason}")
        self.node = node


class Logical(NamedTuple):
    """An ``and`` or ``or``: the word and what stands on its sides."""

    word: str
    left: PortRef
    right: PortRef


ELSEWHERE, RETURNED = -1, -2


class Reader(NamedTuple):
    """Who reads a value, and where.

    Attributes
    ----------
    key
        The node; empty for the condition of an `if`, and where the pipeline returns it.
    path
        The branches around the statement that reads.
    slot
        The input of a merge; `ELSEWHERE` and `RETURNED` for all else.
    """

    key: str
    path: Path
    slot: int


@dataclass(slots=True, eq=False)
class Choice:
    """An `if` statement.

    Attributes
    ----------
    predicate
        The value of its condition.
    path
        The branches around it.
    merges
        What its branches assign, as keys of merges.
    bodies
        The statements where the condition holds, and where not.
    """

    predicate: PortRef
    path: Path
    merges: list[str]
    bodies: tuple[list[Item], list[Item]]


#: A statement: the node that it is for, or an `if`.
Item = str | Choice


def keys_of(item: Item) -> list[str]:
    """The nodes that a statement is for."""
    if isinstance(item, str):
        return [item]
    return [*item.merges, *(key for body in item.bodies for inner in body for key in keys_of(inner))]


@dataclass(slots=True)
class Structure:
    """The statements of a program with conditions.

    Attributes
    ----------
    body
        Those of the function.
    inlined
        Nodes that are written as a part of the statement that reads them.
    logicals
        Merges that are an ``and`` or an ``or``.
    readers
        By value, in the order of the keys.
    paths
        Where each node is written.
    splits
        Splits by where and by which condition.
    """

    graph: Graph
    registry: Registry
    keys: Sequence[str]
    body: list[Item] = field(default_factory=list[Item])
    inlined: set[str] = field(default_factory=set[str])
    logicals: dict[str, Logical] = field(default_factory=dict[str, Logical])
    readers: dict[PortRef, list[Reader]] = field(default_factory=dict[PortRef, "list[Reader]"])
    paths: dict[str, Path] = field(default_factory=dict[str, Path])
    splits: dict[tuple[Path, PortRef], list[str]] = field(default_factory=dict[tuple[Path, PortRef], "list[str]"])
    _places: dict[PortRef, Path] = field(default_factory=dict[PortRef, Path])
    _homes: dict[str, Path] = field(default_factory=dict[str, Path])
    _checks: dict[str, str] = field(default_factory=dict[str, str])
    _position: dict[str, int] = field(default_factory=dict[str, int])

    def value(self, port: PortRef) -> PortRef:
        """What a port gives before it was split."""
        while self._is(port.node, SPLIT):
            source = self.graph.inputs(port.node)[0]
            assert source is not None  # `_divided` has refused it
            port = source
        return port

    def sides(self, merge: str) -> tuple[PortRef, PortRef]:
        """The values of a merge where its condition holds, and where not."""
        one, other = self.graph.inputs(merge)
        assert one is not None, merge
        assert other is not None, merge
        return self.value(one), self.value(other)

    def condition(self, merge: str) -> PortRef:
        """The value that decides in a merge."""
        return self.value(self.graph.argument_inputs(merge)["predicate"])

    def is_choice(self, key: str) -> bool:
        """Whether a node is a merge that the branches of an `if` assign."""
        return self._is(key, MERGE) and key not in self.logicals

    def sources(self, key: str) -> list[PortRef]:
        """The values that a statement reads, those of nodes inside of it included."""
        found: list[PortRef] = []
        for port in self._read_by(key):
            found += self.sources(port.node) if port.node in self.inlined else [port]
        return found

    # ------------------------------------------------------------------------------------------------------- branches

    def _is(self, key: str, operator: str) -> bool:
        return key in self.graph and self.graph.node(key).operator == operator

    def place_all(self) -> None:
        """Find the branch of every port, from the splits and merges in front of it."""
        self._position.update({key: i for i, key in enumerate(self.keys)})
        for key in self.keys:
            if self._is(key, SPLIT) or self._is(key, MERGE):
                self._divided(key)
                continue
            wired = [*self.graph.inputs(key), *self.graph.argument_inputs(key).values()]
            places = {self._place(port) for port in wired if port is not None}
            if len(places) > 1:
                raise NotStructured(key, "reads what belongs to different branches")
            self._homes[key] = next(iter(places), ())
        for port in self.graph.outputs:
            if self._place(port):
                raise NotStructured(port.node, "is returned out of a branch")
        unused = [key for key in self.keys if self._is(key, CHECK) and key not in self._checks]
        if unused:
            raise NotStructured(unused[0], "checks no side of `and` or `or`")

    def _place(self, port: PortRef) -> Path:
        return self._places[port] if port in self._places else self._homes.get(port.node, ())

    def _divided(self, key: str) -> None:
        node, wired, inputs = self.graph.node(key), self.graph.argument_inputs(key), self.graph.inputs(key)
        split = node.operator == SPLIT
        if set(wired) != {"predicate"} or len(inputs) != (1 if split else 2) or None in inputs or node.arguments:
            raise NotStructured(key, "is not wired as an `if` wires it")
        home, given = self._place(wired["predicate"]), [self._place(port) for port in inputs if port is not None]
        decides = self.value(wired["predicate"])
        halves = [(*home, (decides, which)) for which in (True, False)]
        if len(home) >= _MAX_DEPTH:
            raise NotStructured(key, f"is inside of {len(home)} branches")
        if given != ([home] if split else halves):
            raise NotStructured(key, "is not in the branches of its condition")
        self._homes[key] = home
        if split:
            self._places.update({PortRef(node=key, output=i): half for i, half in enumerate(halves)})
        elif self._is(decides.node, CHECK):
            self._logical(key, decides.node)

    def _logical(self, key: str, left: str) -> None:
        """Note an ``and`` or ``or``: where the left side decides, it is the result, and elsewhere the right side is."""
        word = self.graph.node(left).arguments.get("expression_name")
        sides = [port for port in self.graph.inputs(key) if port is not None]
        right, decided = sides if word == "and" else reversed(sides)
        checks = (left, right.node) if self._is(right.node, CHECK) else ()
        fits = word in ("and", "or") and bool(checks) and self.value(decided).node == left
        for one, side in zip(checks, ("left", "right"), strict=False):
            known = {"expression_name": word, "expression_side": side}
            alone = one not in self._checks and len(self.graph.inputs(one)) == 1
            fits = fits and alone and self.graph.node(one).arguments == known
            self._checks[one] = key
        values = [self.value(port) for one in checks for port in self.graph.inputs(one) if port is not None]
        self.logicals[key] = Logical(str(word), *values)

    # -------------------------------------------------------------------------------------------------------- readers

    def _statement(self, place: Path) -> Path:
        """Where the statement stands that holds what is at `place`: the right side of ``and`` is part of one."""
        ends = next((i for i, (decides, _) in enumerate(place) if self._is(decides.node, CHECK)), len(place))
        if any(not self._is(decides.node, CHECK) for decides, _ in place[ends:]):
            raise NotStructured(place[-1][0].node, "decides inside of an `and` or `or`")
        return place[:ends]

    def _written(self) -> list[str]:
        return [key for key in self.keys if not self._is(key, SPLIT) and not self._is(key, CHECK)]

    def _read_by(self, key: str) -> list[PortRef]:
        if key in self.logicals:
            return list(self.logicals[key][1:])
        wired = [*self.graph.inputs(key), *self.graph.argument_inputs(key).values()]
        return [self.value(port) for port in wired if port is not None]

    def read_all(self) -> None:
        """Find who reads each value, and with that where nodes without inputs are best written."""
        self.paths.update({key: self._statement(self._homes[key]) for key in self._written()})
        for key in self.keys:
            home = self._homes[key]
            if self.is_choice(key) or self._is(key, SPLIT):
                decides = self.value(self.graph.argument_inputs(key)["predicate"])
                if not self._is(decides.node, CHECK):
                    known = self.splits.setdefault((self._statement(home), decides), [])
                    known += [key] if self._is(key, SPLIT) else []
            if self.is_choice(key):
                for slot, port in enumerate(self.sides(key)):
                    path = (*self.paths[key], (self.condition(key), slot == 0))
                    self._reads(port, Reader(key, path, slot))
            elif key in self.paths:
                for port in self._read_by(key):
                    self._reads(port, Reader(key, self.paths[key], ELSEWHERE))
        for path, decides in self.splits:
            self._reads(decides, Reader("", path, ELSEWHERE))
        for port in self.graph.outputs:
            self._reads(self.value(port), Reader("", (), RETURNED))
        self._sink()
        self._inline()

    def _reads(self, port: PortRef, reader: Reader) -> None:
        self.readers.setdefault(port, []).append(reader)

    def readers_of(self, key: str) -> list[Reader]:
        """Who reads any output of a node."""
        outputs = self.graph.outputs_used(key)
        return [one for i in range(outputs) for one in self.readers.get(PortRef(node=key, output=i), ())]

    def _sink(self) -> None:
        """Write nodes without inputs, which draw or repeat the same for all samples, in the branch that reads them."""
        for key in self.paths:
            wired = self.graph.inputs(key) or self.graph.argument_inputs(key)
            readers = self.readers_of(key)
            if not wired and readers and self._role(key) not in ("reader", "external_source"):
                self.paths[key] = _common([one.path for one in readers])

    def _role(self, key: str) -> str:
        operator = self.graph.node(key).operator
        return self.registry.schema(operator).role if operator in self.registry else ""

    def _inline(self) -> None:
        """Choose what is written inside of the statement that reads it: conditions, and what they compute."""
        depths: dict[str, int] = {}
        for key in self.paths:
            needed = len(self._homes[key]) > len(self.paths[key])
            wanted = (key in self.logicals or self._is(key, NOT)) and self.is_unnamed(key)
            if not needed and not wanted:
                continue
            depth = 1 + max((depths.get(port.node, 0) for port in self._read_by(key)), default=0)
            reader = self._only_reader(key)
            if needed and (reader is None or depth > _MAX_DEPTH):
                raise NotStructured(key, "is computed inside of an `and` or `or`, and is more than an expression")
            decides = reader and (not reader.key or reader.key in self.logicals or self._is(reader.key, NOT))
            if needed or (decides and depth <= _MAX_DEPTH):
                self.inlined.add(key)
                depths[key] = depth

    def _only_reader(self, key: str) -> Reader | None:
        """The one statement that may compute a node on its way: nothing else reads it, and it is not split for it."""
        readers = self.readers_of(key)
        if len(readers) != 1 or readers[0].slot != ELSEWHERE or self.graph.outputs_used(key) != 1:
            return None
        reader, wired = readers[0], self.graph.inputs(key) or self.graph.argument_inputs(key)
        if reader.path != self.paths[key]:
            return None
        return reader if not wired or not reader.key or key in self._wired_to(reader.key) else None

    def _wired_to(self, key: str) -> set[str]:
        keys = [one for one, logical in self._checks.items() if logical == key] if key in self.logicals else [key]
        return {wire.source.node for one in keys for wire in self.graph.wires(one)}

    def is_unnamed(self, key: str) -> bool:
        """Whether a node is called as its operator calls its nodes."""
        operator = self.graph.node(key).operator
        usual = self.registry.schema(operator).node_name if operator in self.registry else ""
        return bool(usual) and key.rstrip("0123456789").rstrip("_") == usual

    # ----------------------------------------------------------------------------------------------------- statements

    def arrange(self) -> None:
        """Put the statements in order, and those of a branch together."""
        self.body = self._body((), [key for key in self.paths if key not in self.inlined])

    def _body(self, path: Path, members: Sequence[str]) -> list[Item]:
        parts = _Parts(members)
        decides = {key: self._decides(key, path) for key in members}
        for key in members:
            for port in self.sources(key):
                inner = port.node in parts and len(self.paths[port.node]) > len(path)
                if inner and decides[key] is not None and decides[key] == decides[port.node]:
                    parts.join(key, port.node)
        return self._ordered(path, self._together(path, parts.all(), decides), decides)

    def _together(
        self, path: Path, parts: Sequence[Sequence[str]], decides: Mapping[str, PortRef | None]
    ) -> list[list[str]]:
        """Join what has the same condition and may be one `if`: what is ready when nothing else is."""
        left = {i: self._before(part, path) for i, part in enumerate(parts)}
        missing = {key for part in parts for key in part}
        made: list[list[str]] = []
        while left:
            ready = [i for i, before in left.items() if not before & missing]
            plain = [i for i in ready if decides[parts[i][0]] is None]
            first = decides[parts[ready[0]][0]] if ready else None
            chosen = [[i] for i in plain] or [[i for i in ready if decides[parts[i][0]] == first]]
            if not ready:
                raise NotStructured(parts[next(iter(left))][0], "depends on a branch that has to come after it")
            for group in chosen:
                made.append([key for i in group for key in parts[i]])
                missing -= set(made[-1])
                for i in group:
                    del left[i]
        return made

    def _decides(self, key: str, path: Path) -> PortRef | None:
        """The condition of the `if` of the body at `path` to which a node belongs."""
        if len(self.paths[key]) > len(path):
            return self.paths[key][len(path)][0]
        return self.condition(key) if self.is_choice(key) else None

    def _before(self, part: Sequence[str], path: Path) -> set[str]:
        """The nodes that have to be written before those of `part`, which are one statement of the body at `path`."""
        found = {port.node for key in part for port in self.sources(key)}
        decides = self._decides(part[0], path)
        if decides is not None:
            found.update(port.node for port in self._unfolded(decides))
        return found - set(part)

    def _unfolded(self, port: PortRef) -> list[PortRef]:
        return self.sources(port.node) if port.node in self.inlined else [port]

    def _ordered(
        self, path: Path, parts: Sequence[Sequence[str]], decides: Mapping[str, PortRef | None]
    ) -> list[Item]:
        made: list[Item] = []
        for part in _sequence(parts, [self._before(part, path) for part in parts], self._position):
            predicate = decides[part[0]]
            if predicate is None:
                made += part
                continue
            inner = [key for key in part if len(self.paths[key]) > len(path)]
            halves = [[key for key in inner if self.paths[key][len(path)][1] is which] for which in (True, False)]
            holds, fails = (
                self._body((*path, (predicate, which)), half)
                for which, half in zip((True, False), halves, strict=True)
            )
            merges = [key for key in part if len(self.paths[key]) == len(path)]
            first, fails = self._else(fails, path)
            made += [*first, Choice(predicate, path, merges, (holds, fails))]
        return made

    def _else(self, body: list[Item], path: Path) -> tuple[list[str], list[Item]]:
        """An `else` branch, as ``elif`` if it only computes another condition first, and what then comes before all."""
        *first, last = body or [""]
        if not isinstance(last, Choice):
            return [], body
        inside, hoisted = set[str](), list[str]()
        for item in reversed(first):
            if not isinstance(item, str):
                return [], body
            reader = self._only_reader(item) if self.is_unnamed(item) else None
            if reader is not None and (item == last.predicate.node or reader.key in inside | self.inlined):
                inside.add(item)
            elif self.graph.wires(item):
                return [], body
            else:
                hoisted.insert(0, item)
        self.inlined |= inside
        self.paths.update(dict.fromkeys(hoisted, path))
        return hoisted, [last]


def structured(graph: Graph, registry: Registry, keys: Sequence[str]) -> Structure:
    """The statements of the nodes `keys`, sources first.

    Raises
    ------
    NotStructured
        If `if` statements cannot say what the graph computes.
    """
    known = set(keys)
    behind = next((wire.target for key in keys for wire in graph.wires(key) if wire.source.node not in known), "")
    if behind or graph.find_cycle():
        raise NotStructured(behind or graph.find_cycle()[0], "depends on what does not exist")
    made = Structure(graph, registry, keys)
    made.place_all()
    made.read_all()
    made.arrange()
    return made


def _common(paths: Sequence[Path]) -> Path:
    """The beginning that all paths share."""
    shared = min(paths, key=len)
    for path in paths:
        while path[: len(shared)] != shared:
            shared = shared[:-1]
    return shared


class _Parts:
    """Sets of keys that are joined step by step."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._above = {key: key for key in keys}

    def __contains__(self, key: object) -> bool:
        return key in self._above

    def _top(self, key: str) -> str:
        while self._above[key] != key:
            self._above[key] = key = self._above[self._above[key]]
        return key

    def join(self, one: str, other: str) -> None:
        self._above[self._top(one)] = self._top(other)

    def all(self) -> list[list[str]]:
        """The sets, each in the order of the keys."""
        found: dict[str, list[str]] = {}
        for key in self._above:
            found.setdefault(self._top(key), []).append(key)
        return list(found.values())


def _sequence(
    parts: Sequence[Sequence[str]], before: Sequence[set[str]], position: Mapping[str, int]
) -> Iterator[Sequence[str]]:
    """The parts, each after what it needs, and else in the order of the keys."""
    owner = {key: i for i, part in enumerate(parts) for key in part}
    needs = [{owner[key] for key in keys if key in owner} for keys in before]
    behind: dict[int, list[int]] = {}
    for i, needed in enumerate(needs):
        for one in needed:
            behind.setdefault(one, []).append(i)
    begin = [min(position[key] for key in part) for part in parts]
    ready = [(begin[i], i) for i, needed in enumerate(needs) if not needed]
    heapify(ready)
    while ready:
        _, at = heappop(ready)
        yield parts[at]
        for i in behind.get(at, ()):
            needs[i].discard(at)
            if not needs[i]:
                heappush(ready, (begin[i], i))
