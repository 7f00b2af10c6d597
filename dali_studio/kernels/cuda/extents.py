"""Launches over batches whose descriptors are addresses and products of extents, which one compiled call writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import descriptors
from dali_studio.kernels.cuda.stream import THREADS, GpuStream, check_samples, compiled_kernel

#: Behind the last axis, whichever that is.
END = 1 << 30


class Extents:
    """Descriptors of 64-bit words: where a sample and its result lie, products of extents, and further words.

    Parameters
    ----------
    *fields : tuple of int
        Of each product: 0 for the input or 1 for the result; its first axis, and the one behind its last, or `END`.
    largest : int
        The field that the work follows from.
    more : int
        Words behind them.
    """

    def __init__(self, *fields: tuple[int, int, int], largest: int = 0, more: int = 0) -> None:
        self.table: NDArray[np.int64] = np.array(fields, np.int64)
        self.largest, self.words = largest, 2 + len(fields) + more

    def launch(
        self, stream: GpuStream, name: str, function: str, src: Batch, out: Batch, threads: Callable[[int], int],
        *arguments: Any, macros: Mapping[str, object], shared: int = 0, rows: NDArray[Any] | None = None,
        block: int = THREADS,
    ) -> None:  # fmt: skip
        """Launch a kernel as `GpuStream.launch` does.

        Parameters
        ----------
        src, out : Batch
            Input and result, on the GPU.
        threads : callable
            How many the sample needs whose field `largest` is the given one.
        *arguments
            Those of the kernel after the descriptors: numpy scalars.
        rows : ndarray, optional
            (N,): of 32 or 64 bits each, written behind the products.
        block : int
            Threads of a block.
        """
        count = len(src)
        check_samples(count)
        if not count:
            return
        table = stream.table(8 * self.words * count)
        items = descriptors.Descriptors(table.host, count, 8 * self.words)
        places = (int(src.memory.ptr), src.offsets, int(out.memory.ptr), out.offsets, src.shapes, out.shapes)
        needed = threads(items.extents(places, self.table, self.largest))
        if not needed:
            return
        if rows is not None:
            items.rows(8 * (2 + len(self.table)), rows)
        stream.send(table)
        kernel = compiled_kernel(name, function, tuple(macros.items()))
        stream.start(kernel, (-(-needed // block), count), block, (table.address, *arguments), shared)
