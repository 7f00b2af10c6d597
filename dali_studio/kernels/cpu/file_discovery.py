"""Which files ``readers.file`` reads and under which labels: from folders, a list file or explicit paths.

Names are compared byte by byte ("10.jpg" before "2.jpg", upper case before lower case), as nvidia.dali does, so the
order does not depend on the language settings of the machine.
"""

from __future__ import annotations

import os
import re
import stat
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.progress import Stage
from dali_studio.core.wording import plural
from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.globs import matcher
from dali_studio.kernels.cpu.listings import listed

DEFAULT_FILE_FILTERS = (
    "*.jpg",
    "*.jpeg",
    "*.png",
    "*.bmp",
    "*.tif",
    "*.tiff",
    "*.pnm",
    "*.ppm",
    "*.pgm",
    "*.pbm",
    "*.jp2",
    "*.webp",
    "*.flac",
    "*.ogg",
    "*.wav",
)
"""Names that are taken when no ``file_filters`` are given."""
_SOUNDS = ("*.flac", "*.ogg", "*.wav")

_MIN_LABEL, _MAX_LABEL = -(2**31), 2**31 - 1


class Paths(Sequence[str]):
    """Paths in one piece of memory, each with a zero byte behind it, as the system's calls want them.

    Parameters
    ----------
    text : bytes or bytearray
        All paths, in the encoding of the file system.
    starts : ndarray of int64
        (N,) where each path begins in it.
    remote : bool
        Whether there may be URLs among them.
    """

    __slots__ = ("remote", "starts", "text")

    def __init__(self, text: bytes | bytearray, starts: NDArray[np.int64], *, remote: bool = False) -> None:
        self.text, self.starts, self.remote = text, starts, remote

    @classmethod
    def of(cls, paths: Iterable[str]) -> Paths:
        """The same paths.

        Raises
        ------
        ValueError
            If one has a zero byte in it.
        """
        made = _Builder()
        made.add(b"", (os.fsencode(urls.local(path)) for path in paths))
        return made.paths()

    def take(self, indices: Sequence[int]) -> Paths:
        """Some of the paths, in the same memory."""
        return Paths(self.text, self.starts[indices], remote=self.remote)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice[Any, Any, Any]) -> Paths: ...
    def __getitem__(self, index: int | slice[Any, Any, Any]) -> str | Paths:
        if isinstance(index, slice):
            return Paths(self.text, self.starts[index], remote=self.remote)
        start = int(self.starts[index])
        return os.fsdecode(bytes(self.text[start : self.text.index(0, start)]))


#: Names that are taken in at once.
_CHUNK = 4096


class _Builder:
    """Collects paths without an object for each of them."""

    def __init__(self, stage: Stage | None = None) -> None:
        self._stage = stage or Stage("")
        self._text = bytearray()
        self._remote = False
        self._starts: list[NDArray[np.int64]] = []

    def add(self, folder: bytes, names: Iterable[bytes]) -> int:
        """Add ``folder + name`` for each name; returns how many there are."""
        left, count = iter(names), 0
        while chunk := list(islice(left, _CHUNK)):
            ends = np.cumsum(np.fromiter(map(len, chunk), np.int64, len(chunk)) + (len(folder) + 1))
            self._starts.append(len(self._text) + np.concatenate([[0], ends[:-1]]))
            added = folder + (b"\0" + folder).join(chunk) + b"\0"
            if added.count(0) != len(chunk):
                wrong = os.fsdecode(next(folder + name for name in chunk if 0 in name))
                raise ValueError(f"the path {wrong!r} has a zero byte in it; no file is called that")
            self._text += added
            self._remote = self._remote or b"://" in added
            count += len(chunk)
            self._stage.step(len(chunk))
        return count

    def paths(self) -> Paths:
        """What was added so far."""
        return Paths(self._text, np.concatenate([np.empty(0, np.int64), *self._starts]), remote=self._remote)


class FileList(NamedTuple):
    """Files of a data set, in the order before any shuffling."""

    paths: Paths
    """Paths that can be opened."""
    labels: NDArray[np.int32]
    """One label per file."""
    classes: list[str]
    """Names of the folders behind the labels 0, 1, ...; empty unless the labels come from folders."""


