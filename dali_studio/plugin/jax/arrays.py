"""Arrays of JAX of what pipelines give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.optional import require
from dali_studio.tensors import TensorListGPU


def jax() -> Any:
    """The package.

    Raises
    ------
    DaliStudioError
        DS601 without JAX.
    """
    return require("jax", purpose="Handing batches to JAX", install="jax")


def to_jax(array: NDArray[Any]) -> Any:
    """An array of JAX in the same memory, or in memory of its own where JAX asks for another alignment or type."""
    module = jax()
    # what cannot be written to is not lent by DLPack
    return module.dlpack.from_dlpack(array) if array.flags.writeable else module.numpy.array(array)


def from_gpu(batch: TensorListGPU) -> Any:
    """An array of JAX on the same GPU, copied there; by way of the host where this JAX uses no GPU.

    The copy is waited for: JAX says when it lets go of lent memory, but not when its kernels have read it.
    """
    if not _uses_cuda():
        return to_jax(batch.as_cpu().as_array())
    module = jax()
    return module.numpy.array(module.dlpack.from_dlpack(batch.as_tensor()), copy=True).block_until_ready()


def _uses_cuda() -> bool:
    try:
        return bool(jax().devices("cuda"))
    except RuntimeError:  # no build for CUDA, or told to leave it alone
        return False


def over_shards(sharding: Any, shards: Sequence[Any]) -> Any:
    """The array of which each shard is the part of one device of this process, in the order of their ids."""
    module = jax()
    devices = sorted(sharding.addressable_devices, key=lambda device: device.id)
    if len(devices) != len(shards):
        raise bad(
            "sharding", f"sharding has {len(devices)} devices of this process, for {len(shards)} pipelines.",
            "Give a pipeline for each device, or let data_iterator make them.",
        )  # fmt: skip
    first, *rest = shards[0].shape
    placed = [module.device_put(shard, device) for shard, device in zip(shards, devices, strict=True)]
    shape = (len(sharding.device_set) * first, *rest)
    return module.make_array_from_single_device_arrays(shape, sharding, placed)


def stacked(shards: Sequence[Any], devices: Sequence[Any] | None) -> Any:
    """An array with a first axis of shards, as ``jax.pmap`` takes them; `devices`, if given, say where."""
    module = jax()
    made = module.numpy.stack(shards)
    if devices is None:
        return made
    names = module.sharding.PartitionSpec("device")
    mesh = module.sharding.Mesh(np.array(devices), ("device",))
    return module.device_put(made, module.sharding.NamedSharding(mesh, names))


def bad(argument: str, message: str, hint: str) -> DaliStudioError:
    """An argument that is not accepted."""
    return DaliStudioError(Diagnostic(code="DS105", argument=argument, message=message, hint=hint))
