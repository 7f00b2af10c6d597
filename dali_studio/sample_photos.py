"""Makes the sample photos of `samples.photos`; `hatch_build.py` calls it when the package is built.

The pictures are those that the wheels of scikit-image, scikit-learn and matplotlib carry (nothing is downloaded), cut
and scaled to different sizes; LICENSE-THIRD-PARTY says whose they are. Users need none of these packages for them.
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


#: In the order in which readers give them. The first eight, which a batch shows, are colourful and of different shapes.
CUTS = (
    Cut("animals", "chelsea", "chelsea.png", width=451),
    Cut("flowers", "dahlia", "flower.jpg", 0.0, 0.2, 1.0, 0.75, width=384),
    Cut("people", "astronaut", "astronaut.png", width=512),
    Cut("people", "eye", "retina.jpg", width=420),
    Cut("people", "officer", "grace_hopper.jpg", width=480),
    Cut("places", "palace", "china.jpg", width=640),
    Cut("space", "rocket", "rocket.jpg", 0.0, 0.1, 1.0, 0.9, width=560),
    Cut("space", "stars", "hubble_deep_field.jpg", 0.08, 0.02, 0.44, 0.42, width=400),
    Cut("space", "surface_of_the_moon", "moon.png", 0.0, 0.0, 0.6, 1.0, width=560),
    Cut("things", "coffee", "coffee.png", width=600),
    Cut("things", "motorcycle", "motorcycle_left.png", width=700),
    Cut("things", "silver_coins", "coins.png", width=400),
    Cut("things", "tissue", "ihc.png", 0.0, 0.0, 0.8, 1.0, width=480),
    Cut("things", "tripod", "camera.png", 0.0, 0.0, 1.0, 0.75, width=384),
)
#: Where the packages keep pictures.
_FOLDERS = {"skimage": "data", "sklearn": "datasets/images", "matplotlib": "mpl-data/sample_data"}
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

    with Image.open(_bundled(cut.source)) as opened:
        image = opened.convert("RGB")
    width, height = image.size
    window = (
        round(cut.left * width), round(cut.top * height), round(cut.right * width), round(cut.bottom * height),
    )  # fmt: skip
    part = image.crop(window)
    size = (cut.width, max(1, round(part.height * cut.width / part.width)))
    target.parent.mkdir(parents=True, exist_ok=True)
    part.resize(size, Image.Resampling.LANCZOS).save(target, quality=_QUALITY)


def _bundled(source: str) -> Path:
    """The file of a picture; the packages are not imported, which would take seconds."""
    for package, folder in _FOLDERS.items():
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            file = Path(spec.origin).parent / folder / source
            if file.is_file():
                return file
    packages = "scikit-image, scikit-learn and matplotlib"
    raise SystemExit(f"The sample photos are made from those of {packages}. None of these is here with {source}.")
