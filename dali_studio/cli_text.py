"""What the command line writes: results on standard output, findings on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from dali_studio.core.diagnostics import Diagnostic


def say(text: str = "") -> None:
    """Write a line of the result."""
    sys.stdout.write(f"{_harmless(text)}\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """Write a line beside the result."""
    sys.stderr.write(f"{_harmless(text)}\n")
    sys.stderr.flush()


def report(diagnostics: Iterable[Diagnostic]) -> None:
    """Write findings, one a line, with their severity first."""
    for found in diagnostics:
        note(f"{found.severity}: {str(found).replace(chr(10), ' ')}")


def _harmless(text: str) -> str:
    """What documents and files bring along, without what a terminal would obey: it is shown as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


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
