"""What the command line writes: results on standard output, findings on standard error."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.progress import current, watched

#: Seconds of a wait after which a line about it appears.
_SHOWN_AFTER = 1.0


def say(text: str = "", end: str = "\n") -> None:
    """Write a line of the result.

    Raises
    ------
    BrokenPipeError
        If nobody reads it any more.
    DaliStudioError
        DS302 if it cannot be written.
    """
    try:
        _write(sys.stdout, _harmless(text) + end)
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"Standard output could not be written: {error.strerror}."
        raise DaliStudioError(
            Diagnostic(code="DS302", message=message, hint="Direct it to another place.")
        ) from error


def note(text: str) -> None:
    """Write a line beside the result, if that is possible."""
    with suppress(OSError):
        _write(sys.stderr, f"{_harmless(text)}\n")


@contextmanager
def waiting(what: str) -> Generator[None]:
    """Show on one moving line of a terminal what is being done, and since when, until it is done.

    Nothing is shown of what ends sooner than that line appears, nor where standard error is no terminal.
    """
    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison] - `2>&-`
        yield
        return
    shown = False

    def show(seconds: float) -> None:
        nonlocal shown
        shown, doing = True, current()
        with suppress(OSError):
            _write(sys.stderr, f"\r\x1b[K{_harmless(what)}, {seconds:.0f} s{doing and f': {_harmless(doing)}'}")

    try:
        with watched(show, _SHOWN_AFTER, 0.2):
            yield
    finally:
        if shown:
            with suppress(OSError):
                _write(sys.stderr, "\r\x1b[K")


def _write(stream: TextIO | None, text: str) -> None:
    """Write at once, with escapes for letters that the stream does not have; nothing to a stream that is closed."""
    if stream is None:  # as `>&-` does
        return
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError:
        # what is left in the stream would be tried again, and complained about, when the program ends
        with suppress(OSError, ValueError), open(os.devnull, "wb") as nothing:  # noqa: PTH123 - no path of a user
            os.dup2(nothing.fileno(), stream.fileno())
        raise


def report(diagnostics: Iterable[Diagnostic]) -> None:
    """Write findings, one a line, with their severity first."""
    for found in diagnostics:
        note(f"{found.severity}: {str(found).replace(chr(10), ' ')}")


def _harmless(text: str) -> str:
    """What documents and files bring along, without what a terminal would obey: it is shown as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def called() -> str:
    """How to call this program again, as the user's shell has found it."""
    path = sys.argv[0]
    if Path(path).stem != "dali-studio":
        return "python -m dali_studio"
    return "dali-studio" if shutil.which("dali-studio") == path else path


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Columns of even width.

    Parameters
    ----------
    head
        Titles of the columns.
    rows
        As many texts each.
    numbers
        Columns that are set flush right.
    """
    lines = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    texts = [
        "  ".join(
            cell.rjust(width) if at in numbers else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    return "\n".join(text.rstrip() for text in [texts[0], "  ".join("-" * width for width in widths), *texts[1:]])
