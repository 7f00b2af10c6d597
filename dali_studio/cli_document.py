"""Documents on the command line: opening them, and giving their readers a folder to read."""

from __future__ import annotations

import fnmatch
from dataclasses import replace
from pathlib import Path

from dali_studio.api.default import default_registry
from dali_studio.cli_text import report
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.document import load
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.kernels.cpu.file_discovery import DEFAULT_FILE_FILTERS
from dali_studio.schema.model import Value

#: Arguments by which a reader is told what to read.
_PLACES = ("file_root", "files", "file_list")


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
    graph, _view, found = load(path, default_registry())
    report(found)
    if images is not None:
        _read_from(graph, Path(images))
    elif samples and any(not _given(node) for node in _readers(graph)):
        from dali_studio.samples import photos  # noqa: PLC0415 - most documents say themselves what to read

        _read_from(graph, photos(), only_idle=True)
    return graph


def _readers(graph: Graph) -> list[Node]:
    registry = default_registry()
    return [
        node
        for node in graph.nodes()
        if node.operator in registry
        and registry.schema(node.operator).role == "reader"
        and all(registry.schema(node.operator).argument(place) for place in _PLACES)
    ]


def _given(node: Node) -> bool:
    return any(node.arguments.get(place) is not None for place in _PLACES)


def _read_from(graph: Graph, folder: Path, *, only_idle: bool = False) -> None:
    what = _content(folder)
    for node in _readers(graph):
        if only_idle and _given(node):
            continue
        kept = {name: value for name, value in node.arguments.items() if name not in (*_PLACES, "labels")}
        graph.replace_node(replace(node, arguments={**kept, **what}))


def _content(folder: Path) -> dict[str, Value]:
    """Arguments that make a reader read `folder`: its class folders, or else the images that lie in it."""
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise _unreadable(folder, f"{folder} {what}.")
    entries = sorted(folder.iterdir())
    if any(_is_image(file) for entry in entries if entry.is_dir() for file in entry.iterdir()):
        return {"file_root": str(folder)}
    files = tuple(str(entry) for entry in entries if _is_image(entry))
    if not files:
        raise _unreadable(folder, f"{folder} holds no images, nor do its sub-folders.")
    return {"files": files}


def _is_image(path: Path) -> bool:
    return path.is_file() and any(fnmatch.fnmatch(path.name.lower(), pattern) for pattern in DEFAULT_FILE_FILTERS)


def _unreadable(folder: Path, message: str) -> DaliStudioError:
    hint = "Give --images a folder of images, or of sub-folders with images, one per class."
    return DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint, source=str(folder)))
