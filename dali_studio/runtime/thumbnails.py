"""Pictures made smaller, for people to look at, by the kernel of `fn.resize`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.resample import resize


def fitted(image: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """The image, (H, W, 3), made smaller to fit into a box; small images stay as they are."""
    scale = min(width / image.shape[1], height / image.shape[0], 1.0)
    if scale == 1.0:
        return image
    made = np.empty((max(round(image.shape[0] * scale), 1), max(round(image.shape[1] * scale), 1), 3), np.uint8)
    resize(np.ascontiguousarray(image), made)
    return made