def not_a_file(mode: int) -> str:
    """What cannot be read as a file is, by its mode; empty for files, and for folders, which say so themselves."""
    kinds = (
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((name for is_kind, name in kinds if is_kind(mode)), "")


def discover_files(
    file_root: str | os.PathLike[str] | None = None,
    *,
    file_filters: str | Sequence[str] | None = None,
    case_sensitive_filter: bool = False,
    dir_filters: str | Sequence[str] | None = None,
    files: str | Sequence[str] | None = None,
    labels: int | Sequence[int] | None = None,
    file_list: str | os.PathLike[str] | None = None,
) -> FileList:
    """List the files of a data set as ``readers.file`` does.

    Parameters
    ----------
    file_root : path, optional
        Folder whose sub-folders are the classes (label = place of the sub-folder among the sorted ones, also when
        it is empty); or the folder that ``files`` and ``file_list`` are relative to.
    file_filters : str or sequence of str, optional
        Glob patterns of the file names to take; default `DEFAULT_FILE_FILTERS`. Only used with folders.
    case_sensitive_filter : bool
        Whether the patterns tell upper from lower case.
    dir_filters : str or sequence of str, optional
        Glob patterns of the sub-folders to take; default all. Labels count only the folders taken.
    files : str or sequence of str, optional
        Explicit paths.
    labels : int or sequence of int, optional
        Labels of ``files``; default 0, 1, 2, ...
    file_list : path, optional
        Text file with one ``name label`` per line. Names may hold spaces and are relative to ``file_root`` if given,
        else to the folder of the list; labels are digits only.

    Returns
    -------
    FileList
        Paths and labels.

    Raises
    ------
    ValueError
        When the arguments contradict each other, a folder or list is missing or unreadable, a line cannot be parsed,
        or no file remains. The message names the place and says what was expected there.
    """
    root = None if file_root is None else urls.local(os.fspath(file_root))
    if files is not None and file_list is not None:
        raise ValueError("files and file_list were both given; give one of them")
    if labels is not None and files is None:
        raise ValueError("labels were given without files; labels belong to explicit file paths (files=[...])")
    if files is not None:
        return _from_paths([files] if isinstance(files, str) else list(files), labels, root)
    if file_list is not None:
        return _from_list(urls.local(os.fspath(file_list)), root)
    if root is None:
        raise ValueError("nothing to read: give file_root (a folder of class folders), files or file_list")
    filters = DEFAULT_FILE_FILTERS if file_filters is None else _as_tuple(file_filters)
    if not filters:
        raise ValueError(
            "file_filters is empty, so no file could match; leave it out for the usual image and audio files"
        )
    return _listed(root, filters, _as_tuple(dir_filters or ()), case_sensitive_filter)


def _as_tuple(patterns: str | Sequence[str]) -> tuple[str, ...]:
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)


def _joiner(root: str | None) -> Callable[[bytes], bytes]:
    """Gives `urls.joined` of a folder and a name; without a `Path` for each where that changes nothing."""
    if not root:
        return lambda name: name.removeprefix(b"file://")
    if urls.is_url(root):
        return lambda name: os.fsencode(urls.joined(root, os.fsdecode(name)))
    folder = os.fsencode(str(Path(root) / "_"))[:-1]

    def joined(name: bytes) -> bytes:
        if os.sep != "/" or b"//" in name or b"./" in name or name[-1:] in (b"/", b"."):
            return os.fsencode(urls.joined(root, os.fsdecode(name)))
        return name if name[:1] == b"/" else folder + name

    return joined


def _from_paths(paths: list[str], labels: int | Sequence[int] | None, root: str | None) -> FileList:
    if not paths:
        raise ValueError("files is an empty list; give at least one path")
    numbers = range(len(paths)) if labels is None else [labels] if isinstance(labels, int) else labels
    if len(numbers) != len(paths):
        raise ValueError(f"there are {len(numbers)} labels for {len(paths)} files; give one label per file")
    wrong = next((n for n in numbers if not _MIN_LABEL <= n <= _MAX_LABEL), None)
    if wrong is not None:
        raise ValueError(f"the label {wrong} does not fit into 32 bits; expected {_MIN_LABEL} to {_MAX_LABEL}")
    made = _Builder()
    made.add(b"", map(_joiner(root), map(os.fsencode, paths)))
    return FileList(made.paths(), np.array(numbers, np.int32), [])


# ----------------------------------------------------------------------------------------------------------- a list

_LIST_LINE = re.compile(rb"(?P<name>.*\S)\s+(?P<label>[0-9]+)\s*", re.DOTALL)


