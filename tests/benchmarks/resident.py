"""A batch of random pictures that lies where the pipeline runs, at no cost for each iteration, for both engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from duel_programs import PICTURE


def random_pictures(count: int) -> np.ndarray[Any, Any]:
    """(count, H, W, 3) uint8; the same in every process."""
    return np.random.default_rng(0).integers(0, 256, (count, *PICTURE, 3), np.uint8)


def pictures(engine: str, fn: Any, batch_size: int, *, gpu: bool) -> Callable[[], Any]:
    """What makes the node: an external source that shares its memory, or, for ours on a GPU, an operator."""
    if gpu and engine == "studio":
        return _operator(batch_size)
    batch: Any = random_pictures(batch_size)
    if gpu:
        import cupy

        batch = cupy.asarray(batch)
        cupy.cuda.runtime.deviceSynchronize()
        return lambda: fn.external_source(source=lambda: batch, device="gpu", no_copy=True, layout="HWC")
    samples = list(batch)
    return lambda: fn.external_source(source=lambda: samples, no_copy=True, layout="HWC")


def _operator(batch_size: int) -> Callable[[], Any]:
    """Our external sources give host memory; an operator of our own, as packages may bring them, shows the batch."""
    import cupy

    from dali_studio.api.default import default_registry
    from dali_studio.api.tracing import trace_operator
    from dali_studio.core.enums import DALIDataType
    from dali_studio.core.meta import TensorMeta
    from dali_studio.kernels.cuda.batch import PADDING, place
    from dali_studio.schema.arguments import Args
    from dali_studio.schema.declare import Batch, BatchView, Operator, Output, Work
    from dali_studio.schema.traits import PerSample

    batch = random_pictures(batch_size)
    shapes = np.tile(np.array(batch.shape[1:], np.int64), (batch_size, 1))
    offsets, size = place(shapes, batch.dtype)
    memory = cupy.cuda.alloc(size + PADDING)
    cupy.ndarray(batch.shape, batch.dtype, memory).set(batch)
    cupy.cuda.runtime.deviceSynchronize()

    class ResidentPictures(Operator):
        """A batch that was uploaded once."""

        category = "sources"
        icon = "chip"
        inputs = ()
        outputs = (Output("image", "image"),)
        traits = (PerSample,)
        devices = ("gpu",)

        @staticmethod
        def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
            return TensorMeta(DALIDataType.UINT8, 3, "HWC", "image", device="gpu")

        @staticmethod
        def plan(args: Args, *inputs: BatchView) -> Work:
            return Work(shapes)

        @staticmethod
        def gpu(work: Work, inputs: Sequence[Batch], output: Any, stream: Any) -> None:
            output.memory, output.offsets = memory, offsets

    registry = default_registry()
    name = ResidentPictures.schema.name
    if name not in registry:
        registry.register(ResidentPictures)
    return lambda: trace_operator(name, (), {"device": "gpu"})
