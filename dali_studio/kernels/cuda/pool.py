"""Device memory for one stream's work: which pieces are taken from CuPy's pool, and when idle ones go back."""

from __future__ import annotations

from typing import Any

from dali_studio.kernels.cuda.batch import PADDING
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.staging import roomy

#: Bytes of device memory from which on it lies beside other large pieces: weights of a group are small ones.
_SMALL = 4 << 20
#: What larger ones are a multiple of where memory is to be saved.
_STEP = 256 << 10
#: Pieces of a stream that may be there at a time, and after how many idle ones go back.
_IN_TURNS, _SEEN = 4, 256


class DevicePool:
    """Memory of a GPU.

    Parameters
    ----------
    device : cupy.cuda.Device
        The current one.
    limit : int, optional
        Bytes that it may take, at most.
    """

    def __init__(self, device: Any, limit: int | None) -> None:
        #: Whether memory that has become too small goes back at once, which takes time.
        self.thrifty = False
        self._cupy, self._device = cupy(), device
        # names the part of the pool that small pieces come from; nothing is enqueued on it
        self._small = self._cupy.cuda.Stream()
        #: CuPy's pool.
        self.blocks = self._cupy.cuda.MemoryPool()
        self.blocks.set_limit(size=limit or 0)
        #: By stream, bytes of the largest piece, and pieces since that one.
        self._largest: dict[int, tuple[int, int]] = {}

    def allocate(self, size: int) -> Any:
        """Exactly this much, to be used in the order of CuPy's current stream."""
        return self.blocks.malloc(size)

    def rounded(self, size: int) -> int:
        """Bytes that are asked for in place of `size`."""
        wanted = size + PADDING
        return -(-wanted // _STEP) * _STEP if self.thrifty and wanted >= _SMALL else roomy(wanted)

    def piece(self, size: int, stream: Any) -> Any:
        """Memory to be used in the order of `stream`, the current one; `size` is `rounded`.

        Small pieces do not come from where large ones do: one that lies in the memory of a batch that is gone would
        keep the next batch from getting it.
        """
        if size >= _SMALL:
            return self.large(size, stream)
        with self._small:
            return self.blocks.malloc(size)

    def large(self, size: int, stream: Any) -> Any:
        """The same, beside other large pieces.

        Where memory is to be saved, pieces of about the same size have the same size, that of the largest one so far:
        as many are held as are needed at a time. When a larger one is needed, those that are too small go back first,
        and from time to time what was needed once only.
        """
        if not self.thrifty:
            return self.blocks.malloc(size)
        largest, count = self._largest.get(stream.ptr, (0, 0))
        if size > largest:
            largest, count = size, 0
        if count % _SEEN < _IN_TURNS:
            self.blocks.free_all_blocks(stream)
        self._largest[stream.ptr] = largest, count + 1
        return self.blocks.malloc(largest if 2 * size > largest else size)

    def aside(self, size: int) -> Any:
        """Memory to be used in the order of CuPy's current stream."""
        return self.blocks.malloc(roomy(size + PADDING))

    def alone(self, size: int) -> Any:
        """As `aside`, on a current stream that asks for one piece of memory after the other.

        A piece that has become too small goes back to the GPU: what each of several streams has kept is added up, and a
        stream would keep all sizes that it has ever needed.
        """
        wanted, stream = self.rounded(size), self._cupy.cuda.get_current_stream()
        if wanted > self._largest.get(stream.ptr, (0, 0))[0]:
            self.blocks.free_all_blocks(stream)
            self._largest[stream.ptr] = wanted, 0
        return self.blocks.malloc(wanted)

    def trim(self) -> int:
        """Give idle memory back to the GPU, from any thread; returns its bytes."""
        with self._device:
            before = int(self.blocks.total_bytes())
            self.blocks.free_all_blocks()
            return before - int(self.blocks.total_bytes())

    def sizes(self) -> tuple[int, int]:
        """Bytes in use, and bytes held."""
        return int(self.blocks.used_bytes()), int(self.blocks.total_bytes())
