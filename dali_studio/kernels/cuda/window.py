"""Crop, flip, and crop with mirror and normalisation: one part in three modes, and each alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream

_INTS = ("y", "x", "step_y", "step_x", "in_h", "in_w", "channels", "unused")
_ROW = np.dtype(
    [*((name, np.uint64) for name in ("mean", "inverse", "fill")), *((name, np.int32) for name in _INTS)], align=True
)
_COPY, _CUT, _NORMALIZE = 0, 1, 2


def _part(
    shapes: NDArray[np.int64], layout: str, anchors: NDArray[np.int64], sizes: NDArray[np.int64],
    flips: tuple[Any, Any], mode: int, tables: dict[str, NDArray[Any]],
) -> Part:  # fmt: skip
    """Windows of `sizes` that begin at `anchors` of inputs of `shapes`, (N, 2) as (y, x) each."""
    row = np.zeros(len(shapes), _ROW)
    row["in_h"], row["in_w"], row["channels"] = (shapes[:, layout.index(letter)] for letter in "HWC")
    for axis, (name, flipped) in enumerate(zip("yx", flips, strict=True)):
        mirrored = np.asarray(flipped) != 0
        row[name] = anchors[:, axis] + np.where(mirrored, sizes[:, axis] - 1, 0)
        row[f"step_{name}"] = np.where(mirrored, -1, 1)
    return Part("Window", "window", part_text("window"), row, tables, (mode,))


def _fill(values: Any, channels: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """One value per output channel: the only one for all, or those given and 0 for the rest."""
    given = np.atleast_1d(np.asarray(values, np.float64))
    wanted = np.full(channels, given[0]) if given.size == 1 else np.zeros(channels)
    if given.size > 1:
        wanted[: given.size] = given[:channels]
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        wanted = np.clip(np.trunc(wanted), limits.min, limits.max)
    return wanted.astype(dtype)


def _extents(shapes: NDArray[np.int64], layout: str) -> NDArray[np.int64]:
    return shapes[:, [layout.index("H"), layout.index("W")]]


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


def flip(src: DeviceBatch, out: DeviceBatch, horizontal: Any, vertical: Any, layout: str, stream: GpuStream) -> None:
    """Launch `flip_part` alone."""
    chains.run(src, out, [flip_part(src.shapes, src.dtype, horizontal, vertical, layout)], (), stream)


def crop(
    src: DeviceBatch, out: DeviceBatch, anchors: NDArray[np.int64], fill: Any, layout: str, stream: GpuStream
) -> None:
    """Launch `crop_part` alone."""
    part = crop_part(src.shapes, out.shapes, (src.dtype, out.dtype), anchors, fill, layout)
    chains.run(src, out, [part], (), stream)


def crop_mirror_normalize(
    src: DeviceBatch, out: DeviceBatch, anchors: NDArray[np.int64], mirror: Any, mean: NDArray[np.float32],
    inverse: NDArray[np.float32], fill: Any, src_layout: str, out_layout: str, stream: GpuStream,
) -> None:  # fmt: skip
    """Launch `normalize_part` alone."""
    layouts = (src_layout, out_layout)
    part = normalize_part(src.shapes, out.shapes, out.dtype, anchors, mirror, mean, inverse, fill, layouts)
    chains.run(src, out, [part], (), stream)
