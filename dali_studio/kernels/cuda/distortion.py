"""What is lost when pictures are written as JPEG files and read again, on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.stream import THREADS, GpuStream

_ITEM = np.dtype(
    [*((name, np.uint64) for name in ("from", "to", "planes")),
     *((name, np.int64) for name in ("height", "width", "pitch", "rows", "chroma_rows", "quality"))]
)  # fmt: skip
_BLOCK, _PAIR = 8, 2
#: Rows and columns of the pixels of a block of threads, and pixels of a row that a warp joins, as the source has them.
_TILE, _RUN, _WARP = (64, 128), 256, 32


def distort_on_gpu(src: Batch, out: Batch, qualities: NDArray[np.int64], stream: GpuStream) -> None:
    """What `kernels.jpeg.distortion.distort` does with each sample; those without pixels stay so."""
    there = src.counts > 0
    items = np.zeros(int(there.sum()), _ITEM)
    items["from"], items["to"] = src.addresses[there], out.addresses[there]
    items["height"], items["width"] = height, width = src.shapes[there, :2].T
    items["quality"] = qualities[there]
    items["pitch"] = pitch = _whole(width, 2 * _PAIR * _BLOCK)
    items["rows"] = rows = _whole(height, _BLOCK)
    items["chroma_rows"] = chroma_rows = _whole(-(-height // _PAIR), _BLOCK)
    sizes = pitch * (rows + chroma_rows)
    room = stream.room(int(sizes.sum()))
    items["planes"] = int(room.ptr) + np.cumsum(sizes) - sizes
    tiles = -(-height // _TILE[0]) * -(-width // _TILE[1])
    stream.launch("distortion", items, tiles * THREADS, function="distort")
    stream.launch("distortion", items, (height // _PAIR + 1) * -(-width // _RUN) * _WARP, function="join_planes")
    del room  # back to the pool of this stream, whose next user comes after the kernels


def _whole(extents: NDArray[Any], of: int) -> NDArray[np.int64]:
    """The extents of whole blocks that hold as many pixels."""
    return -(-extents // of) * of
