"""Regions of images, one over the other, on a GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.stream import GpuStream

Table = NDArray[np.int64]
_REGION = np.dtype([("source", np.uint64), ("width", np.int64), ("begin", np.int64, 2), ("end", np.int64, 2)])
_ITEM = np.dtype(
    [("target", np.uint64), *((name, np.int64) for name in ("count", "width", "channels", "first", "regions"))]
)


def paste_regions_on_gpu(
    inputs: Sequence[Batch], counts: Table, numbers: Table, samples: Table, regions: Table, out: Batch,
    stream: GpuStream,
) -> None:  # fmt: skip
    """Paste regions of images (HWC) onto canvases, which are 0 elsewhere.

    Parameters
    ----------
    counts : (N,) array
        Regions of each canvas.
    numbers, samples : (M,) array
        Of each region the input and the sample of its image; of a canvas the lowest first.
    regions : (M, 3, 2) array
        Corner in the image, extents and corner on the canvas.
    """
    table = np.zeros(max(len(numbers), 1), _REGION)
    corners, extents, targets = regions.transpose(1, 0, 2)
    for number, batch in enumerate(inputs):
        mine = numbers == number
        images, corner = samples[mine], corners[mine]
        width, channels = batch.shapes[images, 1:].T
        where = np.flatnonzero(mine)
        first = (corner[:, 0] * width + corner[:, 1]) * channels
        table["source"][where] = batch.addresses[images] + first * batch.dtype.itemsize
        table["width"][where] = width
    table["begin"][: len(numbers)], table["end"][: len(numbers)] = targets, targets + extents
    items = np.zeros(len(out), _ITEM)
    items["target"], items["count"] = out.addresses, out.counts
    items["width"], items["channels"] = out.shapes[:, 1], out.shapes[:, 2]
    items["first"], items["regions"] = np.cumsum(counts) - counts, counts
    count = 16 // out.dtype.itemsize
    macros = {"IN": inputs[0].dtype, "OUT": out.dtype, "COUNT": count}
    stream.launch("multi_paste", items, -(-items["count"] // count), macros=macros, tables=(table,))
