"""Crop, flip, and crop with mirror and normalisation: one part in three modes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import int32, int64
from numpy.typing import NDArray

from dali_studio.kernels.cpu.jit import readable, short_kernel, writable
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part

_INTS = ("y", "x", "step_y", "step_x", "in_h", "in_w", "channels", "unused")
_ROW = np.dtype(
    [*((name, np.uint64) for name in ("mean", "inverse", "fill")), *((name, np.int32) for name in _INTS)], align=True
)
_FIRST_INT = 6  # of the 32-bit words of a row
_COPY, _CUT, _NORMALIZE = 0, 1, 2
_NONE = np.zeros(1, np.int64)


def _part(
    shapes: NDArray[np.int64], layout: str, anchors: NDArray[np.int64], out_shapes: NDArray[np.int64], out_layout: str,
    flips: tuple[NDArray[Any], NDArray[Any]], mode: int, fill: Any, dtype: np.dtype[Any],
    tables: dict[str, NDArray[Any]],
) -> Part:  # fmt: skip
    """Windows that begin at `anchors`, (N, 2) as (y, x), of inputs of `shapes`; outside lies `fill`, of `dtype`."""
    count = len(shapes)
    row, most = np.zeros(count, _ROW), np.ones(1, np.int64)
    words = row.view(np.int32).reshape(count, -1)
    axes, out_axes = ((letters.index("H"), letters.index("W"), letters.index("C")) for letters in (layout, out_layout))
    _rows()(shapes, *axes, anchors, out_shapes, *out_axes, *flips, words, most)
    tables["fill"] = _fill(fill, int(most[0]), dtype)
    return Part("Window", "window", part_text("window"), row, tables, (mode,))


@short_kernel(
    readable(int64, 2), int64, int64, int64, readable(int64, 2), readable(int64, 2), int64, int64, int64,
    readable(int64, 1), readable(int64, 1), writable(int32, 2), writable(int64, 1),
)  # fmt: skip
def _rows(
    shapes, height, width, channel, anchors, out_shapes, out_height, out_width, out_channel, flips_y, flips_x, words,
    most,
):  # fmt: skip
    """The whole numbers of `_ROW`, in the order of `_INTS`, and the most channels; one flip is that of all samples."""
    for i in range(len(shapes)):
        for axis in range(2):
            flips, size = (
                (flips_y, out_shapes[i, out_height]) if axis == 0 else (flips_x, out_shapes[i, out_width])
            )
            mirrored = flips[i if len(flips) > 1 else 0] != 0
            words[i, _FIRST_INT + axis] = anchors[i, axis] + (size - 1 if mirrored else 0)
            words[i, _FIRST_INT + 2 + axis] = -1 if mirrored else 1
        words[i, _FIRST_INT + 4], words[i, _FIRST_INT + 5] = shapes[i, height], shapes[i, width]
        words[i, _FIRST_INT + 6] = shapes[i, channel]
        most[0] = max(most[0], out_shapes[i, out_channel])


def _fill(values: Any, channels: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """One value per output channel: the only one for all, or those given and 0 for the rest."""
    return _filled(tuple(values) if isinstance(values, list | tuple) else (values,), channels, dtype)


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


def flip_part(
    shapes: NDArray[np.int64], dtype: np.dtype[Any], horizontal: NDArray[Any], vertical: NDArray[Any], layout: str
) -> Part:
    """Mirror each sample left to right, top to bottom, or both; (N,) flags."""
    anchors = np.zeros((len(shapes), 2), np.int64)
    return _part(shapes, layout, anchors, shapes, layout, (vertical, horizontal), _COPY, 0, dtype, {})


def crop_part(
    shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], dtypes: tuple[np.dtype[Any], np.dtype[Any]],
    anchors: NDArray[np.int64], fill: Any, layout: str,
) -> Part:  # fmt: skip
    """Cut the windows that begin at `anchors`, (N, 2) as (y, x); outside the image lies `fill`.

    `shapes` and `dtypes` are those of input and output.
    """
    mode = _COPY if dtypes[0] == dtypes[1] else _CUT
    return _part(shapes, layout, anchors, out_shapes, layout, (_NONE, _NONE), mode, fill, dtypes[1], {})


def normalize_part(
    shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], dtype: np.dtype[Any], anchors: NDArray[np.int64],
    mirror: NDArray[Any], mean: NDArray[np.float32], inverse: NDArray[np.float32], fill: Any,
    layouts: tuple[str, str],
) -> Part:  # fmt: skip
    """Cut windows, mirror them left to right, and normalise: round((x - mean) * inverse), (N, C) coefficients."""
    tables = {"mean": np.ascontiguousarray(mean, np.float32), "inverse": np.ascontiguousarray(inverse, np.float32)}
    layout, out_layout = layouts
    return _part(shapes, layout, anchors, out_shapes, out_layout, (_NONE, mirror), _NORMALIZE, fill, dtype, tables)
