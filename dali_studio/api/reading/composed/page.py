"""``docs/transforms.md``: what becomes of each transform of torchvision and albumentations."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from dali_studio.api.reading.composed.absent import ABSENT
from dali_studio.api.reading.composed.whole import LIBRARIES, offered_lines
from dali_studio.core.generated import write_or_check

TARGET = Path(__file__).resolve().parents[4] / "docs" / "transforms.md"
_HEAD = """# Transforms of torchvision and albumentations

Written by `make generated` from the rules of `read_compose`; names are those of torchvision 0.29
(`transforms` and `transforms.v2`) and albumentations 2.0.8, and some that albumentations 1 alone
has; those of arguments may be of 1, too. [Compositions](reading_programs.md#compositions)
says how they are read.

- *rule*: written as the operators that are named, in the designer's search, too, where it draws
  numbers (but for those of `auto_aug`). What these do otherwise is told where it is read (DS503).
- *fixed*: nothing is drawn; the search finds its operator.
- *no operator*: kept as a node that cannot run (the designer leaves it out and says so); the
  nearest is named.
"""
#: Held transforms are written where these say so.
_HOLDERS = {
    "torchvision": {"Compose": "fixed", "RandomApply": "rule", "RandomChoice": "rule", "RandomOrder": "fixed"},
    "albumentations": {"Compose": "fixed", "ReplayCompose": "fixed", "Sequential": "fixed", "OneOf": "rule",
                       "SomeOf": "rule", "RandomOrder": "rule"},
}


def generate() -> str:
    """The text of the page."""
    tables = (f"\n## {name}\n\n| transform | | |\n|---|---|---|\n{''.join(_rows(name))}" for name in LIBRARIES)
    return _HEAD + "".join(tables)


def _rows(library: str) -> Iterator[str]:
    rows = {name: (kind, "what it holds, in `if`" if kind == "rule" else "what it holds")
            for name, kind in _HOLDERS[library].items()}  # fmt: skip
    for name, lines in offered_lines(library).items():
        text = "\n".join(lines)
        operators = dict.fromkeys(f"`{one}`" for one in re.findall(r"images = ((?:fn|\w*augment)\.[\w.]+)", text))
        done = ", ".join(operators) or ("arithmetic" if text else "nothing to do for images")
        rows[name] = ("rule" if re.search(r"random|noise\.|augment\.", text) else "fixed", done)
    for name, nearest in ABSENT[library].items():
        rows[name] = ("no operator", f"nearest: {nearest}" if nearest else "")
    for name, (kind, done) in sorted(rows.items()):
        yield f"| `{name}` | {kind} | {done} |\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the page."""
    return write_or_check("Write docs/transforms.md.", lambda: {TARGET: generate()}, arguments)


if __name__ == "__main__":
    sys.exit(main())
