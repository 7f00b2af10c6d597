"""Where programs for nvidia.dali take data sets for TensorFlow, which are refused here with a way out."""

from __future__ import annotations

from dali_studio.plugin.refused import refusing

__getattr__ = refusing(
    __name__,
    ("DALIDataset", "DALIIterator", "DALIIteratorWrapper", "DALIRawIterator", "experimental"),
    "Give tf.data.Dataset.from_generator the batches of dali_studio.plugin.numpy.DALIGenericIterator.",
)
