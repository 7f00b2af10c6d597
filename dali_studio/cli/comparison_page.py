"""The page of a comparison: a table, and pictures of what is not equal."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from numpy.typing import NDArray
from PIL import Image

_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: 0.25rem 0.75rem; border-bottom: 1px solid #8884 }
td:nth-child(4), td:nth-child(5) { text-align: right; font-variant-numeric: tabular-nums }
.differs { background: #d3302f33 } .within, .follows { background: #e0a00022 }
figure { margin: 1.5rem 0 } figure img { width: 32%; image-rendering: pixelated } figcaption { opacity: 0.8 }
"""
_HEADS = ("output", "operator", "verdict", "largest difference", "mean difference", "what")


class Picture(NamedTuple):
    """Three pictures (H, W) or (H, W, 3), uint8: ours, nvidia.dali's, their difference."""

    title: str
    arrays: tuple[NDArray[Any], ...]


def page(name: str, lines: Sequence[str], rows: Sequence[Sequence[str]], pictures: Sequence[Picture]) -> str:
    """The page as HTML, which needs no other file.

    Parameters
    ----------
    lines
        What is said above the table.
    rows
        Texts in the order of its columns; the third is the verdict.
    """
    title = f"{name}: dali_studio and nvidia.dali"
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>',
        f"<h1>{escape(title)}</h1>", *(f"<p>{escape(line)}</p>" for line in lines),
        "<table><tr>", *(f"<th>{head}</th>" for head in _HEADS), "</tr>",
        *(f'<tr class="{row[2].partition(" ")[0]}">' + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
          for row in rows),
        "</table>",
        *(f"<figure>{''.join(map(_image, one.arrays))}<figcaption>{escape(one.title)}: dali_studio, nvidia.dali, "
          "difference</figcaption></figure>" for one in pictures),
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _image(array: NDArray[Any]) -> str:
    stream = io.BytesIO()
    Image.fromarray(array).save(stream, "PNG")
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}">'
