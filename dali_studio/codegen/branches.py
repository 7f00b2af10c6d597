"""`if` statements: the variables that their branches assign, and their text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from dali_studio.codegen.calls import Writer
from dali_studio.codegen.names import Names
from dali_studio.codegen.structure import Choice, Item, Structure
from dali_studio.graph.edits import PortRef


@dataclass(slots=True)
class Variables:
    """Names what the branches of an `if` assign.

    What it gives is called as on the canvas: after the one node that computes it, or after what joins several ways. A
    variable that goes on (``images = fn.rotate(images)``) would say that the photo of before is returned.
    """

    structure: Structure
    names: Names

    def choose(self) -> None:
        """Name the result of every `if`."""
        merges = [key for key in self.structure.paths if self.structure.is_choice(key)]
        within = {port.node for key in merges for port in self._parts(key)}
        for key in merges:
            if key not in within and key not in self.structure.inlined:
                name = self._name(key)
                self.names.ports.update(dict.fromkeys([PortRef(node=key), *self._parts(key)], name))

    def direct(self, merge: str, slot: int) -> bool:
        """Whether the statement that computes this side of a merge assigns its variable itself."""
        return self._is_made(merge, slot) and len(self.structure.readers[self.structure.sides(merge)[slot]]) == 1

    def _is_made(self, merge: str, slot: int) -> bool:
        """Whether a statement of the branch itself computes this side of a merge."""
        port = self.structure.sides(merge)[slot]
        path = (*self.structure.paths[merge], (self.structure.condition(merge), slot == 0))
        return self.structure.paths[port.node] == path and port.node not in self.structure.inlined

    def number(self, key: str) -> ast.expr | None:
        """What stands for a constant that is all that a branch assigns: merging makes one of a plain number, too."""
        readers = self.structure.readers_of(key)
        if len(readers) != 1 or readers[0].slot < 0 or not self.direct(readers[0].key, readers[0].slot):
            return None
        other = self.structure.sides(readers[0].key)[1 - readers[0].slot].node
        plain = None if _number(self.structure, other) is not None else _number(self.structure, key)
        return None if plain is None else ast.Constant(plain)

    def _name(self, merge: str) -> str:
        leaves = list(self._leaves(merge)) or self._read_again(merge)
        named = [port for port in leaves if not self.structure.is_unnamed(port.node)] or leaves
        own = len(named) != 1 or not self.structure.is_unnamed(merge)
        return self.names.ports[PortRef(node=merge) if own else named[0]]

    def _read_again(self, merge: str) -> list[PortRef]:
        """What a branch computes, reads itself, and gives to no other merge."""
        return [
            port for slot, port in enumerate(self.structure.sides(merge))
            if self._is_made(merge, slot) and not self.structure.is_choice(port.node)
            and sum(reader.slot >= 0 for reader in self.structure.readers[port]) == 1
        ]  # fmt: skip

    def _leaves(self, merge: str) -> Iterator[PortRef]:
        """What statements compute of a merge, those inside of its branches included."""
        for slot, port in enumerate(self.structure.sides(merge)):
            if self.direct(merge, slot):
                if self.structure.is_choice(port.node):
                    yield from self._leaves(port.node)
                else:
                    yield port

    def _parts(self, merge: str) -> Iterator[PortRef]:
        for slot, port in enumerate(self.structure.sides(merge)):
            if self.direct(merge, slot):
                yield port
                if self.structure.is_choice(port.node):
                    yield from self._parts(port.node)


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
        ends = [one for merge in choice.merges for one in _assigned(writer, merge, slot, variables)]
        bodies.append([*made, *{ast.unparse(one): one for one in ends}.values()])
    writer.defined(PortRef(node=merge) for merge in choice.merges)
    yield belongs(ast.If(test=test, body=bodies[0] or [ast.Pass()], orelse=bodies[1]))


def _assigned(writer: Writer, merge: str, slot: int, variables: Variables) -> Iterator[ast.stmt]:
    """What a branch leaves in the variable of a merge, if nothing of it does so already."""
    port = variables.structure.sides(merge)[slot]
    held = port.node not in variables.structure.inlined and variables.names.ports[port]
    if held != variables.names.ports[PortRef(node=merge)]:
        yield from writer.assigned(merge, writer.use(port, None, "The value"))
