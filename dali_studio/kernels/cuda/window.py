"""Crop, flip, and crop with mirror and normalisation, over batches: one kernel in three modes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.stream import GpuStream

_INTS = (
    "in_h",
    "in_w",
    "out_h",
    "out_w",
    "y",
    "x",
    "flip_y",
    "flip_x",
    "in_channels",
    "out_channels",
    "src_pixel",
    "dst_pixel",
)
_LONGS = ("src_row", "src_channel", "dst_row", "dst_channel")
_ITEM = np.dtype(
    [
        ("src", np.uint64),
        ("dst", np.uint64),
        *((name, np.int32) for name in _INTS),
        *((name, np.int64) for name in _LONGS),
    ],
    align=True,
)
_COPY, _CUT, _NORMALIZE = 0, 1, 2
_NULL = np.uint64(0)
_EACH = 4  # pixels of a thread, as in the source


def _describe(items: NDArray[Any], side: str, batch: DeviceBatch, layout: str) -> None:
    """Fill in extents and strides (in elements) of one side."""
    axes = [layout.index(letter) for letter in "HWC"]
    height, width, channels = (batch.shapes[:, axis] for axis in axes)
    prefix = "in" if side == "src" else "out"
    items[side], items[f"{prefix}_h"], items[f"{prefix}_w"] = batch.pointers, height, width
    items[f"{prefix}_channels"] = channels
    planar = layout == "CHW"
    items[f"{side}_pixel"] = 1 if planar else channels
    items[f"{side}_row"] = width if planar else width * channels
    items[f"{side}_channel"] = height * width if planar else 1


def _items(
    src: DeviceBatch, out: DeviceBatch, src_layout: str, out_layout: str, anchors: Any, flip_y: Any, flip_x: Any
) -> NDArray[Any]:
    items = np.zeros(len(src), _ITEM)
    _describe(items, "src", src, src_layout)
    _describe(items, "dst", out, out_layout)
    items["y"], items["x"] = anchors[:, 0], anchors[:, 1]
    items["flip_y"], items["flip_x"] = flip_y, flip_x
    return items


def _fill(values: Any, items: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """One value per output channel: the only one for all, or those given and 0 for the rest."""
    channels = int(items["out_channels"].max(initial=1))
    given = np.atleast_1d(np.asarray(values, np.float64))
    wanted = np.full(channels, given[0]) if given.size == 1 else np.zeros(channels)
    if given.size > 1:
        wanted[: given.size] = given[:channels]
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        wanted = np.clip(np.trunc(wanted), limits.min, limits.max)
    return wanted.astype(dtype)


def _launch(
    src: DeviceBatch, out: DeviceBatch, mode: int, items: NDArray[Any], fill: Any, tables: Any, stream: GpuStream
) -> None:
    pixels = -(-items["out_h"].astype(np.int64) * items["out_w"] // _EACH)
    macros = {"IN": src.dtype, "OUT": out.dtype, "MODE": mode}
    values = _fill(fill, items, out.dtype)
    if tables is None:
        memory, (address,) = stream.upload(values)
        stream.launch("window", items, pixels, _NULL, _NULL, np.uint64(address), np.int32(0), macros=macros)
        del memory
    else:
        mean, inverse = (np.ascontiguousarray(table, np.float32) for table in tables)
        stream.launch("window", items, pixels, np.int32(mean.shape[1]), macros=macros, tables=(mean, inverse, values))


def flip(src: DeviceBatch, out: DeviceBatch, horizontal: Any, vertical: Any, layout: str, stream: GpuStream) -> None:
    """Mirror each sample left to right, top to bottom, or both; (N,) flags."""
    anchors = np.zeros((len(src), 2), np.int64)
    items = _items(src, out, layout, layout, anchors, np.asarray(vertical) != 0, np.asarray(horizontal) != 0)
    _launch(src, out, _COPY, items, 0.0, None, stream)


def crop(
    src: DeviceBatch, out: DeviceBatch, anchors: NDArray[np.int64], fill: Any, layout: str, stream: GpuStream
) -> None:
    """Cut the windows that begin at `anchors`, (N, 2) as (y, x); outside the image lies `fill`."""
    items = _items(src, out, layout, layout, anchors, 0, 0)
    _launch(src, out, _COPY if src.dtype == out.dtype else _CUT, items, fill, None, stream)


def crop_mirror_normalize(
    src: DeviceBatch, out: DeviceBatch, anchors: NDArray[np.int64], mirror: Any, mean: NDArray[np.float32],
    inverse: NDArray[np.float32], fill: Any, src_layout: str, out_layout: str, stream: GpuStream,
) -> None:  # fmt: skip
    """Cut windows, mirror them left to right, and normalise: round((x - mean) * inverse), (N, C) coefficients."""
    items = _items(src, out, src_layout, out_layout, anchors, 0, np.asarray(mirror) != 0)
    _launch(src, out, _NORMALIZE, items, fill, (mean, inverse), stream)
