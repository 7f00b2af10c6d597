"""`if` statements: the variables that their branches assign, and their text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple

from dali_studio.codegen.calls import Writer
from dali_studio.codegen.names import Names
from dali_studio.codegen.structure import RETURNED, Choice, Item, Reader, Structure
from dali_studio.graph.edits import PortRef


class _Moment(NamedTuple):
    """A place in the order of statements, and the branches around it: numbers of `if` statements, and which half."""

    at: int
    path: tuple[tuple[int, int], ...]

    def may_follow(self, other: _Moment) -> bool:
        """Whether a run may come here after `other`: it is not in the other branch of the same `if`."""
        parted = next((pair for pair in zip(self.path, other.path, strict=False) if pair[0] != pair[1]), None)
        return self.at > other.at and (parted is None or parted[0][0] != parted[1][0])


@dataclass(slots=True)
class Variables:
    """Names what the branches assign, so that a variable is used again where its old value is not needed any more.

    What an `if` gives has the name of what goes into it (``images = fn.rotate(images)``) if nothing reads that
    afterwards, and else that of the first branch's result.
    """

    structure: Structure
    names: Names
    _moments: dict[tuple[str, int], _Moment] = field(default_factory=dict[tuple[str, int], _Moment])
    _conditions: dict[PortRef, list[_Moment]] = field(default_factory=dict[PortRef, "list[_Moment]"])
    _holders: dict[str, list[PortRef]] = field(default_factory=dict[str, "list[PortRef]"])
    _inside: dict[str, str] = field(default_factory=dict[str, str])
    _count: int = 0

    def choose(self) -> None:
        """Name the result of every `if`."""
        for port, name in self.names.ports.items():
            if port.node in self.structure.paths:
                self._holders.setdefault(name, []).append(port)
        for key in self.structure.inlined:
            (reader,) = self.structure.readers_of(key)
            self._inside[key] = reader.key
        self._time(self.structure.body, ())
        for choice in _choices(self.structure.body):
            for merge in choice.merges:
                if merge not in self._inside:
                    self._name(merge, choice)

    def direct(self, merge: str, slot: int) -> bool:
        """Whether the statement that computes this side of a merge assigns its variable itself."""
        port = self.structure.sides(merge)[slot]
        path = (*self.structure.paths[merge], (self.structure.condition(merge), slot == 0))
        readers = self.structure.readers[port]
        return len(readers) == 1 and self.structure.paths[port.node] == path and port.node not in self.structure.inlined

    def number(self, key: str) -> ast.expr | None:
        """What stands for a constant that is all that a branch assigns: merging makes one of a plain number, too."""
        readers = self.structure.readers_of(key)
        if len(readers) != 1 or readers[0].slot < 0 or not self.direct(readers[0].key, readers[0].slot):
            return None
        other = self.structure.sides(readers[0].key)[1 - readers[0].slot].node
        plain = None if _number(self.structure, other) is not None else _number(self.structure, key)
        return None if plain is None else ast.Constant(plain)

    # ---------------------------------------------------------------------------------------------------------- order

    def _time(self, items: Sequence[Item], path: tuple[tuple[int, int], ...]) -> None:
        for item in items:
            self._count += 1
            if isinstance(item, str):
                self._moments[item, RETURNED] = _Moment(self._count, path)
                continue
            self._conditions.setdefault(item.predicate, []).append(_Moment(self._count, path))
            number = self._count
            for slot, body in enumerate(item.bodies):
                inner = (*path, (number, slot))
                self._time(body, inner)
                for merge in item.merges:
                    self._count += 1
                    self._moments[merge, slot] = _Moment(self._count, inner)

    def _moment(self, reader: Reader, port: PortRef) -> list[_Moment]:
        """When a value is read."""
        if reader.slot >= 0:
            return [self._moments[reader.key, reader.slot]]
        key = reader.key
        while key in self._inside:
            reader = self.structure.readers_of(key)[0]
            key, port = self._inside[key], PortRef(node=key)
        if key:
            return [self._moments[key, RETURNED]]
        return [_Moment(self._count + 1, ())] if reader.slot == RETURNED else self._conditions[port]

    def _reads(self, port: PortRef) -> Iterator[_Moment]:
        for reader in self.structure.readers.get(port, ()):
            yield from self._moment(reader, port)

    # ---------------------------------------------------------------------------------------------------------- names

    def _name(self, merge: str, choice: Choice) -> None:
        if any(reader.slot >= 0 and self.direct(reader.key, reader.slot)
               for reader in self.structure.readers.get(PortRef(node=merge), ())):  # fmt: skip
            return  # it has the name of the merge that it goes into
        leaves = list(self._leaves(merge))
        for name in dict.fromkeys(self._wanted(merge, leaves)):
            if self._is_free(merge, name, choice):
                break
        else:
            own = self.names.ports[PortRef(node=merge)]
            named = [port for port in leaves if not self.structure.is_unnamed(port.node)] or leaves
            name = own if not named or not self.structure.is_unnamed(merge) else self.names.ports[named[0]]
        self._give(merge, name)

    def _wanted(self, merge: str, leaves: Sequence[PortRef]) -> Iterator[str]:
        """Variables that may be used again.

        These are what a branch leaves as it is, what results are called after, and, where these are called as their
        operators are, what all of them are made of.
        """
        for slot, port in enumerate(self.structure.sides(merge)):
            if not self.direct(merge, slot):
                yield self.names.ports[port]
        called = [(self.structure.is_unnamed(port.node), self.names.ports[port]) for port in leaves]
        called.append((self.structure.is_unnamed(merge), merge))
        yield from (_base(name) for unnamed, name in called if not unnamed)
        entering = {self._entering(port, merge) for port in leaves}
        if len(entering) == 1 and (port := entering.pop()):
            yield self.names.ports[port]
        yield from (_base(name) for _, name in called)

    def _entering(self, port: PortRef, merge: str) -> PortRef | None:
        """What goes into an `if` to become a result of it: the first input of its first step."""
        while len(self.structure.paths[port.node]) > len(self.structure.paths[merge]):
            first = None if port.output else next(iter(self.structure.graph.inputs(port.node)), None)
            if first is None:
                return None
            port = self.structure.value(first)
        return port

    def _leaves(self, merge: str) -> Iterator[PortRef]:
        """What statements compute of a merge, those inside of its branches included."""
        for slot, port in enumerate(self.structure.sides(merge)):
            if self.direct(merge, slot):
                if self.structure.is_choice(port.node):
                    yield from self._leaves(port.node)
                else:
                    yield port

    def _writes(self, merge: str, name: str) -> Iterator[_Moment]:
        for slot, port in enumerate(self.structure.sides(merge)):
            if not self.direct(merge, slot):
                if self.names.ports[port] != name:
                    yield self._moments[merge, slot]
            elif self.structure.is_choice(port.node):
                yield from self._writes(port.node, name)
            else:
                yield self._moments[port.node, RETURNED]

    def _is_free(self, merge: str, name: str, choice: Choice) -> bool:
        """Whether nothing needs the values that the variable had before, once the branches assign it."""
        holders = self._holders.get(name, [])
        if any(port in self.names.keys for port in holders):
            return False  # it holds a dictionary
        writes = list(self._writes(merge, name))
        for port in holders:
            path = self.structure.paths[port.node]
            inside = path[: len(choice.path)] == choice.path and port.node not in self.structure.inlined
            if not inside or any(read.may_follow(write) for write in writes for read in self._reads(port)):
                return False
            if any(made.at > write.at for made in self._made(port) for write in writes):
                return False
        return bool(holders)

    def _made(self, port: PortRef) -> Iterator[_Moment]:
        if self.structure.is_choice(port.node):
            yield from (self._moments[port.node, slot] for slot in (0, 1))
        else:
            yield self._moments[port.node, RETURNED]

    def _give(self, merge: str, name: str) -> None:
        for port in [PortRef(node=merge), *self._parts(merge)]:
            self._holders[self.names.ports[port]].remove(port)
            self._holders.setdefault(name, []).append(port)
            self.names.ports[port] = name

    def _parts(self, merge: str) -> Iterator[PortRef]:
        for slot, port in enumerate(self.structure.sides(merge)):
            if self.direct(merge, slot):
                yield port
                if self.structure.is_choice(port.node):
                    yield from self._parts(port.node)


def _base(name: str) -> str:
    return name.rstrip("0123456789").rstrip("_")


def _number(structure: Structure, key: str) -> bool | int | float | None:
    """The value of a constant that a plain number makes."""
    node = structure.graph.node(key)
    registered = node.operator in structure.registry
    if not registered or structure.registry.schema(node.operator).role != "constant" or not structure.is_unnamed(key):
        return None
    given = dict(node.arguments)
    values = given.pop("fdata", None) or given.pop("idata", None)
    if node.device != "cpu" or not isinstance(values, tuple) or len(values) != 1:
        return None
    match values[0], given:
        case float(value), {"shape": (), "dtype": "FLOAT", **rest} if not rest and isfinite(value):
            return value
        case int(value), {"shape": (), "dtype": "INT32" | "BOOL" as dtype, **rest} if not rest:
            return value if dtype == "INT32" else bool(value)
        case _:
            return None


def _choices(items: Sequence[Item]) -> Iterator[Choice]:
    """All `if` statements, outer ones first."""
    for item in items:
        if isinstance(item, Choice):
            yield item
            for body in item.bodies:
                yield from _choices(body)


def statements(writer: Writer, items: Sequence[Item], variables: Variables) -> Iterator[ast.stmt]:
    """The statements of a body."""
    for item in items:
        if isinstance(item, str):
            number = variables.number(item)
            yield from writer.statements(item) if number is None else writer.assigned(item, number)
        else:
            yield from _if(writer, item, variables)


def _if(writer: Writer, choice: Choice, variables: Variables) -> Iterator[ast.stmt]:
    splits = variables.structure.splits.get((choice.path, choice.predicate), ())
    with writer.part_of(*choice.merges, *splits) as belongs:
        test = writer.use(choice.predicate, None, "The condition")
    bodies: list[list[ast.stmt]] = []
    for slot, body in enumerate(choice.bodies):
        made = list(statements(writer, body, variables))
        made += [one for merge in choice.merges for one in _assigned(writer, merge, slot, variables)]
        bodies.append(made)
    writer.defined(PortRef(node=merge) for merge in choice.merges)
    yield belongs(ast.If(test=test, body=bodies[0] or [ast.Pass()], orelse=bodies[1]))


def _assigned(writer: Writer, merge: str, slot: int, variables: Variables) -> Iterator[ast.stmt]:
    """What a branch leaves in the variable of a merge, if nothing of it does so already."""
    sides = variables.structure.sides(merge)
    port, name = sides[slot], variables.names.ports[PortRef(node=merge)]
    other = variables.names.ports[port] != name or port.node in variables.structure.inlined
    unchanged = not slot and sides[0] == sides[1]  # `x = x` merges it, without which seeds would be counted otherwise
    if (other or unchanged) and not variables.direct(merge, slot):
        yield from writer.assigned(merge, writer.use(port, None, "The value"))
