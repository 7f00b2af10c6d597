"""The sample photos."""

from __future__ import annotations

import importlib.util
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from dali_studio import sample_photos, samples
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


def test_no_photo_is_there_twice() -> None:
    """Neither its file, nor its pixels, nor its picture in another size or quality."""
    files = sorted(samples.photos().rglob("*.jpg"))
    assert len({file.read_bytes() for file in files}) == len(files)
    pixels: set[bytes] = set()
    small: list[NDArray[np.float64]] = []
    for file in files:
        with Image.open(file) as image:
            pixels.add(image.tobytes())
            small.append(np.asarray(image.convert("L").resize((16, 16)), np.float64))
    assert len(pixels) == len(files)
    flat = [(one - one.mean()) / one.std() for one in small]
    alike = [float(np.mean(one * other)) for one, other in combinations(flat, 2)]
    assert max(alike) < 0.9


@pytest.mark.skipif(
    importlib.util.find_spec("sklearn") is None,
    reason="scikit-learn, which builds of the package need, is not installed",
)
def test_they_are_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    sample_photos.make(folder)
    made = {file: file.stat().st_mtime_ns for file in folder.rglob("*.jpg")}
    assert [file.relative_to(folder) for file in sorted(made)] == [
        file.relative_to(samples.photos()) for file in sorted(samples.photos().rglob("*.jpg"))
    ]
    sample_photos.make(folder)
    assert made == {file: file.stat().st_mtime_ns for file in folder.rglob("*.jpg")}


def test_a_checkout_without_them_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "__file__", str(tmp_path / "samples.py"))
    with pytest.raises(DaliStudioError, match=r"DS601.*make setup"):
        samples.photos()
