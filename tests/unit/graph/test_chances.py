"""Nodes that are applied to some samples only, as one card."""

from __future__ import annotations

from typing import Any

import pytest

from dali_studio import fn, pipeline_def
from dali_studio.api.default import default_registry
from dali_studio.graph.apply import apply
from dali_studio.graph.chances import chances_in, unfolded
from dali_studio.graph.edits import (
    CardEdit,
    Connect,
    Disconnect,
    PortRef,
    RemoveNode,
    Rename,
    SetChance,
    SetDevice,
    SetOutputs,
)
from dali_studio.graph.model import Graph

REGISTRY = default_registry()


@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def rotating() -> Any:
    files, labels = fn.readers.file(file_root="photos", name="reader")
    images = fn.decoders.image(files, name="decode")
    angle = fn.random.uniform(range=(-30.0, 30.0), name="angle")
    turned = fn.rotate(images, angle=angle, name="rotate")
    return fn.brightness(turned, brightness=2.0, name="bright"), turned, labels


def after(graph: Graph, *edits: CardEdit) -> Graph:
    return apply(graph, unfolded(edits, graph, REGISTRY), REGISTRY)[0]


@pytest.fixture
def plain() -> Graph:
    return rotating().graph


@pytest.fixture
def chosen(plain: Graph) -> Graph:
    return after(plain, SetChance(key="rotate", part=0.8))


def test_a_coin_a_split_for_every_wire_and_a_merge_are_put_around_a_node(plain: Graph, chosen: Graph) -> None:
    assert not chances_in(plain, REGISTRY)
    (chance,) = chances_in(chosen, REGISTRY).values()
    assert (chance.part, chance.coin, chance.splits, chance.merge) == (0.8, "coin", ("split", "split_2"), "merge")
    assert chosen.inputs("bright") == (PortRef(node="merge"),) and PortRef(node="rotate") not in chosen.outputs
    assert chosen.inputs("merge") == (PortRef(node="rotate"), PortRef(node="split", output=1))
    other = after(chosen, SetChance(key="rotate", part=0.25))
    assert chances_in(other, REGISTRY)["rotate"].part == 0.25 and len(other) == len(chosen)
    assert after(chosen, SetChance(key="rotate", part=1)) == plain == after(plain, SetChance(key="rotate", part=1))


def test_what_is_wired_to_the_card_is_wired_to_its_parts(plain: Graph, chosen: Graph) -> None:
    def always(*edits: CardEdit) -> Graph:
        """What is drawn after a step: the graph without the chance."""
        return after(after(chosen, *edits), SetChance(key="rotate", part=1))

    steps: list[list[CardEdit]] = [
        [Disconnect(target="rotate", argument="angle")],
        [Disconnect(target="rotate", argument="angle"),
         Connect(source=PortRef(node="angle"), target="rotate", argument="angle")],
        [Disconnect(target="rotate", input=0)],
        [Connect(source=PortRef(node="rotate"), target="bright", input=0)],
        [SetOutputs(outputs=(PortRef(node="rotate"),))],
        [SetDevice(key="rotate", device="gpu")],
        [Rename(key="rotate", new_key="turned"), SetChance(key="turned", part=0.1), Rename(key="turned", new_key="rotate")],
        [RemoveNode(key="decode")],
    ]  # fmt: skip
    for edits in steps:
        expected = after(after(plain, *edits), SetChance(key="rotate", part=1))
        assert always(*edits) == expected, edits
    # they go with it
    gone = after(chosen, RemoveNode(key="rotate"))
    assert set(gone) == set(plain) - {"rotate"}


def test_what_has_no_input_can_be_applied_sometimes(plain: Graph) -> None:
    free = after(plain, Disconnect(target="rotate", input=0), SetChance(key="rotate", part=0.5))
    assert chances_in(free, REGISTRY)["rotate"].part == 0.5
    wired = after(free, Connect(source=PortRef(node="decode"), target="rotate", input=0))
    assert after(wired, SetChance(key="rotate", part=1)) == plain


def test_other_conditions_keep_their_cards(chosen: Graph) -> None:
    for key in ("split", "coin", "rotate"):
        assert not chances_in(apply(chosen, [SetOutputs(outputs=(PortRef(node=key),))], REGISTRY)[0], REGISTRY)
    used = Connect(source=PortRef(node="split", output=1), target="bright", input=0)
    assert not chances_in(apply(chosen, [used], REGISTRY)[0], REGISTRY)
