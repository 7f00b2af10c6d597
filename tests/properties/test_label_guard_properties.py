"""Whatever is edited and repaired: boxes, points and masks of which the label guard says nothing are their image's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from dali_studio import fn
from dali_studio.api.default import default_registry
from dali_studio.api.pipeline import Pipeline
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.apply import apply
from dali_studio.graph.card_edits import unfolded
from dali_studio.graph.edits import AddNode, CardEdit, Connect, PortRef, SetArgument, SetBypass, SetChance, SetOutputs
from dali_studio.graph.labels.followers import followed
from dali_studio.graph.labels.guard import CODE, unmoved
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate
from dali_studio.graph.ways import Branches
from dali_studio.studio.repairs import offered

REGISTRY = default_registry()
#: Width, height, and left, top, right, bottom of what is bright in each picture.
SCENES = [(96, 64, 10, 8, 30, 40), (64, 96, 30, 50, 58, 70), (80, 80, 40, 10, 72, 30), (100, 60, 6, 30, 40, 52)]
#: Steps of images, their arguments, and values of these.
STEPS: dict[str, dict[str, list[Any]]] = {
    "flip": {"horizontal": [0, 1], "vertical": [0, 1]},
    "rotate": {"angle": [0.0, 20.0, 90.0], "keep_size": [False, True]},
    "resize": {"size": [(50.0, 70.0), (90.0, 60.0)]},
    "crop_mirror_normalize": {"mirror": [0, 1]},
    "paste": {"ratio": [1.0, 1.5], "paste_x": [0.1, 0.8], "paste_y": [0.0, 0.5]},
    "crop": {"crop": [(30.0, 40.0), (40.0, 40.0)]},
    "warp_affine": {"matrix": [(0.8, 0.0, 5.0, 0.1, 0.9, 0.0)]},
}
START: dict[str, dict[str, Any]] = {
    "rotate": {"angle": 20.0, "fill_value": 0.0, "interp_type": "INTERP_NN"},
    "resize": {"size": (50.0, 70.0), "interp_type": "INTERP_NN", "antialias": False},
    "crop_mirror_normalize": {"mirror": 1, "output_layout": "HWC", "dtype": "UINT8"},
    "paste": {"ratio": 1.5, "fill_value": (0,), "paste_x": 0.1},
    "crop": {"crop": (30.0, 40.0)},
    "warp_affine": {"matrix": (0.8, 0.0, 5.0, 0.1, 0.9, 0.0), "fill_value": 0.0, "interp_type": "INTERP_NN"},
}


@pytest.fixture(scope="module")
def annotated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures of one bright rectangle each, with its box, its outline and its mask."""
    folder = tmp_path_factory.mktemp("boxes")
    told: dict[str, list[dict[str, Any]]] = {"images": [], "annotations": [], "categories": [{"id": 1, "name": "it"}]}
    for number, (width, height, left, top, right, bottom) in enumerate(SCENES):
        pixels = np.zeros((height, width, 3), np.uint8)
        pixels[top:bottom, left:right] = 255
        Image.fromarray(pixels).save(folder / f"{number}.png")
        told["images"].append({"id": number, "file_name": f"{number}.png", "width": width, "height": height})
        outline = [left, top, right, top, right, bottom, left, bottom]
        box = [left, top, right - left, bottom - top]
        told["annotations"].append(
            {"id": number, "image_id": number, "category_id": 1, "bbox": box, "iscrowd": 0, "segmentation": [outline],
             "area": box[2] * box[3]}
        )  # fmt: skip
    (folder / "boxes.json").write_text(json.dumps(told))
    return folder


def start(folder: Path, kind: str, *, corners: bool, step: str) -> Graph:
    """An image that one step moves, and a label of it."""
    pipe = Pipeline(batch_size=len(SCENES), num_threads=1, device_id=None, seed=5)
    with pipe:
        more: dict[str, Any] = {"points": {"polygon_masks": True}, "mask": {"pixelwise_masks": True}}.get(kind, {})
        files, boxes, labels, *others = fn.readers.coco(
            file_root=str(folder), annotations_file=str(folder / "boxes.json"), ratio=True, ltrb=corners, name="reader",
            **more,
        )
        image = fn.decoders.image(files, name="decode")
        pipe.set_outputs(image, others[-1] if others else boxes, *([] if others else [labels]))
    return edited_by(pipe.graph, added(pipe.graph, step, PortRef(node="decode")))


def edited_by(graph: Graph, edits: list[CardEdit]) -> Graph:
    """The graph after edits in the designer, and what these take along."""
    plain = unfolded(edits, graph, REGISTRY)
    return apply(graph, [*plain, *followed(graph, REGISTRY, plain)], REGISTRY)[0]


def added(graph: Graph, operator: str, before: PortRef) -> list[CardEdit]:
    key = graph.free_key(operator)
    own = PortRef(node=key)
    consumers: list[CardEdit] = [
        Connect(source=own, target=target, input=at, argument=name) for target, at, name in graph.consumers(before)
    ]
    outputs = tuple(own if port == before else port for port in graph.outputs)
    made = AddNode(key=key, operator=operator, arguments={**START.get(operator, {})})
    return [made, Connect(source=before, target=key, input=0), *consumers, SetOutputs(outputs=outputs)]


