"""Which files ``readers.file`` reads and under which labels: from folders, a list file or explicit paths.

Names are compared byte by byte ("10.jpg" before "2.jpg", upper case before lower case), as nvidia.dali does, so the
order does not depend on the language settings of the machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

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

_INT32 = range(-(2**31), 2**31)


class FileList(NamedTuple):
    """Files of a data set, in the order before any shuffling."""

    paths: list[str]
    """Paths that can be opened."""
    labels: list[int]
    """One 32-bit label per file."""
    classes: list[str]
    """Names of the folders behind the labels 0, 1, ...; empty unless the labels come from folders."""


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
    root = None if file_root is None else os.fspath(file_root)
    if files is not None and file_list is not None:
        raise ValueError("files and file_list were both given; give one of them")
    if labels is not None and files is None:
        raise ValueError("labels were given without files; labels belong to explicit file paths (files=[...])")
    if files is not None:
        return _from_paths([files] if isinstance(files, str) else list(files), labels, root)
    if file_list is not None:
        return _from_list(os.fspath(file_list), root)
    if root is None:
        raise ValueError("nothing to read: give file_root (a folder of class folders), files or file_list")
    filters = DEFAULT_FILE_FILTERS if file_filters is None else _as_tuple(file_filters)
    if not filters:
        raise ValueError(
            "file_filters is empty, so no file could match; leave it out for the usual image and audio files"
        )
    return _from_folders(root, filters, _as_tuple(dir_filters or ()), case_sensitive_filter)


def _as_tuple(patterns: str | Sequence[str]) -> tuple[str, ...]:
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)


def _joined(root: str | None, name: str) -> str:
    return str(Path(root) / name) if root else name


def _from_paths(paths: list[str], labels: int | Sequence[int] | None, root: str | None) -> FileList:
    if not paths:
        raise ValueError("files is an empty list; give at least one path")
    numbers = list(range(len(paths))) if labels is None else [labels] if isinstance(labels, int) else list(labels)
    if len(numbers) != len(paths):
        raise ValueError(f"there are {len(numbers)} labels for {len(paths)} files; give one label per file")
    wrong = next((n for n in numbers if n not in _INT32), None)
    if wrong is not None:
        raise ValueError(f"the label {wrong} does not fit into 32 bits; expected {_INT32[0]} to {_INT32[-1]}")
    return FileList([_joined(root, p) for p in paths], numbers, [])


# ----------------------------------------------------------------------------------------------------------- a list

_LIST_LINE = re.compile(r"(?P<name>.*\S)\s+(?P<label>[0-9]+)\s*", re.ASCII | re.DOTALL)


def _from_list(path: str, root: str | None) -> FileList:
    if not path:
        raise ValueError("file_list is empty; expected the path of a text file with one 'name label' per line")
    try:
        with Path(path).open(encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
            lines = stream.read().split("\n")
    except OSError as problem:
        raise ValueError(
            f"cannot read the file_list {path!r}: {problem.strerror}. Expected a text file with one 'name label' a line"
        ) from problem
    base = str(Path(path).parent) if root is None else root
    paths: list[str] = []
    labels: list[int] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        match = _LIST_LINE.fullmatch(line)
        if match is None or int(match["label"]) not in _INT32:
            raise ValueError(
                f"{path}, line {number}: {line.strip()!r} is not 'name label'; expected a file name, a space and a "
                "label made of digits, at most 2147483647"
            )
        paths.append(_joined(base, match["name"]))
        labels.append(int(match["label"]))
    if not paths:
        raise ValueError(f"the file_list {path!r} names no file; expected one 'name label' per line")
    return FileList(paths, labels, [])


# --------------------------------------------------------------------------------------------------------- folders


def _from_folders(root: str, filters: tuple[str, ...], dir_filters: tuple[str, ...], case: bool) -> FileList:
    take_file, take_dir = _matcher(filters, case), _matcher(dir_filters, case)
    classes = [name for name in _sub_folders(root) if not dir_filters or take_dir.fullmatch(name)]
    paths: list[str] = []
    labels: list[int] = []
    for label, name in enumerate(classes):
        folder = str(Path(root) / name)
        found = [f for f in _plain_files(folder) if take_file.fullmatch(f)]
        paths += [f"{folder}{os.sep}{f}" for f in found]
        labels += [label] * len(found)
    if not paths:
        raise ValueError(_nothing_found(root, classes, filters, dir_filters))
    return FileList(paths, labels, classes)


def _scan(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as problem:
        raise ValueError(
            f"cannot open the folder {folder!r}: {problem.strerror}. Expected a folder with one sub-folder per class, "
            "like root/cat/1.jpg, root/dog/2.jpg"
        ) from problem


def _sub_folders(root: str) -> list[str]:
    names: list[str] = []
    for entry in _scan(root):
        if entry.is_symlink() and not Path(entry.path).exists():
            raise ValueError(f"{entry.path!r} is a link that leads nowhere; remove it or mend it")
        if entry.is_dir():
            names.append(entry.name)
    return names


def _plain_files(folder: str) -> list[str]:
    return [e.name for e in _scan(folder) if e.is_symlink() or e.is_file(follow_symlinks=False)]


def _nothing_found(root: str, classes: list[str], filters: tuple[str, ...], dir_filters: tuple[str, ...]) -> str:
    if not classes:
        wanted = f" that match {', '.join(dir_filters)}" if dir_filters else ""
        loose = "; files directly in it have no class and are not read" if _plain_files(root) else ""
        return f"the folder {root!r} has no sub-folders{wanted}{loose}. Expected one sub-folder per class"
    some = ", ".join(classes[:5]) + (", ..." if len(classes) > 5 else "")
    return f"no file in the {len(classes)} sub-folders of {root!r} ({some}) matches {', '.join(filters)}"


# ------------------------------------------------------------------------------------------------------------ globs


def _matcher(patterns: Sequence[str], case_sensitive: bool) -> re.Pattern[str]:
    flags = re.DOTALL if case_sensitive else re.DOTALL | re.IGNORECASE
    return re.compile("|".join(_glob_to_regex(p) for p in patterns), flags)


def _glob_to_regex(pattern: str) -> str:
    """Glob of POSIX ``fnmatch`` without flags: ``*``, ``?``, ``[a-z]``, ``[!a-z]``, ``[^a-z]``, backslash escapes."""
    out: list[str] = []
    i = 0
    while i < len(pattern):
        char = pattern[i]
        i += 1
        if char == "*":
            out.append(".*")
        elif char == "?":
            out.append(".")
        elif char == "\\" and i < len(pattern):
            out.append(re.escape(pattern[i]))
            i += 1
        elif char == "[" and (end := _bracket_end(pattern, i)) > 0:
            out.append(_bracket_to_regex(pattern[i:end]))
            i = end + 1
        else:
            out.append(re.escape(char))
    return "".join(out)


def _bracket_end(pattern: str, begin: int) -> int:
    """Place of the ``]`` that closes a bracket, or -1; a ``]`` that stands first is an ordinary character."""
    first = begin + (1 if pattern[begin : begin + 1] in ("!", "^") else 0)
    return pattern.find("]", first + 1)


def _bracket_to_regex(body: str) -> str:
    negated = body[:1] in ("!", "^")
    inside = body[1:] if negated else body
    inside = re.sub(r"\\(?!.)|[\[\]^&~|]", lambda m: "\\" + m[0], inside.replace("\\\\", "\\"))
    return f"[{'^' if negated else ''}{inside}]"
