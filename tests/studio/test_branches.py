"""Previews of pipelines with branches: of single samples, as in the run."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from studio.clients import Client, only, rotating, set_argument

from dali_studio import Pipeline, fn, pipeline_def, samples, types
from dali_studio.api.default import default_registry
from dali_studio.graph.cards import Cards, Chance
from dali_studio.graph.edits import PortRef
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.model import Device
from dali_studio.studio.cards import summed
from dali_studio.studio.nodes import Nodes
from dali_studio.studio.outputs.previews import PreviewEngine
from dali_studio.studio.protocol import bodies, messages, output_messages
from dali_studio.studio.protocol.run_messages import NodeTiming, RunFinished


def branching() -> Pipeline:
    @pipeline_def(batch_size=6, num_threads=2, device_id=None, seed=11, enable_conditionals=True)
    def made() -> Any:
        files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
        images = fn.resize(fn.decoders.image(files), size=(40.0, 60.0))
        if fn.random.coin_flip(dtype=types.BOOL):
            images = fn.rotate(images, angle=fn.random.uniform(range=(-40.0, 40.0)), keep_size=True, name="turned")
        else:
            images = fn.crop(images, crop=(20, 30), name="cut")
        return images, labels

    return made()


def test_samples_are_those_of_the_run() -> None:
    pipeline = branching()
    graph = pipeline.graph
    client, engine = Client(graph), PreviewEngine(default_registry(), WorkerPool(2))
    revision = client.session.current()
    for iteration in range(3):
        run = pipeline.run()
        for sample in range(6):
            made = engine.compute(revision, iteration, [sample])
            assert not made.failed
            for port, expected in zip(graph.outputs, run, strict=True):
                np.testing.assert_array_equal(made.outputs[port].samples[0], np.array(expected.at(sample)))
            taken = {port.node for port in made.outputs} & {"turned", "cut"}
            aside = {port.node for port in made.aside} & {"turned", "cut"}
            assert (len(taken), len(aside)) == (1, 1)
            assert np.array(run[0].at(sample)).shape[0] == (20 if taken == {"cut"} else 40)
    client.session.close()


def test_cards_say_that_a_sample_takes_another_branch() -> None:
    client = Client(branching().graph)
    seen: set[str] = set()
    for sample in range(6):
        (shown,) = only(client.send("choose_sample", sample=sample, iteration=0), messages.Previews)
        assert not shown.failed
        notes = {item.key: item.note for item in shown.items}
        (other,) = {key for key in ("turned", "cut") if notes[key] == "the sample takes another branch"}
        # nor has the inspector another sample's picture
        (detail,) = only(client.send("request_detail", key=other), output_messages.ImageDetail)
        assert not detail.has_output and not detail.histogram and "another branch" in detail.note
        # a card is as tall as for the samples that take its branch
        angle = next(wire.source.node for wire in client.session.graph.wires("turned") if wire.argument == "angle")
        port = client.session.current().cards.drawn(PortRef(node=angle))  # with the images on one card
        assert port.output == 2
        (number,) = [item.body for item in shown.items if (item.key, item.output) == (port.node, port.output)]
        assert isinstance(number, bodies.TableBody | bodies.ValuesBody)
        seen.add(other)
    assert seen == {"turned", "cut"}
    client.session.close()


@pipeline_def(batch_size=6, num_threads=2, device_id=None, seed=11, enable_conditionals=True)
def nested() -> Any:
    draws = fn.random.uniform(range=(0.0, 1.0))
    more = draws
    if draws > 0.4:
        more = draws + 1.0
        if draws > 0.7:
            more = draws + 2.0
    return more


def test_a_condition_within_a_branch_tells_of_the_samples_that_come_to_it() -> None:
    client = Client(nested().graph)
    graph = client.session.graph
    (draws,) = (key for key in graph if graph.node(key).operator == "random.uniform")
    (inner,) = (key for key in graph if graph.node(key).arguments.get("expression") == "a > 0.7")
    absent: set[int] = set()
    known: list[float] = []
    for sample in range(6):  # also while one is shown that does not come to it
        (shown,) = only(client.send("choose_sample", sample=sample, iteration=0), messages.Previews)
        told = {item.key: item.body.values for item in shown.items if isinstance(item.body, bodies.ValuesBody)}
        known = [value for value in told[draws] if value is not None]
        assert told[inner] == tuple(float(value > 0.7) if value > 0.4 else None for value in known)
        absent.add(told[inner].count(None))
    assert len(known) == 6 and absent.isdisjoint({0, 6})
    client.session.close()


@pipeline_def(batch_size=6, num_threads=2, device_id=None, seed=11, enable_conditionals=True)
def sometimes() -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files), size=(40.0, 60.0))
    if fn.random.coin_flip(probability=0.5, dtype=types.BOOL):
        images = fn.rotate(images, angle=fn.random.uniform(range=(20.0, 40.0)), name="turned")
    return fn.brightness(images, brightness=0.5), labels


def test_a_node_with_a_probability_is_one_card_of_the_saved_picture() -> None:
    client = Client(sometimes().graph)
    try:
        client.send("ready")
        assert len(client.session.graph) > 9
        svg = client.session.answers.picture().svg
        told = re.search(r"(\d+) operators, 2 outputs", svg)
        assert told is not None and told[1] == "6" and ">p 0.5<" in svg
        # what came in is what was split, whether the sample is turned or not
        merge = next(key for key in client.session.graph if client.session.graph.node(key).operator.endswith("merge"))
        for sample in range(6):
            client.send("choose_sample", sample=sample, iteration=0)
            (detail,) = only(client.send("request_detail", key=merge), output_messages.ImageDetail)
            assert detail.has_input and detail.has_output
        # in the notebook, too, it gives something for every sample
        opened = Nodes(client.session)
        shapes = {np.asarray(one).shape for one in opened["turned"].outputs()}
        assert (40, 60, 3) in shapes and len(shapes) > 1
        assert np.array_equal(opened["turned"].output(), opened[merge].output())
    finally:
        client.session.close()


def test_the_time_of_a_node_with_a_probability_is_that_of_all_its_parts() -> None:
    cards = Cards({"turned": Chance(0.5, "coin", PortRef(node="coin"), ("merge",), ("split",))}, {})
    times = {"coin": 0.5, "split": 0.25, "turned": 2.0, "merge": 0.25, "decode": 4.0}
    devices: dict[str, Device] = {"turned": "gpu", "merge": "gpu"}
    made = [NodeTiming(key=key, device=devices.get(key, "cpu"), milliseconds=ms, p95=ms, share=0.1)
            for key, ms in times.items()]  # fmt: skip
    found = [(one.key, one.device, one.milliseconds) for one in summed(made, cards)]
    assert found == [("turned", "gpu", 3.0), ("decode", "cpu", 4.0)]


def test_the_browser_knows_of_one_card() -> None:
    client = Client(sometimes().graph)
    names = set(client.session.graph)
    parts = names - {"turned", "reader", "brightness", "decode", "resize", "uniform"}
    try:
        told = client.send("ready")
        (changed,) = only(told, messages.RevisionChanged)
        (card,) = [node for node in changed.graph.nodes if node.key == "turned"]
        assert not {node.key for node in changed.graph.nodes} & parts and len(changed.graph.nodes) + len(parts) == len(names)
        assert card.chance == 0.5 and {n.key for n in card.parts} == parts
        (shown,) = only(told, messages.Previews)
        assert [item.key for item in shown.items].count("turned") == 1 and not {item.key for item in shown.items} & parts
        # its large picture is of what it gives, for every sample, and so is what a sweep shows
        (detail,) = only(client.send("request_detail", key="turned"), output_messages.ImageDetail)
        assert detail.key == "turned" and detail.has_output
        port = {"node": "turned"}
        variants = [[set_argument("turned", "fill_value", float(value))] for value in (1, 2)]
        (sheet,) = only(
            client.send("request_sheet", name="batch", port=port, variants=variants, samples=[0], width=64, height=64),
            output_messages.Sheet,
        )
        assert sheet.port == PortRef(node="turned") and {cell.text.count("×") for cell in sheet.cells} == {1}
        (run,) = only(client.send("run", batches=1, until="turned"), RunFinished)
        assert run.until == "turned" and not {one.key for one in run.timings} & parts
        # under another name it has its picture at once
        told = client.edit({"type": "rename", "key": "turned", "new_key": "spun"})
        assert "spun" in {item.key for one in only(told, messages.Previews) for item in one.items}
        client.send("undo")
        # a slider's way is one step
        for part in (0.9, 0.8, 1.0):
            (changed,) = only(client.edit({"type": "set_chance", "key": "turned", "part": part}, gesture="p"),
                              messages.RevisionChanged)  # fmt: skip
        assert set(client.session.graph) == names - parts
        assert all(node.chance is None for node in changed.graph.nodes)
        (changed,) = only(client.send("undo"), messages.RevisionChanged)
        assert set(client.session.graph) == names
    finally:
        client.session.close()


def test_programs_call_results_of_branches_as_cards_do() -> None:
    """And a wire of another node renames nothing."""
    client = Client(rotating().graph)
    plain = client.session.code().source
    client.edit({"type": "set_chance", "key": "rotate", "part": 0.5})
    source = client.session.code().source
    assert "        rotate = fn.rotate(resize" in source and "    else:\n        rotate = resize\n" in source
    assert plain.partition("return ")[2] == source.partition("return ")[2]
    names = set(client.session.graph)
    client.edit({"type": "add_node", "key": "flip", "operator": "flip"},
                {"type": "connect", "source": {"node": "resize"}, "target": "flip", "input": 0})  # fmt: skip
    assert set(client.session.graph) == names | {"flip"}
    assert "        rotate = fn.rotate(resize" in client.session.code().source
    client.session.close()


def test_what_divides_samples_is_not_left_out() -> None:
    client = Client(branching().graph)
    key = next(node.key for node in client.session.graph.nodes() if node.operator == "_conditional.split")
    (refused,) = only(client.edit({"type": "set_bypass", "key": key, "bypassed": True}), messages.Refused)
    assert "divides samples" in refused.diagnostics[0].message
    client.session.close()


def test_a_subgraph_has_a_probability_in_one_step() -> None:
    client = Client(rotating().graph)
    names, keys = set(client.session.graph), ["resize", "uniform", "rotate"]
    group = {"type": "group", "keys": keys, "title": "augment", "subgraph": True, "collapsed": True}
    try:
        client.send("ready")
        client.send("apply_edits", base_revision=client.session.revision, edits=[], marks={"group1": group})

        def applied(part: float, keys: list[str]) -> messages.RevisionChanged:
            told = client.edit({"type": "set_chance", "key": keys[0], "part": part, "keys": keys}, gesture="p")
            assert not only(told, messages.Refused)
            return only(told, messages.RevisionChanged)[-1]

        changed = applied(0.75, keys)
        assert changed.coins == {"group1": "coin"} and not [one for one in changed.diagnostics if one.severity == "error"]
        mark = changed.marks["group1"]
        assert isinstance(mark, messages.Group) and {*mark.keys} - names == {"coin", "split", "merge"}
        assert set(client.session.graph) - names == {"coin", "split", "split_2", "merge"}  # splits have one card
        # the slider goes on, also before it is told of the coin, and all of its way is one step
        applied(0.6, keys)
        assert set(client.session.graph) - names == {"coin", "split", "split_2", "merge"}
        changed = applied(0.5, [*mark.keys])
        assert client.session.graph.node("coin").arguments["probability"] == 0.5
        assert "def augment(decode):" in client.session.code("dali_studio").source
        assert client.session.code("dali_studio").source.count("if coin:") == 1
        (changed,) = only(client.send("undo"), messages.RevisionChanged)
        assert set(client.session.graph) == names and changed.coins == {}
        mark = changed.marks["group1"]
        assert isinstance(mark, messages.Group) and [*mark.keys] == keys
        client.send("redo")
        assert set(client.session.graph) != names
        applied(1.0, [*client.session.graph][1:-1])
        # what cannot pass is refused, with what to do
        refusing = {"type": "set_chance", "key": "rotate", "part": 0.5, "keys": ["rotate", "normalize"]}
        told = client.edit(refusing)
        (refused,) = only(told, messages.Refused)
        assert "normalize gives (float CHW)" in refused.diagnostics[0].message and "Take normalize out" in refused.diagnostics[0].hint
    finally:
        client.session.close()


def test_a_subgraph_begins_where_it_did_with_a_probability_and_without_it_again() -> None:
    client = Client(rotating().graph)
    keys = ["resize", "uniform", "rotate"]
    group = {"type": "group", "keys": keys, "title": "augment", "subgraph": True, "collapsed": True}
    stood = {"reader": (20, 14), "resize": (388, 14), "uniform": (388, 218), "rotate": (572, 14), "__outputs__": (940, 14)}
    try:
        client.send("ready")
        client.send("move_nodes", positions={key: {"x": x, "y": y} for key, (x, y) in stood.items()})
        client.send("apply_edits", base_revision=client.session.revision, edits=[], marks={"group1": group})
        for part in (0.6, 1.0):
            told = client.edit({"type": "set_chance", "key": "rotate", "part": part, "keys": keys})
            changed = only(told, messages.RevisionChanged)[-1]
            mark = changed.marks["group1"]
            assert isinstance(mark, messages.Group)
            keys = [*mark.keys]
            inner = [changed.positions[key] for key in keys if key in changed.positions]
            assert (min(at.x for at in inner), min(at.y for at in inner)) == (388, 14)
            for key in ("reader", "__outputs__"):
                at = changed.positions[key]
                assert (at.x, at.y) == stood[key]
        assert keys == ["resize", "uniform", "rotate"]
    finally:
        client.session.close()


@pipeline_def(batch_size=6, num_threads=2, device_id=None, seed=11, enable_conditionals=True)
def never() -> Any:
    draws = fn.random.uniform(range=(0.0, 1.0))
    more = draws
    if draws > 2.0:
        more = fn.cast(draws, dtype=types.FLOAT64, name="far")
    return more


def test_a_branch_that_no_sample_takes_says_so() -> None:
    client = Client(never().graph)
    (shown,) = only(client.send("choose_sample", sample=1, iteration=0), messages.Previews)
    (far,) = (item for item in shown.items if item.key == "far")
    assert far.note == "no sample of this batch takes the branch"
    assert far.body == bodies.TableBody(rows=(("no sample",),))
    client.session.close()
