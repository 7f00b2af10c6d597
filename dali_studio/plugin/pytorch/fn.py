"""Functions of pipeline definitions that need PyTorch; same names as ``nvidia.dali.plugin.pytorch.fn``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio import fn
from dali_studio.core.optional import require
from dali_studio.pipeline import DataNode

__all__ = ["torch_python_function"]


def torch_python_function(
    *input: DataNode, function: Callable[..., Any], num_outputs: int = 1, batch_processing: bool = False,  # noqa: A002 - nvidia.dali's name
    output_layouts: str | Sequence[str] | None = None, preserve: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Call a Python function with the samples as tensors of PyTorch.

    Parameters
    ----------
    *input : DataNode
        On the CPU.
    function : callable
        Takes a tensor of each input, and gives a tensor, or a tuple of them for several outputs.
    num_outputs : int
    batch_processing : bool
        Call the function once for the batch, with a list of tensors for each input.
    output_layouts : str or sequence of str, optional
    preserve : bool
    name : str, optional

    Raises
    ------
    DaliStudioError
        DS601 without PyTorch.
    """
    torch: Any = require("torch", purpose="torch_python_function", install="torch")

    @wraps(function)
    def with_tensors(*arrays: Any) -> Any:
        made = function(*(_each(one, lambda array: _tensor(torch, array)) for one in arrays))
        if isinstance(made, tuple):
            return tuple(_each(one, _array) for one in cast("tuple[Any, ...]", made))
        return None if made is None else _each(made, _array)

    return fn.python_function(
        *input, function=with_tensors, num_outputs=num_outputs, batch_processing=batch_processing,
        output_layouts=output_layouts, preserve=preserve, name=name, device="cpu",
    )  # fmt: skip


def _each(value: Any, convert: Callable[[Any], Any]) -> Any:
    return [convert(one) for one in cast("list[Any]", value)] if isinstance(value, list) else convert(value)


def _tensor(torch: Any, array: NDArray[Any]) -> Any:
    return torch.from_numpy(array if array.flags.writeable else array.copy())


def _array(tensor: Any) -> NDArray[Any]:
    return np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)
