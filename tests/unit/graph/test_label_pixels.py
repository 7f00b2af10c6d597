"""Where one click has moved boxes and points, they are about a coloured rectangle of the picture."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from dali_studio import Pipeline, read
from dali_studio.api.default import default_registry
from dali_studio.codegen.emit import emit
from dali_studio.graph.apply import apply
from dali_studio.graph.labels.guard import CODE
from dali_studio.graph.labels.twins import twin_edits
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import infer, validate

REGISTRY = default_registry()
#: Extents of pictures, and x, y, width and height of what is red in them.
PICTURES = [(200, 150, (60, 50, 50, 40)), (181, 240, (70, 90, 40, 60)), (160, 160, (60, 60, 40, 30))]
COIN, PART = "fn.random.coin_flip()", "fn.random.uniform(range=(0.3, 0.7))"
PAIR = "fn.random.uniform(range=({}, {}), shape=[2])"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pictures of which the reader gives boxes."""
    images, annotations = list[object](), list[object]()
    for number, (width, height, (x, y, wide, high)) in enumerate(PICTURES):
        picture = Image.new("RGB", (width, height))
        ImageDraw.Draw(picture).rectangle((x, y, x + wide - 1, y + high - 1), fill=(255, 0, 0))
        picture.save(tmp_path / f"{number}.png")
        images.append({"id": number, "file_name": f"{number}.png", "width": width, "height": height})
        outline = [x, y, x + wide, y, x + wide, y + high, x, y + high]
        annotations.append({
            "id": number, "image_id": number, "category_id": 1, "bbox": [x, y, wide, high], "area": 1, "iscrowd": 0,
            "segmentation": [outline],
        })  # fmt: skip
    told = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "red"}]}
    (tmp_path / "a.json").write_text(json.dumps(told))
    return tmp_path


#: What moves pictures, and how far the labels may be from the pixels.
WINDOWS = [
    ("images = fn.crop(images, crop=(121, 120), crop_pos_x=0.3, crop_pos_y=0.6)", 0.51),
    (f"images = fn.crop(images, crop=fn.random.uniform(range=(115, 125), shape=[2]), crop_pos_x={PART})", 0.51),
    (f"images = fn.crop(images, crop_h=121, crop_w=120, crop_pos_x={PART}, crop_pos_y={PART})", 0.51),
    ("images = fn.crop(images, crop=(300, 320), crop_pos_x=0.1, out_of_bounds_policy='pad')", 0.51),
    (f"images = fn.crop_mirror_normalize(images, crop=(121, 120), crop_pos_x={PART}, std=[255])", 0.51),
    (f"images = fn.crop_mirror_normalize(images, crop=(121, 120), crop_pos_x={PART}, mirror={COIN}, std=[255])", 0.51),
    ("images = fn.slice(images, rel_start=[0.2, 0.1], rel_shape=[0.7, 0.8])", 0.51),
    ("images = fn.slice(images, start=[20, 30], end=[140, 145], axis_names='HW')", 0.01),
    (f"images = fn.slice(images, {PAIR.format(0.1, 0.3)}, {PAIR.format(0.6, 0.7)})", 0.51),
    ("images = fn.slice(images, *fn.random_crop_generator(fn.shapes(images)[:2], random_area=[0.6, 0.9]), axes=[0, 1])", 0.01),
    (f"images = fn.resize_crop_mirror(images, resize_shorter=140, crop=(121, 120), crop_pos_x={PART}, mirror={COIN})", 1.01),
    ("images = fn.decoders.image_crop(files, crop=(121, 120))", 0.51),
    (f"images = fn.decoders.image_crop(files, crop=(121, 120), crop_pos_x={PART})", 0.51),
    ("images = fn.warp_affine(images, matrix=(1.2, 0, -20, 0, 0.8, 10), inverse_map=False, fill_value=0, size=(170, 190))", 0.01),
    ("images = fn.warp_affine(images, fn.transforms.rotation(angle=fn.random.uniform(range=(-30, 30)), center=[80, 80]), inverse_map=False, fill_value=0)", 1),
    ("images = fn.experimental.warp_perspective(images, matrix=(1.1, 0.1, -9, 0.05, 0.9, 10, 0.0005, 0.0003, 1), inverse_map=False, size=(170, 190))", 1),
    ("images = fn.warp_affine(images, matrix=(0.9, 0.1, -20, -0.1, 1.1, 10), fill_value=0, size=(170, 190))", 1.01),
    ("images = fn.experimental.warp_perspective(images, matrix=(1.1, 0.1, -9, 0.05, 0.9, 10, 0.0005, 0.0003, 1), size=(170, 190))", 1.01),
    (f"images = fn.crop(fn.flip(images, horizontal={COIN}), crop=(121, 120), crop_pos_x=0.3)", 0.51),
    (f"images = fn.resize(fn.flip(fn.crop(images, crop=(121, 120), crop_pos_x=0.3), horizontal={COIN}), size=(200, 210))", 1.2),
    (f"images = fn.crop(fn.crop(images, crop=(140, 130), crop_pos_x={PART}), crop=(121, 120), crop_pos_x={PART})", 1.01),
    ("images = fn.experimental.warp_perspective(images, matrix=(4, 0.1, -230, 0.05, 4, -190, 0.0001, 0.0001, 1), inverse_map=False, pixel_origin='center', size=(450, 320))", 0.8),
    ("images = fn.experimental.warp_perspective(images, matrix=(1.1, 0.1, -9, 0.05, 0.9, 10, 0.0005, 0.0003, 1), pixel_origin='center', size=(170, 190))", 1.01),
]  # fmt: skip


