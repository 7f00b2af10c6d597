"""A graph as a diagram in words: Mermaid, which GitHub draws, and DOT, which Graphviz draws."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from types import MappingProxyType

from dali_studio.graph.model import Graph

_NONE: Mapping[str, str] = MappingProxyType({})


def _edges(graph: Graph) -> Iterator[tuple[str, str, str]]:
    """Source, target and the words on the wire: outputs beyond the first, and arguments."""
    for wire in graph.wires():
        output = f"[{wire.source.output}] " if wire.source.output else ""
        yield wire.source.node, wire.target, (output + wire.argument).strip()
    for number, port in enumerate(graph.outputs):
        yield port.node, "", f"[{port.output}]" if port.output else "" if number == 0 else str(number + 1)


def _title(graph: Graph, key: str) -> tuple[str, str]:
    node = graph.node(key)
    return key, f"fn.{node.operator}" + ("" if node.device == "cpu" else f" ({node.device})")


def mermaid(graph: Graph, colours: Mapping[str, str] = _NONE) -> str:
    """The graph in Mermaid's words; nodes on a GPU have round corners. `colours`: of the frames of nodes."""
    names = {key: f"n{number}" for number, key in enumerate(graph)}
    lines = ["flowchart LR"]
    for key, name in names.items():
        first, second = (re.sub(r"[^\w.() -]", "", part) for part in _title(graph, key))
        left, right = ("([", "])") if graph.node(key).device != "cpu" else ("[", "]")
        lines.append(f'  {name}{left}"{first}<br>{second}"{right}')
    if graph.outputs:
        lines.append('  outputs[/"outputs"/]')
    for source, target, words in _edges(graph):
        label = f"|{re.sub(r'[^0-9A-Za-z_ ]', '', words)}|" if words else ""
        lines.append(f"  {names[source]} -->{label} {names[target] if target else 'outputs'}")
    framed = [(name, colours[key]) for key, name in names.items() if key in colours]
    lines += [f"  style {name} stroke:{colour},stroke-width:3px" for name, colour in framed]
    return "\n".join(lines) + "\n"


def dot(graph: Graph, colours: Mapping[str, str] = _NONE) -> str:
    """The graph in Graphviz's words; argument wires are dashed. `colours`: of the frames of nodes."""

    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = [f"digraph {quoted(graph.options.name)} {{", "  rankdir=LR; node [shape=box, style=rounded];"]
    for key in graph:
        first, second = (escape(part) for part in _title(graph, key))
        colour = f', color="{colours[key]}", penwidth=3' if key in colours else ""
        lines.append(f"  {quoted(key)} [label=<<b>{first}</b><br/>{second}>{colour}];")
    lines += ['  "outputs of the pipeline" [label="outputs", shape=parallelogram];'] if graph.outputs else []
    for source, target, words in _edges(graph):
        dashed = ", style=dashed" if words and not words.startswith("[") and target else ""
        options = f" [label={quoted(words)}{dashed}]" if words else ""
        lines.append(f"  {quoted(source)} -> {quoted(target or 'outputs of the pipeline')}{options};")
    return "\n".join([*lines, "}"]) + "\n"


def markdown(graph: Graph, colours: Mapping[str, str] = _NONE) -> str:
    """That of `mermaid`, as a page of Markdown."""
    return f"```mermaid\n{mermaid(graph, colours)}```\n"


#: By what the name of a file ends with.
DIAGRAMS: dict[str, Callable[[Graph, Mapping[str, str]], str]] = {
    ".mmd": mermaid, ".md": markdown, ".dot": dot, ".gv": dot,
}  # fmt: skip
