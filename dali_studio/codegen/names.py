"""Variables for the outputs of nodes: stable, readable, and free of collisions."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.schema.model import OutputSchema

#: Names that the program needs for itself, or that Python does not let anyone assign.
_TAKEN = frozenset((
    "fn", "math", "tfrecord", "types", "pipeline_def", "float", "NotImplementedError", "__name__", "__debug__", "pipe",
    "_", "autoserialize",
))  # fmt: skip
#: Longer names are cut: a line of the program holds several.
_LONGEST = 80


def plain(text: str) -> bool:
    """Whether Python takes `text` for a name, and for this very one: it reads the ligature of "fi" as two letters."""
    known = text.isidentifier() and not keyword.iskeyword(text) and text != "__debug__"
    return known and unicodedata.is_normalized("NFKC", text)


def identifier(text: str) -> str:
    """`text` as a Python identifier that shadows nothing the program needs."""
    letters = unicodedata.normalize("NFKC", text[: 2 * _LONGEST])
    name = "".join(c if f"_{c}".isidentifier() else " " for c in letters)
    name = "_".join(name.split())[:_LONGEST].strip("_") or "node"
    name = name if name.isidentifier() else f"_{name}"
    if not unicodedata.is_normalized("NFKC", name) or not name.isidentifier():
        name = "node"
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


@dataclass(slots=True)
class Names:
    """The names of one program.

    Attributes
    ----------
    ports
        Variable of every output port that is written.
    keys
        Of outputs that are items of a dictionary, which is their variable.
    variables
        Names of outputs.
    functions
        Names that are the same in the whole program.
    """

    keys: dict[PortRef, str] = field(default_factory=dict[PortRef, str])
    ports: dict[PortRef, str] = field(default_factory=dict[PortRef, str])
    variables: set[str] = field(default_factory=set[str])
    functions: set[str] = field(default_factory=set[str])
    _used: dict[str, int] = field(default_factory=dict[str, int])

    def unused(self, wanted: str) -> str:
        """`wanted`, or with the first number that makes it free; taken from then on."""
        name = base = identifier(wanted)
        number = self._used.get(base, 1)
        while name in self._used:
            number += 1
            name = f"{base}_{number}"
        self._used[base] = number  # where the next search begins
        self._used.setdefault(name, 1)
        return name

    @property
    def known(self) -> Mapping[str, object]:
        """Every name that is taken."""
        return self._used

    def define_dictionary(self, node: Node, outputs: Sequence[OutputSchema]) -> None:
        """Name outputs that are items of one dictionary."""
        name = self.unused(node.key)
        self.variables.add(name)
        for index, output in enumerate(outputs):
            port = PortRef(node=node.key, output=index)
            self.ports[port], self.keys[port] = name, output.name

    def define(self, node: Node, outputs: Sequence[OutputSchema], words_free: Sequence[bool]) -> None:
        """Name the outputs of a node: its key for one, the outputs' own words (if free) or key and word for several."""
        for index, output in enumerate(outputs):
            word = output.name if words_free[index] else f"{node.key}_{output.name}"
            name = self.unused(word if len(outputs) > 1 else node.key)
            self.ports[PortRef(node=node.key, output=index)] = name
            self.variables.add(name)


def name_ports(graph: Graph, outputs: dict[str, tuple[OutputSchema, ...]], by_name: Collection[str] = ()) -> Names:
    """Names for all ports of the nodes in `outputs`, which lists them in the order of the program.

    Of nodes that are `by_name`, a call gives a dictionary.

    Single outputs are named first, so that a node keeps its key as its variable whatever another output is called.
    """
    names = Names()
    for key in (one for one in outputs if one in by_name):
        names.define_dictionary(graph.node(key), outputs[key])
    rest = {key: declared for key, declared in outputs.items() if key not in by_name}
    single = {key: declared for key, declared in rest.items() if len(declared) == 1}
    for key, declared in single.items():
        names.define(graph.node(key), declared, [True])
    for key, declared in rest.items():
        if key not in single:
            names.define(graph.node(key), declared, [identifier(o.name) not in names.variables for o in declared])
    return names
