"""The iterator for JAX, and its decorator; same names as ``nvidia.dali.plugin.jax.iterator``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dali_studio.api.definition import pipeline_def
from dali_studio.pipeline import Pipeline
from dali_studio.plugin.base_iterator import BaseIterator, LastBatchPolicy, Outputs
from dali_studio.plugin.dense import check_dense
from dali_studio.plugin.jax.arrays import bad, from_gpu, jax, over_shards, stacked, to_jax
from dali_studio.plugin.lent import shared_outputs
from dali_studio.tensors import TensorListGPU

__all__ = ["DALIGenericIterator", "data_iterator"]

#: Of pipelines that a decorated function makes, as in nvidia.dali.
_NUM_THREADS = 4


class DALIGenericIterator(BaseIterator):
    """Hands out ``{name: jax.Array, ...}``: one dictionary for all pipelines.

    On the CPU, arrays share the memory of the pipeline's results where JAX accepts its alignment, and that memory is
    not used again as long as they are there. Copied are constants, what an `external_source` with `no_copy` or
    `repeat_last` gives directly to an output, and results on a GPU: there, or to the host where JAX uses no GPU.

    Parameters
    ----------
    pipelines : Pipeline or list of Pipeline
        All of one batch size; several are the shards of an array, one for each device.
    output_map : sequence of str
        A name for each output.
    size : int
        Samples of an epoch, of all pipelines together; -1: what the reader says, or, without `reader_name`, as long as
        the pipeline has data.
    reader_name : str, optional
        The ``name`` of the reader in every pipeline; the length of an epoch, shards and padding are taken from it.
    auto_reset : bool or {"yes", "no"}
        Begin the next epoch when one has ended; otherwise `reset`, or ``iter()``, does.
    last_batch_padded : bool
        With `size`: the source repeats samples at the end of an epoch instead of going on to the next one.
    last_batch_policy : LastBatchPolicy
        ``FILL`` or ``DROP``; JAX compiles for one shape, so that ``PARTIAL`` is refused.
    prepare_first_batch : bool
        Make the first batch at once.
    sharding : jax.sharding.Sharding, optional
        How the batches of the pipelines make one array; pipeline i gives the shard of the i-th device of this process.
    pmap_compatible : bool, optional
        Without `sharding`: arrays have a first axis of pipelines, as ``jax.pmap`` takes them. Several pipelines always
        give such arrays; a single one does if this is true.
    devices : list of jax.Device, optional
        DALI Studio's own: where the parts of arrays with an axis of pipelines lie.

    Raises
    ------
    DaliStudioError
        DS601 without JAX, DS105 for arguments that do not fit, DS304 if there is no data, or later for a batch whose
        samples, or shards, differ in shape.
    """

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        sharding: Any = None,
        pmap_compatible: bool | None = None,
        *,
        devices: Sequence[Any] | None = None,
    ) -> None:
        if sharding is not None and not isinstance(sharding, jax().sharding.Sharding):
            raise bad(
                "sharding", f"sharding is a {type(sharding).__name__}; a jax.sharding.Sharding is accepted.",
                "Give jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(...)).",
            )  # fmt: skip
        if last_batch_policy is LastBatchPolicy.PARTIAL:
            raise bad(
                "last_batch_policy", "LastBatchPolicy.PARTIAL is not accepted for JAX, which compiles for one shape.",
                "Give FILL or DROP.",
            )  # fmt: skip
        jax()
        self._sharding, self._devices = sharding, devices
        self._pmap_compatible = bool(pmap_compatible)
        super().__init__(
            pipelines, output_map, size, reader_name, auto_reset, None, last_batch_padded, last_batch_policy,
            prepare_first_batch,
        )  # fmt: skip

    def __next__(self) -> dict[str, Any]:  # pyright: ignore[reportIncompatibleMethodOverride] - nvidia.dali's difference
        parts = super().__next__()
        return {name: self._joined(name, [part[name] for part in parts]) for name in self.output_map}

    @functools.cached_property
    def _shared(self) -> list[list[bool]]:
        return [shared_outputs(pipe) for pipe in self._pipes]

    def _converted(self, pipeline: int, outputs: Outputs) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, given, shared in zip(self.output_map, outputs, self._shared[pipeline], strict=True):
            check_dense(name, given, "JAX")
            if isinstance(given, TensorListGPU):
                made[name] = from_gpu(given)
                continue
            array = given.as_array()
            made[name] = to_jax(np.array(array) if shared else array)
        return made

    def _joined(self, name: str, shards: list[Any]) -> Any:
        """The array of a batch, of those of the pipelines."""
        if len(shards) == 1 and self._sharding is None and not self._pmap_compatible:
            return shards[0]
        shapes = sorted({shard.shape for shard in shards})
        if len(shapes) > 1:
            raise bad(
                name, f"The batches of {name!r} differ in shape between pipelines: {shapes[0]} and {shapes[1]}.",
                "Resize, crop or pad them to one shape in all pipelines.",
            )  # fmt: skip
        return stacked(shards, self._devices) if self._sharding is None else over_shards(self._sharding, shards)


def data_iterator(
    pipeline_fn: Callable[..., Any] | None = None,
    output_map: Sequence[str] = (),
    size: int = -1,
    reader_name: str | None = None,
    auto_reset: str | bool | None = False,
    last_batch_padded: bool = False,
    last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
    prepare_first_batch: bool = True,
    sharding: Any = None,
    devices: Sequence[Any] | None = None,
    pmap_compatible: bool | None = None,
) -> Any:
    """Turn a function that defines a graph into a factory of iterators.

    Parameters
    ----------
    pipeline_fn : callable
        Calls ``fn`` operators and returns the outputs; with `sharding` or `devices` it takes ``shard_id`` and
        ``num_shards``.
    output_map, size, reader_name, auto_reset, last_batch_padded, last_batch_policy, prepare_first_batch
        As of `DALIGenericIterator`.
    sharding : jax.sharding.Sharding, optional
        Make a pipeline for each device of this process, and one array of their batches.
    devices : list of jax.Device, optional
        Make a pipeline for each of them, and arrays that ``jax.pmap`` takes. Either this or `sharding` is given.
    pmap_compatible : bool, optional
        As of `DALIGenericIterator`; true by default if `devices` are given.

    Returns
    -------
    callable
        Takes the function's own arguments, the options of `Pipeline` (``batch_size`` is that of all pipelines together)
        and ``checkpoints``, as an iterator's `checkpoints` gives them.

    Raises
    ------
    DaliStudioError
        DS601 without JAX, DS105 for arguments that do not fit.
    """
    return iterators_of(DALIGenericIterator, pipeline_fn, sharding, devices, pmap_compatible, {
        "output_map": output_map, "size": size, "reader_name": reader_name, "auto_reset": auto_reset,
        "last_batch_padded": last_batch_padded, "last_batch_policy": last_batch_policy,
        "prepare_first_batch": prepare_first_batch,
    })  # fmt: skip


def iterators_of(
    kind: type[DALIGenericIterator], pipeline_fn: Callable[..., Any] | None, sharding: Any,
    devices: Sequence[Any] | None, pmap_compatible: bool | None, options: dict[str, Any],
) -> Any:  # fmt: skip
    """What the decorators of all kinds of iterators have in common."""
    if sharding is not None and devices is not None:
        raise bad("devices", "sharding and devices are both given.", "Take one away.")
    laid = devices is not None and pmap_compatible is not False

    def decorate(function: Callable[..., Any]) -> Callable[..., DALIGenericIterator]:
        factory = pipeline_def(function)

        @functools.wraps(function)
        def create(*args: Any, checkpoints: Sequence[bytes] | None = None, **kwargs: Any) -> DALIGenericIterator:
            kwargs.setdefault("num_threads", _NUM_THREADS)
            alone = sharding is None and devices is None
            shards = [{"device_id": 0, **kwargs}] if alone else _shards(kwargs, devices)
            if checkpoints and len(checkpoints) != len(shards):
                raise bad(
                    "checkpoints", f"{len(checkpoints)} checkpoints are given for {len(shards)} pipelines.",
                    "Give those of an iterator with as many devices.",
                )  # fmt: skip
            states = checkpoints or [None] * len(shards)
            pipes = [factory(*args, **given, checkpoint=one) for given, one in zip(shards, states, strict=True)]
            return kind(
                pipes, sharding=sharding, pmap_compatible=laid if pmap_compatible is None else pmap_compatible,
                devices=devices if laid else None, **options,
            )  # fmt: skip

        return create

    return decorate if pipeline_fn is None else decorate(pipeline_fn)


def _shards(kwargs: dict[str, Any], devices: Sequence[Any] | None) -> list[dict[str, Any]]:
    """Arguments of a pipeline for each device."""
    module = jax()
    if devices is not None and module.local_device_count() != module.device_count():
        raise bad("devices", "devices is given in one of several processes.", "Give sharding instead.")
    if "batch_size" not in kwargs:
        raise bad("batch_size", "batch_size is not given.", "Give the number of samples of all devices together.")
    of_one = kwargs["batch_size"] // len(module.devices())
    if of_one < 1:
        raise bad(
            "batch_size", f"batch_size is {kwargs['batch_size']}, for {len(module.devices())} devices.",
            "Give a multiple of the number of devices.",
        )  # fmt: skip
    count = module.device_count() if devices is None else len(devices)
    return [
        {"device_id": number, **kwargs, "batch_size": of_one, "shard_id": device.id, "num_shards": count}
        for number, device in enumerate(module.local_devices() if devices is None else devices)
    ]
