"""Sample data for readers that nobody has told what to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from dali_studio import samples
from dali_studio.api.folders import IMAGES, KINDS, folder_arguments, idle_readers
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry


def _annotated(_: str) -> dict[str, Value]:
    return {"file_root": str(samples.photos()), "annotations_file": str(samples.coco())}


def _volumes(key: str) -> dict[str, Value]:
    """Those of the sub-folder that is called as the node is; ``image`` if none is."""
    named = samples.volumes() / key
    return {"file_root": str(named if named.is_dir() else named.with_name("image"))}


def _frames(_: str) -> dict[str, Value]:
    return {"file_root": str(samples.sequence())}


#: Readers of other files than `folders.KINDS`: what samples are called, and how one reads them, from the node's key.
_OTHERS: Mapping[str, tuple[str, Callable[[str], dict[str, Value]]]] = {
    "readers.coco": ("photos with their boxes", _annotated), "readers.numpy": ("volumes", _volumes),
    "readers.sequence": ("frames", _frames),
}  # fmt: skip
#: One of these tells such a reader what to read.
_TOLD = ("file_root", "file_list", "files", "annotations_file", "preprocessed_annotations")


def idle_words(graph: Graph, registry: Registry) -> dict[str, str]:
    """What the samples are called that `sample_arguments` would give, by node; none of them is made."""
    found = {
        node.key: "photos" if kind is IMAGES else kind.word
        for kind in KINDS
        for node in idle_readers(graph, registry, kind)
    }
    return found | {node.key: _OTHERS[node.operator][0] for node in graph.nodes() if _is_idle(graph, node)}


def sample_arguments(graph: Graph, registry: Registry) -> dict[str, dict[str, Value]]:
    """Arguments by which readers that nobody has told what to read would read samples, by node.

    Raises
    ------
    DaliStudioError
        DS601 if these are not there: what makes videos is a package of its own.
    """
    found = {
        node.key: folder_arguments(kind.samples(), kind)
        for kind in KINDS
        for node in idle_readers(graph, registry, kind)
    }
    return found | {node.key: _OTHERS[node.operator][1](node.key) for node in graph.nodes() if _is_idle(graph, node)}


def with_samples(graph: Graph, registry: Registry) -> Graph:
    """A copy of `graph` in which readers that have nothing to read read samples (errors as in `sample_arguments`)."""
    changed = graph.copy()
    for key, what in sample_arguments(graph, registry).items():
        node = graph.node(key)
        changed.replace_node(replace(node, arguments={**node.arguments, **what}))
    return changed


def _is_idle(graph: Graph, node: Node) -> bool:
    wired = graph.argument_inputs(node.key)
    return node.operator in _OTHERS and not any(node.arguments.get(one) is not None or one in wired for one in _TOLD)
