"""Arithmetic on the elements of a batch, on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.elementwise import computed_types
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cuda.stream import GpuStream

_AXES, _OPERANDS = 8, 3
#: How often a thread takes some elements: fewer blocks cost less where samples are of different sizes.
_ROUNDS = 4
_ITEM = np.dtype(
    [("source", np.uint64, _OPERANDS), ("target", np.uint64), ("count", np.int64), ("extents", np.int64, _AXES),
     ("strides", np.int64, (_OPERANDS, _AXES)), ("axes", np.int64)]
)  # fmt: skip


def compute_on_gpu(
    functor: str, operands: Sequence[Batch | NDArray[Any]], out: Batch, common: np.dtype[Any], stream: GpuStream
) -> None:
    """Apply a functor of ``arithmetic.hpp``, as `kernels.cpu.elementwise.compute` does.

    Parameters
    ----------
    operands
        Batches on the GPU, and arrays of one element.
    """
    count = len(out)
    numbers = [one for one in operands if not isinstance(one, Batch)]
    _, addresses = stream.upload(*numbers) if numbers else (None, [])
    items = np.zeros(count, _ITEM)
    places = iter(addresses)
    shapes = [np.empty((count, 0), np.int64)] * _OPERANDS
    for position, one in enumerate(operands):
        items["source"][:, position] = one.addresses if isinstance(one, Batch) else next(places)
        if isinstance(one, Batch):
            shapes[position] = one.shapes
    items["target"] = out.addresses
    # all numbers of a walk lie behind the addresses
    words = items.view(np.int64).reshape(count, -1)[:, _OPERANDS + 1 :]
    if kernel("broadcast_walks")(*shapes, out.shapes, words) > _AXES:
        raise ArgumentError(
            f"the shapes alternate between broadcast and other axes in more than {_AXES} groups.",
            hint="Reshape the tensors to fewer axes, or compute on the CPU.", code="DS203",
        )  # fmt: skip
    made = macros(functor, [one.dtype for one in operands], out.dtype, common)
    stream.launch("elementwise", items, -(-items["count"] // (made["COUNT"] * made["ROUNDS"])), macros=made)


def macros(
    functor: str, operands: Sequence[np.dtype[Any]], out: np.dtype[Any], common: np.dtype[Any]
) -> dict[str, Any]:
    """What the kernel is compiled for."""
    widest = max(one.itemsize for one in (out, *operands))
    made: dict[str, Any] = {
        "FUNCTOR": functor, "OPERANDS": len(operands), "OUT": out, "COUNT": 16 // widest, "ROUNDS": _ROUNDS
    }  # fmt: skip
    for name, dtype, computed in zip("ABC", operands, computed_types(functor, operands, common), strict=False):
        made[f"IN_{name}"], made[f"COMPUTE_{name}"] = dtype, computed
    return made
