"""Squares of a grid, which cover pixels."""

from __future__ import annotations

import math

import numpy as np

from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.views import Array


def grid_mask(
    src: Array, out: Array, tile: int, ratio: float, angle: float, shift: tuple[float, float]
) -> None:
    """Set to 0 what the squares of a grid cover.

    Parameters
    ----------
    src, out : (H, W, ...) arrays of uint8, int16, int32 or float32
        Of one type and shape, without gaps.
    tile : int
        Period of the grid, in pixels.
    ratio : float
        Side of a square, in tiles.
    angle : float
        Of the grid, in radians.
    shift : (float, float)
        Of the grid, in pixels, as (x, y).
    """
    source, target = (array.reshape(*array.shape[:2], -1) for array in (np.ascontiguousarray(src), out))
    kept = scratch(4 * out.shape[1])[: 4 * out.shape[1]].view(np.float32)
    kernel("grid_mask", out.dtype)(source, target, *fields(tile, ratio, angle, shift), kept)


def fields(tile: int, ratio: float, angle: float, shift: tuple[float, float]) -> tuple[float, ...]:
    """The fields of the functor ``GridMask``, from the arguments of `grid_mask`."""
    size, x, y = np.float32(tile), np.float32(shift[0]), np.float32(shift[1])
    turn = float(np.float32(angle))
    made = np.float32(math.cos(turn)) / size, np.float32(math.sin(turn)) / size, x / size, y / size
    return *(float(number) for number in made), ratio
