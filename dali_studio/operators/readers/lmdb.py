"""What the readers of Caffe's and Caffe2's databases share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.storage import Packed, Samples
from dali_studio.kernels.cpu.lmdb import key_at, places_of_values
from dali_studio.operators.common import sentence
from dali_studio.operators.readers.common import Reader
from dali_studio.operators.readers.pieces import PiecesRead, Places, Records, Sources
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
        table = np.concatenate(tables) if tables else np.empty((0, 4), np.int64)
        if not len(table):
            raise ArgumentError(
                "the databases have no entry.", hint="Give folders of LMDB databases.", argument="path", code="DS302"
            )
        *places, entries = map(np.ascontiguousarray, table.T)
        return Records(files, Places(*places, names=entries))


def sources_of(data: Records, read: PiecesRead) -> Sequence[str]:
    """The databases of the messages, and their keys, in nvidia.dali's words."""
    return _Keys(data.paths, read.places)


class _Keys(Sources):
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice) or self._places.names is None:
            return super().__getitem__(index)
        path = self._paths[int(self._places.files[index])]
        return f"{Path(path).parent} at key {key_at(path, int(self._places.names[index]))}"


def messages_of(read: PiecesRead) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Memory with messages, where each begins, and its bytes: none of one that cannot be read."""
    sizes = read.places.sizes.copy()
    sizes[list(read.failures)] = 0
    return read.data.slab, read.data.starts, sizes


def pictures(
    read: PiecesRead, places: NDArray[np.int64], shapes: NDArray[np.int64], raw: NDArray[np.bool_]
) -> Samples:  # fmt: skip
    """Files and pictures.

    Parameters
    ----------
    places : ndarray
        (N, 2) first byte and one past the last; there is none where they are equal.
    shapes : ndarray
        (N, 3) axes of those that are pixels.
    raw : ndarray
        (N,) which ones are pixels.

    Raises
    ------
    ArgumentError
        DS302, if there are both in a batch.
    """
    sizes = places[:, 1] - places[:, 0]
    there = raw[sizes > 0]
    if there.any() and not there.all():
        raise ArgumentError(
            "a batch has encoded and raw pictures.", hint="Give databases of one kind.", argument="path", code="DS302"
        )
    extents = np.where(raw[:, None], shapes, 0) if there.any() else sizes[:, None]
    return Packed(read.data.slab, np.where(sizes > 0, places[:, 0], 0), extents, np.dtype(np.uint8))
