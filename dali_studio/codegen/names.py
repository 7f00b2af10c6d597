"""Variables for the outputs of nodes: stable, readable, and free of collisions."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.schema.model import OutputSchema

#: Names that the program needs for itself.
_TAKEN = ("fn", "types", "pipeline_def", "float", "_")


def identifier(text: str) -> str:
    """`text` as a Python identifier that shadows nothing the program needs."""
    name = re.sub(r"\W+", "_", text).strip("_") or "node"
    name = f"_{name}" if name[0].isdigit() else name
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


@dataclass(slots=True)
class Names:
    """The names of one program.

    Attributes
    ----------
    ports
        Variable of every output port that is written.
    owners
        Node key of every variable.
    """

    ports: dict[PortRef, str] = field(default_factory=dict[PortRef, str])
    owners: dict[str, str] = field(default_factory=dict[str, str])
    _used: set[str] = field(default_factory=set[str])

    def unused(self, wanted: str) -> str:
        """`wanted`, or with the first number that makes it free; taken from then on."""
        base, number = identifier(wanted), 2
        name = base
        while name in self._used:
            name, number = f"{base}_{number}", number + 1
        self._used.add(name)
        return name

    def reserve(self, names: Iterable[str]) -> None:
        """Keep names from being given."""
        self._used.update(names)

    def define(self, node: Node, outputs: Sequence[OutputSchema], words_free: Sequence[bool]) -> None:
        """Name the outputs of a node: its key for one, the outputs' own words (if free) or key and word for several."""
        for index, output in enumerate(outputs):
            word = output.name if words_free[index] else f"{node.key}_{output.name}"
            name = self.unused(word if len(outputs) > 1 else node.key)
            self.ports[PortRef(node=node.key, output=index)] = name
            self.owners[name] = node.key


def name_ports(graph: Graph, outputs: dict[str, tuple[OutputSchema, ...]]) -> Names:
    """Names for all ports of the nodes in `outputs`, which lists them in the order of the program.

    Single outputs are named first, so that a node keeps its key as its variable whatever another output is called.
    """
    names = Names()
    single = {key: declared for key, declared in outputs.items() if len(declared) == 1}
    for key, declared in single.items():
        names.define(graph.node(key), declared, [True])
    for key, declared in outputs.items():
        if key not in single:
            names.define(graph.node(key), declared, [identifier(o.name) not in names.owners for o in declared])
    return names
