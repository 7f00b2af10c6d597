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

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dali_studio.core.random import SAMPLE_STRIDE, philox

KEY_MASK = 0x12345678ABCDEFE
"""What the operator seed is combined with (exclusive or) to key the stream of the crop windows."""

_MASK64 = 0xFFFFFFFFFFFFFFFF
_F = np.float32
_BELOW_ONE = np.nextafter(_F(1), _F(0))
_STRIDE = np.uint64(SAMPLE_STRIDE)
_AHEAD, _FEW = 8, 1024
"""Iterations whose draws are made at once, and the largest batch for which that is done."""
_SPARE_DRAWS = 6
"""Draws kept for the two anchors; each needs one, and another one in ``size / 2**32`` of all cases."""


@dataclass(frozen=True)
class _Limits:
    """Ranges of the draws."""

    area: tuple[np.float32, np.float32]
    ratio: tuple[np.float32, np.float32]
    log_ratio: tuple[np.float32, np.float32]


def random_crop_windows(
    seed: int,
    start: int,
    shapes: ArrayLike,
    area: tuple[float, float] = (0.08, 1.0),
    aspect_ratio: tuple[float, float] = (3 / 4, 4 / 3),
    num_attempts: int = 10,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Crop windows of a whole batch.

    Parameters
    ----------
    seed : int
        Operator seed; taken modulo 2**64.
    start : int
        Number of samples that the operator handled in earlier iterations.
    shapes : array_like of int, shape (N, 2)
        Height and width of the images, in pixels, at least 1.
    area : (float, float)
        Least and greatest share of the image's area, more than 0.
    aspect_ratio : (float, float)
        Least and greatest width / height, more than 0.
    num_attempts : int
        How often to try, at least 1.

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
    limits = _checked_limits(area, aspect_ratio, num_attempts)
    height, width = image[:, 0], image[:, 1]
    draws = _draws(seed, start, len(image), 2 * num_attempts + _SPARE_DRAWS)
    h, w, used = _sizes(draws, height, width, limits, num_attempts)
    y, used = _integer_below(draws, used, height - h + 1)
    x, _ = _integer_below(draws, used, width - w + 1)
    return np.stack([y, x], 1).astype(np.int32), np.stack([h, w], 1).astype(np.int32)


def _checked_shapes(shapes: ArrayLike) -> NDArray[np.int64]:
    image = np.asarray(shapes, np.int64)
    if image.ndim != 2 or image.shape[1] != 2:
        raise ValueError(f"shapes has shape {image.shape}; expected one (height, width) per sample: (N, 2)")
    if image.size and int(image.min()) < 1:
        at = int(np.argmin(image.min(1)))
        raise ValueError(f"sample {at} has {image[at, 0]}x{image[at, 1]} pixels; a crop needs at least 1x1")
    return image


def _checked_limits(area: tuple[float, float], aspect_ratio: tuple[float, float], num_attempts: int) -> _Limits:
    for name, (low, high) in (("random_area", area), ("random_aspect_ratio", aspect_ratio)):
        if not 0 < low <= high:
            raise ValueError(f"{name} is [{low}, {high}]; expected two numbers above 0, the smaller one first")
    if num_attempts < 1:
        raise ValueError(f"num_attempts is {num_attempts}; expected 1 or more")
    least, most = _F(aspect_ratio[0]), _F(aspect_ratio[1])
    logs = _F(np.log(np.float64(least))), _F(np.log(np.float64(most)))
    return _Limits((_F(area[0]), _F(area[1])), (least, most), logs)


def _draws(seed: int, start: int, samples: int, count: int) -> NDArray[np.uint32]:
    """The first ``count`` consecutive draws of every sample: (samples, count)."""
    if 0 < samples <= _FEW and start % samples == 0:
        block, row = divmod(start // samples, _AHEAD)
        return _draws_ahead(seed, block, samples, count)[row]
    return _draws_of(seed, np.uint64(start & _MASK64) + np.arange(samples, dtype=np.uint64) * _STRIDE, count)


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


def _sizes(
    draws: NDArray[np.uint32], height: NDArray[np.int64], width: NDArray[np.int64], limits: _Limits, attempts: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.intp]]:
    """Height and width of the windows, and how many draws each sample has used."""
    least, most = limits.ratio
    max_w = np.maximum(1, (height.astype(_F) * most).astype(np.int64))
    max_h = np.maximum(1, (width.astype(_F) * (_F(1) / least)).astype(np.int64))
    min_area = (width * height).astype(_F) * limits.area[0]
    too_wide = (height * max_w).astype(_F) < min_area
    too_tall = ~too_wide & ((width * max_h).astype(_F) < min_area)
    h, w, fits = _attempts(draws, height, width, limits, attempts)
    found = fits.any(1)
    chosen = np.argmax(fits, 1)
    rows = np.arange(len(height))
    fallback_h, fallback_w = _fallback(height, width, max_h, max_w, limits)
    size_h = np.where(found, h[rows, chosen], fallback_h)
    size_w = np.where(found, w[rows, chosen], fallback_w)
    size_h = np.where(too_wide, height, np.where(too_tall, max_h, size_h))
    size_w = np.where(too_wide, max_w, np.where(too_tall, width, size_w))
    used = np.where(too_wide | too_tall, 0, np.where(found, 2 * chosen + 2, 2 * attempts))
    return size_h, size_w, used


def _attempts(
    draws: NDArray[np.uint32], height: NDArray[np.int64], width: NDArray[np.int64], limits: _Limits, attempts: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Height, width and whether they fit, for every attempt: (samples, attempts)."""
    unit = np.minimum(draws[:, : 2 * attempts].astype(_F) * _F(2.0**-32), _BELOW_ONE)
    share = unit[:, 0::2] * (limits.area[1] - limits.area[0]) + limits.area[0]
    log_ratio = unit[:, 1::2] * (limits.log_ratio[1] - limits.log_ratio[0]) + limits.log_ratio[0]
    target = share * (height * width).astype(_F)[:, None]
    # numpy's single-precision exponential is off by up to 2 ulp; the double one, rounded, is that of the C library.
    ratio = np.exp(log_ratio.astype(np.float64)).astype(_F)
    w = np.maximum(1, np.floor(np.sqrt(target * ratio) + _F(0.5)).astype(np.int64))
    h = np.maximum(1, np.floor(np.sqrt(target / ratio) + _F(0.5)).astype(np.int64))
    actual = w.astype(_F) / h.astype(_F)
    fits = (w <= width[:, None]) & (h <= height[:, None])
    return h, w, fits & (actual >= limits.ratio[0]) & (actual <= limits.ratio[1])


def _fallback(
    height: NDArray[np.int64],
    width: NDArray[np.int64],
    max_h: NDArray[np.int64],
    max_w: NDArray[np.int64],
    limits: _Limits,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The whole image, its longer side cut to the ratio limit, shrunk to the largest area."""
    least, most = limits.ratio
    ratio = width.astype(_F) / height.astype(_F)
    w = np.where(ratio > most, max_w, width)
    h = np.where(ratio < least, max_h, height)
    most_pixels = limits.area[1] * width.astype(_F) * height.astype(_F)
    scale = np.sqrt(np.minimum(_F(1), most_pixels / (h * w).astype(_F)))
    fallback_h, fallback_w = (np.maximum(1, (side.astype(_F) * scale).astype(np.int64)) for side in (h, w))
    return fallback_h, fallback_w


def _integer_below(
    draws: NDArray[np.uint32], used: NDArray[np.intp], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """libstdc++'s ``uniform_int_distribution(0, size - 1)`` on 32-bit draws (Lemire), and the draws used so far."""
    size = sizes.astype(np.uint64)
    threshold = (np.uint64(2**32) - size) % size
    rows = np.arange(len(sizes))
    place = used.copy()
    product = draws[rows, place].astype(np.uint64) * size
    while (again := (product & np.uint64(0xFFFFFFFF)) < threshold).any():
        place = np.minimum(place + again, draws.shape[1] - 1)
        product = draws[rows, place].astype(np.uint64) * size
    return (product >> np.uint64(32)).astype(np.int64), place + 1
