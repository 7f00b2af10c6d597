"""Equalising the histograms of the channels of a batch."""

from __future__ import annotations

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.stream import THREADS, GpuStream

_NAMES = ("from", "to", "counts", "tables")
_ITEM = np.dtype([*((name, np.uint64) for name in _NAMES), ("count", np.int64), ("step", np.int64)])
_LEVELS = 256
#: Channels that a thread may find side by side: whole numbers of pixels in what a block takes three times at once.
_MAX_CHANNELS = 4
#: Bytes that a block takes three times at once, times of that for which it counts before it adds what it has found to
#: what others have, and blocks that are wanted.
_ROUND, _MAX_ROUNDS, _BLOCKS = 3 * 16 * THREADS, 6, 4096


def equalize(src: Batch, out: Batch, stream: GpuStream) -> None:
    """Spread the histogram of each channel evenly over 0 to 255 (`kernels.cpu.lookup.equalize`).

    Parameters
    ----------
    src, out : Batch
        Bytes of the layout CHW, or of HWC, or of two axes, which have one channel.
    """
    shapes, counts = src.shapes, src.counts
    many = shapes[:, 0 if src.layout == "CHW" else 2] if shapes.shape[1] == len("HWC") else np.ones(len(src), np.int64)
    many = np.where(counts > 0, many, 0)
    channels = int(many.max(initial=1))
    beside = src.layout != "CHW" and channels <= _MAX_CHANNELS and bool(((many == channels) | (many == 0)).all())
    if not beside:
        channels = 1
    items_of = np.minimum(many, 1) if beside else many
    owners = np.repeat(np.arange(len(src)), items_of)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(items_of) - items_of, items_of)
    pixels = (counts // np.maximum(many, 1))[owners]
    begins = within * pixels if src.layout == "CHW" else within
    items = np.zeros(len(owners), _ITEM)
    items["from"], items["to"] = src.addresses[owners] + begins, out.addresses[owners] + begins
    items["count"], items["step"] = pixels * channels, 1 if beside or src.layout == "CHW" else many[owners]
    levels = channels * _LEVELS
    room = stream.room(5 * levels * len(items))
    items["counts"] = int(room.ptr) + 4 * levels * np.arange(len(items))
    items["tables"] = int(room.ptr) + levels * (4 * len(items) + np.arange(len(items)))
    piece = _ROUND * min(max(int(items["count"].sum()) // (_ROUND * _BLOCKS), 1), _MAX_ROUNDS)
    pieces = -(-items["count"] // piece) * THREADS
    macros, numbers = {"CHANNELS": channels}, (np.int64(piece),)
    for function, work, given in (
        ("clear_counts", levels, ()), ("count_levels", pieces, numbers), ("make_tables", levels, ()),
        ("spread", pieces, numbers),
    ):  # fmt: skip
        stream.launch("equalize", items, work, *given, function=function, macros=macros)
    del room  # back to the pool of this stream, whose next user comes after the kernels
