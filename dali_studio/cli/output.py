"""Folders and files that verbs write their results to."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.files import replace_file


def folder_for(out: str) -> Path:
    """The folder, which is made if it is not there.

    Raises
    ------
    DaliStudioError
        DS302 if it cannot be made or may not be written.
    """
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(f"{out} cannot be used as a folder", error) from error
    if not os.access(folder, os.W_OK):  # better to know before the run
        raise _unusable(f"{out} cannot be used", PermissionError(errno.EACCES, "It may not be written"))
    return folder


def write(path: Path, content: str | bytes) -> None:
    """Write a file of such a folder.

    Raises
    ------
    DaliStudioError
        DS302 if that cannot be done.
    """
    try:
        replace_file(path, content)
    except OSError as error:
        raise _unusable(f"{path} could not be written", error) from error


def _unusable(what: str, error: OSError) -> DaliStudioError:
    message = f"{what}: {error.strerror}."
    return DaliStudioError(Diagnostic(code="DS302", message=message, hint="Give --out another folder."))
