"""``fn.readers.coco`` against nvidia.dali: real annotations, masks that overlap, preprocessed annotations."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import encoded
from peers import OURS, THEIRS, check, refused, run

from dali_studio.schema.samples import picture

pytestmark = pytest.mark.usefixtures("nvidia")

KINDS = ["", "polygon_masks=True, ratio=True, include_iscrowd=False", "pixelwise_masks=True, ltrb=True"]


@pytest.mark.parametrize("arguments", ["ltrb=True, skip_empty=True", "ratio=True, random_shuffle=True, image_ids=True"])
def test_real_annotations(data_dir: Path, arguments: str) -> None:
    names = {"root": str(data_dir / "coco" / "images"), "file": str(data_dir / "coco" / "instances.json")}
    check(f"fn.readers.coco(file_root=root, annotations_file=file, {arguments})", iterations=4, names=names, batch_size=20)


@pytest.mark.parametrize("arguments", KINDS[1:])
def test_real_masks(data_dir: Path, arguments: str) -> None:
    folder = data_dir / "coco_pixelwise"
    names = {"root": str(folder / "images"), "file": str(folder / "instances.json")}
    check(f"fn.readers.coco(file_root=root, annotations_file=file, {arguments})", iterations=2, names=names, batch_size=20)


def data_set(root: Path, objects: list[list[Any]], size: tuple[int, int] = (37, 53)) -> str:
    """A picture for each list of masks, whose categories are 1, 2, ...; gives the annotations file."""
    annotations = []
    for number, masks in enumerate(objects):
        (root / f"{number}.jpg").write_bytes(encoded(picture(*size)).tobytes())
        annotations += [
            {"image_id": number, "category_id": place + 1, "bbox": [1, 2, 3.5, 4], "iscrowd": 0, "segmentation": mask}
            for place, mask in enumerate(masks)
        ]
    images = [{"id": i, "file_name": f"{i}.jpg", "height": size[0], "width": size[1]} for i in range(len(objects))]
    content = {"images": images, "annotations": annotations, "categories": [{"id": i} for i in range(1, 20)]}
    path = root / "annotations.json"
    path.write_text(json.dumps(content))
    return str(path)


def test_masks_that_overlap_touch_corners_or_leave_the_image(tmp_path: Path) -> None:
    height, width = 37, 53
    generator = np.random.default_rng(3)

    def polygon() -> list[float]:
        corners = generator.uniform(-0.3, 1.3, (int(generator.integers(3, 9)), 2)) * [width, height]
        return (corners.round() if generator.random() < 0.5 else corners).ravel().tolist()

    def runs() -> dict[str, Any]:
        cuts = np.unique(generator.integers(1, height * width, 6)).tolist()
        first = [0] if generator.random() < 0.3 else []
        return {"counts": first + np.diff([0, *cuts, height * width]).tolist(), "size": [height, width]}

    objects = [[[polygon() for _ in range(generator.integers(1, 4))] if generator.random() < 0.8 else runs()
                for _ in range(generator.integers(1, 6))] for _ in range(80)]  # fmt: skip
    corner = [[width, height, width, 3.0, 3.0, 3.0, 3.0, height]]
    objects += [list(order) for order in itertools.permutations([corner, [[0, 0, 60, 0, 60, 50, 0, 50]], runs()])]
    names = {"root": str(tmp_path), "file": data_set(tmp_path, objects)}
    for ratio in (False, True):
        program = f"fn.readers.coco(file_root=root, annotations_file=file, pixelwise_masks=True, ratio={ratio})"
        check(program, names=names, batch_size=len(objects))


@pytest.mark.parametrize("arguments", KINDS)
def test_preprocessed_annotations_are_the_same_files(tmp_path: Path, arguments: str) -> None:
    (tmp_path / "images").mkdir()
    runs = {"counts": [0, 100, 5, 20, 37 * 53 - 125], "size": [37, 53]}
    objects = [[[[1, 2, 30, 4, 9, 30]], runs], [], [[[5, 5, 20, 5.5, 20, 30], [30, 1, 40, 1, 40, 20]]]]
    file = data_set(tmp_path / "images", objects)
    given = {"file_root": str(tmp_path / "images"), "image_ids": True}
    kind = eval(f"dict({arguments})")
    written = []
    for prefix in (OURS, THEIRS):
        folder = tmp_path / prefix
        folder.mkdir()
        saving = {"save_preprocessed_annotations": True, "save_preprocessed_annotations_dir": str(folder)}
        run(prefix, "fn.readers.coco(**given)", names={"given": {**given, **kind, **saving, "annotations_file": file}})
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0] == written[1] and len(written[0]) >= 6
    masks = {name: value for name, value in kind.items() if "masks" in name}
    for prefix in (OURS, THEIRS):
        loading = {**given, **masks, "preprocessed_annotations": str(tmp_path / prefix)}
        check("fn.readers.coco(**given)", iterations=2, names={"given": loading})


@pytest.mark.parametrize("field", ["id", "image_id", "category_id", "iscrowd", "width"])
def test_numbers_of_more_than_64_bits_are_refused(tmp_path: Path, field: str) -> None:
    box = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "iscrowd": 0}
    image = {"id": 1, "file_name": "a.jpg", "width": 5, "height": 5}
    for one in (box, image):
        if field in one:
            one[field] = 2**63
    (tmp_path / "a.json").write_text(json.dumps({"images": [image], "annotations": [box], "categories": [{"id": 1}]}))
    refused("fn.readers.coco(file_root=root, annotations_file=root + '/a.json')", codes="DS302", names={"root": str(tmp_path)})
