"""Arrays in host memory that the program gives, on their way to a GPU.

They go through two page-locked pieces of memory in turn: while one is copied to the GPU, threads fill the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.spans import copy_span
from dali_studio.kernels.cuda.batch import PADDING, place
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.staging import roomy

#: Bytes of a piece. The GPU takes about as long for one as sixteen threads do.
_PIECE = 1 << 25


class _Piece:
    """Page-locked memory, and the event behind the copy that reads it."""

    def __init__(self, size: int) -> None:
        self.memory = cupy().cuda.alloc_pinned_memory(size)
        self.host = np.frombuffer(self.memory, np.uint8, size)
        self.sent = cupy().cuda.Event(block=False, disable_timing=True)


class Arrivals:
    """Copies batches to a GPU for later iterations; one thread asks for them, on the current device.

    Parameters
    ----------
    allocate : callable
        ``allocate(size)`` gives device memory, for use on the current stream.
    stream : cupy.cuda.Stream, optional
        The stream to copy on.
    """

    def __init__(self, allocate: Callable[[int], Any], stream: Any = None) -> None:
        self._allocate = allocate
        # like all streams here it waits for the default stream, on which users may still read memory that comes back
        self._stream = stream or cupy().cuda.Stream()
        self._pieces: deque[_Piece | None] = deque((None, None))

    def copied(self, batch: Batch, run: Callable[[Callable[[int], None], int], None]) -> Batch:
        """A batch with the same contents, whose event tells when it is there; the arrays may be changed at once.

        Parameters
        ----------
        batch : Batch
            In host memory; its samples are contiguous.
        run : callable
            As for `copy_span`.
        """
        offsets, size = place(batch.shapes, batch.dtype)
        with self._stream:
            memory = self._allocate(roomy(size + PADDING))
            for begin in range(0, size, _PIECE):
                piece = self._next(min(_PIECE, size - begin))
                host: NDArray[np.uint8] = piece.host[: size - begin]
                copy_span(batch, offsets, host, begin, run)
                runtime, address = cupy().cuda.runtime, int(memory.ptr) + begin
                runtime.memcpyAsync(address, host.ctypes.data, host.size, runtime.memcpyHostToDevice, self._stream.ptr)
                piece.sent.record(self._stream)
            ready = cupy().cuda.Event(block=False, disable_timing=True)
            ready.record(self._stream)
        made = Batch.on_gpu(memory, offsets, batch.shapes, batch.dtype, batch.layout, batch.sources, ready)
        return replace(made, indices=batch.indices)

    def release(self) -> None:
        """Give the page-locked memory back."""
        self._stream.synchronize()
        self._pieces = deque((None, None))

    def _next(self, size: int) -> _Piece:
        """The piece that was used least recently, once the GPU is through with it."""
        piece = self._pieces.popleft()
        if piece is not None:
            piece.sent.synchronize()
        if piece is None or piece.host.size < size:
            piece = _Piece(min(roomy(size), _PIECE))
        self._pieces.append(piece)
        return piece
