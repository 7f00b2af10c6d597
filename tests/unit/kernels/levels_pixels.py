"""Converted, normalised, flipped, warped and weighed pixels."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu import image_convert, native, warp
from dali_studio.kernels.cpu.color import hsv_matrix, linear_color
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.copy_window import copy_window
from dali_studio.kernels.cpu.grid_mask import grid_mask
from dali_studio.kernels.cpu.layout import crop_mirror_normalize, flip
from dali_studio.kernels.cpu.weights import Interp

TYPES = (
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
)  # fmt: skip
SHAPES = ((1, 1, 3), (2, 15, 1), (3, 16, 3), (5, 37, 3), (4, 33, 4), (3, 50, 2))


def noise(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    """All of an integer type's range; of floats any bits, and numbers and ties near those of pixels."""
    kind = np.dtype(dtype)
    bits = random.integers(0, 256, (*shape, kind.itemsize), np.uint8)
    if kind.kind == "b":
        return bits[..., 0] > 127
    values = bits.view(kind)[..., 0]
    if kind.kind != "f":
        return values
    near = (random.integers(-700, 700, shape) / 2).astype(kind)
    return np.where(random.random(shape) < 0.5, values, near)


def of_casts(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for source in TYPES:
        given = noise(random, (1013,), source)
        for target in TYPES:
            out = np.zeros(given.shape, target)
            convert(given, out)
            yield out


def of_images(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for shape in SHAPES:
        for source in ("uint8", "uint16", "int16", "int32", "float16", "float32"):
            image = noise(random, shape, source)
            mean, factor = random.normal(100, 50, (2, shape[2])).astype(np.float32)
            for target in ("uint8", "int8", "float16", "float32"):
                for layout, size in (("HWC", shape), ("CHW", (shape[2], *shape[:2]))):
                    out = np.zeros(size, target)
                    mirror = layout == "CHW"
                    crop_mirror_normalize(
                        image, out, (0, -1), mirror=mirror, mean=mean, inv_std=factor, out_layout=layout
                    )
                    yield out
        for target in ("uint8", "int16", "float32", "float64"):
            image = noise(random, shape, target)
            out = np.zeros_like(image)
            flip(image, out, vertical=shape[0] == 3)
            yield out


def of_warps(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for number, shape in enumerate(SHAPES):
        size = warp.rotated_size(33.0 * number, *shape[:2])
        turn = warp.rotate_matrix(33.0 * number, *shape[:2], *size)
        yield size
        yield warp.inverse_affine(turn)
        for matrix in (turn, random.normal(0, 3e9, (2, 3))):
            for source in ("uint8", "int16", "int32", "float32"):
                for interp, fill in ((Interp.LINEAR, None), (Interp.LINEAR, 7.5), (Interp.NN, None), (Interp.NN, -9.0)):
                    out = np.zeros((*size, shape[2]), source)
                    warp.warp_affine(noise(random, shape, source), out, matrix, interp, fill)
                    yield out


def of_colors(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for dtype in ("uint8", "uint16"):
        for channels in (3, 4):
            image = noise(random, (5, 37, channels), dtype)[..., :3]
            yield from (image_convert.to_gray(image, form) for form in ("png", "bmp", "webp", "tiff"))
            yield image_convert.to_gray_by_light(image, 45455)
            yield from (image_convert.to_ycbcr(image, np.dtype(name)) for name in ("uint8", "uint16", "float32"))
    for dtype in ("uint8", "int16", "int32", "float16", "float32"):
        image = noise(random, (5, 37, 3), dtype)
        linear_color(image, image, hsv_matrix(70.0, 1.5, 0.75))
        yield image
    for step in (1, 2, 3, 4, 6, 8):
        rows, out = random.integers(0, 256, (40, 41 * step + 1), np.uint8), np.zeros((40, 41 * step), np.uint8)
        rows[:, 0] = np.arange(40) // 2 % 5  # the filters of PNG files, each twice in a row
        assert native.kernel("unfilter")(rows, out, np.zeros(41 * step, np.uint8), step)
        yield out


def of_windows(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for shape in ((5, 37, 3), (2, 3, 4, 5), (40,)):
        for dtype in ("uint8", "uint16", "float32", "float64"):
            image, out = noise(random, shape, dtype), np.zeros([extent + 3 for extent in shape], dtype)
            copy_window(image, out, [-1] * len(shape), noise(random, (out.shape[-1],), dtype), len(shape) - 1)
            yield out
    for dtype in ("uint8", "int16", "int32", "float32"):
        image = noise(random, (9, 37, 3), dtype)
        out = np.zeros_like(image)
        grid_mask(image, out, 5, 0.4, 0.3, (2.5, -1.0))
        yield out
        volume = noise(random, (3, 4, 17, 2), dtype)
        out = np.zeros_like(volume)
        flip(volume, out, True, True, True, "DHWC")
        yield out


def digest() -> str:
    """Of all that is computed here."""
    made = hashlib.sha256()
    with np.errstate(all="ignore"):
        for number, cases in enumerate((of_casts, of_images, of_warps, of_colors, of_windows)):
            for value in cases(np.random.default_rng(number)):
                if value.dtype.kind == "f":
                    value[np.isnan(value)] = np.nan  # the bits of what is no number may differ
                made.update(value.tobytes())
    return made.hexdigest()
