"""What the host computes for every sample of a batch: where it lies, and what kernels are told of it.

A batch has some hundred samples; one compiled loop over them takes less time than one call of numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, int32, int64
from numpy.typing import NDArray

from dali_studio.kernels.cpu.jit import readable, short_kernel, writable

#: How the extents of a shape are read: as height, width and channels, the other way, or as one row of elements.
HWC, CHW, ROW = 0, 1, 2
_TABLE = readable(int64, 2)
_COLUMN = readable(int64, 1)


@short_kernel(_TABLE, int64, int64, writable(int64, 1), writable(int64, 1))
def _place(shapes, itemsize, alignment, offsets, size):
    count, axes = shapes.shape
    equal = True
    for i in range(1, count):
        for axis in range(axes):
            equal = equal and shapes[i, axis] == shapes[0, axis]
    end = 0
    for i in range(count):
        length = itemsize
        for axis in range(axes):
            length *= shapes[i, axis]
        offsets[i] = end
        end += length if equal else (length + alignment - 1) // alignment * alignment
    size[0] = end


def place(shapes: NDArray[np.int64], itemsize: int, alignment: int) -> tuple[NDArray[np.int64], int]:
    """First byte of every sample, (N,), and the bytes of all; ragged ones begin at multiples of `alignment`."""
    offsets, size = np.empty(len(shapes), np.int64), np.empty(1, np.int64)
    _place()(shapes, itemsize, alignment, offsets, size)
    return offsets, int(size[0])


@short_kernel(_TABLE, int64, int64, int64, int64, boolean, writable(int64, 1))
def _measure(shapes, order, tile_y, tile_x, more_x, planes, found):
    most = tiles = 0
    count, axes = shapes.shape
    for i in range(count):
        elements = 1
        for axis in range(axes):
            elements *= shapes[i, axis]
        most = max(most, elements)
        if order != 2:
            height, width = (shapes[i, 0], shapes[i, 1]) if order == 0 else (shapes[i, 1], shapes[i, 2])
            channels = shapes[i, 2] if order == 0 else shapes[i, 0]
        else:
            height, width, channels = 1, elements, 1
        here = ((height + tile_y - 1) // tile_y) * ((width + more_x + tile_x - 1) // tile_x)
        tiles = max(tiles, here * channels if planes else here)
    found[0], found[1] = most, tiles


def measure(
    shapes: NDArray[np.int64], order: int, tile: tuple[int, int] = (1, 1), more: int = 0, *, planes: bool = False
) -> tuple[int, int]:
    """The elements of the largest sample, and the most tiles of (rows, columns) that one has.

    Every row counts as `more` columns longer than it is; `planes` counts the tiles of each channel. Nobody may write to
    `shapes` afterwards: what was found is kept.
    """
    key = id(shapes), order, tile, more, planes
    known = _measured.get(key)
    if known is None or known[0] is not shapes:
        if len(_measured) > _MOST_MEASURED:
            _measured.clear()
        found = np.empty(2, np.int64)
        _measure()(shapes, order, tile[0], tile[1], more, planes, found)
        known = _measured[key] = shapes, (int(found[0]), int(found[1]))
    return known[1]


_measured: dict[tuple[Any, ...], tuple[NDArray[np.int64], tuple[int, int]]] = {}
_MOST_MEASURED = 64


@short_kernel(
    writable(int64, 1), writable(int32, 1), int64, int64, _COLUMN, int64, _COLUMN, int64, _TABLE, int64, _TABLE, int64
)
def _heads(longs, ints, words, src, src_offsets, dst, dst_offsets, unit, in_shapes, in_order, out_shapes, out_order):
    for i in range(len(src_offsets)):
        first = i * words
        longs[first] = src + src_offsets[i]
        longs[first + 1] = dst + dst_offsets[i]
        count = 0
        if unit > 0:
            count = 1
            for axis in range(in_shapes.shape[1]):
                count *= in_shapes[i, axis]
            count //= unit
        longs[first + 2] = count
        for side in range(2):
            shapes, order = (in_shapes, in_order) if side == 0 else (out_shapes, out_order)
            at = 2 * (first + 3) + 3 * side
            if order == 2:
                elements = 1
                for axis in range(shapes.shape[1]):
                    elements *= shapes[i, axis]
                ints[at], ints[at + 1], ints[at + 2] = 1, elements, 1
            elif order == 1:
                ints[at], ints[at + 1], ints[at + 2] = shapes[i, 1], shapes[i, 2], shapes[i, 0]
            else:
                ints[at], ints[at + 1], ints[at + 2] = shapes[i, 0], shapes[i, 1], shapes[i, 2]


@short_kernel(writable(int32, 1), int64, int64, readable(int32, 2))
def _rows(ints, words, first, rows):
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            ints[i * words + first + k] = rows[i, k]


@short_kernel(writable(int64, 1), int64, int64, int64, int64, int64)
def _addresses(longs, words, first, count, address, step):
    for i in range(count):
        longs[i * words + first] = address + i * step


class Descriptors:
    """Descriptors of a batch's samples in host memory, to be filled field by field.

    Parameters
    ----------
    host : ndarray of uint8
        Their bytes.
    count, itemsize : int
        How many there are, and the bytes of each, a multiple of 8.
    """

    def __init__(self, host: NDArray[np.uint8], count: int, itemsize: int) -> None:
        self._longs, self._ints = host.view(np.int64), host.view(np.int32)
        self._count, self._words = count, itemsize // 8

    def heads(
        self, src: tuple[int, NDArray[np.int64], NDArray[np.int64], int],
        dst: tuple[int, NDArray[np.int64], NDArray[np.int64], int], unit: int,
    ) -> None:  # fmt: skip
        """Fill what every descriptor begins with.

        Parameters
        ----------
        src, dst : tuple
            Address, offsets, shapes and the order of the extents of input and output.
        unit : int
            Elements of the input that count as one; 0: none are counted.
        """
        _heads()(
            self._longs, self._ints, self._words, src[0], src[1], dst[0], dst[1], unit, src[2], src[3], dst[2], dst[3]
        )

    def rows(self, first: int, rows: NDArray[Any]) -> None:
        """Fill the fields from byte `first` on with a structured array, whose items are whole 32-bit words."""
        values = rows.view(np.int32).reshape(self._count, -1)
        _rows()(self._ints, 2 * self._words, first // 4, values)

    def addresses(self, first: int, address: int, step: int) -> None:
        """Fill the field at byte `first` with `address`, a `step` more for each sample."""
        _addresses()(self._longs, self._words, first // 8, self._count, address, step)


def warm() -> None:
    """Compile what this module needs, or load it from the disk cache."""
    for compiled in (_place, _measure, _heads, _rows, _addresses):
        compiled()
