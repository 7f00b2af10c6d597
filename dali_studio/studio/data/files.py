"""Files that the designer reads and writes on request."""

from __future__ import annotations

import stat
import tokenize
from contextlib import suppress
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


def file_name(path: str | Path) -> str:
    """What a document's file is called, without what says that it is a pipeline."""
    return Path(path).name.removesuffix(".json").removesuffix(".dali")


class Written:
    """The files that a session has read or written, as they were then."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[int, int] | None] = {}
        self._asked: Path | None = None

    def know(self, path: Path) -> None:
        """Take a file as it is now for the session's own."""
        self._known[path.absolute()] = _stamp(path)

    def spare(self, path: Path) -> None:
        """Refuse to write over what somebody else has written, unless that was just refused.

        Raises
        ------
        DaliStudioError
            DS302 with what to do.
        """
        there, asked, self._asked = _stamp(path), self._asked, path
        if there is None or asked == path or self._known.get(path.absolute()) == there:
            self._asked = None
            return
        raise self._refused(path, "Save once more")

    def keep(self, path: Path, text: str) -> None:
        """Refuse to write a text over another one that the session has neither read nor written.

        Raises
        ------
        DaliStudioError
            DS302 with what to do.
        """
        there = _stamp(path)
        if there is not None and self._known.get(path.absolute()) != there and not _says(path, text):
            raise self._refused(path, "Give overwrite=True")

    def _refused(self, path: Path, what: str) -> DaliStudioError:
        changed = "was changed by somebody else since" if path.absolute() in self._known else "is there already"
        hint = f"{what} to write over it, or save under another name."
        return DaliStudioError(Diagnostic(code="DS302", message=f"{path} {changed}; nothing was written.", hint=hint))


def _stamp(path: Path) -> tuple[int, int] | None:
    """What tells a file from how it was before; None if there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # what cannot be written says why
        return None
    return (found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else None


def _says(path: Path, text: str) -> bool:
    """Whether a file has this text: a notebook that is run again may write what it has written before."""
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def write_text(path: Path, text: str) -> None:
    """Write a program, in the encoding that it names.

    Raises
    ------
    DaliStudioError
        DS302 if the file cannot be written.
    """
    with suppress(OSError):  # a file of Windows stays one
        text = text.replace("\n", "\r\n") if b"\r\n" in path.read_bytes() else text
    try:
        encoding, _ = tokenize.detect_encoding(iter(text.encode().splitlines(keepends=True)).__next__)
        replace_file(path, text.encode(encoding))
    except (OSError, SyntaxError, UnicodeEncodeError) as error:
        raise DaliStudioError(
            Diagnostic(
                code="DS302",
                message=f"{path} could not be written: {getattr(error, 'strerror', None) or error}.",
                hint="Choose another place.",
            )
        ) from error
