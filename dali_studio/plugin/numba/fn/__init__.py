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

__all__ = ["numba_function"]


def numba_function(
    *inputs: DataNode, run_fn: Callable[..., None], out_types: Sequence[DALIDataType],
    in_types: Sequence[DALIDataType], outs_ndim: Sequence[int], ins_ndim: Sequence[int],
    setup_fn: Callable[..., None] | None = None, batch_processing: bool = False, device: str = "cpu",
    name: str | None = None,
) -> Any:  # fmt: skip
    """Call a function that Numba compiles, on the CPU.

    Parameters
    ----------
    *inputs : DataNode
    run_fn : callable
        Takes an array to be written of each output, then one of each input; lists of arrays with `batch_processing`.
    out_types, in_types : sequence of DALIDataType
        Element types.
    outs_ndim, ins_ndim : sequence of int
        Numbers of axes.
    setup_fn : callable, optional
        Takes the shapes of the outputs, to be written, and of the inputs: for each output, and each input, an array
        with a row for each sample. Default: outputs have the shapes of the inputs.
    batch_processing : bool
        Call `run_fn` once for the batch.
    name : str, optional

    Raises
    ------
    DaliStudioError
        DS601 without Numba; DS207 for another device.
    """
    if device != "cpu":
        raise _error("DS207", f"numba_function has no {device!r} backend; it has cpu.", "Use device='cpu'.", "device")
    for given, name_, wanted in ((in_types, "in_types", len(inputs)), (ins_ndim, "ins_ndim", len(inputs)),
                                 (outs_ndim, "outs_ndim", len(out_types))):  # fmt: skip
        if len(given) != wanted:
            raise _error(
                "DS105", f"{len(given)} values are given; {name_} takes {wanted} here.", "Give one for each.", name_
            )  # fmt: skip
    if setup_fn is None and len(inputs) != len(out_types):
        raise _error(
            "DS105", f"{len(out_types)} outputs cannot have the shapes of {len(inputs)} inputs.", "Give setup_fn.",
            "setup_fn",
        )  # fmt: skip
    numba: Any = require("numba", purpose="numba_function", install="numba")
    compiled = numba.njit(nogil=True)(run_fn)
    setup = None if setup_fn is None else numba.njit(setup_fn)
    dtypes = [to_numpy(dtype) for dtype in out_types]
    expected = [(to_numpy(dtype), ndim) for dtype, ndim in zip(in_types, ins_ndim, strict=True)]

    @wraps(run_fn)
    def whole(*batches: list[NDArray[Any]]) -> Any:
        for number, (batch, (dtype, ndim)) in enumerate(zip(batches, expected, strict=True)):
            for one in batch[:1]:
                if one.dtype != dtype or one.ndim != ndim:
                    message = f"input {number} is {one.dtype} with {one.ndim} axes; {dtype} with {ndim} is declared"
                    raise TypeError(message)
        shapes = [np.array([one.shape for one in batch], np.int64).reshape(len(batch), -1) for batch in batches]
        if setup is None:
            made = shapes
        else:
            made = [np.zeros((len(batches[0]), ndim), np.int64) for ndim in outs_ndim]
            setup(tuple(made), tuple(shapes))
        results = [
            [np.zeros(shape, dtype) for shape in rows.tolist()] for rows, dtype in zip(made, dtypes, strict=True)
        ]
        sources = [[_readable(one) for one in batch] for batch in batches]
        if batch_processing:
            compiled(*(numba.typed.List(row) for row in (*results, *sources)))
        else:
            for row in zip(*results, *sources, strict=True):
                compiled(*row)
        return tuple(results) if len(results) > 1 else results[0]

    return fn.python_function(
        *inputs, function=whole, num_outputs=len(out_types), batch_processing=True, name=name, device="cpu"
    )


def _readable(array: NDArray[Any]) -> NDArray[Any]:
    """An array of one kind for the compiler, which tells read-only ones and others apart."""
    return array if array.flags.writeable and array.flags.c_contiguous else np.array(array, order="C")


def _error(code: str, message: str, hint: str, argument: str) -> DaliStudioError:
    return DaliStudioError(
        Diagnostic(code=code, message=message, hint=hint, argument=argument, source=call_site())
    )  # fmt: skip
