"""Data sets whose samples are pieces of larger files: records, members of archives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.storage import Packed
from dali_studio.operators.common import sentence
from dali_studio.operators.readers.ahead import Memory, Run
from dali_studio.schema.arguments import Args

#: Where pieces begin in memory: at what any element type may lie.
_ALIGNED = 64
_BYTES = np.dtype(np.uint8)
#: Pieces of one task.
_CHUNK = 8


@dataclass(frozen=True, slots=True)
class Places:
    """Where pieces lie: (M,) number of the file, first byte, and bytes; a piece without bytes need not exist."""

    files: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def take(self, picked: Sequence[int] | NDArray[np.int64]) -> Places:
        """Some of them."""
        chosen = np.asarray(picked, np.int64)
        return Places(self.files[chosen], self.starts[chosen], self.sizes[chosen])


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
        """Some of them, one after the other."""
        places = Places(*(table[positions] for table in (self.places.files, self.places.starts, self.places.sizes)))
        chosen = range(len(self.places.files))[positions]
        failures = {at - chosen.start: self.failures[at] for at in chosen if at in self.failures}
        return PiecesRead(places, self.data[positions], failures)


def read_pieces(paths: Sequence[str], places: Places, memory: Memory, run: Run) -> PiecesRead:
    """Read pieces of the files `paths`; `memory` and `run` as for `DataSet.read`."""
    room = -(-places.sizes // _ALIGNED) * _ALIGNED
    ends = np.cumsum(room)
    slab = memory(int(ends[-1]) if len(ends) else 0)
    made = PiecesRead(places, Packed.of_bytes(slab, ends - room, places.sizes))
    view = memoryview(slab)  # pyright: ignore[reportArgumentType] - a buffer

    def read(chunk: int) -> None:
        positions = range(chunk * _CHUNK, min((chunk + 1) * _CHUNK, len(places.sizes)))
        wanted = [position for position in positions if places.sizes[position]]
        for number, same in groupby(wanted, lambda position: int(places.files[position])):
            group = list(same)
            try:
                with Path(paths[number]).open("rb", buffering=0) as file:
                    for position in group:
                        begin, size = int(made.data.starts[position]), int(places.sizes[position])
                        error = _fill(file, int(places.starts[position]), view[begin : begin + size])
                        if error is not None:
                            made.failures[position] = error
            except OSError as error:
                made.failures.update(dict.fromkeys(group, error))

    run(read, -(-len(places.sizes) // _CHUNK))
    return made


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


class Records:
    """Samples each of which is a piece of a file.

    Parameters
    ----------
    paths : sequence of str
    places : Places
        Of the samples, file after file.
    """

    def __init__(self, paths: Sequence[str], places: Places) -> None:
        self.paths, self.places = paths, places
        #: Samples of each file.
        self.archives: list[int] = np.bincount(places.files, minlength=len(paths)).tolist()

    def __len__(self) -> int:
        return len(self.places.files)

    def read(self, picked: list[int], memory: Memory, run: Run, *, ahead: bool) -> PiecesRead:
        """As `DataSet.read`."""
        return read_pieces(self.paths, self.places.take(picked), memory, run)


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
        return f"{self._paths[int(self._places.files[index])]} at byte {self._places.starts[index]}"
