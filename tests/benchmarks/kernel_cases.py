"""Kernels of the CPU by their Python functions, with arguments: what `kernels.py` measures, in any state of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from dali_studio.kernels.cpu import (
    axis_batch,
    color,
    convert,
    descriptors,
    image_convert,
    layout,
    normalize,
    png,
    resample,
    size_batch,
    warp,
)
from dali_studio.kernels.cpu.weights import Interp
from dali_studio.kernels.jpeg import decode_queue

Case = tuple[str, Callable[[], Any]]
_RANDOM = np.random.default_rng(7)
#: Rows of tables: a batch.
_BATCH = 64


def cases() -> Iterator[Case]:
    """Names and calls."""
    for part in (_flips, _normalizations, _warps, _sizes, _pngs, _colors, _casts, _tables):
        yield from part()


def _picture(height: int, width: int, channels: int = 3, dtype: str = "u1") -> Any:
    values = _RANDOM.random((height, width, channels)) * 256
    return values.astype(dtype)


def _flips() -> Iterator[Case]:
    for height, width in ((224, 224), (480, 640)):
        for dtype in ("u1", "u2", "f4"):
            src = _picture(height, width, 3, dtype)
            out = np.empty_like(src)
            yield f"flip {dtype} {height}x{width}", partial(layout.flip, src, out)
    for channels in (1, 4):
        src = _picture(480, 640, channels)
        out = np.empty_like(src)
        yield f"flip u1 480x640, {channels} channels", partial(layout.flip, src, out)


def _normalizations() -> Iterator[Case]:
    mean, factor = normalize.normalize_coefficients([123.0, 116.0, 103.0], [58.0, 57.0, 57.5])
    for given, made in (("u1", "f4"), ("f4", "f4"), ("u1", "u1"), ("i2", "f4"), ("u1", "f2")):
        src = _picture(256, 256, 3, given)
        for letters, mirror in (("CHW", False), ("CHW", True), ("HWC", False), ("HWC", True)):
            out = np.empty((3, 224, 224) if letters == "CHW" else (224, 224, 3), made)
            yield (
                f"normalize {given}-{made} {letters}{' mirrored' if mirror else ''}",
                partial(
                    normalize.crop_mirror_normalize, src, out, (16, 16), None, mirror, mean, factor, out_layout=letters
                ),
            )


def _warps() -> Iterator[Case]:
    matrix = [[0.9848078, 0.1736482, -36.8137], [-0.1736482, 0.9848078, 59.2134]]
    for dtype, channels in (("u1", 3), ("u1", 1), ("u1", 4), ("f4", 3), ("i2", 3)):
        src = _picture(480, 640, channels, dtype)
        out = np.empty_like(src)
        for name, interp, fill in (("linear", 1, 0.0), ("linear, edges", 1, None), ("nearest", 0, 0.0)):
            yield (
                f"warp {dtype} {channels} channels {name}",
                partial(warp.warp_affine, src, out, matrix, interp, fill),
            )
    src = _picture(480, 640)
    out = np.empty(src.shape, "f4")
    yield "warp u1-f4 3 channels linear", partial(warp.warp_affine, src, out, matrix, 1, 0.0)
    turn = [[0.98, 0.17, -20.0], [-0.17, 0.98, 24.0]]
    for dtype in ("u1", "i2", "f4"):
        small = _picture(256, 256, 3, dtype)
        yield f"warp {dtype} 256x256 linear", partial(warp.warp_affine, small, np.empty_like(small), turn, 1, 0.0)
    angles = _RANDOM.uniform(-180, 180, _BATCH).astype("f4")
    heights, widths = np.full(_BATCH, 375), np.full(_BATCH, 500)
    yield "rotated_size, 64 rows", partial(warp.rotated_size, angles, heights, widths)
    yield "rotate_matrix, 64 rows", partial(warp.rotate_matrix, angles, heights, widths, heights, widths)
    matrices = _RANDOM.random((_BATCH, 2, 3)).astype("f4")
    yield "inverse_affine, 64 rows", partial(warp.inverse_affine, matrices)


def _sizes() -> Iterator[Case]:
    for given, made, channels in (
        ("u1", "u1", 3),
        ("u1", "f4", 3),
        ("f4", "f4", 3),
        ("u2", "u2", 3),
        ("u1", "u1", 1),
        ("u1", "u1", 4),
    ):
        src, out = _picture(375, 500, channels, given), np.empty((256, 256, channels), made)
        yield f"resize {given}-{made} {channels} channels", partial(resample.resize, src, out)
    src, out = _picture(375, 500), np.empty((256, 256, 3), "u1")
    yield "resize u1, no antialias", partial(resample.resize, src, out, antialias=False)
    yield "resize u1, cubic", partial(resample.resize, src, out, Interp.CUBIC, Interp.CUBIC)
    yield "resize u1, Lanczos", partial(resample.resize, src, out, Interp.LANCZOS3, Interp.LANCZOS3)
    yield "resize u1, nearest", partial(resample.resize, src, out, Interp.NN, Interp.NN)
    gray, gray_out = _picture(375, 500, 1), np.empty((256, 256, 1), "u1")
    yield "resize u1, nearest, 1 channel", partial(resample.resize, gray, gray_out, Interp.NN, Interp.NN)
    tiny, tiny_out = _picture(40, 40), np.empty((32, 32, 3), "u1")
    yield "resize u1 40x40 to 32x32", partial(resample.resize, tiny, tiny_out)
    shapes = np.stack([_RANDOM.integers(100, 600, _BATCH), _RANDOM.integers(100, 600, _BATCH), np.full(_BATCH, 3)], 1)
    made = np.tile(np.array([256, 256, 3]), (_BATCH, 1))
    highs = shapes[:, :2].astype("f8")
    lows, limits = np.zeros_like(highs), np.full((_BATCH, 2), np.inf, "f4")
    wanted = np.full((_BATCH, 2), 256, "f4")
    yield "sizes, 64 rows", partial(size_batch.sizes_and_regions, lows, highs, wanted, 0, limits, exact=True)
    regions, kinds = np.concatenate([lows, highs], 1), np.ones((_BATCH, 2), "i4")

    def axes() -> Any:
        return axis_batch.axes(shapes, made, "HWC", regions, kinds, (128, 16), 1024, antialias=True)

    yield "axes, 64 rows", axes
    table, rows, starts, *_ = axes()
    yield "place_weights, 64 rows", partial(axis_batch.place_weights, table, rows, starts, 4096)


def _pngs() -> Iterator[Case]:
    before: Any = getattr(png, "_unfilter", None)  # with numba, without a row above the first one
    for step in (1, 2, 3, 4, 6, 8):
        for number, name in ((1, "sub"), (2, "up"), (3, "average"), (4, "Paeth")):
            source = _RANDOM.integers(0, 256, (256, 256 * step + 1), np.uint8)
            source[:, 0] = number
            target = np.zeros((256 if before else 257, 256 * step), np.uint8)
            yield f"PNG {name}, {step}", partial(before or png.kernel("unfilter"), source, target, step)


def _colors() -> Iterator[Case]:
    matrix = color.hsv_matrix(20.0, 1.2, 1.1)
    for given, made in (("u1", "u1"), ("f4", "f4"), ("u1", "f4")):
        src, out = _picture(375, 500, 3, given), np.empty((375, 500, 3), made)
        yield f"linear_color {given}-{made}", partial(color.linear_color, src, out, matrix)
        yield f"scale {given}-{made}", partial(color.brightness_contrast, src, out, 1.1, 4.0)
    rgb = _picture(375, 500)
    yield "gray", partial(image_convert.to_gray, rgb, "png")
    yield "gray by light", partial(image_convert.to_gray_by_light, rgb, 45455)
    yield "YCbCr", partial(image_convert.to_ycbcr, rgb, np.dtype("u1"))
    yield "hsv_matrix, 64 rows", lambda: color.hsv_matrix(*np.ones((3, _BATCH), "f4"))


def _casts() -> Iterator[Case]:
    for given, made in (
        ("u1", "f4"),
        ("f4", "u1"),
        ("f4", "f2"),
        ("f2", "f4"),
        ("i2", "u1"),
        ("f4", "i8"),
        ("f8", "f4"),
    ):
        src, out = _picture(375, 500, 3, given), np.empty((375, 500, 3), made)
        yield f"convert {given}-{made}", partial(convert.convert, src, out)


def _tables() -> Iterator[Case]:
    shapes = np.stack([_RANDOM.integers(100, 600, _BATCH), _RANDOM.integers(100, 600, _BATCH), np.full(_BATCH, 3)], 1)
    yield "place, 64 rows", partial(descriptors.place, shapes, 1, 64)
    queues = np.zeros(decode_queue.WORDS * 2, np.int64)

    def take() -> None:
        decode_queue.fill(queues, 0, 8)
        for _ in range(8):
            decode_queue.take(queues, 0)

    yield "queue: fill, take 8", take
