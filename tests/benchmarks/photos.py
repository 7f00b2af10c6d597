"""What is decoded: real photos as they are, and copies of the sizes that photos of ImageNet have."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from PIL import Image, ImageOps

from dali_studio import samples

#: Width and height that most photos of ImageNet have, and a quality that gives about their size in bytes.
_SIZE, _QUALITY = (500, 375), 92
#: What their sizes and qualities vary about, in turn.
_SIZES, _QUALITIES = ((500, 375), (500, 333), (400, 400), (640, 480), (500, 281), (450, 338)), (92, 95, 93, 94)
#: The set that comparisons take which take only one.
USUAL = "500×375"


def data_sets() -> dict[str, Path]:
    """Name to folder with class folders: the originals, and copies in cache folders.

    These are all of one size, or of various sizes, with chroma of half the resolution (4:2:0) or of the full one
    (4:4:4); the sample photos are among those of various sizes.
    """
    given = os.environ.get("DALI_STUDIO_DATA")
    folder = (Path(given) if given else Path(__file__).resolve().parents[3] / "shared" / "data") / "jpeg"
    originals = folder if folder.is_dir() else samples.photos()
    return {
        "originals": originals,
        USUAL: _copies([originals], (_SIZE,), (_QUALITY,), "4:2:0", "500x375-q92"),
        **{
            f"mixed sizes, {chroma}": _copies(
                list(dict.fromkeys((originals, samples.photos()))), _SIZES, _QUALITIES, chroma,
                f"mixed-{chroma.replace(':', '')}",
            )
            for chroma in ("4:2:0", "4:4:4")
        },
    }  # fmt: skip


def usual() -> Path:
    """The folder of the set that comparisons take which take only one."""
    return data_sets()[USUAL]


def _copies(
    folders: list[Path], sizes: tuple[tuple[int, int], ...], qualities: tuple[int, ...], chroma: str, name: str
) -> Path:
    """Copies of the photos of folders, which take sizes and qualities in turn; upright photos stay so."""
    target = Path(tempfile.gettempdir()) / f"dali-studio-benchmark-{name}-{folders[0].name}"
    files = [(folder, file) for folder in folders for file in sorted(folder.rglob("*.jpg"))]
    for index, (folder, file) in enumerate(files):
        made = target / file.relative_to(folder)
        if made.exists():
            continue
        made.parent.mkdir(parents=True, exist_ok=True)
        size = sizes[index % len(sizes)]
        with Image.open(file) as image:
            upright = image.height > image.width
            fitted = ImageOps.fit(image.convert("RGB"), (size[1], size[0]) if upright else size)
        fitted.save(made, quality=qualities[index % len(qualities)], subsampling=chroma)
    return target
