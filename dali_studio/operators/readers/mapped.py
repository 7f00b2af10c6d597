"""Pieces of files that are mapped into memory instead of being copied."""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.file_read import FAST, FLAGS
from dali_studio.kernels.cpu.native import kernel
from dali_studio.operators.readers.pieces import PiecesRead, Places

#: What tells whether a file is the one that was mapped, as long as it was.
_Identity = tuple[int, int, int, int]


class MappedFiles:
    """Files that are mapped when a piece of them is wanted, read-only.

    Parameters
    ----------
    paths : sequence of str
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._mapped: dict[int, tuple[_Identity, NDArray[np.uint8]]] = {}

    def pieces(self, places: Places) -> PiecesRead | None:
        """Pieces of one file where they lie; ``None`` if they are to be read: of several files, or not as expected."""
        filled = places.sizes > 0
        numbers = set(places.files[filled].tolist())
        content = self._content(numbers.pop()) if len(numbers) == 1 else None
        starts = np.where(filled, places.starts, 0)
        if content is None or int((starts + places.sizes).max()) > content.size:
            return None
        kernel("touch_pieces")(content, starts, places.sizes)
        return PiecesRead(places, Packed.of_bytes(content, starts, places.sizes))

    def _content(self, number: int) -> NDArray[np.uint8] | None:
        """The contents of a file; ``None`` if it cannot be mapped."""
        path = self._paths[number]
        if not FAST or urls.is_url(path):
            return None
        local = urls.local(path)
        try:
            known = self._mapped.get(number)
            if known is None or known[0] != _identity(Path(local).stat()):  # what was cut off must not be read
                known = self._mapped[number] = _mapped(local)
        except (OSError, ValueError):  # a reading that fails tells why
            return None
        return known[1]


def _mapped(path: str) -> tuple[_Identity, NDArray[np.uint8]]:
    file = os.open(path, FLAGS)
    try:
        return _identity(os.fstat(file)), np.frombuffer(mmap.mmap(file, 0, access=mmap.ACCESS_READ), np.uint8)
    finally:
        os.close(file)


def _identity(facts: os.stat_result) -> _Identity:
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns
