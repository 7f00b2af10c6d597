"""Nodes that are applied to some samples only, as one card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from dali_studio import fn, pipeline_def, samples, types
from dali_studio.api.default import default_registry
from dali_studio.api.pipeline import Pipeline
from dali_studio.codegen.emit import emit
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
from dali_studio.graph.validate import validate
from dali_studio.schema.registry import Registry
from dali_studio.studio.repairs import offered

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
    assert (chance.part, chance.coin, chance.splits, chance.merges) == (0.8, "coin", ("split", "split_2"), ("merge",))
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


def test_the_values_that_an_if_gives_are_on_one_card() -> None:
    graph = branching().graph
    cards = cards_in(graph, REGISTRY)
    ((first, (_, second)),) = cards.ends.items()
    assert graph.outputs[1] == PortRef(node=second) and cards.drawn(PortRef(node=second)) == PortRef(node=first, output=1)
    assert cards.real(PortRef(node=first, output=1)) == PortRef(node=second)
    moved = after(graph, Connect(source=PortRef(node="two"), target=first, input=3))
    assert moved.inputs(second) == (PortRef(node="two"), PortRef(node="two"))
    assert after(graph, Disconnect(target=first, input=3)).inputs(second) == (PortRef(node="two"),)
    assert set(graph) - set(after(graph, RemoveNode(key=first))) == {first, second}
    # they stay so beside a card with a probability
    assert cards_in(after(graph, SetChance(key="masks", part=0.5)), REGISTRY).ends == cards.ends
    # a copy has all of its inputs
    made = after(
        graph, AddNode(key="again", operator=graph.node(first).operator),
        Connect(source=PortRef(node="toss"), target="again", argument="predicate"),
        *(Connect(source=source, target="again", input=at) for at, source in enumerate(
            (PortRef(node="one"), PortRef(node="three"), PortRef(node="two"), PortRef(node="four"))
        )),
        SetOutputs(outputs=(PortRef(node="again"), PortRef(node="again", output=1))),
    )  # fmt: skip
    assert [made.inputs(port.node) for port in made.outputs] == [graph.inputs(key) for key in (first, second)]
    assert not validate(made, REGISTRY).diagnostics


@pipeline_def(batch_size=16, num_threads=1, device_id=None, seed=5, enable_conditionals=True)
def nested() -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files), size=(8.0, 8.0), name="small")
    outer = fn.random.coin_flip(dtype=types.BOOL, name="outer")
    if outer:
        if labels[0] > 1:
            images = fn.flip(images, name="deep")
        images = fn.brightness(images, brightness=0.0, name="black")
    else:
        images = fn.flip(images, vertical=1, name="other")
    return images, outer, labels


@pytest.mark.parametrize("key", ["deep", "black", "other"])
def test_a_step_in_a_branch_is_applied_to_some_samples_of_it(key: str) -> None:
    graph = nested().graph
    chosen = after(graph, SetChance(key=key, part=0.5))
    chance = _chances(chosen, REGISTRY)[key]
    assert len(chance.tossed) == (2 if key == "deep" else 1) and not validate(chosen, REGISTRY).diagnostics
    program = emit(chosen, REGISTRY, "dali_studio").source
    assert "_conditional." not in program and program.count("coin_flip") == 2
    before, after_ = (Pipeline.from_graph(one).run() for one in (graph, chosen))
    same = [np.array_equal(np.asarray(before[0].at(i)), np.asarray(after_[0].at(i))) for i in range(16)]
    inside = [bool(before[1].at(i)) == (key != "other") for i in range(16)]
    assert all(is_same for is_same, is_in in zip(same, inside, strict=True) if not is_in)
    if key != "deep":  # whose samples are few
        assert {is_same for is_same, is_in in zip(same, inside, strict=True) if is_in} == {False, True}
    # less often, and always again
    less = after(chosen, SetChance(key=key, part=0.25))
    assert _chances(less, REGISTRY)[key].part == 0.25 and set(less) == set(chosen)
    assert after(chosen, SetChance(key=key, part=1.0)) == graph


def _repaired(graph: Graph) -> Graph:
    found = [one for one in validate(graph, REGISTRY).diagnostics if one.severity == "error"]
    assert [one.code for one in found] == ["DS211"]
    ((_, edits),) = ((repair, edits) for repair, edits in offered(graph, REGISTRY, found) if repair.code == "DS211")
    made = apply(graph, edits(samples.photos), REGISTRY)[0]
    assert not validate(made, REGISTRY).diagnostics
    Pipeline.from_graph(made).run()
    return made


@pipeline_def(batch_size=16, num_threads=1, device_id=None, seed=5)
def negated() -> Any:
    """Split by a coin, and merged by what is not its opposite, the other way round, with a step for those of tails."""
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files), size=(8.0, 8.0), name="small")
    return images, fn.random.coin_flip(dtype=types.BOOL, name="outer"), labels


def test_a_condition_and_its_opposite_are_one() -> None:
    split, merge = "_conditional.split", "_conditional.merge"
    graph = after(
        negated().graph,
        AddNode(key="opposite", operator="_conditional.not_"),
        Connect(source=PortRef(node="outer"), target="opposite", input=0),
        AddNode(key="parted", operator=split),
        Connect(source=PortRef(node="small"), target="parted", input=0),
        Connect(source=PortRef(node="outer"), target="parted", argument="predicate"),
        AddNode(key="dark", operator="brightness", arguments={"brightness": 0.0}),
        Connect(source=PortRef(node="parted", output=1), target="dark", input=0),
        AddNode(key="whole", operator=merge),
        Connect(source=PortRef(node="dark"), target="whole", input=0),
        Connect(source=PortRef(node="parted"), target="whole", input=1),
        Connect(source=PortRef(node="opposite"), target="whole", argument="predicate"),
        SetOutputs(outputs=(PortRef(node="whole"), PortRef(node="outer"))),
    )
    assert not validate(graph, REGISTRY).diagnostics
    images, heads = Pipeline.from_graph(graph).run()
    assert [bool(np.asarray(images.at(i)).any()) for i in range(16)] == [bool(heads.at(i)) for i in range(16)]
    # the same way round, samples are mixed
    wrong = after(
        graph,
        Connect(source=PortRef(node="parted"), target="whole", input=0),
        Connect(source=PortRef(node="dark"), target="whole", input=1),
    )
    assert [one.code for one in validate(wrong, REGISTRY).diagnostics] == ["DS211"]


def test_samples_of_a_branch_together_with_others_are_told_and_put_right() -> None:
    graph = nested().graph
    # a coin of all samples, as it was once put around a step of a branch
    toss = AddNode(key="c", operator="random.coin_flip", arguments={"dtype": "BOOL"})
    source = graph.inputs("other")[0]
    assert source is not None
    ends = [(source, "s", 0), (PortRef(node="s"), "other", 0), (PortRef(node="other"), "m", 0), (PortRef(node="s", output=1), "m", 1)]
    merge = graph.fed_by("other")[0]
    wrong, _ = apply(graph, [
        toss, AddNode(key="s", operator="_conditional.split"), AddNode(key="m", operator="_conditional.merge"),
        *(Connect(source=PortRef(node="c"), target=key, argument="predicate") for key in "sm"),
        *(Connect(source=one, target=key, input=at) for one, key, at in ends),
        Connect(source=PortRef(node="m"), target=merge[0], input=merge[1]),
    ], REGISTRY)  # fmt: skip
    assert len(_chances(_repaired(wrong), REGISTRY)["other"].tossed) == 1
    # an argument that is drawn for all samples
    drawn = [AddNode(key="u", operator="random.uniform"), Connect(source=PortRef(node="u"), target="black", argument="brightness")]
    made = _repaired(apply(graph, drawn, REGISTRY)[0])
    assert made.argument_inputs("black")["brightness"].node != "u"
    # which is done at once to what is wired to it on the canvas
    assert after(graph, *drawn) == made
    twice = after(after(graph, SetChance(key="black", part=0.5)), *drawn)
    assert not validate(twice, REGISTRY).diagnostics and "black" in _chances(twice, REGISTRY)
    # what is behind the `if` takes what it gives, and not a side of it
    behind = [AddNode(key="both", operator="cat"), Connect(source=PortRef(node="black"), target="both", input=0),
              Connect(source=PortRef(node="small"), target="both", input=1),
              SetOutputs(outputs=(PortRef(node="both"),))]  # fmt: skip
    made = _repaired(apply(graph, behind, REGISTRY)[0])
    assert made.inputs("both") == (graph.outputs[0], PortRef(node="small"))
