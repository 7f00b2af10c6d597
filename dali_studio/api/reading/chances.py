"""Steps that are applied with a probability, as their program has them: a statement within an ``if``."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dali_studio.api.default import default_registry
from dali_studio.api.reading.text import ProgramText
from dali_studio.graph.cards import cards_in
from dali_studio.graph.difference import matched, pairs
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry


@dataclass(frozen=True, slots=True)
class Choice:
    """The ``if`` around a step: what decides, and what each of its outputs is where it is not applied."""

    condition: PortRef
    passed: tuple[PortRef, ...]

    @property
    def reads(self) -> set[PortRef]:
        """What it reads."""
        return {self.condition, *self.passed}

    def written(
        self, condition: str, passed: Sequence[str], names: Mapping[str, PortRef], lines: Sequence[str], indent: int
    ) -> list[str]:
        """The lines of a step within the ``if``, by the texts of what it reads and the variables that it sets."""
        space = " " * indent
        instead = [(name, passed[port.output] if port.output < len(passed) else name) for name, port in names.items()]
        others = [f"{space}    {name} = {one}" for name, one in instead if name != one]
        made = [f"{space}if {condition}:", *(f"    {line}" for line in lines)]
        return [*made, f"{space}else:", *others] if others else made


def without_new_chances(before: Graph, after: Graph, registry: Registry) -> tuple[Graph, dict[str, Choice]]:
    """`after` as if the steps were always applied that are so in `before`, and how they are applied."""
    found: dict[str, Choice] = {}
    same: dict[PortRef, PortRef] = {}  # what splits and merges give, as what it would be without them
    for key, chance in cards_in(after, registry).chances.items():
        if chance.tossed or any(one in before for one in (*chance.merges, *chance.splits)):
            continue
        divided = {one: source for one in chance.splits if (source := [*after.inputs(one), None][0]) is not None}
        sides = [[*after.inputs(one), None, None][1] for one in chance.merges]
        if len(divided) < len(chance.splits) or None in sides:
            continue
        found[key] = Choice(chance.condition, tuple(divided[side.node] for side in sides if side))
        same |= {PortRef(node=one): source for one, source in divided.items()}
        same |= {PortRef(node=one): PortRef(node=key, output=at) for at, one in enumerate(chance.merges)}
    if not found:
        return after, {}
    gone = {port.node for port in same}

    def real(port: PortRef) -> PortRef:
        while port in same:
            port = same[port]
        return port

    made, nodes = after.copy(), [node for node in after.nodes() if node.key not in gone]
    wires = [wire._replace(source=real(wire.source)) for wire in after.wires() if wire.target not in gone]
    made.rebuild(nodes, wires, [real(port) for port in after.outputs])
    choices = {key: Choice(one.condition, tuple(map(real, one.passed))) for key, one in found.items()}
    return made, choices


def without_old_chances(source: ProgramText, after: Graph) -> ProgramText:
    """A text without each ``if`` around a step that is always applied in `after`; the text itself if there is none."""
    registry, found = default_registry(), list[ast.If]()
    for key, chance in cards_in(source.graph, registry).chances.items():
        span = source.spans.get(key)
        if key not in after or span is None or any(one in after for one in (*chance.merges, *chance.splits)):
            continue
        around = [
            one for one in ast.walk(source.function) if isinstance(one, ast.If)
            and one.lineno < one.body[0].lineno <= span.lineno <= (one.body[-1].end_lineno or 0)
        ]  # fmt: skip
        found += around[-1:]
    lines = source.text.split("\n")
    for one in sorted(found, key=lambda one: -one.lineno):
        _unfold(lines, one)
    if not found:
        return source
    made = ProgramText("\n".join(lines))
    made.rename(pairs(made.graph, after, registry) or matched(after, made.graph))
    return made


def _unfold(lines: list[str], node: ast.If) -> None:
    """Put what an ``if`` does in its place, with the comments."""
    begin, first, end = node.lineno - 1, node.test.end_lineno or 0, node.body[-1].end_lineno or 0
    while not re.search(r":\s*(#.*)?$", lines[first - 1]):  # a bracket on a line of its own
        first += 1
    last, indent = node.end_lineno or 0, node.body[0].col_offset
    while not node.orelse and last < len(lines) and lines[last].startswith(f"{' ' * indent}#"):
        end = last = last + 1
    told = re.search(r":\s*(#.*)$", lines[first - 1])
    deeper = " " * (indent - node.col_offset)
    above = [f"{' ' * node.col_offset}{told[1]}"] if told else []
    lines[begin:last] = [*above, *(one.removeprefix(deeper) for one in lines[first:end])]
