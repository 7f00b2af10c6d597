"""Labels that stay behind in the designer: what a repair would add, and those that are to stay as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studio.clients import Client, only

from dali_studio import fn, pipeline_def, samples
from dali_studio.api.pipeline import Pipeline
from dali_studio.graph import document
from dali_studio.graph.edits import AddNode, Connect, PortRef
from dali_studio.studio.protocol import bodies, messages


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A pipeline that flips images, and not their boxes: the second sample, and not the first."""
    names = []
    for number, path in enumerate(sorted(samples.photos().rglob("*.jpg"))[:2]):
        (tmp_path / path.name).write_bytes(path.read_bytes())
        names.append({"id": number, "file_name": path.name, "width": 100, "height": 100})
    boxes = [{"id": n, "image_id": n, "category_id": 1, "bbox": [10, 10, 30, 40], "iscrowd": 0} for n in range(2)]
    told = {"images": names, "annotations": boxes, "categories": [{"id": 1, "name": "thing"}]}
    (tmp_path / "boxes.json").write_text(json.dumps(told))

    @pipeline_def(batch_size=2, num_threads=2, device_id=None, seed=3)
    def detect() -> Any:
        files, boxes, _ = fn.readers.coco(
            file_root=str(tmp_path), annotations_file=str(tmp_path / "boxes.json"), ratio=True, ltrb=True, name="reader"
        )
        return fn.flip(fn.decoders.image(files), horizontal=fn.random.coin_flip()), boxes

    made = Client(detect().graph)
    made.send("ready")
    places = {key: {"x": 184.0 * i, "y": 0.0} for i, key in enumerate(made.session.graph)}
    made.send("move_nodes", positions=places)
    yield made
    made.session.close()


def unmoved(client: Client) -> list[Any]:
    return [d for d in only(client.received, messages.RevisionChanged)[-1].diagnostics if d.code == "DS210"]


def test_what_would_move_a_label_is_shown_before_it_is_added(client: Client) -> None:
    graph = client.session.graph
    (twin,) = only(client.send("request_twin", node="reader"), messages.LabelTwin)
    assert [(card.operator, card.feeds, len(card.fed_by)) for card in twin.cards] == [
        ("bb_flip", (("__outputs__", "result:1"),), 2)
    ]
    lines = twin.source.splitlines()
    assert "fn.bb_flip(" in lines[twin.added[0] - 1]
    assert len(lines[twin.added[-1] - 1].split(", ")) == 2  # what is returned
    now, then = (item.body for item in twin.items)
    assert isinstance(now, bodies.BoxesBody)
    assert isinstance(then, bodies.BoxesBody)
    assert now.over == then.over == "flip"
    assert now.boxes == ((0.1, 0.1, 0.4, 0.5),)
    assert then.boxes == ((0.6, 0.1, 0.9, 0.5),)  # of a sample that is flipped
    assert client.session.graph == graph
    (refused,) = only(client.send("request_twin", node="flip"), messages.Refused)
    assert refused.diagnostics[0].code == "DS304"


def test_what_is_bypassed_is_turned_on_again(client: Client) -> None:
    client.send("apply_repair", code="DS210", node="reader", argument="")
    whole = client.session.graph
    client.edit({"type": "set_bypass", "key": "flipped_boxes", "bypassed": True})
    (found,) = unmoved(client)
    assert found.node == "flipped_boxes"  # its wire is the one that carries the wrong boxes
    assert found.hint == "flipped_boxes is bypassed: turn it on."
    repairs = only(client.received, messages.RevisionChanged)[-1].repairs
    assert [one.title for one in repairs if one.code == "DS210"] == ["Turn flipped_boxes on"]
    (twin,) = only(client.send("request_twin", node="flipped_boxes"), messages.LabelTwin)
    assert not twin.left
    now, then = (item.body.boxes for item in twin.items)
    assert (now, then) == (((0.1, 0.1, 0.4, 0.5),), ((0.6, 0.1, 0.9, 0.5),))
    client.send("apply_repair", code="DS210", node="flipped_boxes", argument="")
    assert not unmoved(client)
    assert client.session.graph == whole


