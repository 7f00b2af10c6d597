"""Files that the designer writes on request."""

from __future__ import annotations

from pathlib import Path

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic


def write_text(path: Path, text: str) -> None:
    """Write a program.

    Raises
    ------
    DaliStudioError
        DS302 if the file cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DaliStudioError(
            Diagnostic(
                code="DS302",
                message=f"{path} could not be written: {error.strerror or error}.",
                hint="Choose another place.",
            )
        ) from error
