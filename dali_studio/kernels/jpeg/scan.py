"""What `jpeg.cu` needs to know of JPEG files: tables and geometry, read by compiled code, and room for its results.

Source: ITU-T T.81, annexes B and C.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.jpeg import libjpeg

#: The kernels' structure for a picture; addresses are places in a region until `settle` has added where it begins.
PICTURE = np.dtype(
    [
        *((name, np.uint64) for name in ("scan", "words", "restarts", "coefficients", "planes", "parts", "target")),
        ("pitch", np.int64),
        *((name, np.int32) for name in ("size", "blocks", "columns_of_units", "units", "interval", "intervals")),
        *((name, np.int32) for name in ("components", "h", "v")),
        *((name, np.int32) for name in ("first_row", "first_column", "rows", "columns", "colors")),
        *((name, np.int32) for name in ("chroma_rows", "chroma_columns", "segment", "segments")),
        *((name, np.int32) for name in ("first_block", "end_block")),
        ("dc", np.int32, 3), ("ac", np.int32, 3), ("quant", np.uint16, (3, 64)), ("lengths", np.uint8, (4, 16)),
        ("symbols", np.uint8, (4, 256)),
    ]
)  # fmt: skip
#: Bytes of the kernels' result for a picture.
RESULT = 8
#: Numbers that `plan` tells of a launch.
PLANNED = 8


def plan(
    requests: NDArray[np.int64], places: NDArray[np.int64], begin: int, end: int, most: int, segment: int,
    pictures: NDArray[Any], rows: NDArray[np.int64], made: NDArray[np.int64],
) -> int:  # fmt: skip
    """Take pictures for one launch.

    Parameters
    ----------
    requests : ndarray of int64, (N, `libjpeg.FIELDS`)
    places : ndarray of int64, (N, 2)
        Device address of each picture, and bytes from row to row.
    begin, end : int
        Which of them.
    most : int
        Bytes of device memory.
    segment : int
        Bytes of coded data that a block of threads decodes, a multiple of 16; up to three times as many are not shared.
    pictures : record array of `PICTURE`, (M,)
        Filled in.
    rows : ndarray of int64, (M,)
        Of each of these, where it stands in `requests`.
    made : ndarray of int64, (`PLANNED`,)
        How many pictures there are; bytes of what is uploaded, of what must be zero, and of the rest; most segments of
        a picture; most tiles of one whose chroma is repeated; most blocks, and most groups of pixels of another one.

    Returns
    -------
    int
        The first that was not looked at. Some on the way may be left out, because the kernels do not decode them.
    """
    _check(requests, pictures, rows)
    shapes = places.shape[1:], made.shape
    if not (0 <= begin <= end <= len(requests) == len(places) and shapes == ((2,), (PLANNED,))):
        raise ValueError(f"Pictures {begin} to {end} of {len(requests)} with {len(places)} places cannot be planned.")
    return kernel("jpeg_plan")(requests, places, begin, end, most, segment, bytes_of(pictures), rows, made)


def settle(
    requests: NDArray[np.int64], count: int, pictures: NDArray[Any], rows: NDArray[np.int64], staged: int, upload: int,
    zero: int, rest: int,
) -> None:  # fmt: skip
    """Copy coded data to where it is uploaded from, and complete addresses.

    Parameters
    ----------
    requests, pictures, rows
        As `plan` left them.
    count : int
        Of pictures.
    staged : int
        Address in host memory of what is uploaded.
    upload, zero, rest : int
        Addresses on the GPU of the three regions.
    """
    _check(requests, pictures, rows)
    kernel("jpeg_settle")(requests, bytes_of(pictures), rows[:count], staged, upload, zero, rest)


def _check(requests: NDArray[np.int64], pictures: NDArray[Any], rows: NDArray[np.int64]) -> None:
    if requests.shape[1:] != (libjpeg.FIELDS,) or pictures.dtype != PICTURE or pictures.shape != rows.shape:
        raise ValueError(f"Requests of shape {requests.shape}, {pictures.shape} pictures and {rows.shape} rows differ.")


def bytes_of(pictures: NDArray[Any]) -> NDArray[np.uint8]:
    """The same memory as rows of bytes, for compiled code."""
    return pictures.view(np.uint8).reshape(len(pictures), PICTURE.itemsize)