def test_a_label_that_is_to_stay_is_told_of_no_more(client: Client, tmp_path: Path) -> None:
    (found,) = unmoved(client)
    left = {"type": "left", "node": found.node, "message": found.message}
    client.send("apply_edits", base_revision=client.session.revision, edits=[], marks={"left reader": left})
    assert not unmoved(client)
    client.session.save(tmp_path / "left.dali.json")
    client.send("undo")
    assert unmoved(client) == [found]

    graph, view, *_ = document.load(tmp_path / "left.dali.json")
    client.session.open(graph, view)
    assert not unmoved(client)


def test_boxes_are_shown_whose_classes_are_not_there_but_a_number(client: Client) -> None:
    coin = {"type": "add_node", "key": "other", "operator": "random.coin_flip"}
    twin = {"type": "add_node", "key": "twin", "operator": "bb_flip"}
    ends = [("reader", 1, "twin", {"input": 0}), ("other", 0, "twin", {"argument": "horizontal"})]
    wires = [{"type": "connect", "source": {"node": a, "output": n}, "target": b, **at} for a, n, b, at in ends]
    outputs = [{"node": "flip"}, {"node": "twin"}]
    client.edit(coin, twin, *wires, {"type": "set_outputs", "outputs": outputs})
    (found,) = unmoved(client)
    received = client.send("request_twin", node=found.node)
    assert only(received, messages.LabelTwin)
    assert not only(client.received, messages.Refused)


def test_a_probability_takes_what_moves_the_boxes_along(client: Client) -> None:
    client.send("apply_repair", code="DS210", node="reader", argument="")
    assert not unmoved(client)
    whole = client.session.graph
    for part in (0.5, 0.6):
        client.edit({"type": "set_chance", "key": "flip", "part": part}, gesture="flip.p")
    assert not unmoved(client)
    lines = client.session.code().source.splitlines()
    taken = lines.index("    if coin:") + 1
    assert all(any(name in line for line in lines[taken : taken + 3]) for name in ("fn.flip(", "fn.bb_flip("))
    graph = only(client.received, messages.RevisionChanged)[-1].graph
    assert {node.key: node.chance for node in graph.nodes if node.chance} == {"flip": 0.6, "flipped_boxes": 0.6}
    assert {node.key for node in graph.nodes} == client.session.positions.keys() == set(whole)
    assert [node.operator for node in client.session.graph.nodes()].count("random.coin_flip") == 2
    # boxes lie over the picture of their branch, and behind it over that of all
    for sample in range(2):
        received = client.send("choose_sample", iteration=0, sample=sample)
        items = [item for message in only(received, messages.Previews) for item in message.items]
        assert all(item.body.over for item in items if isinstance(item.body, bodies.BoxesBody))
    client.send("undo")
    assert client.session.graph == whole
    # always again: nothing of it is left
    for part in (0.5, 1.0):
        client.edit({"type": "set_chance", "key": "flip", "part": part})
    assert client.session.graph == whole


def test_a_random_argument_takes_what_moves_the_boxes_along(client: Client) -> None:
    client.send("apply_repair", code="DS210", node="reader", argument="")
    before = client.session.graph
    draw = {"type": "add_node", "key": "other", "operator": "random.coin_flip"}
    wire = {"type": "connect", "source": {"node": "other"}, "target": "flip", "argument": "vertical"}
    client.edit(draw, wire)
    assert not unmoved(client)
    assert client.session.graph.argument_inputs("flipped_boxes") == client.session.graph.argument_inputs("flip")
    client.send("undo")
    assert client.session.graph == before


