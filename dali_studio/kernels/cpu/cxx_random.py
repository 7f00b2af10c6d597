"""``std::shuffle`` of the C++ standard library with its random engines, as GNU's libstdc++ implements them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel


def shuffle_mt19937(items: NDArray[np.int64], seed: int) -> None:
    """Permute an array in place by ``std::mt19937(seed)``; of the seed the low 32 bits count."""
    kernel("shuffle_mt19937")(items, seed)


def shuffle_mt19937_64(items: NDArray[np.int64], seed: int) -> None:
    """Permute an array in place by ``std::mt19937_64(seed)``; of the seed the low 64 bits count."""
    kernel("shuffle_mt19937_64")(items, seed)
