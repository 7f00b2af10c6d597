"""``readers.coco``: what is wrong with annotations is said, and documents write nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dali_studio import DaliStudioError, fn
from dali_studio.kernels.cpu.coco import load_annotations, read_annotations, save_annotations
from dali_studio.pipeline import Pipeline
from dali_studio.schema.sample_folders import coco_folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, content in coco_folder().files().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def pipeline(root: Path, size: int = 5, **arguments: Any) -> Pipeline:
    made = Pipeline(batch_size=size, num_threads=2, device_id=None, seed=3)
    with made:
        given = {"file_root": str(root), "annotations_file": str(root / "annotations.json"), **arguments}
        made.set_outputs(*fn.readers.coco(name="reader", **given))
    return made


def changed(root: Path, **entries: Any) -> str:
    """The annotations with other values in the first entry of lists."""
    content = json.loads((root / "annotations.json").read_text())
    for name, values in entries.items():
        content[name][0].update(values)
    (root / "annotations.json").write_text(json.dumps(content))
    return str(root / "annotations.json")


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"annotations": {"bbox": [1, 2, 3]}}, r"length 4.*annotations\[0\].bbox|annotations\[0\].bbox.*length 4"),
    ({"annotations": {"image_id": "x"}}, r"annotations\[0\].image_id"),
    ({"annotations": {"segmentation": [[1, 2, 3]]}}, "odd number of coordinates"),
    ({"annotations": {"segmentation": {"size": [3, 4], "counts": [12]}}}, "3x4 pixels; the image has 31x60"),
    ({"annotations": {"segmentation": {"size": [31, 60], "counts": "~~~"}}}, "no such lengths of runs"),
    ({"annotations": {"segmentation": {"size": [31, 60], "counts": [-1]}}}, "out of range"),
    ({"images": {"width": 0}}, "'0.jpg' has no width and height"),
    ({"images": {"id": 2**80}}, "id|range|int"),
]


@pytest.mark.parametrize(("entries", "words"), BROKEN)
def test_broken_annotations_are_told_with_file_and_place(root: Path, entries: Any, words: str) -> None:
    path = changed(root, **entries)
    with pytest.raises(DaliStudioError, match=words) as raised:
        pipeline(root, pixelwise_masks=True).run()
    (found,) = raised.value.diagnostics
    assert (found.code, found.node, found.argument) == ("DS302", "reader", "annotations_file") and path in found.message


@pytest.mark.parametrize("content", [b"", b"[]", b'{"images": [', b'{"images": {}}', b"\xff\xfe"])
def test_what_is_no_file_of_annotations_is_refused(root: Path, content: bytes) -> None:
    (root / "annotations.json").write_bytes(content)
    with pytest.raises(DaliStudioError, match="no file of COCO annotations"):
        pipeline(root).run()


def test_images_that_cannot_be_read_are_left_out(root: Path) -> None:
    (root / "2.jpg").unlink()
    made = pipeline(root, on_error="skip", image_ids=True)
    images, boxes, labels, ids = made.run()
    assert [int(np.asarray(ids.at(i))[0]) for i in range(len(ids))] == [12, 33, 70, 90]
    assert len(images) == len(boxes) == len(labels) == 4
    assert [one.source for one in made.failed_samples() if one.iteration == 0] == ["2.jpg"]


def test_a_result_may_be_written_to(root: Path) -> None:
    """It is no view of the reader's tables."""
    made = pipeline(root, polygon_masks=True)
    first = [np.array(batch.at(3)) for batch in made.run()]
    for batch in made.run():
        np.asarray(batch.at(3))[...] = 0
    for expected, batch in zip(first, made.run(), strict=True):
        np.testing.assert_array_equal(np.asarray(batch.at(3)), expected)


def test_programs_save_preprocessed_annotations_and_documents_do_not(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    saving = {"save_preprocessed_annotations": True, "save_preprocessed_annotations_dir": str(folder)}
    program = pipeline(root, **saving)
    Pipeline.from_graph(program.graph).run()
    assert not list(folder.iterdir())
    program.run()
    assert (folder / "boxes.dat").is_file()
    with pytest.raises(DaliStudioError, match="cannot be written to"):
        pipeline(root, **{**saving, "save_preprocessed_annotations_dir": str(folder / "none")}).run()


@pytest.mark.parametrize("name", ["counts", "boxes", "polygon_data", "vertices_count", "masks_rles", "masks_rles_idx", "heights"])
def test_preprocessed_files_that_are_cut_off_are_refused_by_name(root: Path, tmp_path: Path, name: str) -> None:
    save_annotations(read_annotations(str(root / "annotations.json"), pixelwise=True), str(tmp_path), pixelwise=True)
    path = tmp_path / f"{name}.dat"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ValueError, match=name):
        load_annotations(str(tmp_path), pixelwise=True)
