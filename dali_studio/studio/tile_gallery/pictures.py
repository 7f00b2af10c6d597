"""The pictures on which the gallery shows its tiles: sample photos, files of a folder, and what a browser brings."""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from dali_studio.api.folders import folder_arguments
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.schema.model import Value
from dali_studio.studio.autosave import FOLDER
from dali_studio.studio.data.files import typed_path
from dali_studio.studio.outputs.images import Rgb

#: Pixels of the longer side of the copies on which tiles are shown: so large that it looks the same, and soon made.
_SIDE = 640
#: Pictures of a folder that are offered, and neighbours of the chosen one, for operators that mix pictures.
_OFFERED, _NEIGHBOURS = 64, 4
#: Bytes of a picture that a browser may bring.
_MAX_BYTES = 64 * 1024 * 1024


class Pictures:
    """Some pictures, of which one is chosen.

    Parameters
    ----------
    place : str
        Where they come from, in words.
    read : mapping
        Arguments that make a reader read all of them.
    paths : list of Path

    Attributes
    ----------
    number : int
        Which one is chosen.
    """

    def __init__(self, place: str, read: Mapping[str, Value], paths: list[Path]) -> None:
        self.place, self.read, self.paths = place, dict(read), paths[:_OFFERED]
        self.number = 0
        self._copies = tempfile.TemporaryDirectory(prefix="dali-studio-gallery-")
        self._copied: dict[Path, Path] = {}
        self._last: tuple[Path, Rgb] | None = None
        # a session answers on one thread, and computes tiles on another
        self._reading = threading.Lock()

    @classmethod
    def of(cls, path: Path, place: str = "") -> Pictures:
        """The picture at `path`, or those in the folder there.

        Raises
        ------
        DaliStudioError
            DS302 if there is none.
        """
        if path.is_file():
            return cls(place or path.name, {"files": (str(path),)}, [path])
        read = folder_arguments(path)
        files = read.get("files")
        found = [Path(str(file)) for file in files] if isinstance(files, tuple) else sorted(_below(path))
        return cls(place or str(path), read, found)

    @classmethod
    def typed(cls, text: str) -> Pictures:
        """What a user has written (errors as in `of`)."""
        return cls.of(typed_path(text.strip()))

    @classmethod
    def brought(cls, name: str, content: bytes) -> Pictures:
        """A picture that a browser has brought; it is kept beside the notebook, so that programs can read it.

        Raises
        ------
        DaliStudioError
            DS302 if it is no picture, or cannot be kept.
        """
        folder = Path.cwd() / FOLDER / "pictures"
        plain = re.sub(r"[^\w.-]+", "_", Path(name).name).lstrip(".") or "picture"
        if len(content) > _MAX_BYTES:
            raise _unusable(f"{plain} has {len(content) >> 20} MiB; up to {_MAX_BYTES >> 20} are taken.")
        path = folder / plain
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            raise _unusable(f"{path} could not be written: {error.strerror or error}.") from error
        made = cls.of(path, "your picture")
        try:
            made.picture()
        except DaliStudioError:
            path.unlink(missing_ok=True)
            raise
        return made

    def names(self) -> tuple[str, ...]:
        """Names of the files."""
        return tuple(path.name for path in self.paths)

    def chosen(self) -> Path:
        """The file of the chosen picture."""
        return self.paths[self.number]

    def picture(self) -> Rgb:
        """The chosen picture as tiles show it (errors as in `copies`)."""
        path = self._copy(self.chosen())
        last = self._last
        if last is None or last[0] != path:
            with Image.open(path) as image:
                last = self._last = path, np.asarray(image.convert("RGB"))
        return last[1]

    def copies(self) -> tuple[str, ...]:
        """Small copies of the chosen picture and of those behind it, which tiles read.

        Raises
        ------
        DaliStudioError
            DS302 if the chosen one cannot be read; others are left out.
        """
        behind = [self.paths[(self.number + k) % len(self.paths)] for k in range(_NEIGHBOURS)]
        made = [self._copy(behind[0])]
        for path in behind[1:]:
            try:
                made.append(self._copy(path))
            except DaliStudioError:
                continue
        return tuple(map(str, made))

    def _copy(self, path: Path) -> Path:
        with self._reading:
            return self._copied.get(path) or self._made(path)

    def _made(self, path: Path) -> Path:
        target = Path(self._copies.name) / f"{len(self._copied)}.jpg"
        try:
            with Image.open(path) as opened:
                opened.draft("RGB", (_SIDE, _SIDE))
                image = ImageOps.exif_transpose(opened).convert("RGB")
                image.thumbnail((_SIDE, _SIDE), Image.Resampling.BILINEAR, reducing_gap=2.0)
                image.save(target, quality=95, subsampling=0)
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise _unusable(f"{path.name} cannot be read as a picture.") from error
        self._copied[path] = target
        return target


def _below(folder: Path) -> list[Path]:
    known = Image.registered_extensions()
    return [file for entry in folder.iterdir() if entry.is_dir() for file in entry.iterdir()
            if file.suffix.lower() in known]  # fmt: skip


def _unusable(message: str) -> DaliStudioError:
    hint = "Give a picture (JPEG, PNG, WebP, TIFF, BMP), or a folder of them."
    return DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint))
