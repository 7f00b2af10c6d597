"""The page of a comparison: a table, and pictures of what is not equal."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from numpy.typing import NDArray
from PIL import Image

from dali_studio.cli import html

_STYLE = """
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
    parts = [
        *(f"<p>{escape(line)}</p>" for line in lines),
        html.table(_HEADS, rows, [row[2].partition(" ")[0] for row in rows]),
        *(f"<figure>{''.join(map(_image, one.arrays))}<figcaption>{escape(one.title)}: dali_studio, nvidia.dali, "
          "difference</figcaption></figure>" for one in pictures),
    ]  # fmt: skip
    return html.page(f"{name}: dali_studio and nvidia.dali", _STYLE, parts)


def _image(array: NDArray[Any]) -> str:
    stream = io.BytesIO()
    Image.fromarray(array).save(stream, "PNG")
    return html.image(stream.getvalue(), "png")
