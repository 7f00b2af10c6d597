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
        *((name, np.int32) for name in ("size", "skip")),
        *((name, np.int32) for name in ("blocks", "columns_of_units", "units", "interval", "intervals")),
        *((name, np.int32) for name in ("components", "h", "v")),
        *((name, np.int32) for name in ("first_row", "first_column", "rows", "columns", "colors")),
        *((name, np.int32) for name in ("chroma_rows", "chroma_columns", "segment", "segments")),
        *((name, np.int32) for name in ("first_block", "end_block")),
        ("dc", np.int32, 3), ("ac", np.int32, 3), ("quant", np.uint16, (3, 64)), ("lengths", np.uint8, (4, 16)),
        ("symbols", np.uint8, (4, 256)),
    ],
    align=True,
)  # fmt: skip
#: The kernels' structure for a scan of a progressive picture.
CODED_SCAN = np.dtype(
    [
        ("begin", np.uint32), ("end", np.uint32),
        *((name, np.int32) for name in ("blocks", "columns", "components", "first", "last", "low", "refines")),
        ("interval", np.int32), ("waits", np.int32), ("lengths", np.uint8, (3, 16)), ("symbols", np.uint8, 256),
    ]
)  # fmt: skip
#: That for all scans of a picture; addresses are places in a region until `settle_scans` has added where it begins.
SCAN_LIST = np.dtype([("data", np.uint64), ("known", np.uint64), ("scans", np.uint64), ("count", np.int64)])
#: Scans that a picture may have, and of these so many are decoded at the same time, as `jpeg.hpp` has them.
MAX_SCANS, SCANS_AT_ONCE = 64, 16
#: Bytes of the kernels' result for a picture.
RESULT = 8
#: Numbers that `plan` and `plan_scans` tell of a launch.
PLANNED, SCANS_PLANNED = 10, 9


def plan(
    requests: NDArray[np.int64], places: NDArray[np.int64], begin: int, end: int, most: int, segment: int,
    pictures: NDArray[Any], rows: NDArray[np.int64], made: NDArray[np.int64], *, whole: bool = False,
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
        a picture; most tiles of one whose chroma is repeated; most blocks, and most groups of pixels of another one;
        where files that are uploaded whole begin in host memory, up to 15 bytes in front of the first one, and how many
        bytes they have with what is between them.
    whole : bool
        Files are uploaded as they lie in memory, and not copied by `settle`. Where one does not lie behind the one
        before it, the launch ends.

    Returns
    -------
    int
        The first that was not looked at. Some on the way may be left out, because the kernels do not decode them.
    """
    _check(requests, pictures, rows)
    _check_range(requests, places, begin, end, made, PLANNED)
    given = requests, places, begin, end, most, segment, int(whole)
    return kernel("jpeg_plan")(*given, bytes_of(pictures), rows, made)


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
        Address in host memory of what is uploaded, or 0 for files that are uploaded whole.
    upload, zero, rest : int
        Addresses on the GPU of the three regions.
    """
    _check(requests, pictures, rows)
    kernel("jpeg_settle")(requests, bytes_of(pictures), rows[:count], staged, upload, zero, rest)


def plan_scans(
    requests: NDArray[np.int64], places: NDArray[np.int64], begin: int, end: int, most: int, pictures: NDArray[Any],
    lists: NDArray[Any], scans: NDArray[Any], rows: NDArray[np.int64], made: NDArray[np.int64],
) -> int:  # fmt: skip
    """Take progressive pictures for one launch.

    Parameters
    ----------
    requests, places, begin, end, most, pictures, rows
        As for `plan`.
    lists : record array of `SCAN_LIST`, (M,)
        Filled in.
    scans : record array of `CODED_SCAN`, (K,)
        Filled in; as many pictures are taken as it surely has room for.
    made : ndarray of int64, (`SCANS_PLANNED`,)
        How many pictures there are; bytes of what is uploaded, of what must be zero, and of the rest; how many scans
        there are, and most of a picture; and what `plan` tells from the tiles on.

    Returns
    -------
    int
        The first that was not looked at. Some on the way may be left out, because the kernels do not decode them.
    """
    _check(requests, pictures, rows)
    _check_scans(pictures, lists, scans)
    _check_range(requests, places, begin, end, made, SCANS_PLANNED)
    given = bytes_of(pictures), bytes_of(lists), bytes_of(scans)
    return kernel("jpeg_plan_scans")(requests, places, begin, end, most, *given, rows, made)


def settle_scans(
    requests: NDArray[np.int64], count: int, pictures: NDArray[Any], lists: NDArray[Any], scans: NDArray[Any],
    rows: NDArray[np.int64], staged: int, scans_at: int, upload: int, zero: int, rest: int,
) -> None:  # fmt: skip
    """As `settle`, for what `plan_scans` has taken; `scans_at` is where the scans will lie on the GPU."""
    _check(requests, pictures, rows)
    _check_scans(pictures, lists, scans)
    given = bytes_of(pictures), bytes_of(lists), rows[:count], staged, scans_at, upload, zero, rest
    kernel("jpeg_settle_scans")(requests, *given)


def _check_range(
    requests: NDArray[np.int64], places: NDArray[np.int64], begin: int, end: int, made: NDArray[np.int64], told: int
) -> None:
    if not (0 <= begin <= end <= len(requests) == len(places) and (places.shape[1:], made.shape) == ((2,), (told,))):
        raise ValueError(f"Pictures {begin} to {end} of {len(requests)} with {len(places)} places cannot be planned.")


def _check_scans(pictures: NDArray[Any], lists: NDArray[Any], scans: NDArray[Any]) -> None:
    if lists.dtype != SCAN_LIST or lists.shape != pictures.shape or scans.dtype != CODED_SCAN or len(scans) < MAX_SCANS:
        raise ValueError(f"{pictures.shape} pictures, {lists.shape} lists and {scans.shape} scans do not fit.")


def _check(requests: NDArray[np.int64], pictures: NDArray[Any], rows: NDArray[np.int64]) -> None:
    if requests.shape[1:] != (libjpeg.FIELDS,) or pictures.dtype != PICTURE or pictures.shape != rows.shape:
        raise ValueError(f"Requests of shape {requests.shape}, {pictures.shape} pictures and {rows.shape} rows differ.")


def bytes_of(pictures: NDArray[Any]) -> NDArray[np.uint8]:
    """The same memory as rows of bytes, for compiled code."""
    return pictures.view(np.uint8).reshape(len(pictures), pictures.dtype.itemsize)
