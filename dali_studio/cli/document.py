"""Documents on the command line: opening them, and giving their readers a folder to read."""

from __future__ import annotations

from pathlib import Path

from dali_studio.api.default import default_registry
from dali_studio.api.folders import folder_readers, idle_readers, point_at
from dali_studio.cli.text import report, waiting
from dali_studio.graph.document import load
from dali_studio.graph.model import Graph


def open_document(path: str, images: str | None = None, *, samples: bool = False) -> Graph:
    """The graph of a document.

    Parameters
    ----------
    path
        A ``.dali.json`` file.
    images
        Folder that every reader is to read instead of its own.
    samples
        Let readers that have nothing to read take the sample photos.

    Raises
    ------
    DaliStudioError
        If the document or the folder cannot be read.
    """
    registry = default_registry()
    with waiting(f"Opening {path}"):
        graph, _view, found = load(path, registry)
    report(found)
    if images is not None:
        return point_at(graph, folder_readers(graph, registry), Path(images))
    idle = idle_readers(graph, registry)
    if samples and idle:
        from dali_studio.samples import photos  # noqa: PLC0415 - most documents say themselves what to read

        return point_at(graph, idle, photos())
    return graph
