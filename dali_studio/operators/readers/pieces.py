"""Data sets whose samples are pieces of larger files: records, members of archives."""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.file_read import FAST, FLAGS
from dali_studio.kernels.cpu.native import kernel
from dali_studio.operators.common import sentence
from dali_studio.operators.readers.ahead import Memory, Run
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import Doc

#: Of an argument of readers that map files.
DONT_USE_MMAP = Doc(
    "Read files instead of mapping them into memory. A program ends when a mapped file is cut off while it is read; "
    "outputs that lie in one are read-only."
)
#: Where pieces begin in memory: at what any element type may lie.
_ALIGNED = 64
_BYTES = np.dtype(np.uint8)
#: Pieces of one task.
_CHUNK = 8


#: What tells whether a file is the one that was mapped, as long as it was.
_Identity = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Places:
    """Where pieces lie: (M,) number of the file, first byte, and bytes; a piece without bytes need not exist.

    Of archives, what their source has behind the path; empty for what is missing, which has no source. Of databases,
    where the heads of their entries lie.
    """

    files: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    names: NDArray[Any] | None = field(default=None, kw_only=True)

    def take(self, picked: Sequence[int] | NDArray[np.int64] | slice) -> Places:
        """Some of them."""
        chosen = picked if isinstance(picked, slice) else np.asarray(picked, np.int64)
        names = None if self.names is None else self.names[chosen]
        return Places(self.files[chosen], self.starts[chosen], self.sizes[chosen], names=names)


@dataclass(slots=True)
class PiecesRead:
    """The contents of some pieces.

    Attributes
    ----------
    places : Places
    data : Packed
        Their bytes.
    failures : dict
        Why pieces cannot be read, by their position.
    """

    places: Places
    data: Packed
    failures: dict[int, OSError] = field(default_factory=dict[int, OSError])

    def take(self, positions: slice) -> PiecesRead:
        """Some of them."""
        chosen = range(len(self.places.files))[positions]
        failures = {chosen.index(at): error for at, error in self.failures.items() if at in chosen}
        return PiecesRead(self.places.take(positions), self.data[positions], failures)


