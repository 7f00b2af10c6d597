"""Graphs for notebooks that travel: no folder of this machine stands in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

from dali_studio.graph import roots
from dali_studio.graph.model import Graph
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry

_PATHS = ("path", "files")


def portable(graph: Graph, registry: Registry, folder: Path) -> Graph:
    """A copy of `graph` whose paths are relative to `folder`, or begin with a root that each machine has for itself.

    Where no root can be remembered, a path of another place is left out, for readers to ask.

    Parameters
    ----------
    folder : Path
        Where the kernel runs: beside the notebook, in JupyterLab.
    """
    changed = graph.copy()

    def named(path: str) -> str:
        return cast(str, json.loads(roots.named(json.dumps(path, ensure_ascii=False), graph)))

    for node in graph.nodes():
        schema = registry.schema(node.operator) if node.operator in registry else None
        kept = dict(node.arguments)
        for name, value in node.arguments.items():
            argument = schema.argument(name) if schema else None
            if argument is None or argument.widget in _PATHS:
                kept[name] = _relative(value, folder, named)
        lost = {name for name, value in kept.items() if value is None and node.arguments[name] is not None}
        if lost:
            lost.add("labels")  # they are those of the files
        arguments = {name: value for name, value in kept.items() if name not in lost}
        if arguments != node.arguments:
            changed.replace_node(replace(node, arguments=arguments))
    return changed


def _relative(value: Value, folder: Path, named: Callable[[str], str]) -> Value:
    """A path, or several, from `folder` or from a root; None where one lies elsewhere."""
    if isinstance(value, str):
        path = Path(value)
        if not path.is_absolute():
            return value
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
        kept = named(value)
        return None if Path(kept).is_absolute() else kept
    if isinstance(value, tuple):
        found = [_relative(one, folder, named) for one in value]
        return None if None in found else cast("Value", tuple(found))
    return value
