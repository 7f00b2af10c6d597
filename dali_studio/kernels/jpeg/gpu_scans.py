"""Progressive JPEG whose scans kernels decode (`jpeg_scans.cu`): the tables of a launch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.progress import doing
from dali_studio.kernels.cuda import enqueue, sources
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.jpeg import scan

#: Scans that there is room for, for each picture that a launch may have: libjpeg writes 10, or 6 of grey pictures.
_SCANS = 12


class ScanTables:
    """What kernels need to know of the pictures of a launch.

    Parameters
    ----------
    most : int
        Pictures of a launch.

    Attributes
    ----------
    count : int
        Of the pictures that have been planned.
    sizes : tuple of int
        Bytes of coded data, of what must be zero, and of the rest.
    rows : ndarray of int64
        Where these pictures stand in the requests.
    largest : list of int
        For `gpu_decoder.draw`.
    """

    def __init__(self, most: int) -> None:
        self._pictures, self._lists = np.zeros(most, scan.PICTURE), np.zeros(most, scan.SCAN_LIST)
        self._scans = np.zeros(max(_SCANS * most, scan.MAX_SCANS), scan.CODED_SCAN)
        self._rows, self._made = np.zeros(most, np.int64), np.zeros(scan.SCANS_PLANNED, np.int64)
        self._requests = np.zeros((0, 0), np.int64)

    @property
    def count(self) -> int:
        return int(self._made[0])

    @property
    def sizes(self) -> tuple[int, int, int]:
        return int(self._made[1]), int(self._made[2]), int(self._made[3])

    @property
    def largest(self) -> list[int]:
        return self._made[6:].tolist()

    @property
    def rows(self) -> NDArray[np.int64]:
        return self._rows[: self.count]

    def plan(self, requests: NDArray[np.int64], places: NDArray[np.int64], first: int, most: int) -> int:
        """Take pictures from `first` on that need up to `most` bytes together; the first that was not looked at."""
        self._requests = requests
        tables = self._pictures, self._lists, self._scans
        return scan.plan_scans(requests, places, first, len(requests), most, *tables, self._rows, self._made)

    def tables(self) -> list[NDArray[np.uint8]]:
        """The pictures, their lists of scans, and the scans."""
        counts = self.count, self.count, int(self._made[4])
        tables = self._pictures, self._lists, self._scans
        return [scan.bytes_of(table[:count]) for table, count in zip(tables, counts, strict=True)]

    def settle(self, host: int, tables: Sequence[int], *regions: int) -> None:
        """Copy coded data, and complete addresses; see `JpegKernels`."""
        own = self._pictures, self._lists, self._scans
        scan.settle_scans(self._requests, self.count, *own, self._rows, host, tables[-1], *regions)

    def launch(self, tables: Sequence[int], results: int, stream: Any) -> None:
        """Launch what decodes the scans; the tables are on the GPU."""
        warps = min(int(self._made[5]), scan.SCANS_AT_ONCE)
        given = np.uint64(tables[0]), np.uint64(tables[1]), np.uint64(results)
        enqueue.launch(_kernel(), (self.count, 1), 32 * warps, given, stream)


@cache
def _kernel() -> Any:
    with doing("compiling the GPU's decoder of progressive JPEG"):
        module = cupy().RawModule(code=sources.source("jpeg_scans"), options=sources.OPTIONS)
        module.compile()
    (name,) = sources.FUNCTIONS["jpeg_scans"]
    return module.get_function(name)
