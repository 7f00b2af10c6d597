"""The sample photos."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from PIL import Image

from dali_studio import samples
from dali_studio.core.diagnostics import DaliStudioError


def test_photos_are_jpeg_files_of_several_sizes_and_classes() -> None:
    files = sorted(samples.photos().rglob("*.jpg"))
    sizes = set()
    for file in files:
        with Image.open(file) as image:
            assert image.format == "JPEG" and image.mode == "RGB"
            sizes.add(image.size)
    assert len(files) >= 12 and len(sizes) >= 8
    assert len({file.parent.name for file in files}) >= 3


def make(cache: str) -> str:
    import os

    os.environ["DALI_STUDIO_CACHE"] = cache
    return str(samples.photos())


def test_two_processes_may_make_them_at_once(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        made = pool.map(make, [str(tmp_path)] * 2)
    assert made[0] == made[1]
    assert [entry.name for entry in tmp_path.iterdir()] == [Path(made[0]).name]
    assert len(list(Path(made[0]).rglob("*.jpg"))) >= 12


def test_a_folder_that_cannot_be_written_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DALI_STUDIO_CACHE", str(tmp_path / "file"))
    with pytest.raises(DaliStudioError, match="DS302"):
        samples.photos()
