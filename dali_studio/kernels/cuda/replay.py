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
_MAX_KEPT = 1 << 18
#: Bytes of the scratch memory that all records of one work share, at most.
_MAX_ROOM = 1 << 22
#: Records made without any being of use, after which no more are made: memory that never comes back.
_MAX_USELESS = 48


class Replay:
    """The launches of one call of an operator.

    Attributes
    ----------
    launches : list of callable
        Each launches a kernel again.
    kept : list
        What they use besides the batches, and its bytes of device memory: tables and scratch memory.
    complete : bool
        The launches are all that the call has done.
    rooms : list
        Scratch memory of the work, and its bytes: launches come one after the other, so that all records share it.
    """

    __slots__ = ("_taken", "complete", "kept", "launches", "rooms")

    def __init__(self, rooms: list[tuple[Any, int]]) -> None:
        self.rooms, self._taken = rooms, 0
        self.launches: list[Callable[[], None]] = []
        self.kept: list[tuple[Any, int]] = []
        self.complete = True

    def keep(self, memory: Any, size: int) -> None:
        """Hold memory that a launch uses."""
        self.kept.append((memory, size))

    def room(self, size: int, make: Callable[[int], Any]) -> Any:
        """The next piece of scratch memory, which the first record of the work makes."""
        number, self._taken = self._taken, self._taken + 1
        if number == len(self.rooms):
            self.rooms.append((make(size), size))
        memory, found = self.rooms[number]
        if found != size:  # for other shapes
            memory = make(size)
            self.keep(memory, size)
        return memory

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
        self.kept.append(((kernel, values, pointers), 0))
        self.launches.append(
            partial(
                driver.launchKernel, kernel.kernel.ptr, *grid, 1, threads, 1, 1, shared, int(stream.ptr),
                ctypes.addressof(pointers), 0,
            )
        )  # fmt: skip

    @property
    def usable(self) -> bool:
        """Whether to launch again does what the call has done, and the memory for it is worth it."""
        kept, shared = (sum(size for _, size in pieces) for pieces in (self.kept, self.rooms))
        return self.complete and kept <= _MAX_KEPT and shared <= _MAX_ROOM

    def run(self) -> None:
        """Launch all of them."""
        for launch in self.launches:
            launch()


class Replays:
    """What one planned work has launched, by the memory of its batches."""

    __slots__ = ("_records", "_results", "_rooms", "_sources", "_useless")

    def __init__(self) -> None:
        self._records: dict[tuple[int, ...], Replay] = {}
        self._sources: list[Batch] = []
        self._results: list[Batch] = []
        self._rooms: list[tuple[Any, int]] = []
        self._useless = 0

    def repeat(self, sources: Sequence[Batch], stream: GpuStream) -> list[Batch] | None:
        """Results by the launches of an earlier call; ``None`` if there was none for memory at these places.

        The sources must have the very types, shapes and offsets that they had then.
        """
        if not self._records or len(sources) != len(self._sources):
            return None
        indices, key = sources[0].indices, list[int]()
        for one, known in zip(sources, self._sources, strict=True):
            if one.shapes is not known.shapes or one.offsets is not known.offsets or one.meta is not known.meta:
                return None
            if one.memory is None or one.indices is not indices:
                return None
            key.append(one.memory.ptr)
        made = [stream.batch(known.meta, known.shapes, sources[0].sources) for known in self._results]
        key.extend([one.memory.ptr for one in made])
        found = self._records.get(tuple(key))
        if found is None:
            return None
        self._useless = 0
        for launch in found.launches:
            launch()
        for one in made:
            one.indices = indices
        return made

    def enqueue(
        self, sources: Sequence[Batch], results: Sequence[Batch], stream: GpuStream, enqueue: Callable[[], None]
    ) -> None:  # fmt: skip
        """Call `enqueue`, which fills the results from the sources, or repeat what it has launched before."""
        if self._useless >= _MAX_USELESS:
            enqueue()
            return
        key = _places(sources, results)
        self._describe(sources, results)
        found = self._records.get(key)
        if found is not None:
            self._useless = 0
            found.run()
            return
        with stream.recorded(self._rooms) as record:
            enqueue()
        if _places(sources, results) != key:  # results that are views of something else
            record.complete = False
        self._keep(key, record)

    def record(
        self, sources: Sequence[Batch], stream: GpuStream, enqueue: Callable[[], tuple[Batch, ...]]
    ) -> tuple[Batch, ...]:  # fmt: skip
        """Call `enqueue`, which makes the results itself, and remember its launches."""
        if self._useless >= _MAX_USELESS:
            return enqueue()
        with stream.recorded(self._rooms) as record:
            results = enqueue()
        own = {id(one.memory) for one in results}
        record.kept = [(memory, size) for memory, size in record.kept if id(memory) not in own]
        self._describe(sources, results)
        self._keep(_places(sources, results), record)
        return results

    def _describe(self, sources: Sequence[Batch], results: Sequence[Batch]) -> None:
        """Note what batches the launches are for; others than before make them worthless."""
        found = [_described(one) for one in sources], [_described(one) for one in results]
        before = self._sources, self._results
        self._sources, self._results = found
        for now, then in zip(found, before, strict=True):
            if len(now) != len(then) or not all(map(_alike, now, then)):
                self._forget()

    def _forget(self) -> None:
        self._records.clear()
        self._rooms = []  # a record that was just made keeps its own

    def _keep(self, key: tuple[int, ...], record: Replay) -> None:
        """Remember launches; none any more where they cannot be repeated."""
        if not record.usable:
            self._useless = _MAX_USELESS
            self._forget()
            return
        self._useless += 1
        if len(self._records) >= _MAX_RECORDS:
            del self._records[next(iter(self._records))]
        self._records[key] = record


def _described(batch: Batch) -> Batch:
    """What is known of a batch, without the batch."""
    return Batch(batch.meta, batch.shapes, offsets=batch.offsets)


def _alike(one: Batch, other: Batch) -> bool:
    """Whether batches are the same but for their memory."""
    return (
        one.meta == other.meta
        and (one.shapes is other.shapes or np.array_equal(one.shapes, other.shapes))
        and (one.offsets is other.offsets or np.array_equal(one.offsets, other.offsets))
    )


def _places(sources: Sequence[Batch], results: Sequence[Batch]) -> tuple[int, ...]:
    """Where batches lie on a GPU."""
    return tuple([0 if one.memory is None else int(one.memory.ptr) for some in (sources, results) for one in some])
