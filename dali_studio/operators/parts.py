"""Steps on a GPU that are one part: a chain of that part alone, of images."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dali_studio.core.batch import Batch, meta_of
from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Operator


def run_alone(operator: type[Operator], work: Work, image: Batch, output: Batch, stream: GpuStream) -> None:
    """Launch the part of `operator`, which stays with its work: that is kept as long as nothing changes."""
    if "alone" not in work.params:
        work.params["alone"] = operator.part(work, image, output.dtype)
    chains.run(image, output, [work.params["alone"]], (), stream)


def with_channels(batch: Batch) -> Batch:
    """Images without channels as those of one."""
    if batch.shapes.shape[1] > len("HW"):
        return batch
    shapes = np.pad(batch.shapes, ((0, 0), (0, 1)), constant_values=1)
    return replace(batch, meta=meta_of(batch.dtype, 3, "HWC", "gpu"), shapes=shapes)
