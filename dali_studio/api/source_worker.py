"""What runs in a worker process of external sources: calls sources, and puts what they give into shared memory."""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

_ALIGNED, _MIN_SIZE = 64, 1 << 20
#: Where memory that processes share lies: in memory, as far as there is room.
FOLDERS = ("/dev/shm", tempfile.gettempdir())  # noqa: S108 - files of our own, with names that nobody guesses


@dataclass(frozen=True, slots=True)
class Described:
    """A source, as a worker gets it.

    Attributes
    ----------
    source : object
        Callable, iterable or generator function.
    iterable : bool
        Items are taken one after the other.
    generator : bool
        A call of the source gives an iterator.
    cycle : str
        As the argument of the external source.
    outputs : int or None
        How many outputs it gives; ``None``: one, without a tuple.
    samples : bool
        It is called for each sample, not for a batch.
    """

    source: Any
    iterable: bool
    generator: bool
    cycle: str
    outputs: int | None
    samples: bool


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker is asked for.

    Attributes
    ----------
    source : int
        Number of the source.
    given : sequence
        What the source is called with: one item for each sample, or one, or nothing, for a batch.
    start : int
        How often the source has begun anew.
    freed : sequence of int
        Pieces of shared memory that nobody reads any more.
    """

    source: int
    given: Sequence[Any]
    start: int
    freed: Sequence[int]


@dataclass(frozen=True, slots=True)
class Placed:
    """Arrays in shared memory: a list of them, or one for the batch."""

    arrays: Sequence[tuple[str, tuple[int, ...], int]]
    whole: bool


@dataclass(frozen=True, slots=True)
class Made:
    """What a source gave.

    Attributes
    ----------
    columns : sequence of Placed
        One for each output.
    key : int
        The piece of shared memory.
    path : str
        Its file, if it is new.
    dropped : sequence of int
        Pieces that are not used any more.
    several : bool
        The source gave a tuple of outputs.
    """

    columns: Sequence[Placed]
    key: int
    path: str
    dropped: Sequence[int]
    several: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a source gave nothing; an empty `name` is the end of its data."""

    name: str = ""
    message: str = ""
    trace: str = ""


# --------------------------------------------------------------------------------------------------------- the process


