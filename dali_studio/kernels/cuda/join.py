"""Arrays one after the other along an axis, on a GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.stream import MOST_SAMPLES, GpuStream

_PIECE = np.dtype(
    [("source", np.uint64), ("target", np.uint64), ("length", np.int64), ("pitch", np.int64), ("count", np.int64)]
)
#: Words that are copied, by their bytes.
WORDS = {1: np.dtype(np.uint8), 4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}


def join_on_gpu(sources: Sequence[Batch], axis: int, out: Batch, stream: GpuStream) -> None:
    """Write the arrays of each sample one after the other, as `kernels.cpu.join.join` does."""
    lengths = np.array([one.shapes[:, axis:].prod(axis=1) for one in sources], np.int64) * out.dtype.itemsize
    rows = sources[0].shapes[:, :axis].prod(axis=1)
    pieces = np.empty(lengths.shape, _PIECE)
    pieces["source"] = [one.addresses for one in sources]
    pieces["target"] = out.addresses + np.cumsum(lengths, axis=0) - lengths
    pitch = lengths.sum(axis=0)
    together = int(np.bitwise_or.reduce([pieces["source"], pieces["target"], lengths.view(np.uint64)], axis=None))
    word = next((size for size in (8, 4) if together % size == 0), 1)
    pieces["length"], pieces["pitch"], pieces["count"] = lengths // word, pitch // word, lengths // word * rows
    flat = pieces.reshape(-1)
    flat = flat[flat["count"] > 0]
    for begin in range(0, len(flat), MOST_SAMPLES):
        some = flat[begin : begin + MOST_SAMPLES]
        stream.launch("join", some, some["count"], macros={"UNIT": WORDS[word]})
