"""Where one click has moved boxes, a coloured rectangle is in each of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from dali_studio import Pipeline, read
from dali_studio.api.default import default_registry
from dali_studio.graph.apply import apply
from dali_studio.graph.labels.guard import CODE
from dali_studio.graph.labels.twins import twin_edits
from dali_studio.graph.validate import infer, validate

REGISTRY = default_registry()
#: Extents of pictures, and x, y, width and height of what is red in them.
PICTURES = [(200, 150, (60, 50, 50, 40)), (181, 240, (70, 90, 40, 60)), (160, 160, (60, 60, 40, 30))]
COIN = "fn.random.coin_flip()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pictures of which the reader gives boxes."""
    images, annotations = list[object](), list[object]()
    for number, (width, height, (x, y, wide, high)) in enumerate(PICTURES):
        picture = Image.new("RGB", (width, height))
        ImageDraw.Draw(picture).rectangle((x, y, x + wide - 1, y + high - 1), fill=(255, 0, 0))
        picture.save(tmp_path / f"{number}.png")
        images.append({"id": number, "file_name": f"{number}.png", "width": width, "height": height})
        annotations.append({"id": number, "image_id": number, "category_id": 1, "bbox": [x, y, wide, high], "area": 1, "iscrowd": 0})
    told = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "red"}]}
    (tmp_path / "a.json").write_text(json.dumps(told))
    return tmp_path


@pytest.mark.parametrize("ratio", [True, False])
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
    ],
)  # fmt: skip
def test_boxes_are_where_the_picture_is(lines: str, apart: float, ratio: bool, folder: Path) -> None:
    graph = read(f"""from nvidia.dali import fn, pipeline_def
@pipeline_def(batch_size=3, num_threads=1, device_id=None, seed=5)
def p():
    files, boxes, labels = fn.readers.coco(file_root={str(folder)!r}, annotations_file={str(folder / "a.json")!r}, ratio={ratio}, ltrb=True)
    images = fn.decoders.image(files)
    {lines}
    return images, boxes, labels
""")
    (found,) = [one for one in validate(graph, REGISTRY).diagnostics if one.code == CODE]
    made = twin_edits(graph, REGISTRY, infer(graph, REGISTRY, set(graph)), found)
    assert made is not None
    graph, _ = apply(graph, made.edits, REGISTRY)
    assert not [one for one in validate(graph, REGISTRY).diagnostics if one.code == CODE or one.severity == "error"]
    pipe = Pipeline.from_graph(graph)
    for _ in range(3):
        images, boxes, labels = (batch.as_cpu() for batch in pipe.run())
        for picture, box, label in zip(images, boxes, labels, strict=True):
            pixels = np.asarray(picture)
            red = pixels[0] if pixels.shape[0] == 3 else pixels[..., 0]
            rows, columns = np.nonzero(red > red.max() / 2)
            (height, width), given = red.shape, np.asarray(box)[0]
            given = given * [width, height, width, height] if given.max() <= 1.01 else given
            wanted = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
            assert np.abs(given - wanted).max() <= apart
            assert len(np.asarray(label)) == 1
