"""Results of a chain of steps on a GPU that are computed for some samples at a time, when these are asked for.

All is planned for the whole batch, and only launches are left: a group of iterations then needs memory for the results
of those alone that are handed out next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda import chains, enqueue
from dali_studio.kernels.cuda.batch import place
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.staging import Table
from dali_studio.kernels.cuda.stream import GpuStream


class _Nowhere:
    """The memory of a result that has none yet."""

    ptr = 0


class Preparing:
    """In place of a stream: the kernel of a chain gets its table, and is not launched."""

    def __init__(self, stream: GpuStream) -> None:
        self._stream = stream
        self.used: Table | None = None
        #: What `GpuStream.start` is to be called with.
        self.started: tuple[Any, ...] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def batch(self, meta: TensorMeta, shapes: NDArray[np.int64], sources: Sequence[str] = ()) -> Batch:
        """A batch without memory."""
        assert meta.dtype is not None
        offsets, _ = place(shapes, to_numpy(meta.dtype))
        return Batch(meta, shapes, (), _Nowhere(), offsets, sources)

    def table(self, size: int) -> Table:
        """As `GpuStream.table`, to be kept."""
        self.used = self._stream.table(size, lasting=True)
        return self.used

    def start(self, *launch: Any) -> None:
        """Keep a launch."""
        self.started = launch

    def results(self, made: Batch, image: Batch, parts: Sequence[Part]) -> Later:
        """What was prepared: `made` of `image`."""
        assert self.used is not None
        assert self.started is not None
        count, size = len(made), chains.item_size(parts)
        rows = self.used.host[: count * size].reshape(count, size).copy()  # its memory is that of this iteration
        return Later(
            made.meta, made.shapes, sources=made.sources, stream=self._stream, image=image, table=self.used.memory,
            rows=rows, launch=self.started, parts=parts,
        )  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Later(Batch):
    """A batch of which `part` computes samples, each once.

    Attributes
    ----------
    stream : GpuStream
    image : Batch
        What it is made of.
    table : cupy.cuda.MemoryPointer
        Descriptors of all samples, and what they refer to.
    rows : ndarray of uint8, (N, bytes)
        The descriptors.
    launch : tuple
        What `GpuStream.start` is called with for all samples.
    parts : sequence of Part
        Of the chain; some keep memory that the kernel reads.
    """

    stream: GpuStream
    image: Batch
    table: Any
    rows: NDArray[np.uint8]
    launch: tuple[Any, ...]
    parts: Sequence[Part]

    def part(self, begin: int, end: int, sources: Sequence[str]) -> Batch:
        """Compute the samples from `begin` to before `end`, on the current thread's iteration."""
        stream, rows = self.stream, self.rows[begin:end]
        made = stream.batch(self.meta, np.ascontiguousarray(self.shapes[begin:end]), sources)
        host = stream.pinned(rows.size)
        targets = np.ndarray(len(made), np.int64, rows, chains.TARGET, rows.strides[:1])
        targets[:] = made.offsets + int(made.memory.ptr)
        host[:] = rows.reshape(-1)
        first = begin * rows.shape[1]
        enqueue.copy(int(self.table.ptr) + first, int(host.ctypes.data), rows.size, stream.kernels)
        kernel, (blocks, _), threads, (address, *arguments), *shared = self.launch
        stream.start(kernel, (blocks, end - begin), threads, (np.uint64(int(address) + first), *arguments), *shared)
        return made


def has_later(made: Mapping[Any, Batch]) -> bool:
    """Whether some of these are computed later."""
    return any(isinstance(batch, Later) for batch in made.values())
