"""Which samples archives in the format of WebDataset have: from index files, or from the archives themselves."""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from dali_studio.kernels.cpu import urls

_VERSIONS = ("v1.1", "v1.2")
_BLOCK = 512
#: What a header of POSIX's or GNU's format has behind its names.
_USTAR = (b"ustar\0", b"ustar ")
_DIGITS = re.compile(rb"[0-7]{1,11}")
#: Further facts of a file that change nothing here: times, as Python's `tarfile` writes them.
_HARMLESS = re.compile(rb"(?:\d+ [acm]time=[\d.]+\n)+")


class Component(NamedTuple):
    """A file in an archive; index files of version 1.1 do not name it."""

    extension: str
    start: int
    size: int
    name: str = ""


def split_name(path: str) -> tuple[str, str]:
    """The name of a sample and the extension of its component: what is before and behind the first dot."""
    dot = path.find(".", path.rfind("/") + 1)
    return (path, path) if dot < 0 else (path[:dot], path[dot + 1 :])  # nvidia.dali's rule for names without a dot


def samples_of_archive(path: str) -> Iterator[list[Component]]:
    """The samples of a tar archive: neighbouring files with one name.

    Raises
    ------
    ValueError
        If it cannot be read, or is none.
    """
    made: list[Component] = []
    last: str | None = None
    try:
        with urls.open_file(path) as file:
            members = _plain_members(file) or _members(file, path)
            for full_name, start, size in members:
                name, extension = split_name(full_name)
                if last is None:
                    last = name
                if not name:
                    continue
                if name != last:
                    yield made
                    made, last = [], name
                made.append(Component(extension, start, size, full_name))
    except (OSError, tarfile.TarError) as error:
        raise ValueError(f"{path} cannot be read as a tar archive: {error}") from error
    yield made


#: Name, first byte and bytes of a file in an archive.
_Member = tuple[str, int, int]


def _members(file: BinaryIO, path: str) -> Iterator[_Member]:
    """The regular files of an archive."""
    file.seek(0)
    with tarfile.open(fileobj=file, mode="r:") as archive:
        for member in archive:
            if member.isreg():
                yield member.name, member.offset_data, member.size
        _check_end(file, path, archive.offset)


def _plain_members(file: BinaryIO) -> list[_Member]:
    """The same of an archive of files with short names, several times as fast; nothing for any other."""
    made: list[_Member] = []
    size, at = file.seek(0, os.SEEK_END), 0
    while at + _BLOCK <= size:
        file.seek(at)
        head = file.read(_BLOCK)
        if not any(head):
            return made
        kind, length, total = head[156:157], _octal(head[124:136]), _octal(head[148:156])
        # the checksum takes itself for eight spaces
        if length < 0 or total != sum(head) - sum(head[148:156]) + 8 * ord(" ") or head[257:263] not in _USTAR:
            return []
        begin, at = at + _BLOCK, at + _BLOCK + -(-length // _BLOCK) * _BLOCK
        if (kind == b"5" and not length) or (kind == b"x" and _HARMLESS.fullmatch(file.read(length))):
            continue  # a folder, or facts of the file that follows
        name, prefix = (head[part].split(b"\0", 1)[0] for part in (slice(100), slice(345, 500)))
        if kind != b"0" or prefix or at > size:
            return []
        made.append((name.decode("utf-8", "surrogateescape"), begin, length))
    return []


def _octal(field: bytes) -> int:
    """A number of a header; -1 for one that is written otherwise."""
    digits = field.strip(b" \0")
    return int(digits, 8) if _DIGITS.fullmatch(digits) else -1


def _check_end(file: BinaryIO, path: str, at: int) -> None:
    """Refuse an archive whose members end otherwise than by zeros: `tarfile` takes a damaged header for the end."""
    file.seek(at)
    if any(file.read(_BLOCK)):
        raise ValueError(f"{path} cannot be read as a tar archive: the header at byte {at} is damaged")


def samples_of_index(path: str) -> Iterator[list[Component]]:
    """The samples that an index file lists.

    Raises
    ------
    ValueError
        With the line.
    """
    try:
        lines = urls.read_text(path).split("\n")
    except OSError as error:
        raise ValueError(f"the index file {path} cannot be read: {error.strerror}") from error
    head = lines[0].split()
    if not head or head[0] not in _VERSIONS:
        raise ValueError(f"{path} does not begin with a version, {' or '.join(_VERSIONS)}")
    if len(head) < 2 or not head[1].isdecimal() or int(head[1]) < 1:
        raise ValueError(f"the first line of {path} does not say how many samples there are")
    width = 4 if head[0] == "v1.2" else 3
    for number in range(1, int(head[1]) + 1):
        words = lines[number].split() if number < len(lines) else []
        if not words or len(words) % width:
            wanted = "extension, first byte, size" + (" and name" if width > 3 else "")
            raise ValueError(f"line {number + 1} of {path} does not have {wanted} for each component")
        made = [_component(words[i : i + width], path, number) for i in range(0, len(words), width)]
        yield made


def _component(words: Sequence[str], path: str, number: int) -> Component:
    extension, start, size, *names = words
    if not start.isdecimal() or not size.isdecimal() or int(start) % _BLOCK or int(start) + int(size) >= 2**63:
        raise ValueError(
            f"line {number + 1} of {path} places a component at byte {start}, with {size} bytes; a multiple of "
            f"{_BLOCK} and a number are needed"
        )
    return Component(extension, int(start), int(size), *names)
