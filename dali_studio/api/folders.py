"""Folders of images as what readers read: class folders, or images that lie side by side."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.wording import plural
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.kernels.cpu.file_discovery import DEFAULT_FILE_FILTERS
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry

#: Arguments by which a reader is told what to read.
PLACES = ("file_root", "files", "file_list")
#: Names of images, among the files that readers take.
_IMAGES = tuple(pattern for pattern in DEFAULT_FILE_FILTERS if pattern not in ("*.flac", "*.ogg", "*.wav"))


def folder_arguments(folder: Path) -> dict[str, Value]:
    """Arguments that make a reader read `folder`.

    Returns
    -------
    dict
        ``file_root`` if sub-folders hold images (they are the classes), else ``files`` with the images in it.

    Raises
    ------
    DaliStudioError
        DS302 if there is no such folder, or no image in it.
    """
    try:
        entries = sorted(folder.iterdir())
        if any(_is_image(file) for entry in entries if entry.is_dir() for file in entry.iterdir()):
            return {"file_root": str(folder)}
    except OSError as error:
        raise _unreadable(f"{folder} cannot be read as a folder: {error.strerror}.") from error
    files = tuple(str(entry) for entry in entries if _is_image(entry))
    if not files:
        raise _empty(folder, entries)
    return {"files": files}


def _empty(folder: Path, entries: Sequence[Path]) -> DaliStudioError:
    """The error for a folder without images: what is there, and where images are if they lie a folder deeper."""
    folders = [entry for entry in entries if entry.is_dir()]
    for entry in folders:
        with suppress(OSError):
            if any(_is_image(file) for inner in entry.iterdir() if inner.is_dir() for file in inner.iterdir()):
                return _unreadable(f"{folder} holds no images, but the sub-folders of {entry} do.", f"Give {entry}.")
    others = len(entries) - len(folders)
    there = f"{plural(others, 'other file')} and {plural(len(folders), 'folder')}" if entries else "it is empty"
    return _unreadable(f"{folder} holds no images, nor do its sub-folders: {there}.")


def folder_readers(graph: Graph, registry: Registry) -> list[Node]:
    """The nodes of `graph` that can read a folder of images."""
    return [
        node
        for node in graph.nodes()
        if node.operator in registry
        and registry.schema(node.operator).role == "reader"
        and all(registry.schema(node.operator).argument(place) for place in PLACES)
    ]


def idle_readers(graph: Graph, registry: Registry) -> list[Node]:
    """Those of `folder_readers` that nobody has told what to read."""
    return [
        node
        for node in folder_readers(graph, registry)
        if all(node.arguments.get(place) is None for place in PLACES)
    ]


def point_at(graph: Graph, nodes: Sequence[Node], folder: Path) -> Graph:
    """A copy of `graph` in which the readers `nodes` read `folder`."""
    what, changed = folder_arguments(folder), graph.copy()
    for node in nodes:
        kept = {name: value for name, value in node.arguments.items() if name not in (*PLACES, "labels")}
        changed.replace_node(replace(node, arguments={**kept, **what}))
    return changed


def _is_image(path: Path) -> bool:
    return path.is_file() and any(fnmatch.fnmatch(path.name.lower(), pattern) for pattern in _IMAGES)


def _unreadable(message: str, hint: str = "") -> DaliStudioError:
    kinds = ", ".join(pattern.lstrip("*") for pattern in _IMAGES)
    hint = hint or f"Give a folder of images ({kinds}), or of sub-folders with images, one per class."
    return DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint))
