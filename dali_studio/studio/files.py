"""Files that the designer reads and writes on request."""

from __future__ import annotations

from pathlib import Path

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.files import replace_file


def typed_path(text: str) -> Path:
    """The path that a user has written; ``~`` is the home folder.

    Raises
    ------
    DaliStudioError
        DS302 if no file can be called that.
    """
    reason = "it has a zero byte in it" if "\0" in text else ""
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:  # a user who has no home
        path, reason = Path(text), str(error).rstrip(".")
    if reason:
        message = f"{text!r} is no path: {reason}."
        raise DaliStudioError(Diagnostic(code="DS302", message=message, hint="Write another path."))
    return path


def write_text(path: Path, text: str) -> None:
    """Write a program.

    Raises
    ------
    DaliStudioError
        DS302 if the file cannot be written.
    """
    try:
        replace_file(path, text)
    except OSError as error:
        raise DaliStudioError(
            Diagnostic(
                code="DS302",
                message=f"{path} could not be written: {error.strerror or error}.",
                hint="Choose another place.",
            )
        ) from error
