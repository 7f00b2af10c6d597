"""Pipelines as data sets of TensorFlow; the names are those of ``nvidia.dali.plugin.tf``."""

from __future__ import annotations

from dali_studio.plugin.tf import experimental
from dali_studio.plugin.tf.dataset import DALIDataset
from dali_studio.plugin.tf.iterator import DALIIterator, DALIIteratorWrapper

__all__ = [
    "DALIDataset", "DALIIterator", "DALIIteratorWrapper", "dataset_compatible_tensorflow",
    "dataset_distributed_compatible_tensorflow", "dataset_inputs_compatible_tensorflow", "experimental",
]  # fmt: skip


def dataset_compatible_tensorflow() -> bool:
    """Whether `DALIDataset` works with the installed TensorFlow: with any that the extra ``tf`` accepts."""
    return True


def dataset_inputs_compatible_tensorflow() -> bool:
    """Whether `experimental.DALIDatasetWithInputs` works with the installed TensorFlow."""
    return True


def dataset_distributed_compatible_tensorflow() -> bool:
    """Whether ``tf.distribute`` works with data sets that lie on GPUs: they come by way of the host."""
    return False