def test_labels_share_the_coin_of_their_image_and_have_one_card_as_well(client: Client) -> None:
    outputs = [{"node": port.node, "output": port.output} for port in client.session.graph.outputs]
    client.edit({"type": "set_outputs", "outputs": [*outputs, {"node": "reader", "output": 2}]})
    client.edit({"type": "add_node", "key": "turn", "operator": "rotate", "arguments": {"angle": 40.0}},
                {"type": "connect", "source": outputs[0], "target": "turn", "input": 0},
                {"type": "set_outputs", "outputs": [{"node": "turn"}, outputs[1], {"node": "reader", "output": 2}]})  # fmt: skip
    client.send("apply_repair", code="DS210", node=unmoved(client)[0].node, argument="")  # both
    before = client.session.graph
    told = client.edit({"type": "set_chance", "key": "flip", "part": 0.5})
    client.edit({"type": "set_chance", "key": "turn", "part": 0.25})
    nodes = {node.key: node for node in only(client.received, messages.RevisionChanged)[-1].graph.nodes}
    assert nodes.keys() == set(before)  # no card of an `if`, and none of a coin but that of `horizontal`
    twins = {node.operator: key for key, node in nodes.items() if node.operator in ("bb_flip", "bbox_rotate")}
    for key, twin, part in (("flip", twins["bb_flip"], 0.5), ("turn", twins["bbox_rotate"], 0.25)):
        one, other = nodes[key], nodes[twin]
        assert (one.chance, one.shared, other.chance, other.shared) == (part, (twin,), part, (key,))
        assert one.coin == other.coin and [part.key for part in (*one.parts, *other.parts)].count(one.coin) == 1
    # boxes that leave the picture take their classes along
    turned = nodes[twins["bbox_rotate"]]
    assert len(turned.output_kinds) == 2 and client.session.graph.outputs[2] == client.session.current().cards.real(
        PortRef(node=turned.key, output=1)
    )
    assert not only(told, messages.RevisionChanged)[-1].diagnostics
    assert [len(node.output_kinds) for node in (nodes["reader"], nodes["flip"])] == [3, 1]
    # the coin is one for both, and goes with the last of them
    client.edit({"type": "set_chance", "key": twins["bb_flip"], "part": 0.75})
    assert client.session.graph.node(nodes["flip"].coin).arguments["probability"] == 0.75
    client.edit({"type": "remove_node", "key": "flip"})
    assert nodes["flip"].coin in client.session.graph
    client.send("undo")
    client.edit({"type": "set_chance", "key": "turn", "part": 1.0})
    client.edit({"type": "set_chance", "key": "flip", "part": 1.0})
    assert set(client.session.graph) == set(before)
    assert [client.session.graph.node(key) for key in before] == [before.node(key) for key in before]
    # with another step, pasted as the browser does
    client.edit({"type": "set_chance", "key": "flip", "part": 0.5})
    copied = {"type": "add_node", "key": "again", "operator": "flip"}
    wire = {"type": "connect", "source": {"node": "turn"}, "target": "again", "input": 0}
    client.edit(copied, wire, {"type": "set_chance", "key": "again", "part": 0.5, "like": "flip"})
    nodes = {node.key: node for node in only(client.received, messages.RevisionChanged)[-1].graph.nodes}
    assert nodes["again"].coin == nodes["flip"].coin and set(nodes["again"].shared) == {"flip", twins["bb_flip"]}


def in_branch(client: Client) -> PortRef:
    """Give the image a probability, and boxes one step more in the same `if`, which has cards then."""
    client.send("apply_repair", code="DS210", node="reader", argument="")
    client.edit({"type": "set_chance", "key": "flip", "part": 0.5})
    graph, (merge, boxes) = client.session.graph, client.session.graph.outputs
    client.session.history.apply([
        AddNode(key="more", operator="bb_flip", arguments={"horizontal": 0}),
        Connect(source=graph.inputs(boxes.node)[0] or boxes, target="more", input=0),
        Connect(source=PortRef(node="more"), target=boxes.node, input=0),
    ])  # fmt: skip
    places = {key: {"x": 184.0 * i, "y": 0.0} for i, key in enumerate(client.session.graph.order())}
    client.send("move_nodes", positions=places)
    return merge


