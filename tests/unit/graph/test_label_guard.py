"""Masks, boxes and points that do not move as their image are found, and can be moved as well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unit.graph.labelled import REGISTRY, annotated, errors, findings, graph_of, pair, repaired

from dali_studio import fn, pipeline_def, samples, types
from dali_studio.api.pipeline import Pipeline
from dali_studio.graph.apply import apply
from dali_studio.graph.card_edits import unfolded
from dali_studio.graph.edits import AddNode, Connect, PortRef, SetArgument, SetBypass, SetChance, SetOutputs
from dali_studio.graph.labels.followers import followed, followers
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate
from dali_studio.graph.ways import Branches
from dali_studio.studio.repairs import offered

BROKEN: dict[str, tuple[Callable[[], tuple[Any, ...]], str]] = {
    "boxes of a flipped image": (lambda: (fn.flip((given := annotated())[0], horizontal=fn.random.coin_flip()), given[1]), "bb_flip"),
    "boxes of a mirrored and normalized image": (lambda: (fn.crop_mirror_normalize((given := annotated(ltrb=True))[0], mirror=1), given[1]), "bb_flip"),
    "boxes of a rotated image": (lambda: (fn.rotate((given := annotated())[0], angle=fn.random.uniform(range=(-9.0, 9.0)), keep_size=True), given[1]), "bbox_rotate"),
    "boxes of an image's middle": (lambda: (fn.crop((given := annotated(ltrb=True))[0], crop=(64, 48)), given[1]), "bbox_rotate"),
    "boxes of a normalized image's middle": (lambda: (fn.crop_mirror_normalize((given := annotated())[0], crop=(64, 48), mean=[9.0]), given[1]), "bbox_rotate"),
    "boxes of a pasted image": (lambda: (fn.paste((given := annotated())[0], ratio=2.0, fill_value=0, paste_x=fn.random.uniform()), given[1]), "bbox_paste"),
    "a mask of a rotated image": (lambda: (fn.rotate((given := pair())[0], angle=fn.random.uniform(range=(-9.0, 9.0))), given[1]), "rotate"),
    "a mask of a cropped image": (lambda: (fn.crop(fn.resize((given := pair())[0], size=(64, 64)), crop=(32, 32), crop_pos_x=fn.random.uniform(range=(0.0, 1.0))), given[1]), "crop"),
}  # fmt: skip


def test_each_step_tells_which_labels_move_with_its_image() -> None:
    def outputs() -> tuple[Any, ...]:
        image, boxes = annotated()
        coin = fn.random.coin_flip()
        flipped = fn.flip(fn.resize(image, size=(64, 64), name="resize"), horizontal=coin, name="flip")
        turned = fn.rotate(fn.hsv(flipped, hue=5.0, name="hue"), angle=10.0, keep_size=True, name="turn")
        return turned, fn.bb_flip(boxes, horizontal=coin)

    graph = graph_of(outputs)
    told = {"resize": {"boxes": "moved"}, "flip": {"boxes": "flipped"}, "turn": {"boxes": "not rotated"}}
    assert followers(graph, REGISTRY, validate(graph, REGISTRY).metas) == told
    plain = graph_of(lambda: (fn.flip(annotated()[0]),))
    assert followers(plain, REGISTRY, validate(plain, REGISTRY).metas) == {}


@pytest.mark.parametrize("name", BROKEN)
def test_what_stays_behind_is_found_and_can_follow(name: str) -> None:
    outputs, twin = BROKEN[name]
    graph = graph_of(outputs)
    (found,) = findings(graph)
    assert found.severity == "warning"
    assert "on the picture alone" in found.message
    assert found.hint
    made = repaired(graph)
    assert findings(made) == []
    assert [one for one in validate(made, REGISTRY).diagnostics if one.severity == "error"] == []
    new = [node for node in made.nodes() if node.key not in graph]
    assert new[0].operator == twin
    image, label = made.outputs
    assert image == graph.outputs[0]
    # a mask that is resized alone is moved before
    assert label.node in (new[0].key, *(key for key, _ in made.fed_by(new[0].key)))
    # both get the same draw
    step = next(node for node in graph.nodes() if node.operator in ("flip", "rotate", "paste", "crop", "crop_mirror_normalize"))
    drawn = set(graph.argument_inputs(step.key).values())
    assert drawn <= set(made.argument_inputs(new[0].key).values())


def test_all_that_leaves_a_label_behind_is_said_and_repaired_by_one_click() -> None:
    def outputs(last: Callable[[Any], Any]) -> tuple[Any, ...]:
        image, boxes = annotated()
        return last(fn.flip(image, horizontal=1, name="flip")), boxes

    graph = graph_of(lambda: outputs(lambda image: fn.rotate(image, angle=10.0, keep_size=True, name="turn")))
    (found,) = findings(graph)
    assert found.message == "The boxes are not flipped: flip works on the picture alone, and so does turn."
    ((repair, make),) = offered(graph, REGISTRY, [found])
    assert repair.title == "Flip and rotate the boxes too"
    assert findings(apply(graph, make(Path), REGISTRY)[0]) == []
    # a window that is drawn inside is drawn for the boxes
    graph = graph_of(lambda: outputs(lambda image: fn.random_resized_crop(image, size=(64, 64), name="cut")))
    ((repair, make),) = offered(graph, REGISTRY, findings(graph))
    assert repair.title == "Flip the boxes too, draw the window for the boxes"
    assert findings(apply(graph, make(Path), REGISTRY)[0]) == []
    # what nothing is known for stays told
    graph = graph_of(lambda: outputs(lambda image: fn.jitter(image, name="window")))
    (found,) = findings(graph)
    assert found.message.endswith("and so does window.")
    (found,) = findings(repaired(graph))
    assert found.message.startswith("The boxes are not moved: window")
    # nor is asked for what the reader gives
    graph = graph_of(lambda: (fn.crop_mirror_normalize((given := annotated())[0], mirror=1, crop=(64, 64)), given[1]))
    (found,) = findings(graph)
    assert "ratio" not in found.hint


def targets(image: Callable[[Any], Any], *, boxes_too: bool = True) -> Graph:
    """A detector's input: pictures, targets made of their boxes, and the boxes themselves."""

    def outputs() -> tuple[Any, ...]:
        files, boxes, labels = fn.readers.coco(file_root="/x", annotations_file="/x/a.json", ratio=True, ltrb=True)
        encoded = fn.box_encoder(boxes, labels, anchors=[0.0, 0.0, 1.0, 1.0])
        return image(fn.decoders.image(files)), *encoded, *((boxes, labels) if boxes_too else ())

    return graph_of(outputs)


