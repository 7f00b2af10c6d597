"""A row of elements for each number, all alike but one, for all samples of a batch in one compiled call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.native import kernel


def one_hot(src: Operand, axis: int, classes: int, off_on: NDArray[np.generic], out: Operand) -> None:
    """Write, along a new axis of `classes` elements, one value where the class is that of the number, else another.

    Parameters
    ----------
    src : Operand
        The classes, of any type but bool and float16; real numbers are cut.
    axis : int
        Where the new axis stands in the result.
    classes : int
    off_on : (2,) array of the type of `out`
        The value elsewhere, and the value of the class.
    out : Operand
    """
    outer, inner = (part.prod(axis=1, dtype=np.int64) for part in (src.shapes[:, :axis], src.shapes[:, axis:]))
    words = off_on.view(np.dtype(f"u{out.dtype.itemsize}"))
    kernel("one_hot", src.dtype, words.dtype)(src.addresses, outer, inner, classes, words, out.addresses)
