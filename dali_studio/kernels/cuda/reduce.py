"""Reductions of the samples of a batch, on a GPU."""

from __future__ import annotations

from typing import Any

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
#: Elements of a part of an output, and blocks of threads that occupy a GPU.
_SHARE, _BLOCKS = 4096, 8192


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
    kept = items["kept"]["elements"]
    parts = min(-(-int(average) // _SHARE), _BLOCKS // max(int(kept.sum()), 1)) if lanes == _LANES[0][0] else 1
    if parts <= 1:
        stream.launch("reduce", items, kept * lanes, np.int64(1), macros=macros)
        return
    sums = stream.empty((kept * parts)[:, None], out.dtype, "")
    last = items.copy()
    items["target"] = last["source"] = sums.addresses
    items["zero"] = 0
    last["gone"], last["kept"] = _one_axis(np.full_like(kept, parts), 1), _one_axis(kept, parts)
    stream.launch("reduce", items, kept * parts * lanes, np.int64(parts), macros=macros | {"FINISH": 0})
    lanes = _LANES[-1][0]
    last_macros = macros | {"IN": out.dtype, "PART": PARTS["itself"], "LANES": lanes}
    stream.launch("reduce", last, kept * lanes, np.int64(1), macros=last_macros)


def _one_axis(elements: NDArray[np.int64], stride: int) -> NDArray[Any]:
    """Walks along one axis."""
    made = np.zeros(len(elements), _WALK)
    made["count"], made["elements"] = 1, elements
    made["extents"][:, 0], made["strides"][:, 0] = elements, stride
    return made