def serve(
    connection: Connection, sources: Sequence[Described] | bytes, loads: Callable[[bytes], Any] | None,
    others: Sequence[Connection], prefix: str,
) -> None:  # fmt: skip
    """Do tasks until there are no more, or the process that started this one is gone.

    Parameters
    ----------
    sources : sequence of Described or bytes
        Bytes are for `loads`.
    others : sequence of Connection
        Those that a fork has copied and that concern other processes.
    prefix : str
        Of the names of files that are shared memory.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which ends this process
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()
    parent = multiprocessing.parent_process()
    assert parent is not None
    try:
        known = loads(sources) if isinstance(sources, bytes) and loads is not None else sources
        takers = [_taker(one) for one in cast("Sequence[Described]", known)]
        failure = None
    except Exception as error:  # noqa: BLE001 - whatever a user's objects raise when they are unpickled
        takers, failure = [], _failure(error)
    memory = Memory(prefix)
    try:
        while connection in wait([connection, parent.sentinel]):
            task: Task | None = connection.recv()
            if task is None:
                return
            connection.send(_done(takers[task.source], task, memory) if failure is None else failure)
    except (EOFError, OSError):  # the program is gone
        pass
    finally:
        remove_files(prefix)


def _done(taker: Taker, task: Task, memory: Memory) -> Made | Failed:
    memory.free(task.freed)
    try:
        return memory.placed(*taker.columns(task))
    except StopIteration:
        return Failed()
    except BaseException as error:  # noqa: BLE001 - the program is told, whatever it was
        return _failure(error)


def _failure(error: BaseException) -> Failed:
    return Failed(type(error).__name__, str(error), traceback.format_exc())


class Taker:
    """Takes data from a source."""

    def __init__(self, of: Described) -> None:
        self.of = of

    def columns(self, task: Task) -> tuple[list[Any], bool]:
        """What the source gives for a task, by output, and whether it was a tuple of outputs."""
        if self.of.samples:
            rows = [self.of.source(info) for info in task.given]
            return ([rows], False) if self.of.outputs is None else (list(map(list, zip(*rows, strict=True))), True)
        made = self.item(task)
        if self.of.outputs is not None and isinstance(made, list | tuple):
            return list(cast("Sequence[Any]", made)), True
        return [made], False

    def item(self, task: Task) -> Any:
        """A batch."""
        return self.of.source(*task.given)


class IterableTaker(Taker):
    """Takes items one after the other; behind the last there is nothing until the source begins anew."""

    def __init__(self, of: Described) -> None:
        super().__init__(of)
        self._items, self._ended, self._start = self._begin(), False, 0

    def _begin(self) -> Iterator[Any]:
        return iter(self.of.source() if self.of.generator else self.of.source)

    def item(self, task: Task) -> Any:
        """A batch."""
        if self._ended:
            if self.of.cycle != "raise" or task.start <= self._start:
                raise StopIteration
            self._items, self._ended, self._start = self._begin(), False, task.start
        try:
            return next(self._items)
        except StopIteration:
            self._ended = True
            if self.of.cycle != "quiet":
                raise
        self._items = self._begin()
        first = next(self._items)
        self._ended = False
        return first


def _taker(of: Described) -> Taker:
    return IterableTaker(of) if of.iterable else Taker(of)


# ------------------------------------------------------------------------------------------------------- shared memory


class Memory:
    """Pieces of memory that the program reads as well; each is a file, which it removes once it has opened it."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._pieces: dict[int, mmap.mmap] = {}
        self._free: set[int] = set()
        self._made = 0

    def free(self, keys: Sequence[int]) -> None:
        """Pieces that may be written again."""
        self._free.update(keys)

    def placed(self, columns: Sequence[Any], several: bool) -> Made:
        """Copy arrays to shared memory."""
        lists = [_arrays(column) for column in columns]
        total = sum(-(-array.nbytes // _ALIGNED) * _ALIGNED for arrays, _ in lists for array in arrays)
        key, path, dropped = self._piece(total)
        piece, at = np.frombuffer(self._pieces[key], np.uint8), 0
        made: list[Placed] = []
        for arrays, whole in lists:
            places: list[tuple[str, tuple[int, ...], int]] = []
            for array in arrays:
                np.ndarray(array.shape, array.dtype, piece[at : at + max(array.nbytes, 1)])[...] = array
                places.append((array.dtype.str, array.shape, at))
                at += -(-array.nbytes // _ALIGNED) * _ALIGNED
            made.append(Placed(places, whole))
        return Made(made, key, path, dropped, several)

    def _piece(self, size: int) -> tuple[int, str, list[int]]:
        """A free piece of at least so many bytes, its file if it is new, and the pieces that it is in place of."""
        fitting = [key for key in self._free if len(self._pieces[key]) >= size]
        if fitting:
            key = min(fitting, key=lambda one: len(self._pieces[one]))
            self._free.remove(key)
            return key, "", []
        dropped = list(self._free)
        for key in dropped:
            del self._pieces[key]
        self._free.clear()
        self._made += 1
        piece, path = _file(max(size * 5 // 4, _MIN_SIZE), self._prefix)
        self._pieces[self._made] = piece
        return self._made, path, dropped


def _file(size: int, prefix: str) -> tuple[mmap.mmap, str]:
    """Memory in a new file."""
    folders = [folder for folder in FOLDERS if Path(folder).is_dir()]
    for folder in folders:
        number, path = tempfile.mkstemp(prefix=prefix, dir=folder)
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(number, 0, size)  # what is not there would end the process when it is written
            else:
                os.truncate(number, size)
            return mmap.mmap(number, size), path
        except OSError:
            Path(path).unlink()
            if folder == folders[-1]:
                raise
        finally:
            os.close(number)
    raise OSError("there is no folder for shared memory")


def remove_files(prefix: str) -> None:
    """Remove files that the program has not opened."""
    for folder in FOLDERS:
        for path in Path(folder).glob(f"{prefix}*"):
            with contextlib.suppress(OSError):
                path.unlink()


def _arrays(column: Any) -> tuple[list[NDArray[Any]], bool]:
    """The arrays of a batch, or the only one: a list, an array, or a list of tensors of a pipeline."""
    if isinstance(column, list | tuple):
        return [_array(one) for one in cast("Sequence[Any]", column)], False
    if hasattr(column, "at") and not hasattr(column, "__array__"):
        return [_array(column.at(i)) for i in range(len(column))], False
    return [_array(column)], True


def _array(value: Any) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(value, order="C")
    if array.dtype.hasobject:
        raise TypeError(f"a source gave a {type(value).__name__}, which is no array of numbers")
    return array
