"""Colour pictures from those of sensors that see one colour each (Bayer's pattern), as OpenCV makes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel, scratch

#: Kernel and channels of each algorithm.
ALGORITHMS = {
    "bilinear_ocv": ("debayer_bilinear", 3), "edgeaware_ocv": ("debayer_edges", 3),
    "vng_ocv": ("debayer_gradients", 3), "gray_ocv": ("debayer_gray", 1),
}  # fmt: skip


def debayer(src: NDArray[Any], out: NDArray[Any], algorithm: str, blue: tuple[int, int]) -> None:
    """Find the colours that each sensor does not see.

    Parameters
    ----------
    src : (H, W) array of uint8 or uint16, C-contiguous
        uint8 alone for ``vng_ocv``.
    out : (H, W, C) array of the same type, C-contiguous
        Red, green and blue, or grey.
    algorithm : str
        One of `ALGORITHMS`.
    blue : (int, int)
        Row and column, 0 or 1, of the blue sensor in the 2x2 tile that begins in the second row and column.
    """
    name, _ = ALGORITHMS[algorithm]
    if algorithm == "vng_ocv":
        needed = kernel(name)(src, out, scratch(), *blue)
        if needed:
            kernel(name)(src, out, scratch(needed), *blue)
    else:
        kernel(name, np.dtype(src.dtype))(src, out, *blue)
