"""The page of a data set that was checked: what is in it, and pictures of what stands out."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageFile, ImageOps

from dali_studio.cli import html
from dali_studio.core.wording import plural

#: Pictures of a section at most, and the longer side of each.
_MAX_PICTURES, _SIDE = 200, 192
_FORMATS = ("JPEG", "PNG", "BMP", "TIFF", "WEBP", "PPM", "JPEG2000")
_STYLE = """
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: 1rem }
figure { margin: 0; padding: 0.5rem; border: 1px solid #8884; border-radius: 4px; overflow-wrap: anywhere }
figure img, figure div { display: block; height: 9rem; width: 100%; object-fit: contain; background: #8882 }
figure div { display: grid; place-items: center; opacity: 0.7 } figcaption { font-size: 13px; padding-top: 0.5rem }
"""


class Section(NamedTuple):
    """Files that stand out for one reason: a title, and of each file the path and what is said about it."""

    title: str
    files: Sequence[tuple[str, str]]


def page(
    title: str, lines: Sequence[str], kinds: Sequence[Sequence[str]], sections: Sequence[Section], folder: Path
) -> str:
    """The page as HTML, which needs no other file.

    Parameters
    ----------
    lines
        What is said above the table.
    kinds
        Rows of format, colours and number of files.
    folder
        Names of files in it begin behind it.
    """
    parts = [*(f"<p>{escape(line)}</p>" for line in lines), html.table(("format", "colours", "files"), kinds)]
    for section in sections:
        parts.append(f"<h2>{escape(section.title)}: {plural(len(section.files), 'file')}</h2>")
        if len(section.files) > _MAX_PICTURES:
            parts.append(f"<p>The first {_MAX_PICTURES} of them; the lists and --json have all.</p>")
        figures = (_figure(*file, folder) for file in section.files[:_MAX_PICTURES])
        parts += ['<div class="gallery">', *figures, "</div>"]
    return html.page(title, _STYLE, parts)


def _figure(path: str, said: str, folder: Path) -> str:
    name = escape(str(Path(path).relative_to(folder)) if Path(path).is_relative_to(folder) else path)
    return (
        f'<figure>{_thumbnail(path)}<figcaption><strong title="{escape(path)}">{name}</strong><br>{escape(said)}'
        "</figcaption></figure>"
    )


def _thumbnail(path: str) -> str:
    """A small picture, as far as a damaged file has one."""
    kept = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        with warnings.catch_warnings(), Image.open(path, formats=_FORMATS) as opened:
            warnings.simplefilter("ignore")
            opened.draft("RGB", (_SIDE, _SIDE))
            opened.thumbnail((_SIDE, _SIDE))
            small = ImageOps.exif_transpose(opened).convert("RGB")
    except Exception:  # noqa: BLE001 - damaged files raise whatever their decoder ran into
        return "<div>no picture</div>"
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = kept
    stream = io.BytesIO()
    small.save(stream, "JPEG", quality=80)
    return html.image(stream.getvalue(), "jpeg")
