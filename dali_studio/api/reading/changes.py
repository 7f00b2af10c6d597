"""A program's text that changes with its graph: lines that a change does not concern stay as they are.

Lines whose step goes elsewhere move with their comments. The text is read once more after each change: what is written
is what the graph says, or it is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any

from dali_studio.api.default import default_registry
from dali_studio.api.reading.chances import without_new_chances, without_old_chances
from dali_studio.api.reading.ordering import Item, fewest_moved, staying
from dali_studio.api.reading.patches import NotWritable, NoVariable, Patches
from dali_studio.api.reading.text import ProgramText, Step, ends_of, held_before, is_simple, names_in
from dali_studio.api.reading.wrapping import wrapped
from dali_studio.codegen import layout, values
from dali_studio.codegen.calls import Writer
from dali_studio.codegen.dialects import find
from dali_studio.codegen.names import Names
from dali_studio.codegen.structure import CONDITIONAL
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.difference import pairs
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions, Node
from dali_studio.graph.written import WrittenFunction
from dali_studio.schema.model import Value


def changed(source: ProgramText, graph: Graph) -> tuple[ProgramText, dict[str, str]]:
    """The text of `graph`, which has come from that of `source` by edits.

    The node of `graph` that each node of the new text is comes with it.

    Raises
    ------
    NotWritable
        If the change is not one of statements.
    """
    same = pairs(source.graph, graph, default_registry())
    if same is not None and all(old == new for old, new in same.items()) and (
        source.graph.options == graph.options and not any(map(source.lacks, graph.nodes()))
    ):
        return source, same
    try:
        named = source.with_names_of(graph)
        if named is not source:
            return changed(named, graph)
        if (plain := without_old_chances(source, graph)) is not source:
            with suppress(NotWritable):  # else the `if` is written anew
                return changed(plain, graph)
        made = ProgramText(_written(source, graph))
    except DaliStudioError as error:
        raise NotWritable(error.diagnostics[0].message.rstrip(".")) from error
    except NotWritable:
        if (around := wrapped(source, graph)) is source:
            raise
        return changed(around, graph)
    return made, made.nodes_of(graph)


def _written(source: ProgramText, graph: Graph) -> str:
    apart: frozenset[str] = frozenset()
    while True:
        try:
            return _Change(source, graph, apart).text()
        except NoVariable as error:
            apart |= {error.key}


class _Change:
    """Writes the difference between a text's graph and another one into the text.

    Parameters
    ----------
    apart
        Nodes that are made within a statement and get one of their own.
    """

    def __init__(self, source: ProgramText, graph: Graph, apart: frozenset[str]) -> None:
        self._registry, self._dialect = default_registry(), find(source.dialect)
        self._source, self._before = source, source.graph
        self._after, self._choices = without_new_chances(source.graph, graph, self._registry)
        self._patches = Patches(source.text)
        self._variables: dict[str, PortRef] = {}
        self._settled: set[tuple[tuple[int, int], ...]] = set()  # where variables hold what is to be read
        self._functions: dict[WrittenFunction, str] = {}
        self._taken = {node.id for node in ast.walk(source.function) if isinstance(node, ast.Name)}
        ends = [i for i, step in enumerate(source.steps) if isinstance(step.node, ast.Return)]
        self._steps = source.steps[: ends[0] + 1 if ends else None]
        self._owner = {key: i for i, step in enumerate(self._steps) for key in step.made}
        self._held = list(held_before(self._steps))
        self._apart = apart | {key for key in self._owner if self._stays(key) and self._leaves(key)}
        within = {key: set(self._around(key)) for key in self._owner}
        self._carried = {key for key, around in within.items() if around & self._apart} - self._apart
        self._new = [key for key in self._after.order() if key not in self._before or not self._stays(key)
                     or key in self._apart]  # fmt: skip

    def text(self) -> str:
        """The new text."""
        if any(self._after.node(key).operator in CONDITIONAL for key in self._new):
            raise NotWritable("a new `if` has no place in it")
        units = [i for i, step in enumerate(self._steps) if not self._goes(step)]
        needs: dict[Item, list[Item]] = {item: list(self._needs(item, units)) for item in (*units, *self._new)}
        here = set().union(*needs.values()) <= needs.keys()  # decorators make steps elsewhere
        order = fewest_moved(units, self._new, needs) if here else None
        if order is None:
            raise NotWritable("steps that one statement makes would be apart from each other")
        for i, step in enumerate(self._steps):
            if i not in units:
                if len(self._source.function.body) == 1:
                    raise NotWritable("nothing would be left of the function")
                self._patches.remove(step.node)
        stays = staying([item for item in order if isinstance(item, int)])
        done: set[Item] = set()
        for at, item in enumerate(order):
            anchor = next((self._steps[one].node for one in order[at:] if one in stays), None)
            later = [one for one in order[at + 1 :] if one not in done]
            if isinstance(item, int):
                for one in [one for one in later if isinstance(one, str)]:
                    if needs[one] and done.issuperset(needs[one]) and self._loses(item, one):
                        self._add(one, anchor)
                        done.add(one)
                        later.remove(one)
                if item not in stays and anchor is not None:
                    self._patches.move(self._steps[item].node, anchor)
                self._step(item, later)
            elif item not in done:
                self._add(item, anchor)
            done.add(item)
        self._options()
        self._import()
        return self._patches.applied()

    # --------------------------------------------------------------------------------------------------------- nodes

    def _stays(self, key: str) -> bool:
        return key in self._after and self._after.node(key).operator == self._before.node(key).operator

    def _goes(self, step: Step) -> bool:
        """Whether nothing is left of a statement."""
        there = [self._there(port) for port in step.names.values()]
        if isinstance(step.node, ast.Return) or self._left(step) or any(there):
            return False
        return bool(step.made) or not all(there)

    def _left(self, step: Step) -> list[str]:
        return [key for key in step.made if self._there(PortRef(node=key)) and key not in self._carried]

    def _there(self, port: PortRef) -> bool:
        return port.node in self._before and self._stays(port.node) and port.node not in self._apart

    def _leaves(self, key: str) -> bool:
        """Whether a node that has no variable is needed elsewhere than in the statement in which it is made."""
        step, around = self._steps[self._owner[key]], self._around(key)
        named = any(port.node == key for port in step.names.values())
        if named or self._source.is_helper(key) or not is_simple(step) or not self._is_within(key):
            return False
        if not self._choices.keys().isdisjoint((key, *around[:1])):
            return True  # an `if` is around a statement
        old = {wire for wire in self._before.wires() if wire.source.node == key}
        new = {wire for wire in self._after.wires() if wire.source.node == key}
        if isinstance(step.node, ast.Return) and not around:
            was, now = ([port for port in graph.outputs if port.node == key] for graph in (self._before, self._after))
            return was != now or bool(new - old)
        lost = bool(around) and not any(wire.target in around for wire in new)
        read = any(not (wire.target in self._before and self._stays(wire.target)) for wire in new)
        return read or lost or bool(new - old) or any(
            port.node == key and port not in self._before.outputs for port in self._after.outputs
        )

    def _is_within(self, key: str) -> bool:
        """Whether a node is made in the text of its statement, and not in that of a function."""
        node, span = self._steps[self._owner[key]].node, self._source.spans.get(key)
        return span is not None and node.lineno <= span.lineno and (span.end_lineno or 0) <= (node.end_lineno or 0)

    def _around(self, key: str) -> list[str]:
        """The nodes of a statement in whose expressions a node stands, from the innermost on."""
        return self._source.around(key, self._steps[self._owner[key]].made)

    def _inner(self, key: str) -> list[str]:
        """A node and those that stand in its expression."""
        return [key, *(one for one in self._carried if key in self._around(one))]

    # ---------------------------------------------------------------------------------------------------------- order

    def _made(self, item: Item) -> list[str]:
        """The nodes that a statement of the new text makes."""
        if isinstance(item, str):
            return [item, *(self._inner(item)[1:] if item in self._apart else ())]
        return self._left(self._steps[item])

    def _reads(self, item: Item) -> set[PortRef]:
        """What a statement of the new text reads that others make."""
        made = self._made(item)
        found = {wire.source for key in made for wire in self._after.wires(key) if wire.source.node not in made}
        found |= {port for key in made if key in self._choices for port in self._choices[key].reads}
        if isinstance(item, int):
            step = self._steps[item]
            if isinstance(step.node, ast.Return):
                return found | {port for port in self._after.outputs if port.node not in made}
            if not step.made:
                held = self._held[item]
                found |= {held[one.id] for one in names_in(step.node, ast.Load) if one.id in held}
        return {port for port in found if port.node in self._after}

    def _needs(self, item: Item, units: Sequence[int]) -> Iterator[Item]:
        """What stands before a statement of the new text."""
        for port in self._reads(item):
            yield self._owner[port.node] if port.node in self._owner and port.node not in self._new else port.node
        if not isinstance(item, int):
            return
        step = self._steps[item]
        if isinstance(step.node, ast.Return):
            yield from (one for one in (*units, *self._new) if one != item)
            return
        for other in takewhile(lambda one: one < item, units):
            if self._depends(step, self._steps[other]):
                yield other

    def _depends(self, step: Step, other: Step) -> bool:
        """Whether a statement has to stay behind another one, because of what is no output of a node."""
        stored = [{one.id for one in names_in(each.node, ast.Store)} - each.names.keys() for each in (step, other)]
        every = [{one.id for one in names_in(each.node)} for each in (step, other)]
        return bool(stored[0] & every[1] or stored[1] & every[0])

    def _loses(self, item: int, key: str) -> bool:
        """Whether a statement assigns a variable anew from which a new node reads."""
        names = self._steps[item].names
        left = [port for name, port in self._variables.items() if name not in names]
        return not self._reads(key).issubset(left)

    # ----------------------------------------------------------------------------------------------------- statements

    def _add(self, key: str, before: ast.stmt | None) -> None:
        """Write a node as a statement of its own."""
        if before is None:
            raise NotWritable(f"{key} has no place in the text")
        name = self._unused(key)
        outputs = range(max(self._after.outputs_used(key), len(self._outputs(key))))
        names = [name] if len(outputs) == 1 else [self._unused(f"{key}_{i}") for i in outputs]
        ports = {one: PortRef(node=key, output=i) for i, one in zip(outputs, names, strict=True)}
        span = self._source.spans.get(key)
        if key in self._apart and span is not None and self._is_as_it_was(key, span):
            made = [f"{' ' * before.col_offset}{', '.join(names)} = {self._patches.segment(span)}"]
        else:
            for wire in self._after.wires(key):
                self._variable(wire.source)
            writer = self._writer(extra=ports)
            made = [line for one in writer.statements(key) for line in layout.statement(one, before.col_offset)]
            self._write(writer)
        if key in self._choices:
            made = self._chosen(key, ports, made, before.col_offset)
        self._patches.insert_before(before, made)
        self._variables.update(ports)

    def _chosen(self, key: str, names: Mapping[str, PortRef], lines: Sequence[str], indent: int) -> list[str]:
        """The lines of a step that is applied with a probability: within an ``if``."""
        choice = self._choices[key]
        passed = [layout.inline(self._variable(port)) for port in choice.passed]
        return choice.written(layout.inline(self._variable(choice.condition)), passed, names, lines, indent)

    def _choose(self, item: int, names: Mapping[str, PortRef]) -> None:
        """Put a statement into an ``if``, if its step is applied with a probability now."""
        node, made = self._steps[item].node, self._made(item)
        for key in [key for key in made if key in self._choices]:
            if len(made) > 1:
                raise NotWritable(f"line {node.lineno} makes other steps, too, which would be in the `if`")
            before, *behind = self._chosen(key, names, [], node.col_offset)
            self._patches.within(node, before, behind)

    def _is_as_it_was(self, key: str, span: ast.expr) -> bool:
        """Whether the text of a node may stand in another place."""
        keys, held = self._inner(key), self._held[self._owner[key]]
        reads = [one.id for one in names_in(span, ast.Load) if one.id in held]
        return all(
            self._before.node(one) == self._after.node(one) and self._before.wires(one) == self._after.wires(one)
            and not any(wire.source.node in self._apart for wire in self._after.wires(one)) for one in keys
        ) and all(self._variables.get(name) == held[name] for name in reads)  # fmt: skip

    def _step(self, item: int, later: Sequence[Item]) -> None:
        """Change what differs in a statement that stays; `later` stands behind it."""
        step, wanted = self._steps[item], dict[PortRef, PortRef]()
        for key in self._made(item):
            self._node(key, wanted)
        if isinstance(step.node, ast.Return):
            self._return(step.node)
        self._read(item, wanted)
        names: dict[str, PortRef] = {}
        for name, port in step.names.items():
            was = self._variables.get(name)
            if not self._there(port):
                continue
            lost = was is not None and was not in [one for other, one in self._variables.items() if other != name]
            if lost and was != port and any(was in self._reads(one) for one in later):
                name = self._called_otherwise(step, name, port)  # noqa: PLW2901 - from here on
            names[name] = port
        self._choose(item, names)
        for name, port in names.items():
            self._variables.pop(name, None)
            self._variables[name] = port

    def _read(self, item: int, wanted: Mapping[PortRef, PortRef]) -> None:
        """Read other variables where those of the text hold something else than they did."""
        step = self._steps[item]
        stored = {one.id for one in names_in(step.node, ast.Store)}
        for name in names_in(step.node, ast.Load):
            port = self._held[item].get(name.id)
            port = wanted.get(port, port) if port else None
            settled = ends_of(name) in self._settled or self._patches.covers(name)
            if port is None or port.node not in self._after or settled:
                continue
            if self._variables.get(name.id) != port:
                if not is_simple(step) and name.id in stored:
                    raise NotWritable(f"line {step.node.lineno} and those below it assign {name.id} again")
                self._patches.replace(name, self._variable(port))

    def _called_otherwise(self, step: Step, name: str, port: PortRef) -> str:
        """Assign to another variable, since what this one holds is needed."""
        places = [one for one in names_in(step.node, ast.Store) if one.id == name]
        if not is_simple(step) or len(places) != 1:
            raise NotWritable(f"line {step.node.lineno} assigns {name} again, of which the former value is needed")
        new = self._unused(port.node if port.node != name else f"{name}_{port.output + 2}")
        self._patches.replace(places[0], ast.Name(new, ast.Store()))
        return new

    def _outputs(self, key: str) -> Sequence[object]:
        node = self._after.node(key)
        if node.operator not in self._registry:
            raise NotWritable(f"{node.operator} is not known here")
        return self._registry.outputs(node.operator, node.arguments, len(self._after.inputs(key)))

    def _unused(self, wanted: str) -> str:
        names = Names()
        for one in self._taken:
            names.unused(one)
        name = names.unused(wanted)
        self._taken.add(name)
        return name

    def _writer(self, extra: dict[str, PortRef] | None = None) -> Writer:
        named = {port: name for name, port in (self._variables | (extra or {})).items()}
        outputs = {
            node.key: self._registry.outputs(node.operator, node.arguments, len(self._after.inputs(node.key)))
            for node in self._after.nodes() if node.operator in self._registry
        }  # fmt: skip
        writer = Writer(self._after, self._registry, self._dialect, Names(ports=named), outputs, frozenset(outputs))
        writer.defined(self._variables.values())
        return writer

    def _write(self, writer: Writer) -> None:
        """Note what is imported; refuse what the writer could not write."""
        self._functions |= writer.imports
        lost = [one for one in writer.found if one.code not in ("DS103", "DS201")]  # but for what is not there yet
        if lost or writer.parameters:
            raise NotWritable(lost[0].message if lost else "a Python object has no text")

    def _node(self, key: str, wanted: dict[PortRef, PortRef]) -> None:
        """Change what differs in a node that stays; where it stands in a function, `wanted` gets what this reads."""
        old, new = self._before.node(key), self._after.node(key)
        wired = (self._before.argument_inputs(key), self._after.argument_inputs(key))
        sources = (self._before.inputs(key), self._after.inputs(key))
        inputs = sources[0] != sources[1] or any(port and port.node in self._apart for port in sources[1])
        apart = any(port.node in self._apart for port in wired[1].values())
        lacks = self._source.lacks(new)
        if (old.arguments, old.device, old.bypassed) == (new.arguments, new.device, new.bypassed) and not inputs and (
            wired[0] == wired[1] and not lacks and not apart
        ):
            return
        span, function = self._source.span(key), new.objects.get("function")
        if not self._is_within(key) and (inputs or wired[0] != wired[1]):
            self._want(key, wanted)
            inputs, wired = False, (wired[1], wired[1])
        if not isinstance(span, ast.Call) or self._registry.schema(new.operator).role in ("constant", "copy"):
            self._whole(key, span)
            return
        if inputs:
            self._inputs(key, span)
        if lacks and isinstance(function, WrittenFunction):
            self._functions[function] = function.name
            self._patches.keyword(span, "function", ast.Name(function.name, ast.Load()))
        if old.device != new.device:
            self._patches.keyword(span, "device", ast.Constant(new.device))
        for name in dict.fromkeys([*old.arguments, *new.arguments, *wired[0], *wired[1]]):
            before = wired[0].get(name) or old.arguments.get(name)
            after = wired[1].get(name) or new.arguments.get(name)
            given = next((one.value for one in span.keywords if one.arg == name), None)
            if self._differs(before, after) and not self._is_read(given, after):
                self._patches.keyword(span, name, self._value(new, name, after))

    def _want(self, key: str, wanted: dict[PortRef, PortRef]) -> None:
        """What the function in which a node stands reads of other statements now."""
        old, new = ({wire[1:]: wire.source for wire in graph.wires(key)} for graph in (self._before, self._after))
        if old.keys() != new.keys():
            raise NotWritable(f"{key} stands in a function, to which a wire more or less is a parameter")
        for slot, source in old.items():
            if wanted.setdefault(source, new[slot]) != new[slot]:
                raise NotWritable(f"{key} stands in a function, which reads one variable")

    def _differs(self, before: PortRef | Value, after: PortRef | Value) -> bool:
        return before != after or (isinstance(after, PortRef) and after.node in self._apart)

    def _is_read(self, given: ast.expr | None, port: PortRef | Value) -> bool:
        """Whether an expression is a variable that holds the output already."""
        read = isinstance(given, ast.Name) and isinstance(port, PortRef) and self._variables.get(given.id) == port
        if read and given is not None:
            self._settled.add(ends_of(given))
        return read

    def _value(self, node: Node, name: str, value: PortRef | Value) -> ast.expr | None:
        if isinstance(value, PortRef):
            return self._variable(value)
        argument = self._registry.schema(node.operator).argument(name)
        if value is None:
            return values.hole() if argument is not None and argument.required else None
        if argument is None:
            return values.constant(value)
        return values.argument_value(argument, value)

    def _variable(self, port: PortRef) -> ast.expr:
        name = next((name for name, one in reversed(self._variables.items()) if one == port), None)
        if name is not None:
            return ast.Name(name, ast.Load())
        if port.node in self._owner and port.node not in self._apart and self._is_within(port.node):
            raise NoVariable(port.node)
        raise NotWritable(f"{port.node} is in no variable there")

    def _inputs(self, key: str, span: ast.Call) -> None:
        node = self._after.node(key)
        least = self._registry.schema(node.operator).least_inputs
        sources = (graph.inputs(key) for graph in (self._before, self._after))
        old, new = ((*ports, *[None] * (least - len(ports))) for ports in sources)
        if len(old) != len(new) or len(span.args) != len(new) or any(isinstance(one, ast.Starred) for one in span.args):
            self._whole(key, span)
            return
        for given, one, other in zip(span.args, old, new, strict=True):
            if self._differs(one, other) and not self._is_read(given, other):
                self._patches.replace(given, values.hole() if other is None else self._variable(other))
        if None in new and node.device != "cpu":  # which nothing else says any more
            self._patches.keyword(span, "device", ast.Constant(node.device))

    def _whole(self, key: str, span: ast.expr) -> None:
        """Write a node anew."""
        for wire in self._after.wires(key):
            self._variable(wire.source)
        writer = self._writer(extra={"": PortRef(node=key)})
        (made,) = writer.statements(key)
        self._write(writer)
        assert isinstance(made, ast.Assign | ast.Expr)
        self._patches.replace(span, made.value)

    def _return(self, node: ast.Return) -> None:
        old, new = self._before.outputs, self._after.outputs
        if node.value is None or (not any(map(self._differs, old, new)) and len(old) == len(new)):
            return
        items = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value]
        if len({len(items), len(old), len(new)}) > 1 or any(isinstance(one, ast.Starred) for one in items):
            self._patches.unfold(node.value, [self._variable(port) for port in new])
            return
        for given, one, port in zip(items, old, new, strict=True):
            if self._differs(one, port) and not self._is_read(given, port):
                self._patches.replace(given, self._variable(port))

    # --------------------------------------------------------------------------------------------------------- module

    def _options(self) -> None:
        old, new = self._before.options, self._after.options
        if self._choices:
            self._option("enable_conditionals", True)
        changed = {name: getattr(new, name) for name in GraphOptions.__struct_fields__
                   if getattr(old, name) != getattr(new, name)}  # fmt: skip
        for name, value in changed.items():
            if name == "name" and isinstance(value, str) and value.isidentifier():
                self._patches.rename(self._source.function, self._source.read_at(old.name), value)
            else:
                self._option(name, value)

    def _option(self, name: str, value: Any) -> None:
        decorator = next((one for one in self._source.function.decorator_list if isinstance(one, ast.Call)), None)
        if name == "name" or decorator is None:
            raise NotWritable(f"{name} has no place in the text")
        self._patches.keyword(decorator, name, None if value is None and name == "seed" else ast.Constant(value))

    def _import(self) -> None:
        lacking = self._source.lacking(self._patches.names() & {"fn", "types", "math"})
        if lacking:
            self._patches.insert_after(self._source.imports, f"from {self._dialect.module} import {', '.join(lacking)}")
        for function, name in self._functions.items():
            known = [one for one in self._source.imports if isinstance(one, ast.ImportFrom)]
            other = [one for one in known if [(it.name, it.asname) for it in one.names] == [(name, None)]]
            if name in self._taken and not other:
                raise NotWritable(f"{name} is a variable of the text")
            for old in {*other, *(one for one in known if one.module == function.module)}:
                self._patches.remove(old, comments=False)
            self._patches.insert_after(self._source.imports, f"from {function.module} import {name}")
