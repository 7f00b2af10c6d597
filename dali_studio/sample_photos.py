"""Makes the sample photos of `samples.photos`; `hatch_build.py` calls it when the package is built.

The pictures are those that scikit-image's wheel carries (nothing is downloaded), cut and scaled to different sizes.
Users need neither scikit-image nor what it depends on.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
from pathlib import Path
from typing import NamedTuple


class Cut(NamedTuple):
    """One sample: a window of a bundled picture (parts of its height and width), scaled to a width in pixels."""

    label: str
    name: str
    source: str
    top: float = 0.0
    left: float = 0.0
    bottom: float = 1.0
    right: float = 1.0
    width: int = 512


CUTS = (
    Cut("animals", "chelsea", "chelsea.png", width=451),
    Cut("animals", "chelsea_eyes", "chelsea.png", 0.15, 0.2, 0.75, 0.7, width=400),
    Cut("animals", "chelsea_ear", "chelsea.png", 0.0, 0.05, 0.6, 0.45, width=320),
    Cut("people", "astronaut", "astronaut.png", width=512),
    Cut("people", "astronaut_portrait", "astronaut.png", 0.0, 0.22, 0.55, 0.65, width=360),
    Cut("people", "astronaut_wide", "astronaut.png", 0.0, 0.0, 0.6, 1.0, width=640),
    Cut("space", "hubble", "hubble_deep_field.jpg", width=640),
    Cut("space", "hubble_detail", "hubble_deep_field.jpg", 0.3, 0.1, 0.8, 0.5, width=420),
    Cut("space", "rocket", "rocket.jpg", width=640),
    Cut("space", "rocket_tall", "rocket.jpg", 0.0, 0.35, 1.0, 0.7, width=300),
    Cut("things", "coffee", "coffee.png", width=600),
    Cut("things", "coffee_cup", "coffee.png", 0.2, 0.1, 0.9, 0.75, width=480),
    Cut("things", "motorcycle", "motorcycle_left.png", width=700),
    Cut("things", "motorcycle_wheel", "motorcycle_left.png", 0.35, 0.05, 1.0, 0.5, width=350),
)
#: Quality of the JPEG files.
_QUALITY = 92


def make(folder: Path) -> None:
    """Write the photos, one sub-folder per class, unless they are there as they must be."""
    stamp = folder / ".stamp"
    wanted = hashlib.sha256(repr((CUTS, _QUALITY)).encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    for cut in CUTS:
        _write(cut, folder / cut.label / f"{cut.name}.jpg")
    stamp.write_text(wanted)


def _write(cut: Cut, target: Path) -> None:
    from PIL import Image  # noqa: PLC0415 - needed here alone

    with Image.open(_bundled() / cut.source) as opened:
        image = opened.convert("RGB")
    width, height = image.size
    window = (
        round(cut.left * width), round(cut.top * height), round(cut.right * width), round(cut.bottom * height),
    )  # fmt: skip
    part = image.crop(window)
    size = (cut.width, max(1, round(part.height * cut.width / part.width)))
    target.parent.mkdir(parents=True, exist_ok=True)
    part.resize(size, Image.Resampling.LANCZOS).save(target, quality=_QUALITY)


def _bundled() -> Path:
    """Where scikit-image keeps its pictures; it is not imported, which would take a second."""
    spec = importlib.util.find_spec("skimage")
    if spec is None or spec.origin is None:
        raise SystemExit("The sample photos are made from those of scikit-image, which is not installed here.")
    return Path(spec.origin).parent / "data"
