"""Results of an iteration: bringing them to the host."""

from __future__ import annotations

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.tensors_gpu import TensorListGPU


def on_host(batch: Batch) -> Batch:
    """The batch in host memory; waits until it is computed, and copies it if it lies on a GPU."""
    if batch.device == "cpu":
        return batch
    batch.ready.synchronize()
    where = batch.memory, batch.offsets, batch.shapes
    made = TensorListGPU.from_memory(*where, batch.dtype, batch.layout, batch.sources).as_cpu()
    return Batch.of(
        [np.asarray(made.at(i)) for i in range(len(made))], batch.layout, batch.sources, dtype=batch.dtype,
        ndim=batch.shapes.shape[1], indices=batch.indices,
    )  # fmt: skip
