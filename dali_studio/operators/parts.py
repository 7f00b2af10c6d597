"""Steps on a GPU that are one part: a chain of that part alone."""

from __future__ import annotations

from dali_studio.core.dtypes import from_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.schema.batches import BatchView, Work
from dali_studio.schema.declare import Operator


def run_alone(operator: type[Operator], work: Work, image: DeviceBatch, output: DeviceBatch, stream: GpuStream) -> None:
    """Launch the part of `operator`, which stays with its work: that is kept as long as nothing changes."""
    if "alone" not in work.params:
        meta = TensorMeta(from_numpy(image.dtype), image.shapes.shape[1], image.layout, device="gpu")
        work.params["alone"] = operator.part(work, BatchView(meta, image.shapes), output.dtype)
    chains.run(image, output, [work.params["alone"]], (), stream)
