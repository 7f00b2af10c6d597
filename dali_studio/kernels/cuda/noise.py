"""Random numbers that are added to the elements of a batch: a part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import descriptors
from dali_studio.kernels.cuda.chains import order_of
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import headers

_INTS = ("row", "column", "plane", "unused")
_ROW = np.dtype(
    [("key", np.uint64), ("high", np.uint64), ("mean", np.float32), ("stddev", np.float32),
     *((name, np.int32) for name in _INTS)], align=True
)  # fmt: skip


def gaussian_part(
    data: Batch, key: int, highs: NDArray[np.uint64], means: NDArray[np.float32], deviations: NDArray[np.float32]
) -> Part:
    """Add normally distributed numbers (`kernels.cpu.noise.gaussian`, with equal numbers)."""
    made = np.zeros(len(data), _ROW)
    made["key"], made["high"], made["mean"], made["stddev"] = np.uint64(key), highs, means, deviations
    order, shapes = order_of(data), data.shapes
    if order == descriptors.HWC:
        made["row"], made["column"], made["plane"] = shapes[:, 1] * shapes[:, 2], shapes[:, 2], 1
    elif order == descriptors.CHW:
        made["row"], made["column"], made["plane"] = shapes[:, 2], 1, shapes[:, 1] * shapes[:, 2]
    else:
        made["column"] = 1
    return Part("GaussianPart", "pixel", (*headers("gaussian"), part_text("noise")), made, place="element")
