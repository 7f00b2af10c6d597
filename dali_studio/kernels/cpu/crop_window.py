"""Random crop windows of a given area and aspect ratio, with nvidia.dali's numbers.

The windows of ``random_crop_generator``, ``decoders.image_random_crop`` and ``random_resized_crop`` are the same
function of seed, position of the sample in the run, and image size. Each attempt draws an area, uniform in a share of
the image's, and an aspect ratio, uniform in its logarithm; the first one that fits is placed uniformly. When none fits
the largest window within the ratio limits is placed instead.

All of it is single precision arithmetic in the order in which nvidia.dali does it, for the whole batch at once. Only
for images of more than 2**31 pixels the windows differ: there nvidia.dali's 32-bit products overflow, and its windows
leave the image.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dali_studio.core.random import SAMPLE_STRIDE, philox
from dali_studio.core.random_stream import draws_at
from dali_studio.kernels.cpu import philox as _  # noqa: F401 - `philox` is the compiled one
from dali_studio.kernels.cpu.native import kernel

KEY_MASK = 0x12345678ABCDEFE
"""What the operator seed is combined with (exclusive or) to key the stream of the crop windows."""

_MASK64 = 0xFFFFFFFFFFFFFFFF
_STRIDE = np.uint64(SAMPLE_STRIDE)
_AHEAD, _FEW = 8, 1024
"""Iterations whose draws are made at once, and the largest batch for which that is done."""
_SPARE_DRAWS = 6
"""Draws kept for the two anchors; each needs one, and another one in ``size / 2**32`` of all cases."""


def random_crop_windows(
    seed: int,
    start: int | NDArray[np.uint64],
    shapes: ArrayLike,
    area: tuple[float, float] = (0.08, 1.0),
    aspect_ratio: tuple[float, float] = (3 / 4, 4 / 3),
    num_attempts: int = 10,
    origin: int = 0,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Crop windows of a whole batch.

    Parameters
    ----------
    seed : int
        Operator seed; taken modulo 2**64.
    start : int or ndarray of uint64
        Number of samples that the operator handled in earlier iterations; (K,) for the samples of K iterations of equal
        size, one after the other.
    shapes : array_like of int, shape (N, 2)
        Height and width of the images, in pixels, at least 1.
    area : (float, float)
        Least and greatest share of the image's area, more than 0.
    aspect_ratio : (float, float)
        Least and greatest width / height, more than 0.
    num_attempts : int
        How often to try, at least 1.
    origin : int
        Draws before the first one of every sample (`core.random_stream`).

    Returns
    -------
    anchors, sizes : ndarray of int32, shape (N, 2)
        (y, x) of the first pixel, and (height, width), per sample.

    Raises
    ------
    ValueError
        When a range is empty or not positive, or an image has no pixels.
    """
    image = _checked_shapes(shapes)
    limits = _checked_limits(tuple(area), tuple(aspect_ratio), num_attempts)
    draws = _draws(seed, start, len(image), 2 * num_attempts + _SPARE_DRAWS, origin)
    anchors, sizes = np.empty((len(image), 2), np.int32), np.empty((len(image), 2), np.int32)
    kernel("random_crops")(draws, image, *limits, num_attempts, anchors, sizes)
    return anchors, sizes


def _checked_shapes(shapes: ArrayLike) -> NDArray[np.int64]:
    image = np.asarray(shapes, np.int64)
    if image.ndim != 2 or image.shape[1] != 2:
        raise ValueError(f"shapes has shape {image.shape}; expected one (height, width) per sample: (N, 2)")
    if image.size and int(image.min()) < 1:
        at = int(np.argmin(image.min(1)))
        raise ValueError(f"sample {at} has {image[at, 0]}x{image[at, 1]} pixels; a crop needs at least 1x1")
    return image


@lru_cache(maxsize=64)
def _checked_limits(
    area: tuple[float, float], aspect_ratio: tuple[float, float], num_attempts: int
) -> tuple[NDArray[np.float32], ...]:
    """The ranges of area, ratio and logarithm of the ratio, each (2,)."""
    for name, (low, high) in (("random_area", area), ("random_aspect_ratio", aspect_ratio)):
        if not 0 < high >= low >= 0 or (low == 0 and name != "random_area"):
            raise ValueError(f"{name} is [{low}, {high}]; expected two numbers above 0, the smaller one first")
    if num_attempts < 1:
        raise ValueError(f"num_attempts is {num_attempts}; expected 1 or more")
    ratio = np.array(aspect_ratio, np.float32)
    return np.array(area, np.float32), ratio, np.log(ratio.astype(np.float64)).astype(np.float32)


def _draws(
    seed: int, start: int | NDArray[np.uint64], samples: int, count: int, origin: int
) -> NDArray[np.uint32]:  # fmt: skip
    """The first ``count`` consecutive draws of every sample: (samples, count)."""
    if isinstance(start, np.ndarray):
        high = start[:, None] + np.arange(samples // len(start), dtype=np.uint64) * _STRIDE
        return _draws_of(seed, high.ravel(), count)
    if not origin and 0 < samples <= _FEW and start % samples == 0:
        block, row = divmod(start // samples, _AHEAD)
        return _draws_ahead(seed, block, samples, count)[row]
    high = np.uint64(start & _MASK64) + np.arange(samples, dtype=np.uint64) * _STRIDE
    if origin:
        places = np.arange(count + 3 & ~3, dtype=np.uint64)[None]
        return draws_at(seed ^ KEY_MASK, high[:, None], places, origin)
    return _draws_of(seed, high, count)


@lru_cache(maxsize=16)
def _draws_ahead(seed: int, block: int, samples: int, count: int) -> NDArray[np.uint32]:
    """The draws of some iterations of equal size, (_AHEAD, samples, count): a few numbers cost as much as many."""
    starts = (block * _AHEAD + np.arange(_AHEAD, dtype=np.uint64)) * np.uint64(samples)
    high = starts[:, None] + np.arange(samples, dtype=np.uint64) * _STRIDE
    draws = _draws_of(seed, high.ravel(), count).reshape(_AHEAD, samples, -1)
    draws.flags.writeable = False
    return draws


def _draws_of(seed: int, high: NDArray[np.uint64], count: int) -> NDArray[np.uint32]:
    blocks = -(-count // 4)
    words = philox(np.arange(blocks, dtype=np.uint64)[None], high[:, None], (seed ^ KEY_MASK) & _MASK64)
    return np.moveaxis(words, 0, -1).reshape(len(high), blocks * 4)
