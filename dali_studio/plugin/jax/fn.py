"""Functions of pipeline definitions that need JAX; same names as ``nvidia.dali.plugin.jax.fn``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio import fn
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.pipeline import DataNode
from dali_studio.plugin.jax.arrays import bad, jax, over_shards, to_jax

__all__ = ["jax_function"]


def jax_function(
    function: Callable[..., Any] | None = None,
    num_outputs: int = 1,
    output_layouts: str | Sequence[str] | None = None,
    sharding: Any = None,
    device: str | None = None,
    preserve: bool = True,
) -> Any:
    """Turn a function of arrays of JAX into an operator, on the CPU.

    Parameters
    ----------
    function : callable
        Takes an array of each input, with the samples on the first axis, and gives an array, or a tuple of them for
        several outputs. It may be one of ``jax.jit`` or ``jax.vmap``.
    num_outputs : int
    output_layouts : str or sequence of str, optional
        Layout of each output, or of all. Default: that of the input at the same place, if it has as many axes.
    sharding : jax.sharding.Sharding, optional
        Hand over arrays of all processes, each of which has one device.
    device : {"cpu"}, optional
    preserve : bool
        Call the function even if no output of the pipeline needs it.

    Returns
    -------
    callable
        Takes and gives `DataNode`; without `function`, a decorator.

    Raises
    ------
    DaliStudioError
        DS601 without JAX, DS207 for another device, DS105 for a sharding that does not fit.
    """
    _check(sharding, device)
    if isinstance(output_layouts, str):
        output_layouts = [output_layouts] * num_outputs
    if output_layouts is not None and len(output_layouts) != num_outputs:
        raise bad(
            "output_layouts", f"{len(output_layouts)} layouts are given for {num_outputs} outputs.",
            "Give one for each output, or one for all as a str.",
        )  # fmt: skip

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def of_batches(*batches: list[Any]) -> Any:
            if batches and not batches[0]:  # a branch that no sample takes
                return tuple(list[Any]() for _ in range(num_outputs))
            arrays = [_joined(samples) for samples in batches]
            if sharding is not None:
                arrays = [over_shards(sharding, [array]) for array in arrays]
            made = function(*arrays)
            given = cast("Sequence[Any]", made if isinstance(made, tuple | list) else (made,))
            return tuple(None if one is None else np.asarray(_local(one)) for one in given)

        vars(of_batches)["keeps_layouts"] = output_layouts is None

        @wraps(function)
        def operator(*inputs: DataNode) -> Any:
            return fn.python_function(
                *inputs, function=of_batches, num_outputs=num_outputs, batch_processing=True,
                output_layouts=output_layouts, preserve=preserve, device="cpu",
            )  # fmt: skip

        return operator

    return decorate if function is None else decorate(function)


def _check(sharding: Any, device: str | None) -> None:
    module = jax()
    if device not in (None, "cpu"):
        raise DaliStudioError(
            Diagnostic(
                code="DS207", argument="device", message=f"jax_function has no {device!r} backend; it has cpu.",
                hint="Use device='cpu', or call the function in the training loop.",
            )
        )  # fmt: skip
    if sharding is None:
        return
    if not isinstance(sharding, module.sharding.Sharding):
        raise bad(
            "sharding", f"sharding is a {type(sharding).__name__}; a jax.sharding.Sharding is accepted.",
            "Leave it out, or give a NamedSharding over all processes.",
        )  # fmt: skip
    if module.local_device_count() != 1:
        raise bad(
            "sharding", f"sharding is given in a process of {module.local_device_count()} devices; one is accepted.",
            "Start a process for each device, or leave it out.",
        )  # fmt: skip


def _joined(samples: list[NDArray[Any]]) -> Any:
    """The array of a batch; samples that lie side by side, as operators leave them, are not copied."""
    first = samples[0]
    if any(sample.shape != first.shape for sample in samples):
        raise ValueError("the samples differ in shape; resize, crop or pad them to one")
    places = [sample.__array_interface__["data"][0] for sample in samples]
    beside = all(place == places[0] + number * first.nbytes for number, place in enumerate(places))
    of_one = all(sample.base is first.base for sample in samples) and first.base is not None
    if not (beside and of_one and all(sample.flags.c_contiguous for sample in samples)):
        return to_jax(np.stack(samples))
    strides = (first.nbytes, *first.strides)
    return to_jax(np.lib.stride_tricks.as_strided(first, (len(samples), *first.shape), strides))


def _local(array: Any) -> Any:
    """The part of this process."""
    shards = getattr(array, "addressable_shards", ())
    return shards[0].data if len(shards) == 1 else array
