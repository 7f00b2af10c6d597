"""What is decoded: real photos as they are, and copies of the sizes that photos of ImageNet have."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
    folder = _shared() / "jpeg"
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


def _shared() -> Path:
    given = os.environ.get("DALI_STUDIO_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[3] / "shared" / "data"


def usual() -> Path:
    """The folder of the set that comparisons take which take only one."""
    return data_sets()[USUAL]


@dataclass(frozen=True)
class Saved:
    """How photos are saved again: the size, if it changes, the colours, the ending, and what Pillow is to know."""

    size: tuple[int, int] | None = None
    mode: str = "RGB"
    suffix: str = ".jpg"
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


def _jpeg(size: tuple[int, int] | None = None, quality: int = _QUALITY, **options: Any) -> Saved:
    return Saved(size, options={"quality": quality, "subsampling": "4:2:0", **options})


_PNG = Saved(suffix=".png", options={"compress_level": 6})
_PROGRESSIVE, _CMYK = _jpeg(progressive=True), Saved(mode="CMYK", options={"quality": _QUALITY})
#: Sets of other files, each photo saved in one of these ways in turn: those of `USUAL`, or the originals in another size.
_OTHERS: dict[str, tuple[Saved, ...]] = {
    "progressive": (_PROGRESSIVE,),
    "PNG": (_PNG,),
    "mixed bag": (_PROGRESSIVE, _PNG, _CMYK, *[_jpeg()] * 7),
    "12 megapixels": (_jpeg((4000, 3000), 90),),
    "3 megapixels": (_jpeg((2000, 1500), 90),),
}
#: Photos of a set of large ones.
_FEW = 24


def photo_set(name: str) -> Path:
    """The folder of one of `data_sets`, or of progressive, PNG, mixed or large files; made if it is not there.

    "speech, ogg", and likewise "wav" and "flac", is a folder of recordings.
    """
    if name.startswith("speech, "):
        return _shared() / "audio" / name.removeprefix("speech, ")
    if name not in _OTHERS:
        return data_sets()[name]
    ways = _OTHERS[name]
    large = ways[0].size is not None
    source = data_sets()["originals"] if large else usual()
    files = sorted(source.rglob("*.jpg"))[: _FEW if large else None]
    target = folder_for(name.replace(" ", "-"), data_sets()["originals"])
    with ProcessPoolExecutor() as processes:
        list(processes.map(
            _save, files, (target / file.relative_to(source) for file in files), itertools.cycle(ways)
        ))  # fmt: skip
    return target


def folder_for(name: str, originals: Path) -> Path:
    """Where files that are made of those of `originals` lie."""
    return Path(tempfile.gettempdir()) / f"dali-studio-benchmark-{name}-{originals.name}"


def _save(file: Path, target: Path, way: Saved) -> None:
    made = target.with_suffix(way.suffix)
    if made.exists():
        return
    made.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(file) as image:
        changed = image.convert("RGB").convert(way.mode)
    (ImageOps.fit(changed, way.size) if way.size else changed).save(made, **way.options)


def _copies(
    folders: list[Path], sizes: tuple[tuple[int, int], ...], qualities: tuple[int, ...], chroma: str, name: str
) -> Path:
    """Copies of the photos of folders, which take sizes and qualities in turn; upright photos stay so."""
    target = folder_for(name, folders[0])
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
