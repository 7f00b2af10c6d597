"""Reductions of all samples of a batch, in one compiled call."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.native import kernel

Taken = Literal["itself", "square", "deviation"]
Finish = Literal["sum", "mean", "root"]
_TAKEN: tuple[Taken, ...] = ("itself", "square", "deviation")
_FINISH: tuple[Finish, ...] = ("sum", "mean", "root")


def reduce_sums(
    src: Operand, reduced: NDArray[np.bool_], out: Operand, *, taken: Taken = "itself", finish: Finish = "sum",
    means: Operand | None = None, ddof: int = 0,
) -> None:  # fmt: skip
    """Sums, or what follows from sums, of (u)int8 to (u)int64 and float32.

    Parameters
    ----------
    src : Operand
    reduced : (ndim,) array of bool
        Which axes are reduced.
    out : Operand
        float32, in which nvidia.dali's order of sums is kept; the 64-bit integer of the same sort; or, for narrower
        integers, the type of `src`.
    taken : {"itself", "square", "deviation"}
        What is added up of an element: the square, or that of its distance from the mean (float32 alone).
    finish : {"sum", "mean", "root"}
        The sum; divided by the number of elements; or the square root of that.
    means : Operand, optional
        float32, as many elements as `out`.
    ddof : int
        Is taken off the number of elements.
    """
    name = {"f4": "float_sums", "i8": "long_sums", "u8": "long_sums"}.get(out.dtype.str[1:], "own_sums")
    places = np.empty(0, np.int64) if means is None else means.addresses
    codes = _TAKEN.index(taken), _FINISH.index(finish)
    kernel(name, src.dtype)(src.addresses, src.shapes, reduced, places, *codes, ddof, out.addresses)


def reduce_extremes(src: Operand, reduced: NDArray[np.bool_], out: Operand, *, largest: bool) -> None:
    """The smallest or largest elements; not-a-number counts as nothing, and of nothing the other extreme is given."""
    name = "maximum_batch" if largest else "minimum_batch"
    kernel(name, src.dtype)(src.addresses, src.shapes, reduced, out.addresses)

