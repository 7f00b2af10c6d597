"""Crop, flip, and crop with mirror and normalisation: one part in three modes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.window_batch import fill_window_words
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import headers

_INTS = ("y", "x", "step_y", "step_x", "in_h", "in_w", "channels", "unused")
_ROW = np.dtype(
    [*((name, np.uint64) for name in ("mean", "inverse", "fill")), *((name, np.int32) for name in _INTS)], align=True
)
_FIRST_INT = 6  # of the 32-bit words of a row
_COPY, _CUT, _NORMALIZE = 0, 1, 2
_NONE = np.zeros(1, np.int64)


def _part(
    shapes: NDArray[np.int64], layout: str, anchors: NDArray[np.int64], out_shapes: NDArray[np.int64], out_layout: str,
    flips: tuple[NDArray[Any], NDArray[Any]], mode: int, fill: Sequence[float], dtype: np.dtype[Any],
    tables: dict[str, NDArray[Any]],
) -> Part:  # fmt: skip
    """Windows that begin at `anchors`, (N, 2) as (y, x), of inputs of `shapes`; outside lies `fill`, of `dtype`."""
    row = np.zeros(len(shapes), _ROW)
    words = row.view(np.int32).reshape(len(shapes), -1)[:, _FIRST_INT:]
    channels = fill_window_words(shapes, layout, anchors, out_shapes, out_layout, flips, words)
    tables["fill"] = channel_fill(tuple(fill), channels, dtype)
    return Part("Window", "window", (*headers("normalize"), part_text("window")), row, tables, (mode,))


@lru_cache(maxsize=64)
def channel_fill(values: tuple[float, ...], channels: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """One value per output channel: the only one for all, or those given and 0 for the rest."""
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
    return _part(shapes, layout, anchors, shapes, layout, (vertical, horizontal), _COPY, (0.0,), dtype, {})


def crop_part(
    shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], dtypes: tuple[np.dtype[Any], np.dtype[Any]],
    anchors: NDArray[np.int64], fill: Sequence[float], layout: str,
) -> Part:  # fmt: skip
    """Cut the windows that begin at `anchors`, (N, 2) as (y, x); outside the image lies `fill`.

    `shapes` and `dtypes` are those of input and output.
    """
    mode = _COPY if dtypes[0] == dtypes[1] else _CUT
    return _part(shapes, layout, anchors, out_shapes, layout, (_NONE, _NONE), mode, fill, dtypes[1], {})


def normalize_part(
    shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], dtype: np.dtype[Any], anchors: NDArray[np.int64],
    mirror: NDArray[Any], mean: NDArray[np.float32], inverse: NDArray[np.float32], fill: Sequence[float],
    layouts: tuple[str, str],
) -> Part:  # fmt: skip
    """Cut windows, mirror them left to right, and normalise: round((x - mean) * inverse), (N, C) coefficients."""
    tables = {"mean": np.ascontiguousarray(mean, np.float32), "inverse": np.ascontiguousarray(inverse, np.float32)}
    layout, out_layout = layouts
    return _part(shapes, layout, anchors, out_shapes, out_layout, (_NONE, mirror), _NORMALIZE, fill, dtype, tables)
