"""What the function of a module takes from its caller, beside what ``pipeline_def`` takes of every function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dali_studio.graph.model import Graph
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry

#: Arguments by which readers are told where their data lies.
_PLACES = ("file_root", "file_list", "path", "paths", "index_path", "index_paths", "annotations_file")
_SHARDS = ("shard_id", "num_shards")


class Parameter(NamedTuple):
    """A parameter of the function; arguments of several nodes may share one."""

    name: str
    default: Value


#: By node and argument.
Parameters = Mapping[tuple[str, str], Parameter]


def module_parameters(graph: Graph, registry: Registry, samples: Mapping[str, Mapping[str, Value]]) -> Parameters:
    """Parameters for where readers find their data, and for the shard that they read.

    ``batch_size``, ``num_threads``, ``device_id`` and ``seed`` need none: each call of the function takes them.

    Parameters
    ----------
    samples
        Arguments for readers that are not told what to read, by node.
    """
    found: dict[tuple[str, str], Parameter] = {}
    shards: dict[str, tuple[Value, ...]] = {}
    for node in graph.nodes():
        if node.operator not in registry or registry.schema(node.operator).role != "reader":
            continue
        schema, wired = registry.schema(node.operator), graph.argument_inputs(node.key)
        told = any(node.arguments.get(name) is not None for name in _PLACES)
        given = node.arguments if told else {**node.arguments, **samples.get(node.key, {})}
        for name in _PLACES:
            if schema.argument(name) and name not in wired and given.get(name) is not None:
                found[node.key, name] = Parameter(f"{node.key}_{name}", given[name])
        declared = [schema.argument(name) for name in _SHARDS]
        if all(declared) and not wired.keys() & set(_SHARDS):
            values = zip(_SHARDS, declared, strict=True)
            shards[node.key] = tuple(node.arguments.get(name, one and one.default) for name, one in values)
    shared = len(set(shards.values())) == 1
    for key, values in shards.items():
        for name, value in zip(_SHARDS, values, strict=True):
            found[key, name] = Parameter(name if shared else f"{key}_{name}", value)
    return found
