"""What the readers of Caffe's and Caffe2's databases share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.storage import Packed, Samples
from dali_studio.kernels.cpu.lmdb import places_of_values
from dali_studio.operators.common import sentence
from dali_studio.operators.readers.common import Reader
from dali_studio.operators.readers.pieces import PiecesRead, Places, Records, Sources, accept_failures
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import COMMON, Doc, Refused

_NEVER = "nvidia.dali's reader does not have it"


class DatabaseReader(Reader, abstract=True):
    """Base of readers of LMDB databases, each value of which is a message."""

    icon = "file"
    archives = True

    path_: Annotated[list[str], Doc("The folders of the databases."), COMMON]
    shuffle_after_epoch: Annotated[bool, Refused(_NEVER)] = False
    shuffle_after_epoch_seed: Annotated[int | None, Refused(_NEVER)] = None

    @classmethod
    def data_set(cls, args: Args) -> Records:
        files: list[str] = []
        tables: list[NDArray[np.int64]] = []
        for number, folder in enumerate(args["path"]):
            try:
                file, places = places_of_values(folder)
            except ValueError as error:
                raise ArgumentError(
                    sentence(error), hint="Give folders of LMDB databases.", argument="path", code="DS302"
                ) from error
            files.append(file)
            tables.append(np.column_stack([np.full(len(places), number), places]))
        table = np.concatenate(tables) if tables else np.empty((0, 3), np.int64)
        if not len(table):
            raise ArgumentError(
                "the databases have no entry.", hint="Give folders of LMDB databases.", argument="path", code="DS302"
            )
        return Records(files, Places(*map(np.ascontiguousarray, table.T)))


def parsed(data: Records, read: PiecesRead, args: Args, parse: Callable[[memoryview, int, int], Any]) -> list[Any]:
    """What `parse` makes of each message, which lies between two places; ``None`` for what may fail.

    Raises
    ------
    ArgumentError
        DS302 for what cannot be read, unless `on_error` says to go on.
    """
    slab = memoryview(read.data.slab)  # pyright: ignore[reportArgumentType] - a buffer
    made: list[Any] = [None] * len(read.data)
    for position, (start, size) in enumerate(zip(read.data.starts.tolist(), read.places.sizes.tolist(), strict=True)):
        if position not in read.failures:
            try:
                made[position] = parse(slab, start, start + size)
            except ValueError as error:
                read.failures[position] = OSError(0, str(error))
    accept_failures(read.failures, sources_of(data, read), args)
    return made


def sources_of(data: Records, read: PiecesRead) -> Sequence[str]:
    """Where the messages lie, for users."""
    return Sources(data.paths, read.places)


def pictures(read: PiecesRead, found: Sequence[tuple[int, tuple[int, ...]]]) -> Samples:
    """Files and pictures, by their first bytes and shapes.

    Raises
    ------
    ArgumentError
        DS302, if there are both in a batch.
    """
    axes = {len(shape) for _, shape in found if 0 not in shape}
    if len(axes) > 1:
        raise ArgumentError(
            "a batch has encoded and raw pictures.", hint="Give databases of one kind.", argument="path", code="DS302"
        )
    ndim = axes.pop() if axes else 1
    shapes = [shape if len(shape) == ndim else (0,) * ndim for _, shape in found]
    starts = np.array([start for start, _ in found], np.int64)
    return Packed(read.data.slab, starts, np.array(shapes, np.int64).reshape(len(found), ndim), np.dtype(np.uint8))
