"""Where programs for nvidia.dali take iterators for PaddlePaddle, which are refused here with a way out."""

from __future__ import annotations

from dali_studio.plugin.refused import refusing

__getattr__ = refusing(
    __name__,
    ("DALIClassificationIterator", "DALIGenericIterator", "LastBatchPolicy", "feed_ndarray"),
    "Take the iterators of dali_studio.plugin.numpy, and paddle.to_tensor of their arrays.",
)