def _from_list(path: str, root: str | None) -> FileList:
    def make(stage: Stage) -> FileList:
        with urls.open_file(path) as stream:
            return _from_lines(stream, path, urls.parent(path) if root is None else root, stage)

    if not path:
        raise ValueError("file_list is empty; expected the path of a text file with one 'name label' per line")
    try:
        # to open a pipe waits for who writes into it
        kind = "" if urls.is_url(path) else not_a_file(Path(path).stat().st_mode)
        if kind:
            raise ValueError(f"the file_list {path!r} is {kind}. Expected a text file with one 'name label' a line")
        key = "file_list", str(Path(path).absolute()), path, root
        return listed(key, make, None if urls.is_url(path) else lambda _: [path], "reading the list of files")
    except OSError as problem:
        raise ValueError(
            f"cannot read the file_list {path!r}: {problem.strerror}. Expected a text file with one 'name label' a line"
        ) from problem


def _from_lines(lines: Iterable[bytes], path: str, base: str, stage: Stage) -> FileList:
    joined, made, labels = _joiner(base), _Builder(stage), array("i")
    made.add(b"", map(joined, _parsed(lines, path, labels)))
    if not labels:
        raise ValueError(f"the file_list {path!r} names no file; expected one 'name label' per line")
    return FileList(made.paths(), np.array(labels, np.int32), [])


def _parsed(lines: Iterable[bytes], path: str, labels: array[int]) -> Iterator[bytes]:
    """The names on the lines; their labels are appended."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        match = _LIST_LINE.fullmatch(line)
        label = -1 if match is None else int(match["label"])
        if match is None or label > _MAX_LABEL:
            raise ValueError(
                f"{path}, line {number}: {os.fsdecode(line).strip()!r} is not 'name label'; expected a file name, a "
                f"space and a label made of digits, at most {_MAX_LABEL}"
            )
        labels.append(label)
        yield match["name"]


# --------------------------------------------------------------------------------------------------------- folders

def _listed(root: str, filters: tuple[str, ...], dir_filters: tuple[str, ...], case: bool) -> FileList:
    def make(stage: Stage) -> FileList:
        return _from_folders(root, filters, dir_filters, case, stage)

    def folders(found: FileList) -> list[str]:
        return [root, *(str(Path(root) / name) for name in found.classes)]

    key = (str(Path(root).absolute()), root, filters, dir_filters, case)
    return listed(key, make, None if urls.is_url(root) else folders)


def _from_folders(
    root: str, filters: tuple[str, ...], dir_filters: tuple[str, ...], case: bool, stage: Stage
) -> FileList:
    take_file, take_dir = matcher(filters, case), matcher(dir_filters, case)
    folders = _remote_folders(root) if urls.is_url(root) else None
    classes = [name for name in folders or _sub_folders(root) if name and (not dir_filters or take_dir(name))]
    made = _Builder(stage)
    names = [os.fsdecode(name) for name in classes]
    if folders is not None and urls.is_bucket(root):
        taken = [(folder, name) for folder, name in _by_keys(folders)
                 if take_file(name) and (not dir_filters or take_dir(folder or name))]  # fmt: skip
        groups = [(first, list(group)) for first, group in groupby(taken, lambda one: one[0] or one[1])]
        counts = [made.add(_prefix(root, group[0][0]), (name for _, name in group)) for _, group in groups]
        names = [os.fsdecode(first) for first, _ in groups] or names
    elif folders is not None:
        counts = [made.add(_prefix(root, name), filter(take_file, folders[name])) for name in classes]
    else:
        places = [os.fsencode(urls.joined(root, name) + os.sep) for name in names]
        counts = [made.add(place, filter(take_file, _plain_files(place))) for place in places]
    if not any(counts):
        loose = sum(map(take_file, folders[b""] if folders else _plain_files(root)))
        raise ValueError(_nothing_found(root, names, filters, dir_filters, loose=loose))
    return FileList(made.paths(), np.repeat(np.arange(len(names), dtype=np.int32), counts), names)


def _by_keys(folders: dict[bytes, list[bytes]]) -> list[tuple[bytes, bytes]]:
    """Objects of a bucket as nvidia.dali goes through them: in the order of their keys, in which "a b/" is before "a/".

    Each first part of a key that has objects to take is a class: that of an object directly in the root, too.
    """
    objects = ((folder, name) for folder, names in folders.items() for name in names)
    return sorted(objects, key=lambda one: b"/".join(filter(None, one)))


def _prefix(root: str, folder: bytes) -> bytes:
    """What the URLs of a folder's files begin with."""
    return os.fsencode(urls.joined(root, os.fsdecode(folder)).rstrip("/") + "/")


