"""Groups of nodes that a program has as functions of their own."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from dali_studio.codegen.names import Names
from dali_studio.graph.model import Graph


@dataclass(frozen=True, slots=True)
class Function:
    """What becomes a function.

    Attributes
    ----------
    title
        From which its name is made.
    keys
        Its nodes.
    exposed
        Arguments, by node and name, that are parameters of it.
    """

    title: str
    keys: frozenset[str]
    exposed: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Order:
    """The nodes of a program in an order in which those of a function stand together, sources first.

    Attributes
    ----------
    keys
        The nodes.
    owners
        The functions that every node is in, from the outermost on; of a node that is in none, there is nothing.
    refused
        Functions that cannot be: what lies between their nodes is in none, or in another one.
    divided
        Functions that cannot be: they have a part of an `if`.
    """

    keys: list[str]
    owners: dict[str, tuple[Function, ...]] = field(default_factory=dict[str, "tuple[Function, ...]"])
    refused: list[Function] = field(default_factory=list[Function])
    divided: list[Function] = field(default_factory=list[Function])

    def owner(self, key: str, depth: int) -> Function | None:
        """The function of a node within `depth` others."""
        path = self.owners.get(key, ())
        return path[depth] if depth < len(path) else None

    def keep_whole(self, graph: Graph, statements: Sequence[Sequence[str]]) -> None:
        """Leave out functions that do not have all of a statement, given by its nodes, or whose do not stand together.

        What has no input goes where it is read: into the function of the `if` that it is written in.
        """
        placed = [[key for key in keys if graph.wires(key) or self.owners.get(key)] for keys in statements]
        paths = [[self.owners.get(key, ()) for key in keys] for keys in placed]
        for function in {function for path in self.owners.values() for function in path}:
            among = [i for i, some in enumerate(paths) if any(function in path for path in some)]
            whole = all(function in path for i in among for path in paths[i])
            if not among or not whole or among[-1] - among[0] + 1 != len(among):
                self.divided.append(function)
        for keys, some in zip(statements, paths, strict=True):
            path = max(some, key=len, default=())
            self.owners.update(dict.fromkeys(keys, tuple(one for one in path if one not in self.divided)))

    def exposing(self, key: str, argument: str) -> int:
        """How many functions are around the outermost one that exposes an argument: there, its value is given."""
        return next(depth for depth, one in enumerate(self.owners[key]) if (key, argument) in one.exposed)


def arranged(graph: Graph, keys: Sequence[str], functions: Sequence[Function]) -> Order:
    """The order of `keys`, which has sources first, with as many of the functions as there can be."""
    found = Order(list(keys))
    there = set(keys)
    cyclic = len(graph.computable()) < len(graph)
    larger = sorted(functions, key=lambda function: -len(function.keys & there))
    for function in larger if not cyclic else ():
        members = [key for key in keys if key in function.keys]
        around = _common([found.owners.get(key, ()) for key in members])
        members = [key for key in members if found.owners.get(key, ()) == around]
        if not members:
            continue
        owners = {**found.owners, **dict.fromkeys(members, (*around, function))}
        order = _contracted(graph, Order(list(keys), owners), keys)
        if order is None:
            found.refused.append(function)
        else:
            found.keys, found.owners = order, owners
    return found


def _common(paths: Sequence[tuple[Function, ...]]) -> tuple[Function, ...]:
    """What all paths begin with."""
    shared: list[Function] = []
    for step in zip(*paths, strict=False):
        if any(function is not step[0] for function in step):
            break
        shared.append(step[0])
    return tuple(shared)


def _contracted(graph: Graph, order: Order, keys: Sequence[str], depth: int = 0) -> list[str] | None:
    """`keys` with the members of each function behind all its sources; ``None`` if functions need each other."""
    units: dict[object, list[str]] = {}
    for key in keys:
        units.setdefault(order.owner(key, depth) or key, []).append(key)
    number = {unit: i for i, unit in enumerate(units)}
    of = {key: unit for unit, members in units.items() for key in members}
    sources = {
        unit: {of[source] for key in members for source in graph.predecessors(key) if source in of} - {unit}
        for unit, members in units.items()
    }
    feeds: dict[object, list[object]] = {unit: [] for unit in units}
    for unit, before in sources.items():
        for one in before:
            feeds[one].append(unit)
    listed = list(units)
    ready = [number[unit] for unit, before in sources.items() if not before]
    found: list[str] = []
    while ready:
        unit = listed[heappop(ready)]
        inner = _contracted(graph, order, units[unit], depth + 1) if isinstance(unit, Function) else units[unit]
        if inner is None:
            return None
        found += inner
        for other in feeds[unit]:
            sources[other].discard(unit)
            if not sources[other]:
                heappush(ready, number[other])
    return found if len(found) == len(keys) else None


@dataclass(frozen=True, slots=True)
class Written:
    """A function and the statement that calls it.

    Attributes
    ----------
    name
    parameters
        In the order of the definition.
    body
        With its ``return``.
    call
    """

    name: str
    parameters: tuple[str, ...]
    body: tuple[ast.stmt, ...]
    call: ast.stmt


def written(
    function: Function, inner: Sequence[ast.stmt], outside: Sequence[ast.stmt], names: Names,
    given: Mapping[str, ast.expr],
) -> Written:  # fmt: skip
    """`inner` as a function that takes what it uses and returns what is used outside of it.

    Parameters
    ----------
    outside
        All other statements of the program.
    given
        Values of its exposed arguments, by their parameters.
    """
    stored = _names(inner, ast.Store)
    used = set(_names(outside, ast.Load))
    hidden = {*given, *names.functions}
    taken = [name for name in _needed(inner, used)[0] if name not in hidden and name in names.known]
    returned = [name for name in stored if name in used]
    name = names.unused(function.title)
    names.functions.add(name)
    call: ast.expr = ast.Call(
        func=ast.Name(name, ast.Load()), args=[ast.Name(one, ast.Load()) for one in taken],
        keywords=[ast.keyword(parameter, value) for parameter, value in given.items()],
    )  # fmt: skip
    body = list(inner)
    statement: ast.stmt = ast.Expr(call)
    if returned:
        body.append(ast.Return(_together(returned, ast.Load())))
        statement = ast.Assign(targets=[_together(returned, ast.Store())], value=call, lineno=1)
    return Written(name, (*taken, *given), tuple(body), statement)


def _together(names: Sequence[str], context: ast.expr_context) -> ast.expr:
    items: list[ast.expr] = [ast.Name(name, context) for name in names]
    return items[0] if len(items) == 1 else ast.Tuple(elts=items, ctx=context)


def _needed(statements: Sequence[ast.stmt], after: Collection[str]) -> tuple[list[str], set[str]]:
    """Variables that the statements read before they write them, and those that they have written in any case.

    Parameters
    ----------
    after
        What is read later: a variable that one branch alone assigns keeps its value in the other.
    """
    needed: dict[str, None] = {}
    stored = set[str]()
    for i, statement in enumerate(statements):
        if isinstance(statement, ast.If):
            later = {*after, *_names(statements[i + 1 :], ast.Load)}
            (one, holds), (other, fails) = (_needed(body, later) for body in (statement.body, statement.orelse))
            kept = sorted((holds ^ fails) & later)
            loaded, new = [*_names([ast.Expr(statement.test)], ast.Load), *one, *other, *kept], holds & fails
        else:
            loaded, new = _names([statement], ast.Load), set(_names([statement], ast.Store))
        needed.update(dict.fromkeys(name for name in loaded if name not in stored))
        stored |= new
    return list(needed), stored


def _names(statements: Sequence[ast.stmt], kind: type[ast.expr_context]) -> list[str]:
    """Variables that the statements read or write, each once, in order."""
    found: dict[str, None] = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, kind):
                found[node.id] = None
    return list(found)
