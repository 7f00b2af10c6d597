"""The generator behind all random numbers, and uniform and normal ones of whole samples, compiled.

Once this is imported `dali_studio.core.random` uses them in place of its own arithmetic on whole arrays, which gives
the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core import random, random_numbers, random_stream
from dali_studio.core.random_stream import stream_words
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import alike


def words_of(low: NDArray[np.uint64], high: NDArray[np.uint64], keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """(4, N) words of the counters with these halves, (N,); `keys` are (rounds, 2)."""
    made = np.empty((4, len(low)), np.uint32)
    kernel("philox_words")(low, high, keys, made)
    return made


def multiply_add(a: NDArray[np.float32], b: NDArray[np.float32], c: NDArray[np.float32]) -> NDArray[np.float32]:
    """``a * b + c`` rounded once."""
    given = alike(np.asarray(a), np.asarray(b), np.asarray(c))
    made = np.empty(given[0].shape, np.float32)
    kernel("multiply_add")(*(array.reshape(-1) for array in given), made.reshape(-1))
    return made


def numbers_of(
    name: str, seed: int, highs: NDArray[np.uint64], elements: int, arguments: Sequence[NDArray[Any]],
    dtype: np.dtype[Any], origin: int,
) -> NDArray[Any]:  # fmt: skip
    """(N, `elements`) numbers of a distribution, of samples whose counters have `highs`; `arguments` are (N,) or ()."""
    made = np.empty((len(highs), elements), dtype)
    rows = (np.ascontiguousarray(np.broadcast_to(given.reshape(-1), len(highs))) for given in arguments)
    kernel(f"{name}_numbers", dtype)(made, stream_words(seed, origin), highs, *rows)
    return made


random.use_compiled(numbers_of)
random_stream.use_compiled(words_of)
random_numbers.use_compiled(multiply_add)
