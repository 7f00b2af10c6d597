"""Tables that give a value for each element: any table, and those that spread a histogram evenly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.native import kernel

#: Keys are below this.
KEYS = 1 << 16


def table_of(keys: Sequence[int], values: Sequence[float], default: float, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The values of all keys, and behind them that of other elements.

    Parameters
    ----------
    keys, values : sequence
        As many of each; of equal keys the last counts.
    default : float
        The value of keys that are not named, and of elements that are no keys.
    dtype : dtype
        Converted as `convert` does.
    """
    given = np.full(KEYS + 1, default, np.float32)
    for key, value in zip(keys, values, strict=True):
        given[key] = value
    made = np.empty(KEYS + 1, dtype)
    convert(given, made)
    return made


def look_up(src: NDArray[Any], out: NDArray[Any], table: NDArray[Any]) -> None:
    """The value of each element.

    Parameters
    ----------
    src, out : arrays of one shape, C-contiguous
        `src` has integers.
    table : (KEYS + 1,) array of the type of `out`
        From `table_of`.
    """
    words = np.dtype(f"u{table.itemsize}")
    kernel("look_up", src.dtype, words)(src.reshape(-1), out.reshape(-1).view(words), table.view(words))


def equalize(src: NDArray[np.uint8], out: NDArray[np.uint8], channels: int) -> None:
    """Spread the histogram of each channel evenly over 0 to 255.

    Parameters
    ----------
    src, out : arrays of one shape, C-contiguous
        The last axis has the `channels`; without such an axis there is one.
    """
    kernel("equalize")(src.reshape(-1, channels), out.reshape(-1, channels))
