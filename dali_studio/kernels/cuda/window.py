"""Crop, flip, and crop with mirror and normalisation: one part in three modes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import int32, int64
from numpy.typing import NDArray

from dali_studio.kernels.cpu.jit import readable, short_kernel, writable
from dali_studio.kernels.cpu.window_rows import columns
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part

_INTS = ("y", "x", "step_y", "step_x", "in_h", "in_w", "channels", "unused")
_ROW = np.dtype(
    [*((name, np.uint64) for name in ("mean", "inverse", "fill")), *((name, np.int32) for name in _INTS)], align=True
)
_FIRST_INT = 6  # of the 32-bit words of a row
_COPY, _CUT, _NORMALIZE = 0, 1, 2


def _part(
    shapes: NDArray[np.int64], layout: str, anchors: NDArray[np.int64], sizes: NDArray[np.int64],
    flips: tuple[Any, Any], mode: int, tables: dict[str, NDArray[Any]],
) -> Part:  # fmt: skip
    """Windows of `sizes` that begin at `anchors` of inputs of `shapes`, (N, 2) as (y, x) each."""
    row = np.zeros(len(shapes), _ROW)
    words = row.view(np.int32).reshape(len(shapes), -1)
    axes = (layout.index(letter) for letter in "HWC")
    flipped = (np.atleast_1d(np.asarray(flip, np.int64)) for flip in flips)
    _rows()(shapes, *axes, anchors, sizes, *flipped, words[:, _FIRST_INT:])
    return Part("Window", "window", part_text("window"), row, tables, (mode,))


@short_kernel(
    readable(int64, 2), int64, int64, int64, readable(int64, 2), readable(int64, 2), readable(int64, 1),
    readable(int64, 1), writable(int32, 2),
)  # fmt: skip
def _rows(shapes, height, width, channel, anchors, sizes, flips_y, flips_x, words):
    """The whole numbers of `_ROW`, in the order of `_INTS`; a single flip is that of all samples."""
    for i in range(len(shapes)):
        for axis in range(2):
            flips = flips_y if axis == 0 else flips_x
            mirrored = flips[i if len(flips) > 1 else 0] != 0
            words[i, axis] = anchors[i, axis] + (sizes[i, axis] - 1 if mirrored else 0)
            words[i, 2 + axis] = -1 if mirrored else 1
        words[i, 4], words[i, 5], words[i, 6] = shapes[i, height], shapes[i, width], shapes[i, channel]


def _fill(values: Any, channels: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """One value per output channel: the only one for all, or those given and 0 for the rest."""
    return _filled(tuple(np.atleast_1d(values).tolist()), channels, dtype)


@lru_cache(maxsize=64)
def _filled(values: tuple[float, ...], channels: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    given = np.atleast_1d(np.asarray(values, np.float64))
    wanted = np.full(channels, given[0]) if given.size == 1 else np.zeros(channels)
    if given.size > 1:
        wanted[: given.size] = given[:channels]
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        wanted = np.clip(np.trunc(wanted), limits.min, limits.max)
    return wanted.astype(dtype)


def _extents(shapes: NDArray[np.int64], layout: str) -> NDArray[np.int64]:
    return columns(shapes, layout.index("H"), layout.index("W"))


def _channels(shapes: NDArray[np.int64], layout: str) -> int:
    return int(shapes[:, layout.index("C")].max(initial=1))


def flip_part(
    shapes: NDArray[np.int64], dtype: np.dtype[Any], horizontal: Any, vertical: Any, layout: str
) -> Part:
    """Mirror each sample left to right, top to bottom, or both; (N,) flags."""
    fill = np.zeros(_channels(shapes, layout), dtype)
    anchors = np.zeros((len(shapes), 2), np.int64)
    return _part(shapes, layout, anchors, _extents(shapes, layout), (vertical, horizontal), _COPY, {"fill": fill})


def crop_part(
    shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], dtypes: tuple[np.dtype[Any], np.dtype[Any]],
    anchors: NDArray[np.int64], fill: Any, layout: str,
) -> Part:  # fmt: skip
    """Cut the windows that begin at `anchors`, (N, 2) as (y, x); outside the image lies `fill`.

    `shapes` and `dtypes` are those of input and output.
    """
    mode = _COPY if dtypes[0] == dtypes[1] else _CUT
    table = _fill(fill, _channels(out_shapes, layout), dtypes[1])
    return _part(shapes, layout, anchors, _extents(out_shapes, layout), (0, 0), mode, {"fill": table})


def normalize_part(
    shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], dtype: np.dtype[Any], anchors: NDArray[np.int64],
    mirror: Any, mean: NDArray[np.float32], inverse: NDArray[np.float32], fill: Any, layouts: tuple[str, str],
) -> Part:  # fmt: skip
    """Cut windows, mirror them left to right, and normalise: round((x - mean) * inverse), (N, C) coefficients."""
    tables = {
        "mean": np.ascontiguousarray(mean, np.float32), "inverse": np.ascontiguousarray(inverse, np.float32),
        "fill": _fill(fill, _channels(out_shapes, layouts[1]), dtype),
    }  # fmt: skip
    return _part(shapes, layouts[0], anchors, _extents(out_shapes, layouts[1]), (0, mirror), _NORMALIZE, tables)
