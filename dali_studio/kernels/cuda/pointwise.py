"""Pointwise operators: parts of chains, and alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part, pixel_part
from dali_studio.kernels.cuda.stream import GpuStream


def cast_part() -> Part:
    """Convert every element, rounding half away from zero and saturating (`kernels.cpu.convert.convert`)."""
    return pixel_part("Convert", part_text("color"))


def scale_part(multiply: NDArray[np.float32], add: NDArray[np.float32]) -> Part:
    """round(x * multiply + add), saturated; one factor and one summand per sample."""
    return pixel_part("Scale", part_text("color"), multiply=multiply, add=add)


def matrix_part(matrices: NDArray[np.float32]) -> Part:
    """round(M[:, :3] @ (r, g, b) + M[:, 3]) for every pixel; `matrices` is (N, 3, 4)."""
    return pixel_part("Matrix", part_text("color"), rgb=True, m=matrices.reshape(len(matrices), 12))


def cast(src: DeviceBatch, out: DeviceBatch, stream: GpuStream) -> None:
    """Launch `cast_part` alone."""
    chains.run(src, out, [cast_part()], (), stream)


def brightness_contrast(
    src: DeviceBatch, out: DeviceBatch, multiply: NDArray[np.float32], add: NDArray[np.float32], stream: GpuStream
) -> None:
    """Launch `scale_part` alone."""
    chains.run(src, out, [scale_part(multiply, add)], (), stream)


def linear_color(src: DeviceBatch, out: DeviceBatch, matrices: NDArray[np.float32], stream: GpuStream) -> None:
    """Launch `matrix_part` alone."""
    chains.run(src, out, [matrix_part(matrices)], (), stream)
