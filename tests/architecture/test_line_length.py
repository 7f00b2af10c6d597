"""Lines of the documentation fit 100 columns, so that a change shows what it changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
COLUMNS = 100
#: Written by programs, one row a line.
GENERATED = ("support.md", "transforms.md", "licences.md", "operator_speeds.md", "file_speeds.md")


def too_long(text: str) -> Iterator[int]:
    """Numbers of the lines that could be shorter; tables, code, and words that cannot be broken are as long as they are."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        fence = line.lstrip().startswith("```")
        code ^= fence
        one_word = len(re.sub(r"!?\[[^\]]*\]\([^)]*\)|`[^`]*`", "x", line).split()) == 1
        if len(line) > COLUMNS and not (code or fence or one_word or line.lstrip().startswith("|")):
            yield number


def test_lines_of_the_documentation_fit() -> None:
    pages = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *REPOSITORY.glob("*/README.md")]
    pages += [*(REPOSITORY / "docs").rglob("*.md"), *(REPOSITORY / "gallery").rglob("*.md")]
    found = [
        f"{page.relative_to(REPOSITORY)}:{number} is longer than {COLUMNS} columns"
        for page in pages
        if page.name not in GENERATED
        for number in too_long(page.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_long_lines_are_found() -> None:
    long = "word " * 25
    text = f"short\n{long}\n| {long} |\n```\n{long}\n```\n[{long}](https://example.org)\n`{long}`\n- {long}\n"
    assert list(too_long(text)) == [2, 9]