def read_pieces(
    paths: Sequence[str], places: Places, memory: Memory, run: Run, *, ahead: bool = False
) -> PiecesRead:  # fmt: skip
    """Read pieces of the files `paths`; the others as for `DataSet.read`."""
    room = -(-places.sizes // _ALIGNED) * _ALIGNED
    ends = np.cumsum(room)
    slab = memory(int(ends[-1]) if len(ends) else 0)
    made = PiecesRead(places, Packed.of_bytes(slab, ends - room, places.sizes))
    left = np.flatnonzero(places.sizes > 0)
    if FAST:
        left = left[_read_fast(paths, places.take(left), made.data, left, run, len(left) if ahead else _CHUNK)]
    view = memoryview(slab)  # pyright: ignore[reportArgumentType] - a buffer
    remote = [position for position in left.tolist() if urls.is_url(paths[int(places.files[position])])]
    if remote:
        _read_remote(paths, places, made, remote, view)
    for position in left.tolist():  # what could not be read is read again, to learn the reason
        if position in remote:
            continue
        begin, size = int(made.data.starts[position]), int(places.sizes[position])
        try:
            with Path(urls.local(paths[int(places.files[position])])).open("rb", buffering=0) as file:
                error = _fill(file, int(places.starts[position]), view[begin : begin + size])
        except OSError as problem:
            error = problem
        if error is not None:
            made.failures[position] = error
    return made


def _read_remote(
    paths: Sequence[str], places: Places, made: PiecesRead, positions: list[int], view: memoryview
) -> None:  # fmt: skip
    """Read pieces of what URLs name, all at the same time."""
    chosen = places.take(positions)
    names = [paths[int(number)] for number in chosen.files]
    found = urls.read_parts(names, chosen.starts.tolist(), chosen.sizes.tolist())
    for position, content in zip(positions, found, strict=True):
        if isinstance(content, OSError):
            made.failures[position] = content
        else:
            begin = int(made.data.starts[position])
            view[begin : begin + len(content)] = content


def _read_fast(
    paths: Sequence[str], places: Places, data: Packed, positions: NDArray[np.int64], run: Run, chunk: int
) -> NDArray[np.int64]:  # fmt: skip
    """Read pieces to their `positions` by compiled code; gives those that it cannot read."""
    numbers, which = np.unique(places.files, return_inverse=True)
    sizes, starts = places.sizes.copy(), data.starts[positions]
    opened: list[int] = []
    try:
        opened.extend(_opened(paths[int(number)]) for number in numbers)
        files = np.array(opened, np.int32)[which.reshape(-1)]

        def read(i: int) -> None:
            part = slice(i * chunk, (i + 1) * chunk)
            kernel("read_pieces")(files[part], places.starts[part], sizes[part], data.slab, starts[part])

        run(read, -(-len(sizes) // max(chunk, 1)))
    finally:
        for file in opened:
            if file >= 0:
                os.close(file)
    return np.flatnonzero(sizes < 0)


def _opened(path: str) -> int:
    """The number of an open file, -1 if it cannot be opened."""
    try:
        return os.open(urls.local(path), FLAGS)
    except OSError:
        return -1


def _fill(file: Any, start: int, view: memoryview) -> OSError | None:
    """Read what lies at byte `start`; returns why it cannot be read."""
    try:
        file.seek(start)
        done = 0
        while done < len(view):
            count = file.readinto(view[done:])
            if not count:
                return OSError(0, "the file ends before it")
            done += count
    except OSError as error:
        return error
    return None


class PieceFiles:
    """Files of which pieces are read, or mapped into memory, read-only, where a batch is of one file.

    Parameters
    ----------
    paths : sequence of str
    mapped : bool
        Whether they may be mapped.
    """

    def __init__(self, paths: Sequence[str], *, mapped: bool) -> None:
        self._paths, self._may_map = paths, mapped and FAST
        self._mapped: dict[int, tuple[_Identity, NDArray[np.uint8]]] = {}

    def read(self, places: Places, memory: Memory, run: Run, *, ahead: bool) -> PiecesRead:
        """Fetch pieces; the others as for `DataSet.read`."""
        found = self._there(places) if self._may_map else None
        return read_pieces(self._paths, places, memory, run, ahead=ahead) if found is None else found

    def _there(self, places: Places) -> PiecesRead | None:
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
        if urls.is_url(path):
            return None
        local = urls.local(path)
        try:
            known = self._mapped.get(number)
            if known is None or known[0] != _identity(Path(local).stat()):  # what was cut off must not be read
                known = self._mapped[number] = map_file(local)
        except (OSError, ValueError):  # a reading that fails tells why
            return None
        return known[1]


def map_file(path: str) -> tuple[_Identity, NDArray[np.uint8]]:
    """What tells which file it is, and its contents, mapped into memory."""
    file = os.open(path, FLAGS)
    try:
        return _identity(os.fstat(file)), np.frombuffer(mmap.mmap(file, 0, access=mmap.ACCESS_READ), np.uint8)
    finally:
        os.close(file)


def _identity(facts: os.stat_result) -> _Identity:
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


class Records:
    """Samples each of which is a piece of a file.

    Parameters
    ----------
    paths : sequence of str
    places : Places
        Of the samples, file after file.
    mapped : bool
        As for `PieceFiles`.
    """

    def __init__(self, paths: Sequence[str], places: Places, *, mapped: bool = False) -> None:
        self.paths, self.places = paths, places
        self._files = PieceFiles(paths, mapped=mapped)
        #: Samples of each file.
        self.archives: list[int] = np.bincount(places.files, minlength=len(paths)).tolist()

    def __len__(self) -> int:
        return len(self.places.files)

    def read(self, picked: list[int], memory: Memory, run: Run, *, ahead: bool) -> PiecesRead:
        """As `DataSet.read`."""
        return self._files.read(self.places.take(picked), memory, run, ahead=ahead)


def pieces_batch(paths: Sequence[str], read: PiecesRead, args: Args, dtype: np.dtype[Any] = _BYTES) -> Batch:
    """The pieces as an output of vectors.

    Raises
    ------
    ArgumentError
        DS302 for a piece that cannot be read, unless `on_error` says to go on.
    """
    sources = Sources(paths, read.places)
    accepted = accept_failures(read.failures, sources, args)
    sizes = read.places.sizes.copy()
    sizes[accepted] = 0
    packed = Packed(read.data.slab, read.data.starts, sizes[:, None] // dtype.itemsize, dtype)
    return Batch.of(packed, "", sources)


def accept_failures(failures: dict[int, OSError], sources: Sequence[str], args: Args) -> list[int]:
    """The positions of what failed, and may fail."""
    for position, error in failures.items():
        index = int(args.context.indices[position])
        finding = ArgumentError(
            f"{sources[position]} cannot be read: {error.strerror or sentence(error).rstrip('.')}.",
            hint='Restore the file, or take the sample out of the data set; on_error="skip" leaves such samples out.',
            sample=index, code="DS302",
        )  # fmt: skip
        if not args.context.accepts(index, sources[position], finding):
            raise finding from error
    return list(failures)


class Sources(Sequence[str]):
    """Files and places in them, made when somebody asks."""

    def __init__(self, paths: Sequence[str], places: Places) -> None:
        self._paths, self._places = paths, places

    def __len__(self) -> int:
        return len(self._places.files)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        path, names = self._paths[int(self._places.files[index])], self._places.names
        if names is not None:
            return path + names[index] if names[index] else ""
        return f"{path} at index {self._places.starts[index]}"  # a byte, in nvidia.dali's words
