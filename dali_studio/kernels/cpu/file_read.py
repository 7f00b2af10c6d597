"""Reading many small files at once: the calls of a batch go to the system without Python between them."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.file_discovery import Paths, not_a_file
from dali_studio.kernels.cpu.native import kernel

#: Files of one task, and the most that are open at a time.
_CHUNK, GROUP = 8, 256
# with O_NONBLOCK a pipe is opened at once, even if nobody writes into it; files do not know it
FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY"))
#: Compiled code reads files; elsewhere it is Python.
FAST = sys.platform != "win32"


def read_files(
    paths: Sequence[str],
    take: Callable[[int], NDArray[np.uint8]],
    run: Callable[[Callable[[int], None], int], None],
    failed: Callable[[int, OSError], NDArray[np.uint8]],
    *,
    chunk: int = _CHUNK,
) -> Sequence[NDArray[np.uint8]]:
    """Read whole files into one piece of memory.

    Parameters
    ----------
    paths : sequence of str
        `Paths` are used as they are.
    take : callable
        Gives at least so many bytes of memory.
    run : callable
        ``run(function, count)`` calls ``function(i)`` for every i below `count`, on several threads.
    failed : callable
        Called with the position of a file that cannot be read and the reason; its result stands for the file.
    chunk : int
        Files of one call by `run`; in between, the interpreter's lock is needed, which others may have.

    Returns
    -------
    sequence of ndarray of uint8
        The bytes of each file.
    """
    paths = paths if isinstance(paths, Paths) else Paths.of(paths)
    if paths.remote:
        return _read_mixed(list(paths), failed)
    if len(paths) <= GROUP and FAST:
        pieces = _read_group(paths, take, run, chunk)
        if (pieces.sizes >= 0).all():
            return pieces
    data: list[NDArray[np.uint8]] = []
    for first in range(0, len(paths), GROUP):
        group = paths[first : first + GROUP]
        pieces = _read_group(group, take, run, chunk) if FAST else None
        for position, path in enumerate(group):
            if pieces is not None and pieces.sizes[position] >= 0:
                data.append(pieces[position])
            else:  # what cannot be read is read again, to learn the reason
                data.append(_read_one(path, first + position, failed))
    return data


def _read_mixed(
    paths: Sequence[str], failed: Callable[[int, OSError], NDArray[np.uint8]]
) -> list[NDArray[np.uint8]]:  # fmt: skip
    """URLs, all at the same time, and files."""
    places = [position for position, path in enumerate(paths) if urls.is_url(path)]
    found = dict(zip(places, urls.read_parts([paths[position] for position in places]), strict=True))
    made: list[NDArray[np.uint8]] = []
    for position, path in enumerate(paths):
        content = found.get(position)
        if content is None:
            made.append(_read_one(path, position, failed))
        elif isinstance(content, OSError):
            made.append(failed(position, content))
        else:
            made.append(np.frombuffer(content, np.uint8))
    return made


def _read_one(
    path: str, position: int, failed: Callable[[int, OSError], NDArray[np.uint8]]
) -> NDArray[np.uint8]:  # fmt: skip
    try:
        return np.frombuffer(_bytes_of(path), np.uint8)
    except OSError as error:
        return failed(position, error)


def _bytes_of(path: str) -> bytes:
    kind = not_a_file(Path(path).stat().st_mode)  # to open a pipe waits for who writes into it
    if kind:
        raise OSError(errno.EINVAL, f"it is {kind}, not a file", path)
    return Path(path).read_bytes()


def _read_group(
    paths: Paths,
    take: Callable[[int], NDArray[np.uint8]],
    run: Callable[[Callable[[int], None], int], None],
    chunk: int,
) -> Packed:
    """The files; the size of what cannot be read is negative."""
    names, starts = np.frombuffer(paths.text, np.uint8), paths.starts
    files, sizes = np.full(len(paths), -1, np.int32), np.full(len(paths), -1, np.int64)
    parts = [slice(first, first + chunk) for first in range(0, len(paths), chunk)]

    def begin(i: int) -> None:
        kernel("open_files")(names, starts[parts[i]], files[parts[i]], sizes[parts[i]], FLAGS)

    def finish(i: int) -> None:
        kernel("read_files")(files[parts[i]], sizes[parts[i]], slab, places[parts[i]])

    try:
        run(begin, len(parts))
        ends = np.cumsum(np.maximum(sizes, 0))
        places = ends - np.maximum(sizes, 0)
        slab = take(int(ends[-1]) if len(ends) else 0)
        run(finish, len(parts))
    except BaseException:  # cancelled, or out of memory
        for file in files[files >= 0].tolist():
            os.close(file)
        raise
    return Packed.of_bytes(slab, places, sizes)
