"""A graph as a file to show: a picture with its photos, or a diagram in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dali_studio.codegen.diagrams import DIAGRAMS
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import document
from dali_studio.graph.files import replace_file
from dali_studio.graph.model import Graph
from dali_studio.graph.png_text import with_text
from dali_studio.schema.registry import Registry
from dali_studio.studio.drawing.icons import TILES
from dali_studio.studio.drawing.picture import FILE, Picture
from dali_studio.studio.drawing.raster import png
from dali_studio.studio.view import hues_of, marks_of

#: What names of files end with.
PICTURES = (".svg", ".png")
ENDINGS = (*PICTURES, *DIAGRAMS)
#: How long photos are waited for, in seconds; cards say in words what they would give without them.
_TIMEOUT = 60.0


def write(
    graph: Graph, view: Mapping[str, Any], registry: Registry, path: Path, picture: Callable[[], Picture]
) -> None:
    """Write a picture or a diagram, as the name of the file says; a PNG carries the document, and can be opened.

    Raises
    ------
    DaliStudioError
        DS302 for another ending, or if the file cannot be written; DS401 if a value has no JSON form.
    """
    if path.suffix not in ENDINGS:
        hint = f"Let its name end with {', '.join(ENDINGS)}; of a program, with .py."
        raise DaliStudioError(Diagnostic(code="DS302", message=f"{path.name} names no picture.", hint=hint))
    made: str | bytes
    if path.suffix in DIAGRAMS:
        colours = {key: TILES[hue][0] for key, hue in hues_of(marks_of(view).values()).items() if hue in TILES}
        made = DIAGRAMS[path.suffix](graph, colours)
    elif path.suffix == ".png":
        made = with_text(png(picture().svg), document.dumps(graph, view, registry))
    else:
        made = picture().svg
    try:
        replace_file(path, made)
    except OSError as error:
        message = f"{path} could not be written: {error.strerror or error}."
        hint = "Choose a folder that exists and may be written."
        raise DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint, source=str(path))) from error


def write_alone(graph: Graph, view: Mapping[str, Any], registry: Registry, path: Path) -> None:
    """The same without a designer, which is opened for the photos."""
    from dali_studio.studio.session import Session  # noqa: PLC0415 - it saves pictures itself

    def picture() -> Picture:
        session = Session(graph, registry, lambda message, buffers: None, view=view, images=_nowhere)
        try:
            return session.answers.picture(_TIMEOUT, FILE)
        finally:
            session.close()

    write(graph, view, registry, path, picture)


def _nowhere() -> Path:
    raise DaliStudioError(Diagnostic(code="DS302", message="There are no sample photos here.", hint=""))