@pytest.mark.parametrize("boxes_too", [False, True])
def test_what_is_made_of_boxes_is_made_of_moved_ones(boxes_too: bool) -> None:
    graph = targets(lambda image: fn.resize(fn.flip(image), size=(300, 300)), boxes_too=boxes_too)
    (found,) = findings(graph)
    assert "not flipped: " in found.message and "box_encoder" in found.message
    made = repaired(graph)
    assert findings(made) == []
    moved = PortRef(node="flipped_boxes")
    assert made.inputs("box_encoder") == (moved, PortRef(node=found.node or "", output=2))
    assert (moved in made.outputs) is boxes_too
    assert [node.key for node in made.nodes() if node.key not in graph] == ["flipped_boxes"]


def test_boxes_that_are_moved_for_the_outputs_alone_are_taken_for_the_targets_as_well() -> None:
    def outputs() -> tuple[Any, ...]:
        files, boxes, labels = fn.readers.coco(file_root="/x", annotations_file="/x/a.json", ratio=True, ltrb=True)
        encoded = fn.box_encoder(boxes, labels, anchors=[0.0, 0.0, 1.0, 1.0])
        return fn.flip(fn.decoders.image(files)), fn.bb_flip(boxes, ltrb=True), *encoded

    graph = graph_of(outputs)
    (found,) = findings(graph)
    assert "box_encoder" in found.message
    made = repaired(graph)
    assert findings(made) == []
    assert len(made) == len(graph)
    assert made.inputs("box_encoder")[0] == graph.outputs[1]


def test_classes_of_boxes_that_may_leave_the_picture_go_with_them() -> None:
    graph = targets(lambda image: fn.rotate(image, angle=30.0, keep_size=True))
    made = repaired(graph)
    assert findings(made) == []
    assert made.inputs("rotated_boxes")[1] == graph.outputs[4]
    assert made.inputs("box_encoder") == (PortRef(node="rotated_boxes"), PortRef(node="rotated_boxes", output=1))
    assert made.outputs[3:] == made.inputs("box_encoder")
    assert [one for one in validate(made, REGISTRY).diagnostics if one.severity == "error"] == []


