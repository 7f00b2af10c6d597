"""Recycled host memory: slabs that return to the pool when the last view of them dies."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.storage import Packed, elements_of

#: References that the pool itself holds while it asks: its list and the argument of ``getrefcount`` and the loop name.
_IDLE_REFERENCES = 3
#: Of addresses, in bytes; JAX copies what has less.
_ALIGNMENT = 64
#: Bytes that are cleared at a time.
_PIECE = 1 << 20
#: Where Linux says how much memory a container may use, in both editions of its interface.
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def memory_size() -> int:
    """Bytes of memory that this machine, or this container, has altogether."""
    known = [sys.maxsize]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for place in _LIMITS:
        try:
            known.append(int(Path(place).read_text("ascii")))
        except (OSError, ValueError):  # no container, or "max"
            continue
    return min(size for size in known if size > 0)


def fresh(size: int, spare: int) -> NDArray[np.uint8]:
    """`size` bytes and some to spare, aligned as frameworks want it that share memory.

    Views of it refer to it, and not to the array whose memory it is: numpy does not look behind a memoryview.

    Raises
    ------
    MemoryError
        Also for more than there is altogether: systems promise it, and end the process when it is used.
    """
    if size > memory_size():
        raise MemoryError(f"Unable to allocate {size / 2**30:.1f} GiB")
    wanted = max(size + spare, 1)
    memory = np.empty(wanted + _ALIGNMENT - 1, np.uint8)
    begin = -memory.__array_interface__["data"][0] % _ALIGNMENT
    return np.frombuffer(memory.data[begin : begin + wanted], np.uint8)


def clear(array: NDArray[Any]) -> None:
    """Fill a contiguous array with zeros; memory that was never written to is only read, which takes none."""
    data = array.reshape(-1).view(np.uint8)
    for begin in range(0, data.size, _PIECE):
        piece = data[begin : begin + _PIECE]
        if piece.any():
            piece.fill(0)


class SlabPool:
    """Byte arrays that are handed out again once nobody refers to them.

    A numpy view keeps its slab alive, and so does a DLPack capsule made from the view; hence an output that a user
    still holds is never overwritten.

    Parameters
    ----------
    limit : int
        Idle slabs that are kept.
    make : callable, optional
        ``make(size, spare)`` gives new memory of `size` bytes and some to spare; default: `fresh`.
    """

    def __init__(self, limit: int = 16, make: Callable[[int, int], NDArray[np.uint8]] = fresh) -> None:
        self._slabs: list[NDArray[np.uint8]] = []
        self._limit, self._make = limit, make
        self._lock = threading.Lock()

    def take(self, size: int) -> NDArray[np.uint8]:
        """A slab of at least `size` bytes (contents undefined)."""
        with self._lock:
            best = -1
            for index in range(len(self._slabs)):
                slab = self._slabs[index]
                idle = sys.getrefcount(slab) <= _IDLE_REFERENCES
                if idle and slab.size >= size and (best < 0 or slab.size < self._slabs[best].size):
                    best = index
            if best >= 0 and self._slabs[best].size <= max(4 * size, 1 << 16):
                return self._slabs[best]
            self._trim()
            # a little headroom, so that batches of ragged images find each other's slabs
            made = self._make(size, size // 8)
            self._slabs.append(made)
            return made

    def _trim(self) -> None:
        """Forget the oldest idle slabs beyond the limit; slabs in use are forgotten too, and die with their users."""
        while len(self._slabs) >= self._limit:
            idle = next((i for i in range(len(self._slabs)) if sys.getrefcount(self._slabs[i]) <= 2), 0)
            del self._slabs[idle]

    def holds(self, slab: NDArray[np.uint8]) -> bool:
        """Whether it is one of the slabs that are handed out again."""
        with self._lock:
            return any(one is slab for one in self._slabs)

    def clear(self) -> None:
        """Forget all slabs."""
        with self._lock:
            self._slabs.clear()

    def samples(self, shapes: NDArray[np.int64], dtype: np.dtype[Any]) -> Packed:
        """Arrays for a batch, side by side in one slab.

        Parameters
        ----------
        shapes : ndarray
            (N, ndim).
        dtype : numpy.dtype
        """
        if len(shapes) == 1:
            return Packed(self.take(elements_of(shapes) * dtype.itemsize), np.zeros(1, np.int64), shapes, dtype)
        counts = shapes.prod(axis=1, dtype=np.int64)
        ends = np.cumsum(counts * dtype.itemsize)
        slab = self.take(int(ends[-1]) if len(ends) else 0)
        starts = ends - counts * dtype.itemsize
        return Packed(slab, starts, shapes, dtype)


class Scratch(threading.local):
    """Per-thread arrays for results that never leave a task."""

    def __init__(self) -> None:
        self._buffers: dict[str, NDArray[np.uint8]] = {}

    def array(self, key: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """An array that is valid until the same thread asks for the same key again."""
        size = dtype.itemsize
        for extent in shape:
            size *= extent
        buffer = self._buffers.get(key)
        if buffer is None or buffer.size < size:
            buffer = self._buffers[key] = fresh(size, size // 4)
        return np.ndarray(shape, dtype, buffer)
