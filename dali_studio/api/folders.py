"""Folders of images, videos or sounds as what readers read: class folders, or files that lie side by side."""

from __future__ import annotations

import fnmatch
import glob
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from dali_studio import samples
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.wording import plural
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.kernels.cpu.file_discovery import DEFAULT_FILE_FILTERS
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry


@dataclass(frozen=True)
class Kind:
    """A kind of files that readers take.

    Attributes
    ----------
    word : str
        For several of them.
    output : str
        Kind of the first output of their readers.
    files : str
        Their readers' argument for single files; others are `_ROOTS`.
    patterns : tuple of str
        Their names, in lower case.
    samples : callable
        Gives the folder of those that are there to try things with.
    """

    word: str
    output: str
    files: str
    patterns: tuple[str, ...]
    samples: Callable[[], Path]

    def is_one(self, path: Path) -> bool:
        """Whether a file is one of them, by its name."""
        return any(fnmatch.fnmatch(path.name.lower(), pattern) for pattern in self.patterns)

    @property
    def places(self) -> tuple[str, ...]:
        """Arguments by which a reader is told what to read."""
        return (*_ROOTS, self.files)


_ROOTS = ("file_root", "file_list")
#: Files that a program names one by one, and what readers take from folders.
_FEW, _READ = 8, DEFAULT_FILE_FILTERS
_SOUNDS = ("*.flac", "*.ogg", "*.wav")
_NO_SOUNDS = tuple(pattern for pattern in DEFAULT_FILE_FILTERS if pattern not in _SOUNDS)
_ENDINGS = ("*.mp4", "*.webm", "*.mkv", "*.avi", "*.mov", "*.m4v", "*.mpg", "*.mpeg")
IMAGES = Kind("images", "encoded", "files", _NO_SOUNDS, samples.photos)
VIDEOS = Kind("videos", "video", "filenames", _ENDINGS, samples.videos)
SOUNDS = Kind("sounds", "encoded", "files", _SOUNDS, samples.sounds)
KINDS = (IMAGES, VIDEOS, SOUNDS)


def folder_arguments(folder: Path, kind: Kind = IMAGES) -> dict[str, Value]:
    """Arguments that make a reader read `folder`.

    Returns
    -------
    dict
        ``file_root`` if sub-folders hold such files (they are the classes), else the files in it; videos have the
        label 0 then, without which their readers would lack an output.

    Raises
    ------
    DaliStudioError
        DS302 if there is no such folder, or no such file in it.
    """
    try:
        entries = sorted(folder.iterdir())
        if any(_is_one(file, kind) for entry in entries if entry.is_dir() for file in entry.iterdir()):
            return {"file_root": str(folder)}
    except OSError as error:
        raise _unreadable(f"{folder} cannot be read as a folder: {error.strerror}.", kind) from error
    files = tuple(str(entry) for entry in entries if _is_one(entry, kind))
    if not files:
        raise _empty(folder, entries, kind)
    return {kind.files: files, **({"labels": (0,) * len(files)} if kind is VIDEOS else {})}


def reader_arguments(folder: Path, kind: Kind = IMAGES) -> dict[str, Value]:
    """`folder_arguments` for programs that people read: files side by side are one class of the folder above.

    They are named one by one where these are no more than a batch, or where the folder above has links that lead
    nowhere, which readers refuse.
    """
    told, above = folder_arguments(folder, kind), folder.absolute().parent
    files = told.get("files")
    if not isinstance(files, tuple) or len(files) <= _FEW or kind.files != "files":
        return told
    try:
        taken = [one for one in folder.iterdir() if any(fnmatch.fnmatch(one.name.lower(), p) for p in _READ)]
        whole = len(taken) == len(files) and all(entry.exists() for entry in above.iterdir())
    except OSError:
        return told
    return {"file_root": str(above), "dir_filters": (glob.escape(folder.absolute().name),)} if whole else told


def _empty(folder: Path, entries: Sequence[Path], kind: Kind) -> DaliStudioError:
    """The error for a folder without such files: what is there, and where they are if they lie a folder deeper."""
    folders, nothing = [entry for entry in entries if entry.is_dir()], f"{folder} holds no {kind.word}"
    for entry in folders:
        with suppress(OSError):
            if any(_is_one(file, kind) for inner in entry.iterdir() if inner.is_dir() for file in inner.iterdir()):
                return _unreadable(f"{nothing}, but the sub-folders of {entry} do.", kind, f"Give {entry}.")
    others = len(entries) - len(folders)
    there = f"{plural(others, 'other file')} and {plural(len(folders), 'folder')}" if entries else "it is empty"
    return _unreadable(f"{nothing}, nor do its sub-folders: {there}.", kind)


def folder_readers(graph: Graph, registry: Registry, kind: Kind = IMAGES) -> list[Node]:
    """The nodes of `graph` that can read a folder of such files; what no decoder of sounds takes are images."""
    return [
        node
        for node in graph.nodes()
        if node.operator in registry
        and (schema := registry.schema(node.operator)).role == "reader"
        and schema.outputs[0].kind == kind.output
        and all(schema.argument(place) for place in kind.places)
        and (schema.outputs[0].kind != "encoded" or _are_heard(graph, registry, node.key) == (kind is SOUNDS))
    ]


def _are_heard(graph: Graph, registry: Registry, key: str) -> bool:
    """Whether what a reader gives goes to a decoder of sounds."""
    takers = {graph.node(target).operator for target, _ in graph.fed_by(key)}
    return any(port.kind == "audio" for name in takers if name in registry for port in registry.schema(name).outputs)


def idle_readers(graph: Graph, registry: Registry, kind: Kind = IMAGES) -> list[Node]:
    """Those of `folder_readers` that nobody has told what to read."""
    return [
        node
        for node in folder_readers(graph, registry, kind)
        if all(node.arguments.get(place) is None for place in kind.places)
    ]


def point_at(graph: Graph, nodes: Sequence[Node], folder: Path, kind: Kind = IMAGES) -> Graph:
    """A copy of `graph` in which the readers `nodes` read `folder`."""
    what, changed = folder_arguments(folder, kind), graph.copy()
    for node in nodes:
        kept = {name: value for name, value in node.arguments.items() if name not in (*kind.places, "labels")}
        changed.replace_node(replace(node, arguments={**kept, **what}))
    return changed


def _is_one(path: Path, kind: Kind) -> bool:
    return kind.is_one(path) and path.is_file()


def _unreadable(message: str, kind: Kind, hint: str = "") -> DaliStudioError:
    endings = ", ".join(pattern.lstrip("*") for pattern in kind.patterns)
    hint = hint or f"Give a folder of {kind.word} ({endings}), or of sub-folders with {kind.word}, one per class."
    return DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint))