def has_known_ending(name: str) -> bool:
    """Whether a file is called as pictures and sounds are."""
    return matcher(DEFAULT_FILE_FILTERS, case_sensitive=False)(os.fsencode(name))


def list_images(root: str) -> list[list[str]]:
    """Paths of the images in each sub-folder of a folder.

    Raises
    ------
    ValueError
        When a folder cannot be opened.
    """
    taken = matcher([name for name in DEFAULT_FILE_FILTERS if name not in _SOUNDS], case_sensitive=False)
    folders = [str(Path(root) / os.fsdecode(name)) for name in _sub_folders(root)]
    found = [_joined(folder, filter(taken, _plain_files(folder))) for folder in folders]
    return [images for images in found if images]


def _joined(folder: str, names: Iterable[bytes]) -> list[str]:
    return [str(Path(folder) / os.fsdecode(name)) for name in names]


def list_files(root: str, pattern: str) -> Paths:
    """Paths of the files of a folder whose names match a glob, then of those of its sub-folders.

    Raises
    ------
    ValueError
        When a folder cannot be opened.
    """
    taken = matcher((pattern,), case_sensitive=True)

    def make(stage: Stage) -> tuple[Paths, list[str]]:
        made = _Builder(stage)
        if urls.is_url(root):
            found = _remote_folders(root)
            groups = [(folder, [name]) for folder, name in _by_keys(found)] if urls.is_bucket(root) else found.items()
            for folder, names in groups:
                made.add(_prefix(root, folder), filter(taken, names))
            return made.paths(), []
        folders = [root, *(str(Path(root) / os.fsdecode(name)) for name in _sub_folders(root))]
        for folder in folders:
            made.add(os.fsencode(str(Path(folder) / "_"))[:-1], filter(taken, _plain_files(folder)))
        return made.paths(), folders

    key = (str(Path(root).absolute()), root, pattern)
    return listed(key, make, None if urls.is_url(root) else lambda found: found[1])[0]


def _names(folder: str | bytes, wanted: Callable[[os.DirEntry[bytes]], bool]) -> list[bytes]:
    """Names of the entries of a folder, in the order of their bytes."""
    try:
        with os.scandir(os.fsencode(folder)) as entries:
            return sorted(entry.name for entry in entries if wanted(entry))
    except OSError as problem:
        raise ValueError(
            f"cannot open the folder {os.fsdecode(problem.filename or folder)!r}: {problem.strerror}"
        ) from problem


def _sub_folders(root: str) -> list[bytes]:
    def wanted(entry: os.DirEntry[bytes]) -> bool:
        if entry.is_symlink() and not Path(os.fsdecode(entry.path)).exists():
            raise ValueError(f"{os.fsdecode(entry.path)!r} is a link that leads nowhere; remove it or mend it")
        return entry.is_dir()

    return _names(root, wanted)


def _remote_folders(root: str) -> dict[bytes, list[bytes]]:
    """The files in the folder of a URL, under an empty name, and in each of its sub-folders."""
    try:
        found = urls.files_below(root, 2)
    except OSError as problem:
        raise ValueError(f"cannot open the folder {root!r}: {problem.strerror}") from problem
    made = {os.fsencode(folder): list(map(os.fsencode, names)) for folder, names in found.items()}
    return dict(sorted({b"": [], **made}.items()))


def _plain_files(folder: str | bytes) -> list[bytes]:
    """Files, and links, which are followed when they are read: thousands of them need not be looked up here."""
    return _names(folder, lambda entry: entry.is_file(follow_symlinks=False) or entry.is_symlink())


def _nothing_found(
    root: str, classes: list[str], filters: tuple[str, ...], dir_filters: tuple[str, ...], *, loose: int
) -> str:  # fmt: skip
    if not classes:
        wanted = f" that match {', '.join(dir_filters)}" if dir_filters else ""
        beside = f"; the {plural(loose, 'file')} directly in it have no class and are not read" if loose else ""
        return f"the folder {root!r} has no sub-folders{wanted}{beside}. Expected one sub-folder per class"
    some = ", ".join(classes[:5]) + (", ..." if len(classes) > 5 else "")
    return f"no file in the {len(classes)} sub-folders of {root!r} ({some}) matches {', '.join(filters)}"
