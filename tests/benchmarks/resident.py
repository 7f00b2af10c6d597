"""A batch of random pictures that lies where the pipeline runs, at no cost for each iteration, for both engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any

import numpy as np
from duel_programs import PICTURE


def random_pictures(number: int) -> np.ndarray[Any, Any]:
    """(number, H, W, 3) uint8; the same in every process."""
    return np.random.default_rng(0).integers(0, 256, (number, *PICTURE, 3), np.uint8)


def pictures(engine: str, fn: Any, batch_size: int, *, gpu: bool) -> Callable[[], Any]:
    """What makes the node: an external source that shares its memory, or, for ours on a GPU, an operator."""
    if gpu and engine == "studio":
        from dali_studio.api.tracing import trace_operator

        return lambda: trace_operator(_operator(batch_size), (), {"device": "gpu"})
    return given(fn, batch_size, gpu=gpu, no_copy=True)


def given(fn: Any, batch_size: int, *, gpu: bool, **arguments: Any) -> Callable[..., Any]:
    """What makes the node: an external source of the pictures, which lie where the pipeline runs.

    ``host=True`` gives them in host memory, ``listed=True`` one array for each; on a CPU they always come so.
    """

    def make(*, host: bool = False, listed: bool = False) -> Any:
        batch: Any = random_pictures(batch_size)
        if not gpu:
            samples = list(batch)
            return fn.external_source(source=lambda: samples, layout="HWC", **arguments)
        if not host:
            import cupy

            batch = cupy.asarray(batch)
            cupy.cuda.runtime.deviceSynchronize()
        if listed:
            batch = list(batch)
        return fn.external_source(source=lambda: batch, device="gpu", layout="HWC", **arguments)

    return make


@cache
def _operator(batch_size: int) -> str:
    """The name of an operator that shows the batch of random pictures."""
    return _showing(list(random_pictures(batch_size)), "HWC", "ResidentPictures")


def held(engine: str, samples: Sequence[np.ndarray[Any, Any]], layout: str) -> Any:
    """The node of a batch that lies in GPU memory: what an operator alone is measured with, none of it copied."""
    if engine == "studio":
        from dali_studio.api.tracing import trace_operator

        return trace_operator(_showing(samples, layout, f"Resident{next(_numbers)}"), (), {"device": "gpu"})
    import cupy
    from nvidia.dali import fn, tensors

    batch = tensors.TensorListGPU(
        [tensors.TensorGPU(cupy.asarray(one), layout=layout) for one in samples], layout=layout
    )
    cupy.cuda.runtime.deviceSynchronize()
    return fn.external_source(source=lambda: batch, device="gpu", no_copy=True, layout=layout or None)


_numbers = count()
#: Memory and offsets of what `_showing` shows, by its operators' names.
_memory: dict[str, tuple[Any, Any]] = {}


def release() -> None:
    """Give back the memory of all that `held` made."""
    for name in [name for name in _memory if name != "ResidentPictures"]:
        del _memory[name]


def _showing(samples: Sequence[np.ndarray[Any, Any]], layout: str, name: str) -> str:
    """The name of an operator that shows a batch, as packages may bring their own; our external sources copy."""
    import cupy

    from dali_studio.api.default import default_registry
    from dali_studio.core.batch import Batch
    from dali_studio.core.meta import TensorMeta
    from dali_studio.kernels.cuda.batch import PADDING, place
    from dali_studio.schema.arguments import Args
    from dali_studio.schema.batches import Work
    from dali_studio.schema.declare import Operator, Output
    from dali_studio.schema.traits import PerSample

    given = Batch.of(list(samples), layout)
    shapes, dtype = given.shapes, samples[0].dtype
    offsets, size = place(shapes, dtype)
    slab = np.zeros(size + PADDING, np.uint8)
    for sample, offset in zip(samples, offsets.tolist(), strict=True):
        slab[offset : offset + sample.nbytes] = sample.reshape(-1).view(np.uint8)
    memory = cupy.cuda.alloc(slab.size)
    runtime = cupy.cuda.runtime
    runtime.memcpyAsync(memory.ptr, slab.ctypes.data, slab.size, runtime.memcpyHostToDevice, 0)
    cupy.cuda.Device().synchronize()
    _memory[name] = memory, offsets
    meta = replace(given.meta, device="gpu")

    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return meta

    def plan(args: Args, *inputs: Batch) -> Work:
        return Work(shapes)

    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: Any) -> None:
        outputs[0].memory, outputs[0].offsets = _memory[name]

    body = {
        "__doc__": "A batch that was uploaded once.", "__module__": __name__,
        "category": "sources", "icon": "chip", "inputs": (), "outputs": (Output("data"),), "traits": (PerSample,),
        "devices": ("gpu",), "infer": staticmethod(infer), "plan": staticmethod(plan), "gpu": staticmethod(gpu),
    }  # fmt: skip
    made: Any = type(name, (Operator,), body)
    default_registry().register(made)
    return str(made.schema.name)