def repaired(folder: Path, lines: str, labels: str, **options: bool) -> Graph:
    """A program whose labels have been moved by one click."""
    told = "".join(f", {name}={value}" for name, value in options.items())
    graph = read(f"""from nvidia.dali import fn, pipeline_def, types
@pipeline_def(batch_size=3, num_threads=1, device_id=None, seed=5, enable_conditionals={"if" in lines})
def p():
    files, boxes, labels, *vertices = fn.readers.coco(file_root={str(folder)!r}, annotations_file={str(folder / "a.json")!r}{told})
    images = fn.decoders.image(files)
    {lines}
    return images, {labels}
""")
    (found,) = [one for one in validate(graph, REGISTRY).diagnostics if one.code == CODE]
    made = twin_edits(graph, REGISTRY, infer(graph, REGISTRY, set(graph)), found)
    assert made is not None
    graph, _ = apply(graph, made.edits, REGISTRY)
    assert not [one for one in validate(graph, REGISTRY).diagnostics if one.code == CODE or one.severity == "error"]
    return graph


def about_red(picture: Any) -> tuple[NDArray[Any], list[int]]:
    """Where a picture is red: left, top, right, bottom; and its width and height."""
    pixels = np.asarray(picture)
    red = pixels[0] if pixels.shape[0] == 3 else pixels[..., 0]
    rows, columns = np.nonzero(red > red.max() / 2)
    return np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]), [*red.shape[::-1]]


def in_fractions(graph: Graph) -> bool:
    return bool(next(node for node in graph.nodes() if node.operator == "readers.coco").arguments["ratio"])


@pytest.mark.parametrize("ratio", [True, False])
@pytest.mark.parametrize("ltrb", [True, False])
@pytest.mark.parametrize(
    ("lines", "apart"),
    [
        (f"images = fn.flip(images, horizontal={COIN}, vertical={COIN})", 0.01),
        ("images = fn.rotate(images, angle=fn.random.uniform(range=(-20, 20)), keep_size=True)", 1.5),
        ("images = fn.rotate(images, angle=90)", 0.01),
        ("images = fn.paste(images, ratio=1.5, paste_x=0.2, paste_y=0.7, fill_value=[0, 0, 0])", 1),
        ("images = fn.crop(images, crop=(121, 120))", 0.51),
        (f"images = fn.crop_mirror_normalize(images, mirror={COIN}, std=[255])", 0.01),
        (f"images = fn.crop_mirror_normalize(images, crop=(121, 120), mirror={COIN}, std=[255])", 0.51),
        ("images = fn.crop_mirror_normalize(images, crop=(121, 120), mirror=1, std=[255], output_layout='HWC')", 0.51),
        (f"images = fn.resize(images, size=(300, 200))\n    images = fn.crop_mirror_normalize(images, crop=(220, 160), mirror={COIN})", 1),
        *WINDOWS,
    ],
)  # fmt: skip
def test_boxes_are_where_the_picture_is(lines: str, apart: float, ltrb: bool, ratio: bool, folder: Path) -> None:
    graph = repaired(folder, lines, "boxes, labels", ratio=ratio, ltrb=ltrb)
    pipe = Pipeline.from_graph(graph)
    for _ in range(3):
        images, boxes, labels = (batch.as_cpu() for batch in pipe.run())
        for picture, box, label in zip(images, boxes, labels, strict=True):
            wanted, extents = about_red(picture)
            (given,) = np.array(box) * (extents * 2 if in_fractions(graph) else 1)
            given[2:] += 0 if ltrb else given[:2]
            assert np.abs(given - wanted).max() <= apart
            assert len(np.asarray(label)) == 1


