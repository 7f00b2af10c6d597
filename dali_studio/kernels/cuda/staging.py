"""What an iteration holds until the GPU is through with it: page-locked memory, and memory for tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.device import cupy

#: Tables begin at multiples of this.
TABLE_ALIGNMENT = 16


def roomy(size: int) -> int:
    """At least `size` bytes, of a few sizes only, so that batches of ragged images find each other's memory."""
    step = max((1 << size.bit_length()) >> 5, 512)
    return -(-size // step) * step


class Staging:
    """Page-locked memory that copies to the GPU read from; it is used again once the GPU is through with it."""

    def __init__(self) -> None:
        self._blocks: list[tuple[Any, NDArray[np.uint8]]] = []
        self._used = 0

    def begin(self) -> None:
        """Start over; the copies of the last iteration must have been made."""
        if len(self._blocks) > 1:  # one block that holds all of it from now on
            size = sum(view.size for _, view in self._blocks)
            self._blocks = []
            self._grow(size)
        self._used = 0

    def take(self, size: int) -> NDArray[np.uint8]:
        """`size` bytes that stay untouched until the next iteration."""
        start = -(-self._used // TABLE_ALIGNMENT) * TABLE_ALIGNMENT
        if not self._blocks or start + size > self._blocks[-1][1].size:
            self._grow(roomy(max(size, 1 << 20)))
            start = 0
        self._used = start + size
        return self._blocks[-1][1][start : start + size]

    def _grow(self, size: int) -> None:
        memory = cupy().cuda.alloc_pinned_memory(size)
        self._blocks.append((memory, np.frombuffer(memory, np.uint8, size)))


@dataclass(slots=True)
class Table:
    """Something for kernels to read, which the host writes.

    Attributes
    ----------
    host : ndarray of uint8
        Page-locked memory to write to.
    source, address : int
        Where that lies, and where on the GPU it is copied to.
    memory
        Keeps the memory.
    """

    host: NDArray[np.uint8]
    source: int
    address: int
    memory: Any


class Tables:
    """Tables of one iteration after the other, in memory that is as large as the largest of them needed so far."""

    def __init__(self) -> None:
        self._whole: Table | None = None
        self._used = 0

    def begin(self, allocate: Callable[[int], Any]) -> None:
        """Start over; the GPU must be through with the last iteration.

        Parameters
        ----------
        allocate : callable
            Gives device memory.
        """
        if self._used > (0 if self._whole is None else self._whole.host.size):
            self._whole = None
            size = roomy(self._used)
            memory, pinned = allocate(size), cupy().cuda.alloc_pinned_memory(size)
            host = np.frombuffer(pinned, np.uint8, size)
            self._whole = Table(host, int(host.ctypes.data), int(memory.ptr), (memory, pinned))
        self._used = 0

    def take(self, size: int) -> Table | None:
        """A table for this iteration; ``None`` if there is no more room."""
        start = self._used
        end = self._used = start + -(-size // TABLE_ALIGNMENT) * TABLE_ALIGNMENT
        whole = self._whole
        if whole is None or end > whole.host.size:
            return None
        return Table(whole.host[start : start + size], whole.source + start, whole.address + start, whole.memory)


class InFlightSlot:
    """What one iteration holds until the GPU is through with it.

    Attributes
    ----------
    staging : Staging
    tables : Tables
    kept : list
        Memory that other streams wrote for this iteration; it must not be handed out again before the iteration ends.
    done : cupy.cuda.Event or None
        Behind everything that the iteration enqueued.
    """

    def __init__(self) -> None:
        self.staging, self.tables = Staging(), Tables()
        self.kept: list[Any] = []
        self.done: Any = None
