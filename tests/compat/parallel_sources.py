"""Sources for worker processes, which import them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def by_sample(info: Any) -> Array:
    if info.iteration >= 3:
        raise StopIteration
    return np.array([info.idx_in_epoch, info.idx_in_batch, info.iteration, info.epoch_idx], np.int64)


def by_iteration(iteration: int) -> list[Array]:
    if iteration >= 4:
        raise StopIteration
    return [np.full((i + 1, 2), 10 * iteration + i, np.float32) for i in range(2 + iteration % 2)]


def by_info(info: Any) -> list[Array]:
    if info.iteration == 3:
        raise StopIteration
    return [np.full(4, 100 * info.epoch_idx + info.iteration, np.uint8)] * 3


def whole(iteration: int) -> Array:
    """One array for the batch, at which nvidia.dali's processes end."""
    return np.arange(6, dtype=np.int16).reshape(3, 2) + iteration


def pairs(info: Any) -> tuple[Array, Array]:
    if info.iteration == 2:
        raise StopIteration
    return np.full((info.idx_in_batch + 1,), info.idx_in_epoch, np.int32), np.array(info.iteration, np.float64)


def batches_of_pairs(iteration: int) -> tuple[list[Array], list[Array]]:
    return [np.full(2, iteration, np.int16)] * 3, [np.zeros(i, np.float32) for i in range(3)]


def generator() -> Iterator[list[Array]]:
    for iteration in range(3):
        yield [np.array([iteration, i], np.int32) for i in range(3)]


class Source:
    """A callable object with a state of its own."""

    def __init__(self, factor: int) -> None:
        self.factor = factor

    def __call__(self, info: Any) -> Array:
        return np.array(self.factor * info.idx_in_epoch)


def growing(iteration: int) -> list[Array]:
    """More memory from batch to batch, and less again."""
    return [np.full(1000 * (1 + iteration % 7) ** 4, iteration, np.uint8)] * 3


def failing(info: Any) -> Array:
    if info.idx_in_epoch == 4:
        raise ValueError("no such number")
    return np.array(1)


def dying(info: Any) -> Array:
    if info.idx_in_epoch == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return np.array(1)


def stuck(info: Any) -> Array:
    if info.idx_in_epoch == 4:
        time.sleep(600)
    return np.array(1)


def process(info: Any) -> Array:
    return np.array(os.getpid())


def objects(info: Any) -> Any:
    return np.array([None, "a"], object)
