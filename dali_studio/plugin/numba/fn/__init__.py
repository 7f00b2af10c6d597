"""Functions of pipeline definitions that need Numba; same names as ``nvidia.dali.plugin.numba.fn``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio import fn
from dali_studio.api.tracing import call_site
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.optional import require
from dali_studio.pipeline import DataNode
from dali_studio.plugin.numba import gpu

__all__ = ["numba_function"]


def numba_function(
    *inputs: DataNode, run_fn: Callable[..., None], out_types: Sequence[DALIDataType],
    in_types: Sequence[DALIDataType], outs_ndim: Sequence[int], ins_ndim: Sequence[int],
    setup_fn: Callable[..., None] | None = None, batch_processing: bool = False, blocks: Sequence[int] | None = None,
    threads_per_block: Sequence[int] | None = None, bytes_per_sample_hint: int | Sequence[int] = 0,
    preserve: bool = False, seed: int = -1, device: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Call a function that Numba compiles: on the CPU, or as a kernel on the GPU.

    Parameters
    ----------
    *inputs : DataNode
    run_fn : callable
        Takes an array to be written of each output, then one of each input; lists of arrays with `batch_processing`.
        On the GPU it is the body of a kernel, which finds its place by ``numba.cuda.grid`` and its like, and runs once
        for each sample.
    out_types, in_types : sequence of DALIDataType
        Element types.
    outs_ndim, ins_ndim : sequence of int
        Numbers of axes.
    setup_fn : callable, optional
        Takes the shapes of the outputs, to be written, and of the inputs: for each output, and each input, an array
        with a row for each sample. It runs on the CPU. Default: outputs have the shapes of the inputs.
    batch_processing : bool
        Call `run_fn` once for the batch; on the CPU alone.
    blocks, threads_per_block : sequence of int
        For the GPU: three numbers each, those of a launch's grid and of its blocks.
    bytes_per_sample_hint, seed
        Accepted without effect.
    preserve : bool
        Run it even where no output needs it.
    device : str, optional
        "cpu" or "gpu". Default: the GPU if an input is there.
    name : str, optional

    Raises
    ------
    DaliStudioError
        DS601 without Numba; DS207 for another device.
    """
    del bytes_per_sample_hint, seed
    on_gpu = any(isinstance(node, DataNode) and node.device == "gpu" for node in inputs)
    device = device or ("gpu" if on_gpu else "cpu")
    if device not in ("cpu", "gpu"):
        raise _error(
            "DS207", f"numba_function has no {device!r} backend; it has cpu, gpu.", "Use device='cpu'.", "device"
        )  # fmt: skip
    _check_declared(in_types, out_types, ins_ndim, outs_ndim, len(inputs), setup_fn)
    if device == "gpu":
        _check_launch(blocks, threads_per_block, batch_processing)
    numba: Any = require("numba", purpose="numba_function", install="numba")
    outs = [(to_numpy(dtype), ndim) for dtype, ndim in zip(out_types, outs_ndim, strict=True)]
    ins = [(to_numpy(dtype), ndim) for dtype, ndim in zip(in_types, ins_ndim, strict=True)]
    setup = None if setup_fn is None else numba.njit(setup_fn)
    if device == "gpu":
        run = gpu.launcher(run_fn, [*outs, *ins], blocks or (), threads_per_block or ())
        allocate = gpu.uninitialised
    else:
        run, allocate = _on_cpu(numba, run_fn, batch_processing), _zeros

    @wraps(run_fn)
    def whole(*batches: list[Any]) -> Any:
        for number, (batch, (dtype, ndim)) in enumerate(zip(batches, ins, strict=True)):
            for one in batch[:1]:
                if one.dtype != dtype or one.ndim != ndim:
                    message = f"input {number} is {one.dtype} with {one.ndim} axes; {dtype} with {ndim} is declared"
                    raise TypeError(message)
        count = len(batches[0])
        shapes = [
            np.array([one.shape for one in batch], np.int64).reshape(count, ndim)
            for batch, (_, ndim) in zip(batches, ins, strict=True)
        ]
        made = shapes if setup is None else [np.zeros((count, ndim), np.int64) for _, ndim in outs]
        if setup is not None:
            setup(tuple(made), tuple(shapes))
        results = [allocate(rows, dtype) for rows, (dtype, _) in zip(made, outs, strict=True)]
        if count:
            run([*results, *batches])
        return tuple(results) if len(results) > 1 else results[0]

    return fn.python_function(
        *inputs, function=whole, num_outputs=len(out_types), batch_processing=True, preserve=preserve, name=name,
        device=device,
    )  # fmt: skip


def _check_declared(
    in_types: Sequence[DALIDataType], out_types: Sequence[DALIDataType], ins_ndim: Sequence[int],
    outs_ndim: Sequence[int], inputs: int, setup_fn: Callable[..., None] | None,
) -> None:  # fmt: skip
    for given, name, wanted in ((in_types, "in_types", inputs), (ins_ndim, "ins_ndim", inputs),
                                (outs_ndim, "outs_ndim", len(out_types))):  # fmt: skip
        if len(given) != wanted:
            raise _error(
                "DS105", f"{len(given)} values are given; {name} takes {wanted} here.", "Give one for each.", name
            )  # fmt: skip
    for given, name in ((in_types, "in_types"), (out_types, "out_types")):
        if DALIDataType.FLOAT16 in given:
            raise _error("DS105", "FLOAT16 is no type that Numba's functions take.", "Cast to FLOAT before.", name)
    if setup_fn is None and inputs != len(out_types):
        raise _error(
            "DS105", f"{len(out_types)} outputs cannot have the shapes of {inputs} inputs.", "Give setup_fn.",
            "setup_fn",
        )  # fmt: skip


def _check_launch(
    blocks: Sequence[int] | None, threads_per_block: Sequence[int] | None, batch_processing: bool
) -> None:  # fmt: skip
    if batch_processing:
        raise _error(
            "DS105", "A kernel runs for one sample; batch_processing is for the CPU.", "Leave it away.",
            "batch_processing",
        )  # fmt: skip
    for given, name in ((blocks, "blocks"), (threads_per_block, "threads_per_block")):
        if given is None or len(given) != 3 or min(given) < 1:
            raise _error("DS105", f"{name} is {given!r}; on the GPU it takes three positive numbers.",
                         f"Give, for instance, {name}=[32, 32, 1].", name)  # fmt: skip


def _on_cpu(numba: Any, run_fn: Callable[..., None], batch_processing: bool) -> Callable[[list[list[Any]]], None]:
    compiled = numba.njit(nogil=True)(run_fn)

    def run(columns: list[list[Any]]) -> None:
        readable = [[_readable(one) for one in column] for column in columns]
        if batch_processing:
            compiled(*(numba.typed.List(column) for column in readable))
        else:
            for row in zip(*readable, strict=True):
                compiled(*row)

    return run


def _zeros(shapes: NDArray[np.int64], dtype: np.dtype[Any]) -> list[NDArray[Any]]:
    return [np.zeros(shape, dtype) for shape in shapes.tolist()]


def _readable(array: NDArray[Any]) -> NDArray[Any]:
    """An array of one kind for the compiler, which tells read-only ones and others apart."""
    return array if array.flags.writeable and array.flags.c_contiguous else np.array(array, order="C")


def _error(code: str, message: str, hint: str, argument: str) -> DaliStudioError:
    return DaliStudioError(
        Diagnostic(code=code, message=message, hint=hint, argument=argument, source=call_site())
    )  # fmt: skip