#: Steps whose boxes are put right by one click, and the kind of what draws, if one does.
ONE_CLICK: dict[str, dict[str, Any]] = {
    "crop": {"crop": (40.0, 44.0)},
    "crop_mirror_normalize": {"mirror": 0, "crop": (40.0, 44.0), "output_layout": "HWC", "dtype": "UINT8"},
    "random_resized_crop": {"size": (50.0, 60.0), "random_area": (0.5, 1.0), "interp_type": "INTERP_NN", "antialias": False},
}


@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("ratio", [True, False])
@pytest.mark.parametrize("step", ONE_CLICK)
def test_one_click_moves_boxes_as_the_pixels(annotated: Path, step: str, ratio: bool, corners: bool) -> None:
    graph = start(annotated, "boxes", corners=corners, step=step)
    edits: list[CardEdit] = [SetArgument(key=step, argument=name, value=value) for name, value in ONE_CLICK[step].items()]
    graph = edited_by(graph, [*edits, SetArgument(key="reader", argument="ratio", value=ratio)])
    assert not check(graph, "boxes")
    graph = edited(graph, "repair", 0, 0, 0)
    assert not any(unmoved(graph, REGISTRY, validate(graph, REGISTRY).metas))
    if graph.node("reader").arguments.get("ratio"):
        assert check(graph, "boxes")
    else:  # centres of boxes in pixels
        images, boxes, _ = Pipeline.from_graph(graph).run()
        for sample in range(len(SCENES)):
            image = np.asarray(images.at(sample))
            seen = bright(image) * np.array([*image.shape[1::-1]] * 2)
            said = told(np.asarray(boxes.at(sample)), "boxes", corners=corners)
            assert np.abs(seen - said).max() <= 1.5


LABEL_STEPS = ("bb_flip", "coord_flip", "bbox_rotate", "bbox_paste")
COMMANDS = ("add", "value", "random", "wire", "chance", "always", "bypass", "twin", "double", "reader", "repair", "repair")


def edited(graph: Graph, command: str, a: int, b: int, c: int) -> Graph:
    """The graph after what a user does; as it was where that is refused."""
    steps = [node.key for node in graph.nodes() if node.operator in STEPS and "mask" not in node.key]
    draws = [one.key for one in graph.nodes() if one.operator == "random.coin_flip" and "dtype" not in one.arguments]
    labels = [node.key for node in graph.nodes() if node.operator in LABEL_STEPS]
    edits: list[CardEdit] = []
    key = steps[a % len(steps)] if steps else "decode"
    operator = graph.node(key).operator
    names = list(STEPS.get(operator, {"": []}))
    name = names[b % len(names)]
    if command == "add":
        new = list(STEPS)[b % (len(STEPS) - c % 3)]
        edits = added(graph, new, PortRef(node=key) if c % 2 else PortRef(node="decode"))
    elif command == "value" and steps:
        values = STEPS[operator][name]
        edits = [SetArgument(key=key, argument=name, value=values[c % len(values)])]
    elif command == "random" and operator in ("flip", "rotate", "crop_mirror_normalize", "paste") and name != "keep_size":
        draw = graph.free_key("draw")
        limits = (-25.0, 25.0) if operator == "rotate" else (1.0, 2.0) if name == "ratio" else (0.0, 1.0)
        coin = operator in ("flip", "crop_mirror_normalize")
        edits = [
            AddNode(key=draw, operator="random.coin_flip") if coin
            else AddNode(key=draw, operator="random.uniform", arguments={"range": limits}),
            Connect(source=PortRef(node=draw), target=key, argument=name),
        ]  # fmt: skip
    elif command == "wire" and draws and operator in ("flip", "crop_mirror_normalize"):
        edits = [Connect(source=PortRef(node=draws[c % len(draws)]), target=key, argument=name)]
    elif command in ("chance", "always") and steps:
        edits = [SetChance(key=key, part=0.5 if command == "chance" else 1.0)]
    elif command == "bypass" and steps:
        edits = [SetBypass(key=key, bypassed=bool(c % 2))]
    elif command == "twin" and labels:
        label = labels[a % len(labels)]
        named = {"bb_flip": "horizontal", "coord_flip": "flip_x", "bbox_rotate": "angle", "bbox_paste": "ratio"}
        edits = [SetArgument(key=label, argument=named[graph.node(label).operator], value=c % 2)]
    elif command == "double" and (kind := validate(graph, REGISTRY).metas[graph.outputs[1]].kind) in ("boxes", "points"):
        edits = added(graph, "bb_flip" if kind == "boxes" else "coord_flip", graph.outputs[1])
    elif command == "reader":
        edits = [SetArgument(key="reader", argument=("ltrb", "ratio")[b % 2], value=bool(c % 2))]
    elif command == "repair":
        found = [one for one in validate(graph, REGISTRY).diagnostics if one.code == CODE]
        made = [edits for repair, edits in offered(graph, REGISTRY, found) if repair.code == CODE]
        repaired = apply(graph, made[0](Path) if made else (), REGISTRY)[0]
        assert Branches(repaired, REGISTRY).mixed(repaired).keys() <= Branches(graph, REGISTRY).mixed(graph).keys()
        return repaired
    try:
        return edited_by(graph, edits)
    except DaliStudioError:
        return graph


