"""Readers that nobody has told what to read: which samples they take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dali_studio import samples
from dali_studio.api.default import default_registry
from dali_studio.api.folders import IMAGES, SOUNDS, Kind, folder_readers
from dali_studio.api.sample_readers import sample_arguments, with_samples
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node

REGISTRY = default_registry()


def graph(*nodes: Node) -> Graph:
    made = Graph()
    for node in nodes:
        made.add_node(node)
    return made


@pytest.mark.parametrize(
    ("operator", "key", "place"),
    [("readers.coco", "reader", "photos"), ("readers.numpy", "image", "image"), ("readers.numpy", "mask", "mask"),
     ("readers.numpy", "reader", "image"), ("readers.sequence", "reader", "sequence")],
)  # fmt: skip
def test_readers_of_other_files_take_samples_that_they_can_read(operator: str, key: str, place: str) -> None:
    what = sample_arguments(graph(Node(key=key, operator=operator)), REGISTRY)[key]
    assert Path(str(what["file_root"])).name == place and Path(str(what["file_root"])).is_dir()
    assert ("annotations_file" in what) == (operator == "readers.coco")


@pytest.mark.parametrize("told", ["file_root", "annotations_file", "preprocessed_annotations"])
def test_what_a_reader_was_told_stays(told: str) -> None:
    one = graph(Node(key="reader", operator="readers.coco", arguments={told: "elsewhere"}))
    assert sample_arguments(one, REGISTRY) == {}
    assert with_samples(one, REGISTRY).node("reader").arguments == {told: "elsewhere"}


@pytest.mark.parametrize(
    ("decoder", "kind", "folder"), [("decoders.audio", SOUNDS, samples.sounds), ("decoders.image", IMAGES, samples.photos)]
)
def test_what_decodes_files_tells_sounds_from_images(decoder: str, kind: Kind, folder: Callable[[], Path]) -> None:
    one = graph(Node(key="reader", operator="readers.file"), Node(key="decode", operator=decoder))
    one.connect(PortRef(node="reader"), "decode", 0)
    found = [other for other in (IMAGES, SOUNDS) if folder_readers(one, REGISTRY, other)]
    assert found == [kind]
    assert sample_arguments(one, REGISTRY)["reader"]["file_root"] == str(folder())


def test_the_graph_itself_is_not_changed() -> None:
    given = graph(Node(key="image", operator="readers.numpy"))
    assert with_samples(given, REGISTRY).node("image").arguments and not given.node("image").arguments
