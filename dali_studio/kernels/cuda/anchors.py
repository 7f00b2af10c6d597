"""Boxes and anchors, on a GPU."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.stream import GpuStream

_ITEM = np.dtype(
    [*((name, np.uint64) for name in ("boxes", "labels", "to", "to_labels")), ("count", np.int64), ("first", np.int64)]
)


def encode_boxes_on_gpu(
    boxes: Batch, labels: Batch, anchors: NDArray[np.float32], out: Batch, out_labels: Batch, stream: GpuStream, *,
    criteria: float, offset: bool, scale: float, means: NDArray[np.float32], deviations: NDArray[np.float32],
) -> None:  # fmt: skip
    """What `kernels.cpu.boxes.encode_boxes` does: the boxes choose their anchors first, then anchors their boxes."""
    counts, number = boxes.counts // 4, np.int64(anchors.shape[1])
    items = np.zeros(len(boxes), _ITEM)
    items["boxes"], items["labels"] = boxes.addresses, labels.addresses
    items["to"], items["to_labels"] = out.addresses, out_labels.addresses
    items["count"], items["first"] = counts, np.cumsum(counts) - counts
    matched = stream.room(8 * int(counts.sum()))
    place = np.uint64(matched.ptr)
    stream.launch("anchors", items, counts, number, place, function="match_boxes", tables=(anchors,))
    stream.launch(
        "anchors", items, int(number), number, place, np.float32(criteria), np.int64(offset), np.float32(scale),
        function="encode_boxes", tables=(anchors, np.concatenate([means, deviations])),
    )  # fmt: skip
    del matched  # back to the pool of this stream, whose next user comes after the kernels
