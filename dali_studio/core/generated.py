"""Files that are generated from the code: a program writes them, or with ``--check`` only compares them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

#: What writes all of them.
VERB = "make generated"


def stale(files: Mapping[Path, str | None]) -> list[Path]:
    """The files whose text is another one; ``None`` stands for a file that should not be there."""
    texts = {path: path.read_text(encoding="utf-8") if path.is_file() else None for path in files}
    return sorted(path for path, text in files.items() if texts[path] != text)


def write_or_check(
    description: str, files: Callable[[], Mapping[Path, str | None]], arguments: Sequence[str] | None = None
) -> int:
    """The command line of a program that generates files.

    Returns
    -------
    int
        0, or 1 if ``--check`` found a stale one.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file is stale")
    check, texts = parser.parse_args(arguments).check, files()
    found = stale(texts)
    if check and found:
        sys.stderr.write(f"{', '.join(path.name for path in found)}: not what the code says. Run: {VERB}\n")
        return 1
    for path in found:
        text = texts[path]
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 0
