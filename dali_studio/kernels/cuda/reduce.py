"""Reductions of the samples of a batch, on a GPU."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.reduce import Finish, Taken
from dali_studio.kernels.cuda.stream import GpuStream

_AXES = 16
_WALK = np.dtype([("count", np.int64), ("elements", np.int64), ("extents", np.int64, _AXES),
                  ("strides", np.int64, _AXES)])  # fmt: skip
_ITEM = np.dtype(
    [("source", np.uint64), ("target", np.uint64), ("means", np.uint64), ("gone", _WALK), ("kept", _WALK),
     ("factor", np.float32), ("zero", np.int32)]
)  # fmt: skip
_FINISH: tuple[Finish, ...] = ("sum", "mean", "root")
#: The struct that takes an element, by what is taken.
PARTS: dict[Taken, str] = {"itself": "Itself", "square": "Square", "deviation": "SquaredDeviation"}
#: Threads for an output, and from how many elements on, on average, they are worth it.
_LANES = ((256, 2048), (32, 64))


def reduce_on_gpu(
    src: Batch, reduced: NDArray[np.bool_], out: Batch, stream: GpuStream, *, combine: str = "Sum",
    taken: Taken = "itself", finish: Finish = "sum", means: Batch | None = None, ddof: int = 0,
) -> None:  # fmt: skip
    """What `kernels.cpu.reduce.reduce_sums` does, with `combine` "Minimum" or "Maximum" `reduce_extremes`.

    Real sums are added in another order than on the CPU.
    """
    items = np.zeros(len(src), _ITEM)
    items["source"], items["target"] = src.addresses, out.addresses
    if means is not None:
        items["means"] = means.addresses
    words = items.view(np.int64).reshape(len(src), -1)[:, 3:-1]
    kernel("divided_axes")(src.shapes, reduced, words)
    gone = items["gone"]["elements"]
    with np.errstate(divide="ignore"):
        items["factor"] = (1.0 / (gone - ddof)).astype(np.float32)
    items["zero"] = taken == "deviation" and not reduced.any() and len(reduced) > 0
    average = gone.mean()
    lanes = next((count for count, least in _LANES if average >= least), 1)
    macros = {
        "IN": src.dtype, "OUT": out.dtype, "PART": PARTS[taken], "COMBINE": combine, "LANES": lanes,
        "FINISH": _FINISH.index(finish),
    }  # fmt: skip
    stream.launch("reduce", items, items["kept"]["elements"] * lanes, macros=macros)
