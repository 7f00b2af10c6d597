"""What the host computes for every sample of a batch: where it lies, and what kernels are told of it.

A batch has some hundred samples; one compiled loop over them takes less time than one call of numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel

#: How the extents of a shape are read: as height, width and channels, the other way, or as one row of elements.
HWC, CHW, ROW = 0, 1, 2


def place(shapes: NDArray[np.int64], itemsize: int, alignment: int) -> tuple[NDArray[np.int64], int]:
    """First byte of every sample, (N,), and the bytes of all; ragged ones begin at multiples of `alignment`."""
    offsets = np.empty(len(shapes), np.int64)
    return offsets, kernel("place_samples")(shapes, itemsize, alignment, offsets)


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
        if len(_measured) > _MAX_MEASURED:
            _measured.clear()
        found = np.empty(2, np.int64)
        kernel("measure_samples")(shapes, order, *tile, more, planes, found)
        known = _measured[key] = shapes, (int(found[0]), int(found[1]))
    return known[1]


_measured: dict[tuple[Any, ...], tuple[NDArray[np.int64], tuple[int, int]]] = {}
_MAX_MEASURED = 64


def largest_sample(shapes: NDArray[np.int64]) -> int:
    """Elements of the largest sample; of one that 63 bits do not count, the largest such number."""
    return kernel("largest_sample")(shapes)


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
        kernel("descriptor_heads")(
            self._longs, self._words, src[0], src[1], dst[0], dst[1], unit, src[2], src[3], dst[2], dst[3]
        )

    def extents(
        self, places: tuple[int, NDArray[np.int64], int, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
        fields: NDArray[np.int64], largest: int,
    ) -> int:  # fmt: skip
        """Fill all of it with addresses, products of extents and zeros; gives the largest number of one field.

        Parameters
        ----------
        places : tuple
            Address and offsets of input and output, and their shapes.
        fields : ndarray
            (K, 3): 0 for the input or 1 for the output, the first axis, and the one behind the last.
        largest : int
            Of which field.
        """
        return kernel("descriptor_extents")(self._longs, self._words, *places, fields, largest)

    def rows(self, first: int, rows: NDArray[Any]) -> None:
        """Fill the fields from byte `first` on with a structured array, whose items are whole 32-bit words."""
        values = rows.view(np.int32).reshape(self._count, -1)
        kernel("descriptor_rows")(self._ints, 2 * self._words, first // 4, values)

    def addresses(self, first: int, address: int, step: int) -> None:
        """Fill the field at byte `first` with `address`, a `step` more for each sample."""
        kernel("descriptor_addresses")(self._longs, self._words, first // 8, self._count, address, step)
