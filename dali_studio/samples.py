"""Sample photos, so that everything can be tried without data of one's own."""

from __future__ import annotations

from pathlib import Path

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

__all__ = ["photos"]


def photos() -> Path:
    """A folder of JPEG photos, with one sub-folder per class: ``animals``, ``people``, ``space``, ``things``.

    They come with the package, which makes them of scikit-image's pictures when it is built. Do not write there.

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
