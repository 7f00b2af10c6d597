"""Results of an iteration: their size, and bringing them to the host."""

from __future__ import annotations

import numpy as np

from dali_studio.core.rows import Rows
from dali_studio.core.tensors_gpu import TensorListGPU
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.schema.batches import Batch


def bytes_of(batch: Batch) -> int:
    """Bytes of the samples in host memory."""
    if isinstance(batch.samples, Rows):
        return batch.samples.table.nbytes
    return sum(sample.nbytes for sample in batch.samples)


def on_host(batch: Batch | DeviceBatch) -> Batch:
    """The batch in host memory; waits until it is computed, and copies it if it lies on a GPU."""
    if isinstance(batch, Batch):
        return batch
    batch.ready.synchronize()
    where = batch.memory, batch.offsets, batch.shapes
    made = TensorListGPU.from_memory(*where, batch.dtype, batch.layout, batch.sources).as_cpu()
    return Batch([np.asarray(made.at(i)) for i in range(len(made))], batch.layout, batch.sources)
