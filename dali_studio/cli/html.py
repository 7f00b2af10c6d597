"""Pages that need no other file."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: 0.25rem 0.75rem; border-bottom: 1px solid #8884 }
"""


def page(title: str, style: str, parts: Iterable[str]) -> str:
    """A page: its title, what stands below it, and rules for that."""
    head = '<!doctype html><html lang="en"><meta charset="utf-8">'
    head += f"<title>{escape(title)}</title><style>{_STYLE}{style.lstrip()}</style>"
    text = "\n".join([head, f"<h1>{escape(title)}</h1>", *parts]) + "\n"
    return text.encode(errors="backslashreplace").decode()  # names of files may have bytes that are no text


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], classes: Iterable[str] = ()) -> str:
    """A table of texts; `classes` are those of its rows."""
    names = iter(classes)
    lines = [_row("th", heads), *(_row("td", row, next(names, "")) for row in rows)]
    return "\n".join(["<table>", *lines, "</table>"])


def _row(tag: str, cells: Iterable[str], name: str = "") -> str:
    begin = f'<tr class="{escape(name)}">' if name else "<tr>"
    return begin + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def image(data: bytes, kind: str) -> str:
    """A picture, of which these are the bytes."""
    return f'<img alt="" src="data:image/{kind};base64,{base64.b64encode(data).decode()}">'
