"""Groups of nodes that a program has as functions of their own."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
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
    owner
        The function of every node that is in one.
    refused
        Functions that cannot be: what lies between their nodes is in none, or in another one.
    """

    keys: list[str]
    owner: dict[str, Function] = field(default_factory=dict[str, Function])
    refused: list[Function] = field(default_factory=list[Function])


def arranged(graph: Graph, keys: Sequence[str], functions: Sequence[Function]) -> Order:
    """The order of `keys`, which has sources first, with as many of the functions as there can be."""
    found = Order(list(keys))
    there = set(keys)
    cyclic = len(graph.computable()) < len(graph)
    for function in functions if not cyclic else ():
        members = [key for key in function.keys if key in there and key not in found.owner]
        if not members:
            continue
        owner = {**found.owner, **dict.fromkeys(members, function)}
        order = _contracted(graph, keys, owner)
        if order is None:
            found.refused.append(function)
        else:
            found.keys, found.owner = order, owner
    return found


def _contracted(graph: Graph, keys: Sequence[str], owner: Mapping[str, Function]) -> list[str] | None:
    """`keys` with the members of each function behind all its sources; ``None`` if functions need each other."""
    units: dict[object, list[str]] = {}
    for key in keys:
        units.setdefault(owner.get(key, key), []).append(key)
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
    order: list[str] = []
    while ready:
        unit = listed[heappop(ready)]
        order += units[unit]
        for other in feeds[unit]:
            sources[other].discard(unit)
            if not sources[other]:
                heappush(ready, number[other])
    return order if len(order) == len(keys) else None


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
    owners
        Node key of every statement of the body; ``None`` for the last.
    call
    """

    name: str
    parameters: tuple[str, ...]
    body: tuple[ast.stmt, ...]
    owners: tuple[str | None, ...]
    call: ast.stmt


def written(
    function: Function, inner: Sequence[tuple[str, ast.stmt]], outside: Sequence[ast.stmt], names: Names,
    given: Mapping[str, ast.expr],
) -> Written:  # fmt: skip
    """`inner` as a function that takes what it uses and returns what is used outside of it.

    Parameters
    ----------
    inner
        Statements with the keys of their nodes.
    outside
        All other statements.
    given
        Values of its exposed arguments, by their parameters.
    """
    stored = _names([statement for _, statement in inner], ast.Store)
    loaded = _names([statement for _, statement in inner], ast.Load)
    taken = [name for name in loaded if name not in stored and name not in given and name in names.known]
    used = set(_names(outside, ast.Load))
    returned = [name for name in stored if name in used]
    name = names.unused(function.title)
    call: ast.expr = ast.Call(
        func=ast.Name(name, ast.Load()), args=[ast.Name(one, ast.Load()) for one in taken],
        keywords=[ast.keyword(parameter, value) for parameter, value in given.items()],
    )  # fmt: skip
    body: list[ast.stmt] = [statement for _, statement in inner]
    owners: list[str | None] = [key for key, _ in inner]
    statement: ast.stmt = ast.Expr(call)
    if returned:
        body.append(ast.Return(_together(returned, ast.Load())))
        owners.append(None)
        statement = ast.Assign(targets=[_together(returned, ast.Store())], value=call, lineno=1)
    return Written(name, (*taken, *given), tuple(body), tuple(owners), statement)


def _together(names: Sequence[str], context: ast.expr_context) -> ast.expr:
    items: list[ast.expr] = [ast.Name(name, context) for name in names]
    return items[0] if len(items) == 1 else ast.Tuple(elts=items, ctx=context)


def _names(statements: Sequence[ast.stmt], kind: type[ast.expr_context]) -> list[str]:
    """Variables that the statements read or write, each once, in order."""
    found: dict[str, None] = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, kind):
                found[node.id] = None
    return list(found)
