"""Steps on a GPU that are one part: a chain of that part alone."""

from __future__ import annotations

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Operator


def run_alone(operator: type[Operator], work: Work, image: Batch, output: Batch, stream: GpuStream) -> None:
    """Launch the part of `operator`, which stays with its work: that is kept as long as nothing changes."""
    if "alone" not in work.params:
        work.params["alone"] = operator.part(work, image, output.dtype)
    chains.run(image, output, [work.params["alone"]], (), stream)
