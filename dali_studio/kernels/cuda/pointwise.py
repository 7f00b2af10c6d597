"""Parts of pointwise operators."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part, pixel_part


def cast_part() -> Part:
    """Convert every element, rounding half away from zero and saturating (`kernels.cpu.convert.convert`)."""
    return pixel_part("Convert", part_text("color"))


def scale_part(multiply: NDArray[np.float32], add: NDArray[np.float32]) -> Part:
    """round(x * multiply + add), saturated; one factor and one summand per sample."""
    return pixel_part("Scale", part_text("color"), multiply=multiply, add=add)


def matrix_part(matrices: NDArray[np.float32]) -> Part:
    """round(M[:, :3] @ (r, g, b) + M[:, 3]) for every pixel; `matrices` is (N, 3, 4)."""
    return pixel_part("Matrix", part_text("color"), rgb=True, m=matrices.reshape(len(matrices), 12))