def test_what_is_put_behind_a_step_with_a_probability_is_done_to_all_samples(client: Client) -> None:
    merge = in_branch(client)
    before, boxes = client.session.graph, client.session.graph.outputs[1]
    assert before.fed_by("flip") == [(merge.node, 0)]

    def put(key: str, *more: dict[str, Any]) -> None:
        """As the browser puts an operator behind the selected card: between it and what it shows it to feed."""
        added = {"type": "add_node", "key": key, "operator": "rotate", "arguments": {"angle": 20.0, "keep_size": True}}
        given = {"type": "connect", "source": {"node": "flip"}, "target": key, "input": 0}
        taken = {"type": "connect", "source": {"node": key}, "target": merge.node, "input": 0}
        places = {key: {"x": 0.0, "y": 0.0}}
        client.send(
            "apply_edits", base_revision=client.session.revision, edits=[added, given, taken, *more], positions=places
        )

    put("rotate")
    graph, places = client.session.graph, client.session.positions
    assert graph.inputs("rotate") == (merge,) and graph.outputs == (PortRef(node="rotate"), boxes)
    assert graph.inputs(merge.node) == before.inputs(merge.node)
    assert places["rotate"].x > places[merge.node].x > places["flip"].x
    view = only(client.received, messages.RevisionChanged)[-1].graph
    assert {node.key: node.chance for node in view.nodes if node.chance} == {"flip": 0.5}
    # what the merge fed, it feeds now
    put("again")
    graph = client.session.graph
    assert graph.inputs("again") == (merge,) and graph.inputs("rotate") == (PortRef(node="again"),)
    for _ in range(2):
        client.send("undo")
    assert client.session.graph == before
    # a card that lies there, dropped on the wire, or fed by the port
    for more in ({}, {"key": merge.node}):
        client.edit({"type": "add_node", "key": "loose", "operator": "rotate", "arguments": {"angle": 20.0}})
        client.send("move_nodes", positions={"loose": {"x": 0.0, "y": 0.0}})
        wires = [("flip", "loose"), *(("loose", target) for target in more.values())]
        client.edit(*({"type": "connect", "source": {"node": a}, "target": b, "input": 0} for a, b in wires))
        graph, places = client.session.graph, client.session.positions
        assert graph.inputs("loose") == (merge,) and graph.inputs(merge.node) == before.inputs(merge.node)
        assert graph.outputs == ((PortRef(node="loose"), boxes) if more else before.outputs)
        assert (places["loose"].x > places[merge.node].x) == bool(more)
        while "loose" in client.session.graph:
            client.send("undo")
        assert client.session.graph == before
    # where other samples go elsewhere, the branch has its own steps
    cut = {"type": "add_node", "key": "other", "operator": "flip"}
    source = before.inputs(merge.node)[1]
    assert source is not None
    ends = [({"node": source.node, "output": source.output}, "other", 0), ({"node": "other"}, merge.node, 1)]
    client.edit(cut, *({"type": "connect", "source": a, "target": b, "input": at} for a, b, at in ends))
    put("rotate")
    assert client.session.graph.inputs("rotate") == (PortRef(node="flip"),)


def test_a_step_inside_a_branch_is_followed_by_boxes_and_classes(client: Client) -> None:
    outputs = [{"node": port.node, "output": port.output} for port in client.session.graph.outputs]
    client.edit({"type": "set_outputs", "outputs": [*outputs, {"node": "reader", "output": 2}]})
    client.send("apply_repair", code="DS210", node="reader", argument="")
    client.edit({"type": "set_chance", "key": "flip", "part": 0.5})
    merge, graph = client.session.graph.outputs[0].node, client.session.graph
    wires = Connect(source=PortRef(node="flip"), target="turn", input=0), Connect(
        source=PortRef(node="turn"), target=merge, input=0
    )
    client.session.history.apply([AddNode(key="turn", operator="rotate", arguments={"angle": 20.0}), *wires])
    client.send("ready")
    (found,) = unmoved(client)
    client.send("apply_repair", code="DS210", node=found.node, argument="")
    assert not unmoved(client)
    made = client.session.graph
    assert made.inputs(merge) == (PortRef(node="turn"), graph.inputs(merge)[1])
    _, boxes, classes = Pipeline.from_graph(made).run()
    assert [len(np.asarray(boxes.at(i))) for i in range(2)] == [len(np.asarray(classes.at(i))) for i in range(2)]


def test_a_window_that_will_be_drawn_for_the_boxes_is_shown_with_its_picture(client: Client) -> None:
    client.edit(
        {"type": "add_node", "key": "cut", "operator": "random_resized_crop", "arguments": {"size": [40, 50]}},
        {"type": "connect", "source": {"node": "flip"}, "target": "cut", "input": 0},
        {"type": "remove_node", "key": "coin_flip"},
        {"type": "set_argument", "key": "flip", "argument": "horizontal", "value": 0},
        {"type": "set_outputs", "outputs": [{"node": "cut"}, {"node": "reader", "output": 1}]},
    )
    (twin,) = only(client.send("request_twin", node="reader"), messages.LabelTwin)
    assert {card.operator for card in twin.cards} == {"random_bbox_crop", "slice", "resize"} and not twin.left
    now, then = (item.body for item in twin.items)
    assert isinstance(now, bodies.BoxesBody) and isinstance(then, bodies.BoxesBody)
    assert (now.over, then.over) == ("cut", "resize") and now.boxes != then.boxes


