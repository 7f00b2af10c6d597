"""Nodes that are bypassed, as comments of the program that is shown; the text that is kept does without them."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from dali_studio.codegen import layout
from dali_studio.codegen.dialects import DIALECTS
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.graph.bypass import rerouted
from dali_studio.graph.edits import SetBypass
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry

_MARK = "# bypassed: "
_UNUSED = _MARK + "nothing takes {}"


def with_comments(made: Emitted, graph: Graph, registry: Registry, dialect: str) -> Emitted:
    """The program of a graph with the statements of bypassed nodes as comments, in their places.

    A text that has such a statement, as lines of users stay, says above it that nothing takes what it makes.
    """
    whole, comments = _comments(graph, registry, dialect)
    if not comments:
        return made
    tree, added = ast.parse(made.source), dict[int, list[str]]()
    statements = sorted((one for one in ast.walk(tree) if isinstance(one, ast.stmt)), key=_number)
    starts = sorted((min(lines), key) for key, lines in whole.lines.items() if lines and made.lines.get(key))
    branches = [one for one in ast.walk(ast.parse(whole.source)) if isinstance(one, ast.If)]
    for key in sorted(comments, key=lambda key: min(whole.lines[key])):
        at, indent = _place(key, made, statements, whole, starts, branches)
        words = _UNUSED.format(key) if made.lines.get(key) else comments[key]
        added.setdefault(at, []).append(" " * indent + words)
    lines = made.source.split("\n")
    source = "\n".join(line for n, one in enumerate(lines, 1) for line in (*added.get(n, ()), one))
    if ast.dump(ast.parse(source)) != ast.dump(tree):  # within a literal of several lines
        return made
    moved = {
        key: tuple(n + sum(len(words) for at, words in added.items() if at <= n) for n in numbers)
        for key, numbers in made.lines.items()
    }
    return Emitted(source, moved, made.diagnostics)


def without_comments(source: str, graph: Graph, registry: Registry) -> str:
    """A text without the comments that stand for the bypassed nodes of a graph."""
    if _MARK not in source:
        return source
    found = [item for dialect in DIALECTS for item in _comments(graph, registry, dialect)[1].items()]
    added = {line for key, comment in found for line in (comment, _UNUSED.format(key))}
    return "\n".join(line for line in source.split("\n") if line.strip() not in added)


def used_again(graph: Graph, before: Graph, said: Graph) -> list[SetBypass]:
    """The edits by which bypassed nodes are used that a program has, or takes, which it did not do before.

    Parameters
    ----------
    before, said
        The graphs of the program then and now.
    """
    taken = _read(said) | {key for key in said if key not in before}
    return [
        SetBypass(key=key, bypassed=False) for key in sorted(_bypassed(graph) & taken & {*said})
        if said.node(key).operator == graph.node(key).operator
    ]  # fmt: skip


def _bypassed(graph: Graph) -> set[str]:
    """The bypassed nodes, but for those of which something is taken all the same."""
    keys = {node.key for node in graph.nodes() if node.bypassed}
    return keys - _read(rerouted(graph)) if keys else keys


def _read(graph: Graph) -> set[str]:
    return {port.node for port in graph.outputs} | {wire.source.node for wire in graph.wires()}


def _comments(graph: Graph, registry: Registry, dialect: str) -> tuple[Emitted, dict[str, str]]:
    """The program in which no node is bypassed, and the comments of those that are, and of what they alone need."""
    keys, used = _bypassed(graph), graph.copy()
    if not keys:
        return Emitted(""), {}
    for key in keys:
        used.replace_node(replace(graph.node(key), bypassed=False))
    whole = emit(used, registry, dialect)
    keys |= whole.lines.keys() - rerouted(graph).reachable(registry=registry) if graph.outputs else set()
    statements = {one.lineno: one for one in ast.walk(ast.parse(whole.source)) if isinstance(one, ast.Assign)}
    lines, found = whole.source.split("\n"), {key: min(whole.lines.get(key, ()), default=0) for key in keys}
    return whole, {key: _MARK + _on_one_line(statements[n], lines) for key, n in found.items() if n in statements}


def _on_one_line(statement: ast.Assign, lines: Sequence[str]) -> str:
    if statement.end_lineno == statement.lineno:
        return lines[statement.lineno - 1].strip()
    names = [node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    return f"{', '.join(names)} = {layout.inline(statement.value)}"


def _place(
    key: str, made: Emitted, statements: Sequence[ast.stmt], whole: Emitted, starts: Sequence[tuple[int, str]],
    branches: Sequence[ast.If],
) -> tuple[int, int]:  # fmt: skip
    """Before which line a comment stands, and how far it is indented: before what follows, or at the block's end.

    `starts` has the nodes that the program still has, by where the whole one makes them.
    """

    def before(line: int) -> tuple[int, int]:
        one = statements[max(bisect_right(statements, line, key=_number), 1) - 1]
        return one.lineno, one.col_offset

    if made.lines.get(key):
        return before(min(made.lines[key]))
    start = min(whole.lines[key])
    later = starts[bisect_right(starts, start, key=itemgetter(0)) :][:1]
    kept = [other for _, other in starts]
    for inner in sorted((one for one in branches if start in _lines(one)), key=lambda one: -one.lineno):
        first = start <= (inner.body[-1].end_lineno or 0)
        end = max(line for one in (inner.body if first else inner.orelse) for line in _lines(one))
        if later and later[0][0] <= end:
            break
        headers = {line for other in kept if inner.lineno in whole.lines[other] for line in made.lines[other]}
        found = [one.body if first else one.orelse for one in statements
                 if isinstance(one, ast.If) and one.lineno in headers]  # fmt: skip
        if block := next(filter(None, found), None):
            last = block[-1]
            known = any(last.lineno in made.lines[one] and min(whole.lines[one]) > inner.lineno for one in kept)
            return ((last.end_lineno or 0) + 1 if known else last.lineno), last.col_offset
    if later:
        return before(min(made.lines[later[0][1]]))
    last = max((line for lines in made.lines.values() for line in lines), default=0)
    ends = [one for one in statements if isinstance(one, ast.Return) and one.lineno >= last]
    return before(min((one.lineno for one in ends), default=1))


def _number(node: ast.stmt) -> int:
    return node.lineno


def _lines(node: ast.stmt) -> range:
    """The lines of a statement, but for the first one of an `if`, which belongs to what is around."""
    return range(node.lineno + isinstance(node, ast.If), (node.end_lineno or node.lineno) + 1)
