"""Equalising the histograms of the channels of a batch."""

from __future__ import annotations

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.stream import GpuStream

_NAMES = ("from", "to", "counts", "table")
_CHANNEL = np.dtype([*((name, np.uint64) for name in _NAMES), ("count", np.int64), ("step", np.int64)])
_LEVELS, _EACH = 256, 16


def equalize(src: Batch, out: Batch, stream: GpuStream) -> None:
    """Spread the histogram of each channel evenly over 0 to 255 (`kernels.cpu.lookup.equalize`).

    Parameters
    ----------
    src, out : Batch
        Bytes of the layout CHW, or of HWC, or of two axes, which have one channel.
    """
    shapes, planar = src.shapes, src.layout == "CHW"
    many = shapes[:, 0 if planar else 2] if shapes.shape[1] == len("HWC") else np.ones(len(src), np.int64)
    many = np.where(src.counts > 0, many, 0)
    pixels = src.counts // np.maximum(many, 1)
    owners = np.repeat(np.arange(len(src)), many)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(many) - many, many)
    begins = within * pixels[owners] if planar else within
    items = np.zeros(len(owners), _CHANNEL)
    items["from"], items["to"] = src.addresses[owners] + begins, out.addresses[owners] + begins
    items["count"], items["step"] = pixels[owners], 1 if planar else many[owners]
    room = stream.scratch(5 * _LEVELS * len(items))
    items["counts"] = int(room.ptr) + 4 * _LEVELS * np.arange(len(items))
    items["table"] = int(room.ptr) + _LEVELS * (4 * len(items) + np.arange(len(items)))
    threads = -(-items["count"] // _EACH)
    for function, work in (("clear_counts", 1), ("count_levels", threads), ("make_tables", 1), ("spread", threads)):
        stream.launch("equalize", items, work, function=function)
    del room  # back to the pool of this stream, whose next user comes after the kernels
