"""Sample photos, so that everything can be tried without data of one's own.

The pictures are those that scikit-image's wheel carries (nothing is downloaded), cut and scaled to different sizes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

__all__ = ["photos"]


class _Cut(NamedTuple):
    """One sample: a window of a bundled picture (parts of its height and width), scaled to a width in pixels."""

    label: str
    name: str
    source: str
    top: float = 0.0
    left: float = 0.0
    bottom: float = 1.0
    right: float = 1.0
    width: int = 512


_CUTS = (
    _Cut("animals", "chelsea", "chelsea.png", width=451),
    _Cut("animals", "chelsea_eyes", "chelsea.png", 0.15, 0.2, 0.75, 0.7, width=400),
    _Cut("animals", "chelsea_ear", "chelsea.png", 0.0, 0.05, 0.6, 0.45, width=320),
    _Cut("people", "astronaut", "astronaut.png", width=512),
    _Cut("people", "astronaut_portrait", "astronaut.png", 0.0, 0.22, 0.55, 0.65, width=360),
    _Cut("people", "astronaut_wide", "astronaut.png", 0.0, 0.0, 0.6, 1.0, width=640),
    _Cut("space", "hubble", "hubble_deep_field.jpg", width=640),
    _Cut("space", "hubble_detail", "hubble_deep_field.jpg", 0.3, 0.1, 0.8, 0.5, width=420),
    _Cut("space", "rocket", "rocket.jpg", width=640),
    _Cut("space", "rocket_tall", "rocket.jpg", 0.0, 0.35, 1.0, 0.7, width=300),
    _Cut("things", "coffee", "coffee.png", width=600),
    _Cut("things", "coffee_cup", "coffee.png", 0.2, 0.1, 0.9, 0.75, width=480),
    _Cut("things", "motorcycle", "motorcycle_left.png", width=700),
    _Cut("things", "motorcycle_wheel", "motorcycle_left.png", 0.35, 0.05, 1.0, 0.5, width=350),
)
#: Quality of the JPEG files.
_QUALITY = 92


def photos() -> Path:
    """A folder of JPEG photos, with one sub-folder per class: ``animals``, ``people``, ``space``, ``things``.

    It lies in the user's cache folder (``DALI_STUDIO_CACHE`` names another one) and is made at the first call.

    Returns
    -------
    Path
        Fit for ``fn.readers.file(file_root=...)``.

    Raises
    ------
    DaliStudioError
        DS302 if the folder cannot be written, DS601 if scikit-image does not carry its pictures.
    """
    stamp = hashlib.sha256(repr((_CUTS, _QUALITY)).encode()).hexdigest()[:12]
    folder = cache_folder() / f"photos-{stamp}"
    if folder.is_dir():
        return folder
    # Made aside and renamed: the folder is whole whenever it is there, also when two processes make it at once.
    fresh = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    try:
        _write_all(fresh)
        fresh.rename(folder)
    except OSError as error:
        if not folder.is_dir():
            message = f"The sample photos cannot be written to {folder}: {error.strerror or error}."
            hint = "Let DALI_STUDIO_CACHE name a folder that may be written."
            raise DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint)) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


def cache_folder() -> Path:
    """Where this package keeps files that can be made anew."""
    if given := os.environ.get("DALI_STUDIO_CACHE"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "dali-studio" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "dali-studio"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dali-studio"


def _write_all(folder: Path) -> None:
    from PIL import Image  # noqa: PLC0415 - imports of this package stay light

    for cut, source in zip(_CUTS, _sources(), strict=True):
        with Image.open(source) as opened:
            image = opened.convert("RGB")
        width, height = image.size
        window = (
            round(cut.left * width),
            round(cut.top * height),
            round(cut.right * width),
            round(cut.bottom * height),
        )
        part = image.crop(window)
        size = (cut.width, max(1, round(part.height * cut.width / part.width)))
        target = folder / cut.label / f"{cut.name}.jpg"
        target.parent.mkdir(parents=True, exist_ok=True)
        part.resize(size, Image.Resampling.LANCZOS).save(target, quality=_QUALITY)


def _sources() -> Iterator[Path]:
    from skimage import data  # noqa: PLC0415 - imports of this package stay light

    bundled = Path(data.__file__ or "").parent
    for cut in _CUTS:
        source = bundled / cut.source
        if not source.is_file():
            message = f"scikit-image does not carry {cut.source}, from which sample photos are made."
            raise DaliStudioError(
                Diagnostic(code="DS601", message=message, hint="Run: pip install scikit-image==0.26.0")
            )
        yield source
