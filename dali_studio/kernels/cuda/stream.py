"""One stream of work on a GPU: launches, uploads of tables, and batches in its memory."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch, meta_of
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda import enqueue, sources
from dali_studio.kernels.cuda.arrivals import Arrivals
from dali_studio.kernels.cuda.batch import place
from dali_studio.kernels.cuda.device import ALWAYS_SHARED, cupy, shared_memory, total_memory
from dali_studio.kernels.cuda.ingest import copied, external
from dali_studio.kernels.cuda.pool import DevicePool
from dali_studio.kernels.cuda.replay import Replay
from dali_studio.kernels.cuda.retired import give_back, retire
from dali_studio.kernels.cuda.staging import TABLE_ALIGNMENT, InFlightSlot, Staging, Table, Tables

#: Iterations that may be in flight: three that are being prepared on the host, and one that the GPU works on.
_SLOTS = 4
#: Threads of a block.
THREADS = 256
_MAX_PLACES = 64
#: A grid has this many rows at most; samples are rows.
MAX_SAMPLES = 65535


class _Used(threading.local):
    """The slot that a thread is working on."""

    slot: InFlightSlot
    around: Callable[[Any], AbstractContextManager[None]] | None = None
    record: Replay | None = None


class _Use(AbstractContextManager[None]):
    """Makes a device and a stream CuPy's current ones, and a slot the thread's."""

    __slots__ = ("_device", "_slot", "_stream", "_used")

    def __init__(self, device: Any, stream: Any, used: _Used, slot: InFlightSlot) -> None:
        self._device, self._stream, self._used, self._slot = device, stream, used, slot

    def __enter__(self) -> None:
        self._device.__enter__()
        self._stream.__enter__()
        self._used.slot = self._slot

    def __exit__(self, *failure: object) -> None:
        self._stream.__exit__(*failure)
        self._device.__exit__(*failure)


@cache
def compiled_kernel(name: str, function: str, macros: tuple[tuple[str, Any], ...]) -> Any:
    """A function of a source, with macros."""
    return sources.compiled(sources.source(name), function, sources.options(dict(macros)))


def check_samples(count: int) -> None:
    """Refuse batches that no grid has rows for."""
    if count > MAX_SAMPLES:
        raise ValueError(f"the batch has {count} samples; a GPU operator takes {MAX_SAMPLES} at most")


class GpuStream:
    """Work in order on one GPU.

    The stream is a blocking one: it and the default stream, on which CuPy and PyTorch work unless told otherwise,
    wait for each other, so that memory which a user lets go of is never written while the user's kernels read it.

    Parameters
    ----------
    device_id : int
    limit : int, optional
        Bytes of device memory that it may take, at most.
    stream : optional
        A stream of any library, for everything, copies as well: what lets go of memory after work on that stream is
        safe, as it is on the default stream otherwise.
    """

    def __init__(self, device_id: int, limit: int | None = None, stream: Any = None) -> None:
        give_back()
        self.device_id = device_id
        #: Bytes of shared memory that a block may have.
        self.shared_memory = shared_memory(device_id)
        #: Bytes of device memory that there are for it.
        self.capacity = limit or total_memory(device_id)
        self._cupy = cupy()
        self._device = self._cupy.cuda.Device(device_id)
        with self._device:
            self._stream = self._cupy.cuda.Stream() if stream is None else external(stream, device_id)
            self._copies = self._cupy.cuda.Stream() if stream is None else self._stream
            self._joint = self._cupy.cuda.Event(block=False, disable_timing=True)
            self.pool = DevicePool(self._device, limit)
            self._arrivals = Arrivals(self.pool.allocate, None if stream is None else self._stream)
        #: Those of what is computed behind the decoders of a group, in another thread.
        self._behind = [InFlightSlot() for _ in range(_SLOTS)]
        self._letting_go = threading.Lock()
        self._used = _Used()
        #: Whether something was enqueued on the stream of copies that the other one does not wait for yet.
        self._apart = False
        self._constants: dict[Any, Any] = {}
        #: Where samples lie, by their shapes: often the same array as in the iteration before.
        self._places: dict[tuple[int, DALIDataType], tuple[NDArray[np.int64], NDArray[np.int64], int]] = {}
        self._slots = [InFlightSlot() for _ in range(_SLOTS)]

    def __del__(self) -> None:
        if hasattr(self, "_slots") and not sys.is_finalizing():
            self._constants.clear()
            for slot in (*self._slots, *self._behind):
                slot.kept.clear()
            with suppress(Exception):  # of a GPU that has failed
                retire(self._device, self.pool.blocks)

    def begin(self, behind: Sequence[Any] | None = None) -> InFlightSlot:
        """A slot for a new iteration; waits for the GPU if too many are in flight.

        Parameters
        ----------
        behind : sequence, optional
            It is one that goes on behind decoders, and reads this memory, which they have filled.
        """
        slots = self._slots if behind is None else self._behind
        slot = slots.pop(0)  # iterations of each kind begin in one thread
        slots.append(slot)
        if slot.done is not None:
            slot.done.synchronize()
        with self._letting_go:
            slot.done = None  # from here on the slot is in use
            slot.kept[:] = () if behind is None else behind
        self._let_go()
        slot.staging.begin()
        slot.tables.begin(self._outside)
        return slot

    def _let_go(self) -> None:
        """Let go of what ended iterations have kept, as far as the GPU is through with them."""
        with self._letting_go:
            for one in (*self._slots, *self._behind):
                if one.kept and one.done is not None and one.done.done:
                    one.kept.clear()

    def _outside(self, size: int) -> Any:
        """As `scratch`, between iterations."""
        with self._device, self._stream:
            return self.scratch(size)

    def use(self, slot: InFlightSlot) -> AbstractContextManager[None]:
        """Enqueue work of an iteration; those of two iterations may alternate."""
        return _Use(self._device, self._stream, self._used, slot)

    def end(self, slot: InFlightSlot) -> None:
        """Mark the end of an iteration, also of one that failed."""
        with self._device:
            self._join_copies()
            slot.done = self.event()

    @property
    def copies(self) -> Any:
        """CuPy's stream of `fill`."""
        return self._copies

    @property
    def kernels(self) -> Any:
        """CuPy's stream of everything else."""
        return self._stream

    @contextmanager
    def measured(self, around: Callable[[Any], AbstractContextManager[None]] | None) -> Generator[None]:
        """Put ``around(stream)`` around every launch of a kernel in the body; ``None`` for nothing."""
        self._used.around = around
        try:
            yield
        finally:
            self._used.around = None

    @contextmanager
    def recorded(self, rooms: list[tuple[Any, int]]) -> Generator[Replay]:
        """Record the launches of the body, and keep the memory that they use; `rooms` is that of `room`."""
        self._used.record = record = Replay(rooms)
        try:
            yield record
        finally:
            self._used.record = None

    def timed(self) -> AbstractContextManager[None]:
        """What `measured` puts around work that is no launch of a kernel."""
        self._more_than_launches()
        return nullcontext() if self._used.around is None else self._used.around(self._stream)

    def _more_than_launches(self) -> None:
        """Say that what is recorded does what launches alone do not repeat."""
        if self._used.record is not None:
            self._used.record.complete = False

    def event(self) -> Any:
        """An event behind everything that was enqueued so far."""
        event = self._cupy.cuda.Event(block=False, disable_timing=True)
        enqueue.record(event, self._stream)
        return event

    def synchronize(self) -> None:
        """Wait for everything that was enqueued so far."""
        self._more_than_launches()
        self._stream.synchronize()

    # ---------------------------------------------------------------------------------------------------------- memory

    def release(self) -> int:
        """Give idle memory back to the GPU, and staging memory to the system; returns the bytes of device memory."""
        with self._device:
            self._stream.synchronize()
            self._arrivals.release()
            for slot in (*self._slots, *self._behind):
                slot.kept.clear()
                slot.staging, slot.tables = Staging(), Tables()
            self._cupy.get_default_pinned_memory_pool().free_all_blocks()
        return self.pool.trim()

    def empty(self, shapes: NDArray[np.int64], dtype: np.dtype[Any], layout: str, sources: Sequence[str] = ()) -> Batch:
        """A batch whose contents are not defined yet."""
        return self.batch(meta_of(dtype, shapes.shape[1], layout, "gpu"), shapes, sources)

    def batch(self, meta: TensorMeta, shapes: NDArray[np.int64], sources: Sequence[str] = ()) -> Batch:
        """The same, of a known type."""
        assert meta.dtype is not None
        known = self._places.get((id(shapes), meta.dtype))
        if known is None or known[0] is not shapes:
            if len(self._places) > _MAX_PLACES:
                self._places.clear()
            known = self._places[id(shapes), meta.dtype] = shapes, *place(shapes, to_numpy(meta.dtype))
        _, offsets, size = known
        return Batch(meta, shapes, (), self.scratch(size), offsets, sources)

    def scratch(self, size: int) -> Any:
        """Device memory for results, and inside an operator, to be used in the order of the stream."""
        wanted = self.pool.rounded(size)
        made = self.pool.piece(wanted, self._stream)
        if self._used.record is not None:
            self._used.record.keep(made, wanted)
        return made

    def room(self, size: int) -> Any:
        """As `scratch`, for what nobody reads behind the launches of an operator's call for a batch."""
        wanted, record = self.pool.rounded(size), self._used.record
        if record is None:
            return self.pool.piece(wanted, self._stream)
        return record.room(wanted, partial(self.pool.piece, stream=self._stream))

    def pinned(self, size: int) -> NDArray[np.uint8]:
        """Page-locked host memory for this iteration."""
        return self._used.slot.staging.take(size)

    def page_locked(self, size: int) -> NDArray[np.uint8]:
        """Page-locked host memory of its own, for any thread.

        Raises
        ------
        CUDARuntimeError
            CuPy's: when there is no more of it.
        """
        with self._device:
            memory = self._cupy.cuda.alloc_pinned_memory(size)
        return np.frombuffer(memory, np.uint8, size)

    def table(self, size: int, *, lasting: bool = False) -> Table:
        """Memory for a table of kernels; for those of this iteration, or a `lasting` one."""
        lasting = lasting or self._used.record is not None
        made = None if lasting else self._used.slot.tables.take(size)
        if made is None:
            host, memory = self.pinned(size), self.scratch(size)
            made = Table(host, int(host.ctypes.data), int(memory.ptr), memory)
        return made

    def send(self, table: Table) -> None:
        """Enqueue the copy of what was written to a table."""
        enqueue.copy(table.address, table.source, table.host.size, self._stream)

    def target(
        self, shapes: NDArray[np.int64], dtype: np.dtype[Any], layout: str, sources: Sequence[str] = ()
    ) -> Batch:
        """A batch that copies (`fill`) or other streams write while kernels of an earlier iteration still run."""
        self._more_than_launches()
        offsets, size = place(shapes, dtype)
        if self.pool.thrifty:  # the pictures of no more groups exist than are under way
            for done in [one.done for one in (*self._slots, *self._behind) if one.kept]:
                if done is not None:
                    done.synchronize()
        self._let_go()
        with self._copies:  # its memory comes back to these streams' pool, and only after the iteration
            memory = self.pool.large(self.pool.rounded(size), self._copies)
        self._used.slot.kept.append(memory)
        return Batch.on_gpu(memory, offsets, shapes, dtype, layout, sources)

    def take_in(self, arrays: Any, layout: str, producer: Any) -> Batch:
        """Copy CuPy arrays, or one for the batch, in the order of the stream `producer`, for a later iteration."""
        with self._device:
            return copied(arrays, layout, producer, self.pool.allocate)

    def take_up(self, batch: Batch, run: Callable[[Callable[[int], None], int], None]) -> Batch:
        """Copy a batch from host memory for a later iteration, with the threads of `run` (as for `copy_span`)."""
        with self._device:
            return self._arrivals.copied(batch, run)

    def apart(self, shapes: NDArray[np.int64], dtype: np.dtype[Any], layout: str, sources: Sequence[str] = ()) -> Batch:
        """A batch for `adopt`, which work on the default stream is to fill, from any thread; see `is_filled`."""
        offsets, size = place(shapes, dtype)
        with self._device, self._cupy.cuda.Stream.null:
            memory = self.pool.aside(size)
        return Batch.on_gpu(memory, offsets, shapes, dtype, layout, sources)

    def is_filled(self, batch: Batch) -> None:
        """Say that what fills a batch of `apart` is enqueued."""
        with self._device:
            batch.ready = self._cupy.cuda.Event(block=False, disable_timing=True)
            batch.ready.record(self._cupy.cuda.Stream.null)

    def adopt(self, batch: Batch) -> Batch:
        """A batch of `take_in`, `take_up` or `apart` as part of this iteration, which waits for it."""
        self._more_than_launches()
        if batch.ready is not None:
            enqueue.wait(self._stream, batch.ready)
        self._used.slot.kept.append(batch.memory)
        return replace(batch, ready=None)

    def duplicate(self, batch: Batch) -> Batch:
        """The contents of a batch of `target` in other memory."""
        made = self.target(batch.shapes, batch.dtype, batch.layout, batch.sources)
        made.memory.copy_from_device_async(batch.memory, batch.size, self._copies)
        self._apart = True
        return made

    def fill(self, batch: Batch, host: NDArray[np.uint8], begin: int, end: int) -> None:
        """Enqueue the copy of bytes `begin` to `end` of `host` (from `pinned`) into a batch of `target`."""
        if end > begin:
            address = _pointer(host[begin:])
            (batch.memory + begin).copy_from_host_async(address, end - begin, self._copies)
            self._apart = True

    @contextmanager
    def beside(self) -> Generator[Any]:
        """Enqueue work on the stream of `fill`, which is CuPy's current one in the body; see `filled`."""
        self._more_than_launches()
        try:
            with self._copies:
                yield self._copies
        finally:
            self._apart = True

    def copied(self) -> Any:
        """An event behind the copies, and so behind the default stream's work."""
        event = self._cupy.cuda.Event(block=False, disable_timing=True)
        enqueue.record(event, self._copies)
        return event

    def filled(self) -> None:
        """Let what is enqueued from now on wait for the copies."""
        self._join_copies()

    def _join_copies(self) -> None:
        if self._apart:  # said before the event is recorded: another thread may enqueue a copy behind it
            self._apart = False
            enqueue.record(self._joint, self._copies)
            enqueue.wait(self._stream, self._joint)  # for the last record so far, which is this one or a later one

    def fetch(self, batch: Batch) -> NDArray[np.uint8]:
        """Enqueue the copy of a batch to page-locked memory of this iteration."""
        self._more_than_launches()
        host = self.pinned(batch.size)
        if host.size:
            batch.memory.copy_to_host_async(_pointer(host), host.size, self._stream)
        return host

    def upload(self, *tables: NDArray[Any], lasting: bool = False) -> tuple[Any, list[int]]:
        """Copy tables to the GPU in one go.

        Returns
        -------
        memory : cupy.cuda.MemoryPointer
            To be kept until the kernels that read it are enqueued.
        addresses : list of int
            Of the tables.
        """
        starts: list[int] = []
        end = 0
        for table in tables:
            starts.append(end)
            end += -(-table.nbytes // TABLE_ALIGNMENT) * TABLE_ALIGNMENT
        made = self.table(max(end, 1), lasting=lasting)
        for start, table in zip(starts, tables, strict=True):
            made.host[start : start + table.nbytes] = np.ascontiguousarray(table).reshape(-1).view(np.uint8)
        self.send(made)
        return made.memory, [made.address + start for start in starts]

    def constant(self, name: Any, make: Callable[[], Sequence[NDArray[Any]]]) -> list[int]:
        """Addresses of tables that are uploaded once and stay."""
        if name not in self._constants:
            self._constants[name] = self.upload(*make(), lasting=True)
        return self._constants[name][1]

    # -------------------------------------------------------------------------------------------------------- launches

    def start(
        self, kernel: Any, grid: tuple[int, int], threads: int, arguments: Sequence[Any], shared: int = 0
    ) -> None:  # fmt: skip
        """Launch a kernel whose arguments lie on the GPU."""
        used, current = self._used, self._cupy.cuda.get_current_stream()
        if used.around is None:
            enqueue.launch(kernel, grid, threads, arguments, current, shared)
        else:
            with used.around(self._stream):
                enqueue.launch(kernel, grid, threads, arguments, current, shared)
        if used.record is not None:
            used.record.add(kernel, grid, threads, arguments, shared, self._stream)

    def launch(
        self, name: str, items: NDArray[Any], work: NDArray[np.int64] | int, *arguments: Any, function: str = "",
        macros: Mapping[str, object] | None = None, tables: Sequence[NDArray[Any]] = (), shared: int = 0,
    ) -> None:  # fmt: skip
        """Launch a kernel over a batch.

        Parameters
        ----------
        name : str
            The source.
        items : ndarray
            Structured, (N,): the kernel's descriptor of every sample.
        work : ndarray or int
            Threads that the samples need; blocks of 256 in the first axis of the grid, samples in the second.
        *arguments
            Further arguments of the kernel, after the descriptors and the addresses of `tables`: numpy scalars.
        function : str
            Default: `name`.
        macros : mapping
            Macros of the compilation.
        tables : sequence of ndarray
            Uploaded with the descriptors; their addresses are the kernel's next arguments.
        shared : int
            Bytes of dynamic shared memory.
        """
        threads = int(np.max(work)) if len(items) else 0
        if not threads:
            return
        check_samples(len(items))
        memory, addresses = self.upload(items, *tables)
        kernel = compiled_kernel(name, function or name, tuple(macros.items()) if macros else ())
        grid = (-(-threads // THREADS), len(items))
        if shared > ALWAYS_SHARED:
            kernel.max_dynamic_shared_size_bytes = shared
        self.start(kernel, grid, THREADS, (*addresses, *arguments), shared)
        del memory  # back to the pool of this stream, whose next user comes after the kernel


def _pointer(host: NDArray[np.uint8]) -> Any:
    return ctypes.c_void_p(host.ctypes.data)
