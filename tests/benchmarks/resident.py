"""A batch of random pictures that lies where the pipeline runs, at no cost for each iteration, for both engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from duel_programs import PICTURE


def random_pictures(count: int) -> np.ndarray[Any, Any]:
    """(count, H, W, 3) uint8; the same in every process."""
    return np.random.default_rng(0).integers(0, 256, (count, *PICTURE, 3), np.uint8)


def pictures(engine: str, fn: Any, batch_size: int, *, gpu: bool) -> Callable[[], Any]:
    """What makes the node: an external source that shares its memory, or, for ours on a GPU, an operator."""
    if gpu and engine == "studio":
        from dali_studio.api.tracing import trace_operator

        return lambda: trace_operator(_operator(batch_size), (), {"device": "gpu"})
    return given(fn, batch_size, gpu=gpu, no_copy=True)


def given(fn: Any, batch_size: int, *, gpu: bool, **arguments: Any) -> Callable[[], Any]:
    """What makes the node: an external source of the pictures, which lie where the pipeline runs."""

    def make() -> Any:
        batch: Any = random_pictures(batch_size)
        if not gpu:
            samples = list(batch)
            return fn.external_source(source=lambda: samples, layout="HWC", **arguments)
        import cupy

        batch = cupy.asarray(batch)
        cupy.cuda.runtime.deviceSynchronize()
        return fn.external_source(source=lambda: batch, device="gpu", layout="HWC", **arguments)

    return make


@cache
def _operator(batch_size: int) -> str:
    """The name of an operator that shows the batch, as packages may bring their own; our external sources copy."""
    import cupy

    from dali_studio.api.default import default_registry
    from dali_studio.core.batch import Batch
    from dali_studio.core.enums import DALIDataType
    from dali_studio.core.meta import TensorMeta
    from dali_studio.kernels.cuda.batch import PADDING, place
    from dali_studio.schema.arguments import Args
    from dali_studio.schema.batches import Work
    from dali_studio.schema.declare import Operator, Output
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
        def plan(args: Args, *inputs: Batch) -> Work:
            return Work(shapes)

        @staticmethod
        def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: Any) -> None:
            outputs[0].memory, outputs[0].offsets = memory, offsets

    default_registry().register(ResidentPictures)
    return ResidentPictures.schema.name
