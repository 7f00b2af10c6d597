"""Entries of Caffe's and Caffe2's databases: what lies where in protobuf's messages."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel

#: Columns of what is found in a Datum, in the order of `messages.cpp`: whether it could be read, what the picture is,
#: its first byte and the one past its last, its axes, how many labels there are (0 or 1), and the label.
WHOLE, PICTURE, BEGIN, END, HEIGHT, WIDTH, CHANNELS, LABELS, LABEL, _COLUMNS = range(10)
#: What a picture is: there is none, a file, pixels, pixels that are not as many as the axes say.
NO_PICTURE, ENCODED, RAW, MISSHAPEN = range(4)


class TensorColumns:
    """Columns of what is found in a TensorProto: its place and type, how many numbers it has, and its picture."""

    FROM, TO, KIND, REALS, INTEGERS, PICTURE, BEGIN, END, HEIGHT, WIDTH, CHANNELS, COUNT = range(12)


#: Types of TensorProtos whose numbers are read.
REALS: Final = 1
INTEGERS: Final = 2


def find_data(
    slab: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:  # fmt: skip
    """What lies where in the (N,) messages, each a Datum: a row of columns for each."""
    found = np.empty((len(starts), _COLUMNS), np.int64)
    kernel("find_data")(slab, starts, sizes, found)
    return found


def find_tensors(
    slab: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What lies where in messages, each of them TensorProtos.

    Returns
    -------
    found : ndarray
        (N, `count`, C): `TensorColumns` of the first tensors of each.
    counts : ndarray
        (N,): how many tensors there are; -1: the message is damaged.
    """
    found = np.empty((len(starts), count, TensorColumns.COUNT), np.int64)
    counts = np.empty(len(starts), np.int64)
    kernel("find_tensors")(slab, starts, sizes, found, counts)
    return found, counts


def copy_tensors(
    slab: NDArray[np.uint8], found: NDArray[np.int64], out: NDArray[np.uint8], places: NDArray[np.int64],
    room: NDArray[np.int64], kind: int,
) -> None:  # fmt: skip
    """The numbers of a type, `REALS` or `INTEGERS`, of (N, C) tensors, from the (N,) `places` on, `room` at most."""
    kernel("copy_tensors")(
        slab, found[:, TensorColumns.FROM], found[:, TensorColumns.TO], out, places, room, kind == INTEGERS
    )
