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


#: In the order in which readers give them, the first eight, which a batch shows, are of different pictures and shapes.
CUTS = (
    Cut("animals", "chelsea", "chelsea.png", width=451),
    Cut("people", "astronaut", "astronaut.png", width=512),
    Cut("people", "photographer", "camera.png", 0.0, 0.0, 1.0, 0.75, width=384),
    Cut("space", "moon", "moon.png", 0.0, 0.0, 0.6, 1.0, width=560),
    Cut("space", "rocket", "rocket.jpg", width=640),
    Cut("things", "coffee", "coffee.png", width=600),
    Cut("things", "eye", "retina.jpg", width=420),
    Cut("things", "motorcycle", "motorcycle_left.png", width=700),
    Cut("things", "motorcycle_wheel", "motorcycle_left.png", 0.35, 0.05, 1.0, 0.5, width=350),
    Cut("things", "pebbles", "gravel.png", 0.2, 0.0, 0.8, 1.0, width=460),
    Cut("things", "plants", "grass.png", 0.0, 0.3, 1.0, 1.0, width=340),
    Cut("things", "silver_coins", "coins.png", width=400),
    Cut("things", "tissue", "ihc.png", 0.0, 0.0, 0.8, 1.0, width=480),
    Cut("things", "wall", "brick.png", 0.0, 0.2, 1.0, 0.8, width=300),
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
