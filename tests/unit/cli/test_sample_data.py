"""Sample data other than photos: it is made once, whole, and pipelines read it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dali_studio import cli, fn, pipeline_def, sample_data, samples, types
from dali_studio.core.diagnostics import DaliStudioError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DALI_STUDIO_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_boxes_and_outlines_fit_the_photos() -> None:
    made = json.loads(samples.coco().read_text())
    sizes = {image["id"]: image for image in made["images"]}
    for image in sizes.values():
        with Image.open(samples.photos() / image["file_name"]) as photo:
            assert photo.size == (image["width"], image["height"])
    assert {samples.classes()[one["category_id"]] for one in made["annotations"]} == set(samples.classes()[1:])
    for one in made["annotations"]:
        left, top, width, height = one["bbox"]
        image = sizes[one["image_id"]]
        assert left >= 0 and top >= 0 and left + width <= image["width"] + 0.1 and top + height <= image["height"] + 0.1
        assert 0 < one["area"] <= width * height and len(one["segmentation"][0]) >= 6


def test_boxes_and_masks_agree_in_a_pipeline() -> None:
    @pipeline_def(batch_size=14, num_threads=2, device_id=None)
    def read() -> tuple[object, ...]:
        files, boxes, labels = fn.readers.coco(
            file_root=str(samples.photos()), annotations_file=str(samples.coco()), ltrb=True
        )
        masks, _ = fn.readers.file(file_root=str(samples.masks()))
        return fn.decoders.image(files), boxes, labels, fn.decoders.image(masks, output_type=types.GRAY)

    photos, boxes, labels, masks = read().run()
    named = dict(enumerate(samples.classes()))
    seen: set[str] = set()
    for k in range(14):
        mask = masks.at(k)[..., 0]
        assert mask.shape == photos.at(k).shape[:2]
        assert set(np.unique(mask)) - {0} <= set(labels.at(k).tolist())
        for (left, top, right, bottom), label in zip(boxes.at(k), labels.at(k).tolist(), strict=True):
            rows, columns = np.nonzero(mask[int(top) : int(bottom) + 1, int(left) : int(right) + 1] == label)
            assert len(rows) and len(columns)
            seen.add(named[label])
    assert seen == set(samples.classes()[1:])


def test_volumes_sounds_and_frames_are_read() -> None:
    @pipeline_def(batch_size=2, num_threads=2, device_id=None)
    def read() -> tuple[object, ...]:
        image = fn.readers.numpy(file_root=str(samples.volumes() / "image"))
        mask = fn.readers.numpy(file_root=str(samples.volumes() / "mask"))
        files, labels = fn.readers.file(file_root=str(samples.sounds()))
        sound, rate = fn.decoders.audio(files)
        frames = fn.readers.sequence(file_root=str(samples.sequence()), sequence_length=4)
        return image, mask, rate, labels, frames, sound

    *results, sounds = read().run()
    image, mask, rate, _, frames = (output.as_array() for output in results)
    assert image.shape == mask.shape == (2, 48, 96, 80) and image.dtype == np.float32 and mask.dtype == np.uint8
    assert 0.001 < mask.mean() < 0.1 and image[mask == 1].std() < 0.1
    assert set(rate.ravel()) == {sample_data.RATE}
    for sound in (sounds.at(0), sounds.at(1)):
        assert len(sound) > sample_data.RATE and 0.1 < np.abs(sound).max() <= 0.7
    assert frames.shape == (2, 4, 162, 240, 3) and (frames[:, 0] != frames[:, 1]).any()


def test_videos_are_read_by_examples_or_others_in_their_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("av", reason="needs PyAV")
    assert sorted(folder.name for folder in samples.videos().iterdir()) == ["pan", "tilt", "zoom"]
    out = tmp_path / "out"
    assert cli.main(["run", "camera_shake", "--batches", "1", "--out", str(out)]) == 0
    with Image.open(out / "contact_sheet.png") as sheet:
        assert np.asarray(sheet.convert("RGB")).std() > 20
    assert "uint8 FHWC 8×160×224×3" in capsys.readouterr().out
    flat = samples.videos() / "zoom"  # without classes all are of class 0
    assert cli.main(["run", "action_clips", "--images", str(flat), "--batches", "1", "--out", str(out)]) == 0
    assert "float FCHW 8×3×112×112" in capsys.readouterr().out
    assert cli.main(["export", "action_clips", "-o", str(tmp_path / "program.py")]) == 0
    assert f"reader reads samples: {samples.videos()}" in capsys.readouterr().err
    assert f'file_root="{samples.videos()}"' in (tmp_path / "program.py").read_text()
    assert cli.main(["export", "action_clips", "--check", "-o", str(tmp_path / "program.py")]) == 0
    assert cli.main(["run", "camera_shake", "--images", str(samples.photos())]) == 1
    assert "holds no videos, nor do its sub-folders" in capsys.readouterr().err


def test_without_the_package_for_videos_examples_say_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    assert cli.main(["run", "super_resolution"]) == 1
    assert "DS601: Reading the sample videos needs the package 'av', which is not installed. Run: pip install av" in capsys.readouterr().err


def test_it_is_made_once_and_whole(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = samples.masks()
    monkeypatch.setattr(sample_data, "masks", None)  # would fail if it were called
    assert samples.masks() == first and first.is_relative_to(cache)
    monkeypatch.setattr(sample_data, "volumes", lambda folder: (folder / "x").mkdir(parents=False) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        samples.volumes()
    assert not (first.parent / "volumes").exists()


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DALI_STUDIO_CACHE", str(tmp_path / "file"))
    with pytest.raises(DaliStudioError, match=r"DS302.*DALI_STUDIO_CACHE"):
        samples.sounds()