def bright(pixels: NDArray[Any]) -> NDArray[Any]:
    """Left, top, right and bottom of what is bright, in fractions."""
    there = pixels.reshape(*pixels.shape[:2], -1)[..., 0] > 0
    rows, columns = np.nonzero(there.any(1))[0], np.nonzero(there.any(0))[0]
    if not rows.size:
        return np.zeros(4)
    height, width = there.shape
    return np.array([columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height])


def told(label: NDArray[Any], kind: str, *, corners: bool) -> NDArray[Any]:
    """The same of a label."""
    if kind == "mask":
        return bright(label)
    if kind == "points":
        return np.concatenate([label.min(0), label.max(0)])
    if not len(label):
        return np.zeros(4)
    box = label[0].astype(float)
    return box if corners else np.array([box[0], box[1], box[0] + box[2], box[1] + box[3]])


def check(graph: Graph, kind: str) -> bool:
    """Compare what the guard says nothing of, as it is computed; returns whether there was something."""
    found = validate(graph, REGISTRY)
    if any(one.severity == "error" for one in found.diagnostics) or any(unmoved(graph, REGISTRY, found.metas)):
        return False
    reader = graph.node("reader").arguments
    if not reader.get("ratio") and kind != "mask":
        return False  # numbers of pixels of a picture that nobody has moved
    if any(node.operator == "coord_transform" for node in graph.nodes()) and any(n.bypassed for n in graph.nodes()):
        return False  # a computation says nothing of the step that it was made for, whose wires may have changed
    turned = sum(node.operator in ("rotate", "warp_affine") for node in graph.nodes()) if kind == "boxes" else 0
    # points, and what a turned box has around it, are not cut with the picture; and they may come back where it is turned or put onto a canvas
    cutting = ("crop", "rotate") if kind == "points" else ("crop",) if turned else ()
    cut = any(node.operator in cutting for node in graph.nodes())
    try:
        images, labels, *_ = Pipeline.from_graph(graph).run()
    except DaliStudioError:  # a window outside of its picture
        return False
    for sample in range(len(SCENES)):
        image, label = np.asarray(images.at(sample)), np.asarray(labels.at(sample))
        seen, said = bright(image), told(label, kind, corners=bool(reader.get("ltrb")))
        if seen.any() and said.any():
            apart, close = np.clip(said, 0, 1) - seen, 4.5 / min(image.shape[:2])
            if turned > 1 or cut:  # the box of a turned box holds it, with more around it
                apart = np.maximum(apart * (1, 1, -1, -1), 0)
            assert np.abs(apart).max() <= close, (sample, seen, said)
    return True


# Beside a step whose points are computed comes another one.
@settings(max_examples=120, deadline=None)
@example(kind="points", corners=False, step="rotate", commands=[("repair", 0, 0, 0), ("add", 0, 1, 0)])
@example(kind="points", corners=False, step="rotate", commands=[("repair", 0, 0, 0), ("add", 0, 1, 1)])
@example(kind="points", corners=False, step="rotate", commands=[("repair", 0, 0, 0), ("add", 0, 3, 0)])
@example(kind="points", corners=False, step="paste", commands=[("repair", 0, 0, 0), ("add", 0, 1, 0)])
@example(kind="points", corners=False, step="flip", commands=[("add", 0, 1, 0), ("repair", 0, 0, 0), ("add", 0, 0, 0)])
@example(kind="points", corners=False, step="flip", commands=[("add", 0, 1, 0), ("repair", 0, 0, 0), ("add", 0, 3, 0)])
@example(kind="points", corners=False, step="rotate", commands=[("repair", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 1, 1)])
@example(kind="boxes", corners=False, step="rotate", commands=[("add", 0, 6, 0)])
@given(
    kind=st.sampled_from(("boxes", "boxes", "points", "mask")),
    corners=st.booleans(),
    step=st.sampled_from(tuple(STEPS)[:6]),
    commands=st.lists(st.tuples(st.sampled_from(COMMANDS), *[st.integers(0, 6)] * 3), max_size=9),
)
def test_labels_that_are_not_warned_of_are_those_of_the_image(
    annotated: Path, kind: str, corners: bool, step: str, commands: list[tuple[str, int, int, int]]
) -> None:
    graph = start(annotated, kind, corners=corners, step=step)
    for command in commands:
        graph = edited(graph, *command)
        check(graph, kind)
    for _ in range(12):  # whatever is offered comes to an end
        repaired = edited(graph, "repair", 0, 0, 0)
        check(repaired, kind)
        if repaired == graph:
            return
        graph = repaired
    raise AssertionError("repairs without end")