@pytest.mark.parametrize("ratio", [True, False])
@pytest.mark.parametrize(
    ("lines", "apart"),
    [
        (f"images = fn.flip(images, horizontal={COIN}, vertical={COIN})", 0.01),
        ("images = fn.rotate(images, angle=fn.random.uniform(range=(-20, 20)))", 1),
        ("images = fn.rotate(images, angle=10, size=(210, 220))", 1),
        (f"images = fn.paste(images, ratio=1.5, paste_x={PART}, fill_value=[0, 0, 0])", 1),
        ("images = fn.paste(images, ratio=1.5, paste_x=0.2, paste_y=0.7, fill_value=[0, 0, 0])", 1),
        *WINDOWS,
    ],
)  # fmt: skip
def test_points_are_where_the_picture_is(lines: str, apart: float, ratio: bool, folder: Path) -> None:
    graph = repaired(folder, lines, "vertices[1]", ratio=ratio, polygon_masks=True)
    pipe = Pipeline.from_graph(graph)
    for _ in range(3):
        images, points = (batch.as_cpu() for batch in pipe.run())
        for picture, corners in zip(images, points, strict=True):
            wanted, extents = about_red(picture)
            given = np.clip(np.array(corners) * (extents if in_fractions(graph) else 1), 0, extents)
            assert np.abs([*given.min(axis=0), *given.max(axis=0)] - wanted).max() <= apart


IF = "images = fn.resize(images, size=[160, 170])\n    if fn.random.coin_flip(dtype=types.BOOL):\n        "


@pytest.mark.parametrize("labels", ["boxes, labels", "vertices[1]"])
@pytest.mark.parametrize(("lines", "apart"), [WINDOWS[1], WINDOWS[9], WINDOWS[13], WINDOWS[14], WINDOWS[15]])
def test_in_a_branch_they_go_with_the_picture(lines: str, apart: float, labels: str, folder: Path) -> None:
    graph = repaired(folder, IF + lines, labels, ratio=True, polygon_masks=labels != "boxes, labels", ltrb=True)
    pipe = Pipeline.from_graph(graph)
    for _ in range(3):
        images, given, *_ = (batch.as_cpu() for batch in pipe.run())
        for picture, places in zip(images, given, strict=True):
            wanted, extents = about_red(picture)
            corners = np.clip(np.array(places).reshape(-1, 2) * extents, 0, extents)
            assert np.abs([*corners.min(axis=0), *corners.max(axis=0)] - wanted).max() <= apart + 0.8


def test_no_boxes_stay_none(folder: Path) -> None:
    """As nvidia.dali reshapes and reduces them."""
    told = json.loads((folder / "a.json").read_text())
    (folder / "a.json").write_text(json.dumps(told | {"annotations": told["annotations"][:1]}))
    matrix = "fn.transforms.rotation(angle=9.0)"
    lines = f"images = fn.warp_affine(fn.crop(images, crop=(121, 120), crop_pos_x=0.3), {matrix}, inverse_map=False)"
    graph = repaired(folder, lines, "boxes, labels", ratio=True, ltrb=True, skip_empty=False)
    _, boxes, labels = Pipeline.from_graph(graph).run()
    assert [np.asarray(one).shape for one in boxes.as_cpu()] == [(1, 4), (0, 4), (0, 4)]
    assert [np.asarray(one).shape for one in labels.as_cpu()] == [(1,), (0,), (0,)]


def test_nvidia_dali_moves_them_alike(folder: Path) -> None:
    pytest.importorskip("nvidia.dali")
    in_branches = [(IF + lines, apart) for lines, apart in (WINDOWS[1], WINDOWS[14])]
    for lines, _ in (WINDOWS[0], WINDOWS[5], WINDOWS[9], WINDOWS[14], WINDOWS[15], WINDOWS[-2], *in_branches):
        graph = repaired(folder, lines, "boxes, labels", ratio=True, ltrb=False)
        (folder / "p.py").write_text(emit(graph, REGISTRY, "nvidia.dali").source)  # it reads the source of an `if`
        program = runpy.run_path(str(folder / "p.py"))
        theirs, ours = program["p"](), Pipeline.from_graph(graph)
        theirs.build()
        for _ in range(2):
            _, peer, classes = theirs.run()
            _, boxes, labels = ours.run()
            for i in range(3):
                np.testing.assert_allclose(boxes.as_cpu().at(i), peer.at(i), atol=1e-5)
                np.testing.assert_array_equal(labels.as_cpu().at(i), classes.at(i))
