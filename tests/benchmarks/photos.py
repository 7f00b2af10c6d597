"""What is decoded: real photos as they are, and the same ones at the usual size of ImageNet."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from PIL import Image, ImageOps

from dali_studio import samples

#: Width and height that most photos of ImageNet have, and a quality that gives about their size in bytes.
_SIZE, _QUALITY = (500, 375), 92


def data_sets() -> dict[str, Path]:
    """Name to folder with class folders: the originals, and a copy at 500×375 in a cache folder."""
    given = os.environ.get("DALI_STUDIO_DATA")
    folder = (Path(given) if given else Path(__file__).resolve().parents[3] / "shared" / "data") / "jpeg"
    originals = folder if folder.is_dir() else samples.photos()
    return {"originals": originals, "500×375": _scaled(originals)}


def _scaled(originals: Path) -> Path:
    target = Path(tempfile.gettempdir()) / f"dali-studio-benchmark-{_SIZE[0]}x{_SIZE[1]}-q{_QUALITY}-{originals.name}"
    for file in sorted(originals.rglob("*.jpg")):
        made = target / file.relative_to(originals)
        if made.exists():
            continue
        made.parent.mkdir(parents=True, exist_ok=True)
        with Image.open(file) as image:
            upright = image.height > image.width
            fitted = ImageOps.fit(image.convert("RGB"), _SIZE[::-1] if upright else _SIZE)
        fitted.save(made, quality=_QUALITY)
    return target
