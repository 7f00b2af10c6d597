"""Contrast-limited adaptive equalisation of histograms of bytes, with OpenCV's whole numbers of L*a*b*."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.views import Array

#: Tiles along an axis, at most.
MAX_TILES = 1 << 15
_Table = NDArray[np.int32]
_TO_XYZ = np.array(
    [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]]
)
_TO_RGB = np.array(
    [[3.240479, -1.53715, -0.498535], [-0.969256, 1.875991, 0.041556], [0.055648, -0.204043, 1.057311]]
)
_WHITE = np.array([0.950456, 1.0, 1.088754])


@cache
def lab_tables() -> tuple[_Table, ...]:
    """Light from bytes, cube roots, luminance, cubes, bytes from light, and both matrices: fixed-point numbers."""
    one = np.float32
    x = np.arange(256, dtype=np.float32) / one(255)
    wide = x.astype(np.float64)
    light = np.where(wide <= 809 / 20000, wide / 12.92, ((wide + 0.055) / 1.055) ** 2.4).astype(np.float32)
    part = np.arange(3072, dtype=np.float32) / one(255 * 8)
    exact = part.astype(np.float64)
    roots = np.where(exact < 216 / 24389, exact * (841 / 108) + 16 / 116, np.cbrt(exact)).astype(np.float32)
    roots[324] = np.nextafter(roots[324], one(0))  # the one that OpenCV's own root rounds the other way

    level = np.arange(256)
    base = 1 << 14
    low_y = (level * base * 180).astype(np.float32) / one(17 * 29**3)
    low_root = one(base) * (one(16) / one(116) + (level * 5).astype(np.float32) / one(3 * 17 * 29))
    root = (level * 100 * base).astype(np.float32) / one(255 * 116) + one(16 * base) / one(116)
    y = root * root * root / one(base * base)
    dark = level <= 20
    luminance = np.stack([np.where(dark, low_y, y), np.where(dark, low_root, root)], axis=1)

    i = np.arange(36864) - 8145
    linear = _divided(i * 108, 841) - base * 16 // 116 * 108 // 841
    cubes = np.where(i <= 3390, linear, i * i // base * i // base)

    wide = np.arange(4096, dtype=np.float32).astype(np.float64) / 4096
    byte = np.where(wide <= 7827 / 2500000, wide * 12.92, wide ** (1 / 2.4) * 1.055 - 0.055).astype(np.float32)
    made = (
        np.rint(one(255 * 8) * light), np.rint(one(1 << 15) * roots), np.rint(luminance).reshape(-1), cubes,
        np.rint(one(255) * byte), np.rint(4096 * _TO_XYZ / _WHITE[:, None]).reshape(-1),
        np.rint(4096 * _TO_RGB * _WHITE).reshape(-1),
    )  # fmt: skip
    return tuple(np.ascontiguousarray(table, np.int32) for table in made)


def _divided(a: NDArray[np.int64], b: int) -> NDArray[np.int64]:
    """Cut towards zero, as C divides."""
    return np.sign(a) * (np.abs(a) // b)


def clahe(src: Array, out: Array, tiles: tuple[int, int], limit: float, *, luma: bool) -> None:
    """Equalises histograms of tiles, between which levels are interpolated.

    Parameters
    ----------
    src, out : (H, W, C) arrays of uint8
        Without gaps.
    tiles : (int, int)
        Across and down.
    limit : float
        No level of a tile counts more than this times the mean of all levels; 0 and less: no limit.
    luma : bool
        Of pixels of three channels, RGB, change the lightness L* alone; otherwise each channel by itself.
    """
    given = np.ascontiguousarray(src), out, *tiles, limit, luma, *lab_tables()
    needed = kernel("clahe")(*given, scratch())
    if needed:
        kernel("clahe")(*given, scratch(needed))
