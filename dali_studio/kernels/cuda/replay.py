"""Launches that are repeated: what an operator enqueues for the same work on the same memory is the same each time."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.device import cupy

if TYPE_CHECKING:
    from dali_studio.kernels.cuda.stream import GpuStream

#: Records of one work that are kept: the pool hands its slabs out in turns.
_MAX_RECORDS = 16
#: Bytes of tables and scratch memory that a record may hold; larger work takes longer than its preparation.
_MAX_KEPT = 1 << 20
#: Records made without any being of use, after which no more are made: memory that never comes back.
_MAX_USELESS = 48


class Replay:
    """The launches of one call of an operator.

    Attributes
    ----------
    launches : list of callable
        Each launches a kernel again.
    kept : list
        Memory that they use besides the batches: tables and scratch memory.
    size : int
        Bytes of that.
    complete : bool
        The launches are all that the call has done.
    """

    __slots__ = ("complete", "kept", "launches", "size")

    def __init__(self) -> None:
        self.launches: list[Callable[[], None]] = []
        self.kept: list[Any] = []
        self.size = 0
        self.complete = True

    def keep(self, memory: Any, size: int) -> None:
        """Hold memory that a launch uses."""
        self.kept.append(memory)
        self.size += size

    def add(
        self, kernel: Any, grid: tuple[int, int], threads: int, arguments: Sequence[Any], shared: int, stream: Any
    ) -> None:  # fmt: skip
        """A launch, to be repeated by the driver's own function, with arguments that are laid out once."""
        driver = getattr(cupy().cuda, "driver", None)
        if driver is None:  # tests/emulation
            self.launches.append(partial(kernel, grid, (threads,), arguments, shared_mem=shared))
            return
        values = [ctypes.create_string_buffer(np.asarray(one).tobytes()) for one in arguments]
        pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        self.kept.append((kernel, values, pointers))
        self.launches.append(
            partial(
                driver.launchKernel, kernel.kernel.ptr, *grid, 1, threads, 1, 1, shared, int(stream.ptr),
                ctypes.addressof(pointers), 0,
            )
        )  # fmt: skip

    @property
    def usable(self) -> bool:
        """Whether to launch again does what the call has done, and the memory for it is worth it."""
        return self.complete and self.size <= _MAX_KEPT

    def run(self) -> None:
        """Launch all of them."""
        for launch in self.launches:
            launch()


class Replays:
    """What one planned work has launched, by the memory of its batches."""

    __slots__ = ("_records", "_useless")

    def __init__(self) -> None:
        self._records: dict[tuple[Any, ...], Replay] = {}
        self._useless = 0

    def find(self, key: tuple[Any, ...]) -> Replay | None:
        """The launches for batches of a key, if they are known."""
        found = self._records.get(key)
        if found is not None:
            self._useless = 0
        return found

    @property
    def wanted(self) -> bool:
        """Whether records are worth it."""
        return self._useless < _MAX_USELESS

    def keep(self, key: tuple[Any, ...], record: Replay) -> None:
        """Remember launches; none any more where they cannot be repeated."""
        if not record.usable:
            self._useless = _MAX_USELESS
            self._records.clear()
            return
        self._useless += 1
        if len(self._records) >= _MAX_RECORDS:
            del self._records[next(iter(self._records))]
        self._records[key] = record


def launch_or_repeat(
    replays: Replays | None, sources: Sequence[Batch], results: Sequence[Batch], stream: GpuStream,
    enqueue: Callable[[], None],
) -> None:  # fmt: skip
    """Call `enqueue`, which fills the results from the sources, or repeat what it has launched before.

    Parameters
    ----------
    replays : Replays or None
        What was launched for this very work; ``None`` where it will hardly come up again.
    """
    if replays is None or not replays.wanted:
        enqueue()
        return
    key = _places(sources, results)
    found = replays.find(key)
    if found is not None:
        found.run()
        return
    with stream.recorded() as record:
        enqueue()
    if _places(sources, results) != key:  # results that are views of something else
        record.complete = False
    replays.keep(key, record)


def _places(*groups: Sequence[Batch]) -> tuple[Any, ...]:
    """Where the samples of batches lie on a GPU."""
    return tuple([
        (int(batch.memory.ptr), batch.offsets.tobytes())
        for batches in groups for batch in batches if batch.memory is not None
    ])  # fmt: skip
