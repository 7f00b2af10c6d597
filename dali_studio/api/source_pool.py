"""Worker processes for external sources with ``parallel=True``."""

from __future__ import annotations

import contextlib
import math
import mmap
import multiprocessing
import os
import secrets
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.api import by_value
from dali_studio.api.source_arguments import is_generator_function, is_iterable
from dali_studio.api.source_worker import Described, Failed, Made, Task, remove_files, serve
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.types import BatchInfo, SampleInfo

_METHODS = ("fork", "spawn")
#: Seconds that processes get to end by themselves, and after they were asked to.
_MAX_WAIT = 1.0


class RemoteTraceback(Exception):  # noqa: N818 - it is the trace of one
    """What a source failed with in a worker process, as that process saw it."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class _WorkerDied(Exception):  # noqa: N818
    pass


@dataclass(slots=True)
class _Unit:
    """A task, and what becomes of it."""

    source: int
    given: Sequence[Any]
    start: int
    done: Future[Failed | tuple[list[Any], bool]] = field(default_factory=Future[Any])


@dataclass(slots=True, eq=False)
class _Worker:
    """A process: what it is at, what only it can do, and the shared memory that it has made."""

    process: BaseProcess
    connection: Connection
    prefix: str
    unit: _Unit | None = None
    own: deque[_Unit] = field(default_factory=deque[_Unit])
    freed: deque[int] = field(default_factory=deque[int])
    pieces: dict[int, mmap.mmap] = field(default_factory=dict[int, mmap.mmap])


class SourcePool:
    """Processes that call sources.

    Parameters
    ----------
    sources : sequence of Described
    count : int
        Processes, at most; iterables have one process each, or share it.
    method : {"fork", "spawn"}
    pickler : object or None
        For "spawn": something with ``dumps`` and ``loads``, or a tuple of it and their options.

    Raises
    ------
    DaliStudioError
        DS104 for sources that cannot be pickled.
    """

    def __init__(self, sources: Sequence[Described], count: int, method: str, pickler: Any) -> None:
        free = any(not one.iterable for one in sources)
        count = count if free else min(count, len(sources))
        context: Any = multiprocessing.get_context(method)
        given, loads = (sources, None) if method == "fork" else _pickled(sources, pickler)
        self._sources, workers = sources, list[_Worker]()
        prefixes = [f"dali-studio-{os.getpid()}-{secrets.token_hex(4)}-" for _ in range(count)]
        for prefix in prefixes:
            here, there = context.Pipe()
            others = [worker.connection for worker in workers] + [here] if method == "fork" else []
            process = context.Process(target=serve, args=(there, given, loads, others, prefix), daemon=True)
            process.start()
            there.close()
            workers.append(_Worker(process, here, prefix))
        self._state = _State(workers)
        iterables = [number for number, one in enumerate(sources) if one.iterable]
        self._owner = {number: workers[place % count] for place, number in enumerate(iterables)}
        self._close = weakref.finalize(self, self._state.close)
        self._state.thread.start()

    @property
    def pids(self) -> list[int | None]:
        """The numbers of the processes."""
        return [worker.process.pid for worker in self._state.workers]

    @property
    def capacities(self) -> list[int]:
        """Bytes of each piece of shared memory."""
        return [len(piece) for worker in self._state.workers for piece in list(worker.pieces.values())]

    def schedule(self, source: int, given: Sequence[Any], start: int) -> list[_Unit]:
        """Ask for a batch, in parts where samples are asked for."""
        parts = [given]
        if self._sources[source].samples:
            size = math.ceil(len(given) / len(self._state.workers))
            parts = [given[at : at + size] for at in range(0, len(given), size)]
        units = [_Unit(source, part, start) for part in parts]
        self._state.add(units, self._owner.get(source))
        return units

    def close(self) -> None:
        """End the processes, which takes three seconds at most."""
        self._close()


class _State:
    """What the thread that watches the processes shares with the pool; it must not keep the pool alive."""

    def __init__(self, workers: Sequence[_Worker]) -> None:
        self.workers = workers
        self._lock = threading.Lock()
        self._waiting: deque[_Unit] = deque()
        self._closed, self._failure, self._process = False, "", os.getpid()
        self.thread = threading.Thread(target=self.watch, name="dali-studio-sources", daemon=True)
        self._woken, self._wake = multiprocessing.Pipe(duplex=False)

    def add(self, units: Sequence[_Unit], owner: _Worker | None) -> None:
        """Give tasks to processes, or to the one that alone can do them."""
        with self._lock:
            if self._failure:
                for unit in units:
                    unit.done.set_exception(_WorkerDied(self._failure))
                return
            (self._waiting if owner is None else owner.own).extend(units)
            self._hand_out()

    def _hand_out(self) -> None:
        """Give each idle process a task."""
        for worker in self.workers:
            queue = worker.own or self._waiting
            if worker.unit is None and queue:
                unit = worker.unit = queue.popleft()
                freed = [worker.freed.popleft() for _ in range(len(worker.freed))]
                with contextlib.suppress(OSError):  # a process that has died is noticed elsewhere
                    worker.connection.send(Task(unit.source, unit.given, unit.start, freed))

    def watch(self) -> None:
        """Take results until the processes end."""
        by_connection = {worker.connection: worker for worker in self.workers}
        by_sentinel = {worker.process.sentinel: worker for worker in self.workers}
        while not self._closed:
            ready: list[Any] = wait([*by_connection, *by_sentinel, self._woken])
            for one in ready:
                received = one in by_connection and self._receive(by_connection[one])
                if not received and not self._closed:
                    self._fail(by_connection.get(one) or by_sentinel[one])
        self._end()

    def _receive(self, worker: _Worker) -> bool:
        try:
            reply: Made | Failed = worker.connection.recv()
        except (EOFError, OSError):
            return False
        with self._lock:
            unit, worker.unit = worker.unit, None
            self._hand_out()
        if unit is not None:
            try:
                done = reply if isinstance(reply, Failed) else (_arrays(worker, reply), reply.several)
                unit.done.set_result(done)
            except OSError as error:  # there is no room for the memory, or its process has removed it
                unit.done.set_exception(_WorkerDied(f"Shared memory cannot be opened: {error}"))
        return True

    def _fail(self, worker: _Worker) -> None:
        """A process has ended by itself: nothing can be asked of the others any more."""
        worker.process.join(10 * _MAX_WAIT)  # it may be about to end
        with self._lock:
            code = worker.process.exitcode
            self._failure = f"Worker process {worker.process.pid} has ended with the code {code}"
            units = list(self._waiting)
            self._waiting.clear()
            for one in self.workers:
                units += [*one.own, *([] if one.unit is None else [one.unit])]
                one.own.clear()
                one.unit = None
            self._closed = True
        for unit in units:
            unit.done.set_exception(_WorkerDied(self._failure))

    def close(self) -> None:
        """Let the processes end; the thread sees to it, for three seconds at most."""
        if os.getpid() != self._process:  # a copy that was forked later
            return
        with self._lock:
            self._closed = True
            for worker in self.workers:
                with contextlib.suppress(OSError):
                    worker.connection.send(None)
        with contextlib.suppress(OSError):
            self._wake.send(None)
        if threading.current_thread() is not self.thread:
            self.thread.join()

    def _end(self) -> None:
        for act in (None, "terminate", "kill"):
            deadline = monotonic() + _MAX_WAIT
            for worker in self.workers:
                if act is not None and worker.process.exitcode is None:
                    getattr(worker.process, act)()
            for worker in self.workers:
                worker.process.join(max(deadline - monotonic(), 0))
        for worker in self.workers:
            worker.connection.close()
            remove_files(worker.prefix)


def _pickled(sources: Sequence[Described], pickler: Any) -> tuple[bytes, Callable[[bytes], Any]]:
    given: Any = by_value if pickler is None else pickler
    with_options = cast("Sequence[Any]", given if isinstance(given, tuple | list) else (given,))
    module, dump_options, load_options = cast("Sequence[Any]", (*with_options, None, None)[:3])
    try:
        made = module.dumps(list(sources), **(dump_options or {}))
    except Exception as error:
        raise DaliStudioError(
            Diagnostic(
                code="DS104", argument="source", message=f"A source cannot be sent to another process: {error}.",
                hint='Define it at the top of a module, use py_start_method="fork", or give py_callback_pickler.',
            )
        ) from error  # fmt: skip
    return made, _Loads(module.loads, load_options or {})


@dataclass(frozen=True, slots=True)
class _Loads:
    loads: Callable[..., Any]
    options: Mapping[str, Any]

    def __call__(self, content: bytes) -> Any:
        return self.loads(content, **self.options)


# ------------------------------------------------------------------------------------------------------------- sources


class ParallelSource:
    """One source: batches are asked for ahead, and taken in order.

    Parameters
    ----------
    pool : SourcePool
    number : int
        Of the source in the pool.
    node : Node
        The external source.
    batch_size : int
    """

    def __init__(self, pool: SourcePool, number: int, node: Node, batch_size: int) -> None:
        self._pool, self._number, self._node, self._batch_size = pool, number, node, batch_size
        depth = node.arguments.get("prefetch_queue_depth")
        self._depth = depth if isinstance(depth, int) else 1
        self._ahead: deque[list[_Unit]] = deque()
        self._start = 0

    def next(self, iteration: int, epoch: int) -> Any:
        """What the source gives for an iteration: a batch, or samples.

        Raises
        ------
        StopIteration
            At the end of the data.
        DaliStudioError
            DS304 if the source failed, or a process died.
        """
        self._fill(iteration, epoch)
        units = self._ahead.popleft()
        try:
            parts = [self._taken(unit) for unit in units]
        except StopIteration:
            self.reset()
            raise
        self._fill(iteration + 1, epoch)
        if self._node.arguments.get("batch") is not False:
            columns, several = parts[0]
            return tuple(columns) if several else columns[0]
        joined = [[sample for columns, _ in parts for sample in columns[i]] for i in range(len(parts[0][0]))]
        return tuple(joined) if parts[0][1] else joined[0]

    def reset(self) -> None:
        """What was asked for ahead is of no use any more."""
        self._ahead.clear()
        self._start += 1

    def _fill(self, iteration: int, epoch: int) -> None:
        while len(self._ahead) < self._depth:
            given = self._given(iteration + len(self._ahead), epoch)
            self._ahead.append(self._pool.schedule(self._number, given, self._start))

    def _given(self, iteration: int, epoch: int) -> Sequence[Any]:
        arguments = self._node.arguments
        if arguments.get("batch") is not False:
            return (BatchInfo(iteration, epoch) if arguments.get("batch_info") else iteration,)
        first = iteration * self._batch_size
        return [SampleInfo(first + index, index, iteration, epoch) for index in range(self._batch_size)]

    def _taken(self, unit: _Unit) -> tuple[list[Any], bool]:
        """The arrays of a task, by output, and whether the source gave a tuple of outputs."""
        try:
            reply = unit.done.result()
        except _WorkerDied as error:
            hint = "Look for what ended it, such as a lack of memory, and build the pipeline anew."
            raise self._error(f"{error}.", hint) from None
        if isinstance(reply, Failed):
            if not reply.name:
                raise StopIteration
            message = f"The source failed in a worker process with {reply.name}: {reply.message or 'no message'}."
            raise self._error(message, "The trace of that process is above.") from RemoteTraceback(reply.trace)
        return reply

    def _error(self, message: str, hint: str) -> DaliStudioError:
        return DaliStudioError(
            Diagnostic(code="DS304", message=message, hint=hint, node=self._node.key, source=self._node.origin)
        )


def _arrays(worker: _Worker, made: Made) -> list[Any]:
    """Views of what lies in shared memory, which may be written again once nobody looks at it."""
    for key in made.dropped:
        worker.pieces.pop(key, None)
    if made.path:
        with Path(made.path).open("r+b") as file:
            worker.pieces[made.key] = mmap.mmap(file.fileno(), 0)
        with contextlib.suppress(OSError):  # Windows keeps it as long as it is open
            Path(made.path).unlink()
    slab: NDArray[np.uint8] = np.frombuffer(worker.pieces[made.key], np.uint8)
    weakref.finalize(slab, worker.freed.append, made.key).atexit = False
    columns: list[Any] = []
    for column in made.columns:
        arrays = [np.ndarray(shape, dtype, slab, at) for dtype, shape, at in column.arrays]
        columns.append(arrays[0] if column.whole else arrays)
    return columns


@dataclass(frozen=True, slots=True)
class Workers:
    """A pool, and the sources that it calls, by node."""

    pool: SourcePool
    sources: Mapping[str, ParallelSource]


def start_workers(graph: Graph, options: Mapping[str, Any]) -> Workers | None:
    """Start the processes for the sources of a graph that are ``parallel``; ``None`` if there are none.

    Parameters
    ----------
    options : mapping
        ``py_num_workers``, ``py_start_method``, ``py_callback_pickler``.

    Raises
    ------
    DaliStudioError
        DS105 for options that make no sense, DS104 for sources that cannot be sent to other processes.
    """
    nodes = [node for node in graph.nodes() if node.arguments.get("parallel") and "source" in node.objects]
    if not nodes:
        return None
    count, method = options.get("py_num_workers", 1), options.get("py_start_method", "fork")
    _check("py_num_workers", count, "a number from 1", isinstance(count, int) and count >= 1)
    _check("py_start_method", method, " or ".join(map(repr, _METHODS)), method in _METHODS)
    pool = SourcePool([_described(node) for node in nodes], count, method, options.get("py_callback_pickler"))
    size = graph.options.batch_size
    return Workers(pool, {node.key: ParallelSource(pool, i, node, size) for i, node in enumerate(nodes)})


def _check(name: str, value: object, accepted: str, fits: bool) -> None:
    if not fits:
        message = f"{name} is {value!r}; {accepted} is accepted."
        raise DaliStudioError(Diagnostic(code="DS105", argument=name, message=message, hint=f"Give {accepted}."))


def _described(node: Node) -> Described:
    source, outputs = node.objects["source"], node.arguments.get("num_outputs")
    return Described(
        source=source, iterable=is_iterable(source), generator=is_generator_function(source),
        cycle=str(node.arguments.get("cycle") or "no"), outputs=outputs if isinstance(outputs, int) else None,
        samples=node.arguments.get("batch") is False,
    )  # fmt: skip
