"""Arrays one after the other along an axis, for all samples of a batch in one compiled call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.native import kernel


def join(sources: Sequence[Operand], axis: int, out: Operand) -> None:
    """Write the arrays of each sample one after the other; the parameters are those of `joining`."""
    joining(sources, axis, out)(0, len(out.addresses))


def joining(sources: Sequence[Operand], axis: int, out: Operand) -> Callable[[int, int], None]:
    """What writes the arrays of each sample one after the other, for the samples from one to before another.

    Parameters
    ----------
    sources : sequence of Operand
        Of one element type, and equal in all axes but `axis`. To stack them along a new axis, give it as `axis`: the
        elements of one are then all that come after it.
    axis : int
    out : Operand
    """
    addresses = np.array([one.addresses for one in sources], np.int64)
    size = sources[0].dtype.itemsize
    bytes_each = np.array([one.shapes[:, axis:].prod(axis=1) for one in sources], np.int64) * size
    rows = sources[0].shapes[:, :axis].prod(axis=1)
    targets, run = out.addresses, kernel("join_batch")

    def compute(begin: int, end: int) -> None:
        run(addresses[:, begin:end], bytes_each[:, begin:end], rows[begin:end], targets[begin:end])

    return compute
