"""Regions of images, one over the other, on a GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.stream import GpuStream

_REGION = np.dtype([("source", np.uint64), ("width", np.int64), ("begin", np.int64, 2), ("end", np.int64, 2)])
_ITEM = np.dtype(
    [("target", np.uint64), *((name, np.int64) for name in ("count", "width", "channels", "first", "regions"))]
)


def paste_regions_on_gpu(
    inputs: Sequence[Batch], chosen: Sequence[Sequence[tuple[int, int]]], regions: Sequence[NDArray[np.int64]],
    out: Batch, stream: GpuStream,
) -> None:  # fmt: skip
    """Paste regions of images (HWC) onto canvases, which are 0 elsewhere.

    Parameters
    ----------
    chosen : sequence
        Of each canvas the input and the sample of every image, the lowest first.
    regions : sequence of ndarray
        (K, 3, 2): corner in the image, extents and corner on the canvas, of each.
    """
    counts = np.array([len(images) for images in chosen], np.int64)
    table = np.zeros(max(int(counts.sum()), 1), _REGION)
    if counts.any():
        picked = np.array([image for images in chosen for image in images])
        corners, extents, targets = np.concatenate(regions).transpose(1, 0, 2)
        places = np.array([batch.addresses for batch in inputs])[tuple(picked.T)]
        _, width, channels = np.array([batch.shapes for batch in inputs])[tuple(picked.T)].T
        table["source"] = places + (corners[:, 0] * width + corners[:, 1]) * channels * inputs[0].dtype.itemsize
        table["width"], table["begin"], table["end"] = width, targets, targets + extents
    items = np.zeros(len(out), _ITEM)
    items["target"], items["count"] = out.addresses, out.counts
    items["width"], items["channels"] = out.shapes[:, 1], out.shapes[:, 2]
    items["first"], items["regions"] = np.cumsum(counts) - counts, counts
    count = 16 // out.dtype.itemsize
    macros = {"IN": inputs[0].dtype, "OUT": out.dtype, "COUNT": count}
    stream.launch("multi_paste", items, -(-items["count"] // count), macros=macros, tables=(table,))
