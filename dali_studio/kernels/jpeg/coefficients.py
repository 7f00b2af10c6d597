"""Progressive JPEG: threads of the CPU decode coefficients, and kernels of the GPU (`jpeg.cu`) make pixels of them.

This is for what the threads take of a batch, and for pictures that are too large for the kernels that decode scans
(`gpu_scans.py`). What the kernels take from the CPU here is the transform and the colours.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cuda import enqueue
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.jpeg import gpu_decoder, scan

#: Bytes of page-locked memory for the coefficients of a batch; pictures beyond it are decoded by threads alone.
MAX_ROOM = 512 << 20
#: Tables of a launch begin at multiples of this.
_ALIGNMENT = 128


def shared_out(sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Offsets of rooms of these sizes, -1 for 0 bytes and for those that `MAX_ROOM` has no place for, and their sum."""
    ends = np.cumsum(sizes)
    given = (sizes > 0) & (ends <= MAX_ROOM)
    return np.where(given, ends - sizes, -1), int(ends[given].max(initial=0))


class CoefficientKernels(gpu_decoder.LimitedLaunches):
    """Makes pixels of coefficients, on a stream's copies: these are all that it waits for.

    Parameters
    ----------
    stream : GpuStream
    """

    def __init__(self, stream: GpuStream) -> None:
        super().__init__()
        self._stream = stream
        self._kernels: list[Any] = []
        self._pictures = np.zeros(gpu_decoder.MAX_GROUP, scan.PICTURE)
        self._copies, self._made = np.zeros((len(self._pictures), 3), np.int64), np.zeros(6, np.int64)

    def draw(
        self, rooms: NDArray[np.int64], places: NDArray[np.int64],
        copying: Callable[[int], AbstractContextManager[None]], computing: Callable[[], AbstractContextManager[None]],
    ) -> None:  # fmt: skip
        """Enqueue what makes pixels of pictures whose coefficients are there.

        Parameters
        ----------
        rooms : ndarray of int64, (N, 2)
            Address and bytes of each room, in page-locked memory that stays until the GPU is through with it.
        places : ndarray of int64, (N, 2)
            Device addresses of the first pixels, and bytes from row to row.
        copying, computing : callable
            ``copying(size)`` and ``computing()`` are put around the copies, of so many bytes, and around the kernels.
        """
        if not self._kernels:
            self._kernels = [gpu_decoder.module().get_function(name) for name in gpu_decoder.DRAWING]
        pictures = scan.bytes_of(self._pictures)

        def plan(begin: int) -> int:
            given = rooms, places, begin, self._most, pictures, self._copies, self._made
            return kernel("jpeg_plan_coefficients")(*given)

        self._in_launches(0, len(rooms), plan, lambda: self._launch(pictures, copying, computing))

    def _launch(
        self, pictures: NDArray[np.uint8], copying: Callable[[int], AbstractContextManager[None]],
        computing: Callable[[], AbstractContextManager[None]],
    ) -> None:  # fmt: skip
        count, upload, rest, *largest = self._made.tolist()
        results = -(-pictures[:count].size // _ALIGNMENT) * _ALIGNMENT  # behind the pictures; zero: nothing has failed
        tables = -(-(results + count * scan.RESULT) // 256) * 256
        with self._stream.beside() as stream:
            memory = self._stream.pool.aside(tables + upload + rest)
            base, staged = int(memory.ptr), self._stream.pinned(tables)
            kernel("jpeg_place_coefficients")(pictures, count, base + tables, base + tables + upload)
            staged[: pictures[:count].size], staged[results:] = pictures[:count].ravel(), 0
            with copying(int(self._copies[:count, 2].sum())):
                enqueue.copy(base, int(staged.ctypes.data), tables, stream)
                for source, target, size in self._copies[:count].tolist():
                    enqueue.copy(base + tables + target, source, size, stream)
            given = np.uint64(base), np.uint64(base + results)
            with computing():
                gpu_decoder.draw(self._kernels, count, largest, given, stream)