def test_the_order_of_the_corners_follows_the_reader() -> None:
    for ltrb in (False, True):
        graph = graph_of(lambda ltrb=ltrb: (fn.flip((given := annotated(ltrb=ltrb))[0]), given[1]))
        (new,) = [node for node in repaired(graph).nodes() if node.operator == "bb_flip"]
        assert new.arguments.get("ltrb", False) is ltrb


def test_masks_are_not_interpolated() -> None:
    made = repaired(graph_of(BROKEN["a mask of a rotated image"][0]))
    (new,) = [node for node in made.nodes() if node.operator == "rotate" and node.arguments.get("interp_type")]
    assert new.arguments["interp_type"] == "INTERP_NN"


GOOD: dict[str, Callable[[], tuple[Any, ...]]] = {
    "fractions of a resized image": lambda: (fn.resize((given := annotated())[0], size=(10, 10)), given[1]),
    "boxes alone": lambda: (annotated()[1],),
    "nothing moves": lambda: (fn.flip((given := annotated())[0], horizontal=0), given[1]),
    "normalized without a crop": lambda: (fn.crop_mirror_normalize((given := annotated())[0]), given[1]),
    "flipped alike": lambda: (
        fn.flip((given := annotated())[0], horizontal=(coin := fn.random.coin_flip())), fn.bb_flip(given[1], horizontal=coin),
    ),
    "cut by the window of the boxes": lambda: (
        fn.slice((given := annotated())[0], (made := fn.random_bbox_crop(given[1]))[0], made[1]), made[2],
    ),
    "shuffled apart": lambda: (fn.flip((given := pair(random_shuffle=True))[0]), given[1]),
    "a window that is drawn for boxes": lambda: (
        fn.flip(fn.slice((given := annotated())[0], *fn.random_bbox_crop(given[1])[:2])),
    ),
    "two images of one reader": lambda: (fn.flip((given := annotated())[0]), given[0]),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_what_moves_alike_is_not_found(name: str) -> None:
    assert findings(graph_of(GOOD[name])) == []


def test_another_draw_is_not_the_same() -> None:
    graph = graph_of(lambda: (
        fn.flip((given := annotated())[0], horizontal=fn.random.coin_flip()), fn.bb_flip(given[1], horizontal=fn.random.coin_flip()),
    ))  # fmt: skip
    assert len(findings(graph)) == 1


@pytest.mark.parametrize("ratio", [True, False])
@pytest.mark.parametrize("decoding", [True, False])
def test_windows_that_are_drawn_for_the_picture_alone_are_drawn_for_its_boxes(decoding: bool, ratio: bool) -> None:
    def outputs() -> tuple[Any, ...]:
        files, boxes, labels = fn.readers.coco(file_root="/x", annotations_file="/x/a.json", ratio=ratio, ltrb=True)
        if decoding:
            return fn.decoders.image_random_crop(files, random_area=(0.25, 1.0)), boxes, labels
        images = fn.random_resized_crop(fn.decoders.image(files), size=(40, 50), random_area=(0.25, 1.0))
        return images, boxes, labels

    graph = graph_of(outputs)
    (found,) = findings(graph)
    assert "random_bbox_crop" in found.hint
    made = repaired(graph)
    assert findings(made) == [] and not errors(made)
    window = made.node("window")
    assert window.operator == "random_bbox_crop" and window.arguments["scaling"] == (0.5, 1.0)
    assert made.node("reader" if "reader" in made else next(iter(made))).arguments["ratio"] is True
    assert made.outputs[1:] == (PortRef(node="window", output=2), PortRef(node="window", output=3))
    operators = {node.operator for node in made.nodes()}
    assert ("decoders.image_slice" if decoding else "resize") in operators and made.inputs("window")[1] is not None


@pytest.mark.parametrize("steps", [1, 2])
def test_classes_of_boxes_take_the_branch_of_their_boxes(steps: int) -> None:
    @pipeline_def(batch_size=8, num_threads=1, device_id=None, seed=1, enable_conditionals=True)
    def program() -> Any:
        read: dict[str, Any] = {"file_root": str(samples.photos()), "annotations_file": str(samples.coco())}
        files, boxes, labels = fn.readers.coco(ratio=True, ltrb=True, **read)
        image, coin = fn.decoders.image(files), fn.random.coin_flip(dtype=types.BOOL)
        if coin:
            image = fn.flip(image)
            boxes = fn.bb_flip(boxes, ltrb=True)
            for _ in range(steps):
                image = fn.rotate(image, angle=40.0, keep_size=True)
        return image, boxes, labels, coin

    pipe = program()
    made = repaired(pipe.graph)
    assert findings(made) == [] and errors(made) == []
    assert [node.operator for node in made.nodes()].count("bbox_rotate") == steps
    _, before, all_of, _ = pipe.run()
    _, after, classes, coins = Pipeline.from_graph(made).run()
    assert {bool(coins.at(i)) for i in range(8)} == {False, True}
    for i in range(8):
        assert np.asarray(after.at(i)).shape[0] == np.asarray(classes.at(i)).shape[0]
        if not coins.at(i):
            np.testing.assert_array_equal(after.at(i), before.at(i))
            np.testing.assert_array_equal(classes.at(i), all_of.at(i))
    # with the classes of all samples it could not run, and is not offered
    assert not Branches(made, REGISTRY).mixed(made)
    twin = next(node.key for node in made.nodes() if node.operator == "bbox_rotate")
    wrong, _ = apply(made, (Connect(source=pipe.graph.outputs[2], target=twin, input=1),), REGISTRY)
    assert twin in Branches(wrong, REGISTRY).mixed(wrong)


def test_boxes_of_a_window_that_was_drawn_for_them_are_taken() -> None:
    def outputs() -> tuple[Any, ...]:
        files, boxes, labels = fn.readers.coco(file_root="/x", annotations_file="/x/a.json", ratio=True, ltrb=True)
        start, extent, _, _ = fn.random_bbox_crop(boxes, labels, bbox_layout="xyXY")
        return fn.slice(fn.decoders.image(files), start, extent), boxes, labels

    graph = graph_of(outputs)
    (found,) = findings(graph)
    assert "random_bbox_crop" in found.hint
    made = repaired(graph)
    assert findings(made) == [] and len(made) == len(graph)
    assert made.outputs[1:] == (PortRef(node="random_bbox_crop", output=2), PortRef(node="random_bbox_crop", output=3))


def test_boxes_in_pixels_become_fractions_for_a_twin_that_takes_no_pixels() -> None:
    def flipped() -> tuple[Any, ...]:
        files, boxes, _ = fn.readers.coco(file_root="/x", annotations_file="/x/a.json")
        coin = fn.random.coin_flip()
        return fn.flip(fn.decoders.image(files), horizontal=coin), fn.bb_flip(boxes, horizontal=coin)

    graph = graph_of(flipped)
    (found,) = findings(graph)
    assert "ratio=True" in found.hint and "bb_flip" in found.hint
    (title,) = [repair.title for repair, _ in offered(graph, REGISTRY, [found])]
    assert title == "Give fractions, and flip the boxes"
    made = repaired(graph)
    assert findings(made) == [] and len(made) == len(graph)
    assert [node.arguments["ratio"] for node in made.nodes() if node.operator == "readers.coco"] == [True]

    def rotated() -> tuple[Any, ...]:
        files, boxes, labels = fn.readers.coco(file_root="/x", annotations_file="/x/a.json")
        return fn.rotate(fn.decoders.image(files), angle=9.0, keep_size=True), boxes, labels

    made = repaired(graph_of(rotated))
    assert findings(made) == []
    assert made.node("rotated_boxes").arguments["bbox_normalized"] is False


def test_pixels_of_boxes_are_told_from_fractions() -> None:
    def outputs() -> tuple[Any, ...]:
        files, boxes, _ = fn.readers.coco(file_root="/x", annotations_file="/x/a.json")
        return fn.resize(fn.decoders.image(files), size=(10, 10)), boxes

    (found,) = findings(graph_of(outputs))
    assert "ratio=True" in found.hint


def flipped_by(image: dict[str, Any], boxes: dict[str, Any]) -> Graph:
    """A flipped image and flipped boxes, by what each is told."""

    def outputs() -> tuple[Any, ...]:
        picture, label = annotated()
        told: dict[str, Any] = {name: value(name="coin") if callable(value) else value for name, value in image.items()}
        return fn.flip(picture, name="flip", **told), fn.bb_flip(label, name="twin", **boxes)

    return graph_of(outputs)


def test_a_twin_that_does_otherwise_is_changed() -> None:
    graph = flipped_by({"horizontal": fn.random.coin_flip}, {})
    (found,) = findings(graph)
    assert "twin does not do as flip" in found.message
    made = repaired(graph)
    assert findings(made) == [] and len(made) == len(graph)
    assert made.argument_inputs("twin") == {"horizontal": PortRef(node="coin")}

    mirrored = flipped_by({"horizontal": 0, "vertical": 1}, {})
    assert dict(repaired(mirrored).node("twin").arguments) == {"horizontal": 0, "vertical": 1}


def test_what_moves_labels_alone_is_taken_out() -> None:
    graph = flipped_by({}, {})
    assert findings(graph) == []
    twice, _ = apply(graph, (
        AddNode(key="again", operator="bb_flip"), Connect(source=PortRef(node="twin"), target="again", input=0),
        SetOutputs(outputs=(graph.outputs[0], PortRef(node="again"))),
    ), REGISTRY)  # fmt: skip
    (found,) = findings(twice)
    assert "again works on the boxes alone" in found.message
    metas = validate(twice, REGISTRY).metas
    assert followers(twice, REGISTRY, metas) == {"flip": {"boxes": "not flipped"}}
    assert repaired(twice) == graph


def test_twins_come_in_the_order_of_the_steps() -> None:
    def outputs() -> tuple[Any, ...]:
        image, boxes = annotated()
        turned = fn.rotate(image, angle=20.0, keep_size=True, name="turn")
        return fn.flip(turned), fn.bb_flip(boxes, name="twin")

    graph = graph_of(outputs)
    assert "not rotated" in findings(graph)[0].message
    made = repaired(graph)
    assert findings(made) == []
    assert made.inputs("twin") == (PortRef(node="rotated_boxes"),)


@pytest.mark.parametrize("wrong", [{"ltrb": True}, {"vertical": 1}])
def test_boxes_that_are_flipped_otherwise_are_found(wrong: dict[str, Any]) -> None:
    graph = flipped_by({}, wrong)
    assert len(findings(graph)) == 1
    made = repaired(graph)
    assert findings(made) == [] and made.node("twin").arguments == {}


def test_what_is_changed_for_an_image_is_changed_for_its_labels() -> None:
    graph = flipped_by({}, {})
    wired = [AddNode(key="coin", operator="random.coin_flip"), Connect(source=PortRef(node="coin"), target="flip", argument="horizontal")]
    edits = followed(graph, REGISTRY, wired)
    assert edits == [Connect(source=PortRef(node="coin"), target="twin", argument="horizontal")]
    assert followed(graph, REGISTRY, [SetArgument(key="flip", argument="horizontal", value=0)]) == [
        SetArgument(key="twin", argument="horizontal", value=0)
    ]
    assert followed(graph, REGISTRY, [SetBypass(key="flip", bypassed=True)]) == [SetBypass(key="twin", bypassed=True)]
    assert followed(graph, REGISTRY, [SetArgument(key="twin", argument="horizontal", value=0)]) == []

    chance = unfolded((SetChance(key="flip", part=0.5),), graph, REGISTRY)
    made, _ = apply(graph, [*chance, *followed(graph, REGISTRY, chance)], REGISTRY)
    assert findings(made) == [] and errors(made) == []
    assert [node.operator for node in made.nodes()].count("bb_flip") == 1
    conditions = {made.argument_inputs(port.node)["predicate"] for port in made.outputs}
    assert len(conditions) == 1  # of both


def test_regions_of_resized_images_are_no_fractions_of_the_whole() -> None:
    region: dict[str, Any] = {"roi_start": (0.2, 0.2), "roi_end": (0.8, 0.8), "roi_relative": True}
    graph = graph_of(lambda: (fn.resize((given := annotated())[0], size=(10, 10), **region), given[1]))
    assert len(findings(graph)) == 1