def test_a_repair_of_many_steps_is_one_box_and_so_is_the_next(client: Client) -> None:
    outputs = client.session.graph.outputs
    crop = {"crop": [60.0, 60.0], "crop_pos_y": 0.4}
    client.edit({"type": "add_node", "key": "x", "operator": "random.uniform", "arguments": {"range": [0.0, 1.0]}},
                {"type": "add_node", "key": "crop", "operator": "crop", "arguments": crop},
                {"type": "connect", "source": {"node": "x"}, "target": "crop", "argument": "crop_pos_x"},
                {"type": "connect", "source": {"node": "decode"}, "target": "crop", "input": 0},
                {"type": "remove_node", "key": "flip"}, {"type": "remove_node", "key": "coin_flip"},
                {"type": "set_argument", "key": "reader", "argument": "polygon_masks", "value": True},
                {"type": "set_outputs", "outputs": [{"node": "crop"}, {"node": "reader", "output": outputs[1].output},
                                                    {"node": "reader", "output": 4}]})  # fmt: skip
    before = client.session.graph
    titles = ["crop boxes", "crop points"]
    for number, title in enumerate(titles, 1):
        (twin,) = only(client.send("request_twin", node="reader"), messages.LabelTwin)
        (ghost,) = [card for card in twin.cards if not card.operator]
        assert ghost.key == title and {"x", "reader"} <= {port.node for port in ghost.fed_by}
        assert ghost.feeds and {to for to, _ in ghost.feeds} == {"__outputs__"}
        assert any(f"def crop_{title.split()[1]}(" in twin.source.splitlines()[line - 1] for line in twin.added)
        got = client.send("apply_repair", code="DS210", node="reader", argument="")
        (revision,) = only(got, messages.RevisionChanged)
        boxes = [mark for mark in revision.marks.values() if isinstance(mark, messages.Group)]
        assert [box.title for box in boxes] == titles[:number] and all(box.collapsed for box in boxes)
        graph, inside = client.session.graph, {key for box in boxes for key in box.keys}
        assert set(graph) - inside == {*before, "crop_pos_y"}  # which the crop itself reads
        code = client.session.code()
        assert code.source.count("\ndef crop_") == number and not code.diagnostics
        at = client.session.positions
        corners = [tuple(min(getattr(at[key], axis) for key in box.keys) for axis in ("x", "y")) for box in boxes]
        assert all(x <= 184.0 * 8 and y <= 204.0 * 3 for x, y in corners)  # beside the cards, whatever is in them
        assert sum("fn.crop(" in line for line in code.source.splitlines()) == 1
    assert not unmoved(client)
    after = client.session.graph
    for _ in titles:
        client.send("undo")
    assert client.session.graph == before and len(unmoved(client)) == 2
    client.send("redo")
    got = client.send("redo")
    marks = only(got, messages.RevisionChanged)[-1].marks.values()
    assert client.session.graph == after and [mark.title for mark in marks if isinstance(mark, messages.Group)] == titles
    # another that is not wanted is told of no more, with the box of the first
    client.send("undo")
    (found,) = unmoved(client)
    left = {"type": "left", "node": found.node, "message": found.message}
    client.send("apply_edits", base_revision=client.session.revision, edits=[], marks={"left reader": left})
    assert not unmoved(client) and "\ndef crop_boxes(" in client.session.code().source


def test_only_what_a_repair_writes_is_marked_as_new() -> None:
    graph, view, *_ = document.load(Path(__file__).parents[2] / "gallery" / "box_targets" / "pipeline.dali.json")
    client = Client(graph)
    client.session.open(graph, view)
    turned = {"type": "add_node", "key": "rotate", "operator": "rotate", "arguments": {"angle": 20.0}}
    wired = {"type": "connect", "source": {"node": "small"}, "target": "rotate", "input": 0}
    outputs = [{"node": "rotate"}, *({"node": one.node, "output": one.output} for one in graph.outputs[1:])]
    client.edit(turned, wired, {"type": "set_outputs", "outputs": outputs})
    (found,) = unmoved(client)
    (twin,) = only(client.send("request_twin", node=found.node), messages.LabelTwin)
    client.session.close()
    lines = twin.source.splitlines()
    new = [lines[line - 1].strip() for line in twin.added]
    # it stands elsewhere now, and is as it was
    assert any("fn.rotate(" in line for line in lines)
    assert not any("fn.rotate(" in line for line in new)
    # all of a new statement, though other statements have such a line
    begin = next(i for i, line in enumerate(new) if "fn.bbox_rotate(" in line)
    assert new[begin + 1].startswith("bounding_boxes,")
