"""Nodes that are applied to some samples only, as one card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from dali_studio import fn, pipeline_def, types
from dali_studio.api.default import default_registry
from dali_studio.graph.apply import apply
from dali_studio.graph.card_edits import unfolded
from dali_studio.graph.cards import Chance, cards_in
from dali_studio.graph.edits import (
    AddNode,
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
from dali_studio.schema.registry import Registry

REGISTRY = default_registry()


@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def rotating() -> Any:
    files, labels = fn.readers.file(file_root="photos", name="reader")
    images = fn.decoders.image(files, name="decode")
    angle = fn.random.uniform(range=(-30.0, 30.0), name="angle")
    turned = fn.rotate(images, angle=angle, name="rotate")
    return fn.brightness(turned, brightness=2.0, name="bright"), turned, labels


def _chances(graph: Graph, registry: Registry) -> Mapping[str, Chance]:
    return cards_in(graph, registry).chances


def after(graph: Graph, *edits: CardEdit) -> Graph:
    return apply(graph, unfolded(edits, graph, REGISTRY), REGISTRY)[0]


@pytest.fixture
def plain() -> Graph:
    return rotating().graph


@pytest.fixture
def chosen(plain: Graph) -> Graph:
    return after(plain, SetChance(key="rotate", part=0.8))


def test_a_coin_a_split_for_every_wire_and_a_merge_are_put_around_a_node(plain: Graph, chosen: Graph) -> None:
    assert not _chances(plain, REGISTRY)
    (chance,) = _chances(chosen, REGISTRY).values()
    assert (chance.part, chance.coin, chance.splits, chance.merge) == (0.8, "coin", ("split", "split_2"), "merge")
    assert chosen.inputs("bright") == (PortRef(node="merge"),) and PortRef(node="rotate") not in chosen.outputs
    assert chosen.inputs("merge") == (PortRef(node="rotate"), PortRef(node="split", output=1))
    other = after(chosen, SetChance(key="rotate", part=0.25))
    assert _chances(other, REGISTRY)["rotate"].part == 0.25 and len(other) == len(chosen)
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
    assert _chances(free, REGISTRY)["rotate"].part == 0.5
    wired = after(free, Connect(source=PortRef(node="decode"), target="rotate", input=0))
    assert after(wired, SetChance(key="rotate", part=1)) == plain


def test_other_conditions_keep_their_cards(chosen: Graph) -> None:
    for key in ("split", "coin", "rotate"):
        assert not _chances(apply(chosen, [SetOutputs(outputs=(PortRef(node=key),))], REGISTRY)[0], REGISTRY)
    used = Connect(source=PortRef(node="split", output=1), target="bright", input=0)
    assert not _chances(apply(chosen, [used], REGISTRY)[0], REGISTRY)


@pipeline_def(batch_size=2, num_threads=1, device_id=None, enable_conditionals=True)
def branching() -> Any:
    files, labels = fn.readers.file(file_root="photos", name="reader")
    images = fn.decoders.image(files, name="decode")
    masks = fn.brightness(images, brightness=2.0, name="masks")
    coin = fn.random.coin_flip(dtype=types.BOOL, name="toss")
    if coin:
        images, masks = fn.flip(images, name="one"), fn.flip(masks, name="two")
    else:
        images, masks = fn.flip(images, vertical=1, name="three"), fn.flip(masks, vertical=1, name="four")
    if coin:
        images = fn.rotate(images, angle=3.0, name="five")
    return images, masks, labels


def test_the_inputs_of_one_condition_are_on_one_card() -> None:
    graph = branching().graph
    cards = cards_in(graph, REGISTRY)
    # what is behind a condition is another one, though it asks the same
    ((first, (one, second)),) = cards.choices.items()
    assert first == one and len([key for key in graph if graph.node(key).operator.endswith("split")]) == 3
    for output in range(4):
        port = PortRef(node=first, output=output)
        assert cards.drawn(cards.real(port)) == port
    assert cards.real(PortRef(node=first, output=3)) == PortRef(node=second, output=1)
    # its wires are those of its splits
    moved = after(graph, Connect(source=PortRef(node="decode"), target=first, input=1))
    assert moved.inputs(second) == (PortRef(node="decode"),)
    four = after(graph, Connect(source=PortRef(node=first, output=1), target="four", input=0))
    assert four.inputs("four") == (PortRef(node=first, output=1),)
    two = after(graph, Connect(source=PortRef(node=first, output=2), target="one", input=0))
    assert two.inputs("one") == (PortRef(node=second),)
    assert after(graph, Disconnect(target=first, input=1)).inputs(second) == ()
    device = after(graph, SetDevice(key=first, device="gpu"))
    assert {device.node(key).device for key in (first, second)} == {"gpu"}
    assert set(graph) - set(after(graph, RemoveNode(key=first))) == {first, second}


def test_a_copied_condition_has_all_of_its_inputs() -> None:
    graph = branching().graph
    split = next(iter(cards_in(graph, REGISTRY).choices))
    operator = graph.node(split).operator
    made = after(
        graph, AddNode(key="again", operator=operator), AddNode(key="flip", operator="flip"),
        Connect(source=PortRef(node="toss"), target="again", argument="predicate"),
        Connect(source=PortRef(node="decode"), target="again", input=0),
        Connect(source=PortRef(node="masks"), target="again", input=1),
        Connect(source=PortRef(node="again", output=3), target="flip", input=0),
    )  # fmt: skip
    (source,) = made.inputs("flip")
    assert source is not None and source.output == 1 and made.inputs(source.node) == (PortRef(node="masks"),)
