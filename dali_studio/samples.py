"""Sample data, to try everything without data of one's own: photos and what they show, videos, volumes, sounds.

Photos come with the package. The rest is made of formulas and of the photos when it is first asked for, which takes
about a second, and kept in the user's cache folder (``DALI_STUDIO_CACHE``, or that of the system).
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.optional import require

__all__ = ["classes", "coco", "masks", "photos", "sequence", "sounds", "videos", "volumes"]


def photos() -> Path:
    """A folder of JPEG photos, with a sub-folder for each class: ``animals``, ``flowers``, ``people``, and so on.

    They come with the package, which makes them of pictures of other packages when it is built. Do not write there.

    Returns
    -------
    Path
        Fit for ``fn.readers.file(file_root=...)``.

    Raises
    ------
    DaliStudioError
        DS601 if they are not there, in a checkout that has not been set up.
    """
    folder = Path(__file__).parent / "photos"
    if not folder.is_dir():
        message = f"The sample photos, which are made when the package is built, are not at {folder}."
        hint = "In a checkout, run: make setup"
        raise DaliStudioError(Diagnostic(code="DS601", message=message, hint=hint))
    return folder


def coco() -> Path:
    """A file of COCO annotations of what `photos` show: boxes and outlines of the objects. Not all photos have some.

    Returns
    -------
    Path
        For ``fn.readers.coco(file_root=str(samples.photos()), annotations_file=...)``, with ``polygon_masks`` as well.
    """
    from dali_studio.sample_data import coco as make  # noqa: PLC0415 - Pillow takes a moment to import

    return _kept("coco", lambda folder: make(photos(), folder)) / "annotations.json"


def classes() -> tuple[str, ...]:
    """Names of the classes of `coco` and `masks` by their numbers; 0 is the background."""
    from dali_studio.sample_outlines import CLASSES  # noqa: PLC0415 - likewise

    return CLASSES


def masks() -> Path:
    """A folder with a PNG mask for each of the `photos`, under its name: at each pixel the number of the class.

    Returns
    -------
    Path
        With the sub-folders of `photos`, so that ``fn.readers.file`` gives photos and masks in the same order.
    """
    from dali_studio.sample_data import masks as make  # noqa: PLC0415 - likewise

    return _kept("masks", lambda folder: make(photos(), folder))


def sequence() -> Path:
    """A folder with 16 frames of a moving camera, in the sub-folder ``motorcycle``.

    Returns
    -------
    Path
        Fit for ``fn.readers.sequence(file_root=..., sequence_length=...)``.
    """
    from dali_studio.sample_data import sequence as make  # noqa: PLC0415 - likewise

    return _kept("sequence", lambda folder: make(photos(), folder))


def videos() -> Path:
    """A folder of clips of two seconds (VP9), in which a camera moves over photos: ``pan``, ``tilt`` and ``zoom``.

    They are encoded by the package ``av`` (the extra ``video``).

    Returns
    -------
    Path
        Fit for ``fn.experimental.readers.video(file_root=..., sequence_length=...)``.

    Raises
    ------
    DaliStudioError
        DS601 if ``av`` is not installed.
    """
    from dali_studio.sample_data import videos as make  # noqa: PLC0415 - likewise

    require("av", purpose="Reading the sample videos", install="av")
    return _kept("videos", lambda folder: make(photos(), folder))


def volumes() -> Path:
    """A folder with four volumes (D, H, W), ``image/*.npy`` of float32, and their masks, ``mask/*.npy`` of uint8.

    They are drawn by a formula, after Shepp and Logan's head, each of another size and turn.

    Returns
    -------
    Path
        Its sub-folders are fit for ``fn.readers.numpy(file_root=...)``.
    """
    from dali_studio.sample_data import volumes as make  # noqa: PLC0415 - likewise

    return _kept("volumes", make)


def sounds() -> Path:
    """A folder of sounds of about a second (WAV, 16 kHz), with one sub-folder per class: ``tones`` and ``vowels``.

    Returns
    -------
    Path
        Fit for ``fn.readers.file(file_root=...)`` and ``fn.decoders.audio``.
    """
    from dali_studio.sample_data import sounds as make  # noqa: PLC0415 - likewise

    return _kept("sounds", make)


def _kept(name: str, make: Callable[[Path], None]) -> Path:
    """The folder `name` of the cache. It is filled aside and put there whole, so that nobody meets half of it.

    Raises
    ------
    DaliStudioError
        DS302 if the cache cannot be written.
    """
    from dali_studio.sample_data import VERSION  # noqa: PLC0415 - likewise

    folder = _cache() / f"samples-{VERSION}" / name
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder.parent))
        try:
            make(aside)
            aside.chmod(0o755)
            aside.rename(folder)
        except OSError:
            shutil.rmtree(aside, ignore_errors=True)
            if not folder.is_dir():  # another process may have been faster
                raise
    except OSError as error:
        message = f"Sample data cannot be kept in {folder.parent}: {error.strerror or error}."
        hint = "Name a folder that may be written in DALI_STUDIO_CACHE."
        raise DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint)) from error
    return folder


def _cache() -> Path:
    given = os.environ.get("DALI_STUDIO_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "dali-studio" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "dali-studio"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dali-studio"
