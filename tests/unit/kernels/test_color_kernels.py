"""Colour spaces, tables, histograms and mosaics, against the same in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import image

from dali_studio.kernels.cpu.color_space import CHANNELS, convert_colors
from dali_studio.kernels.cpu.debayer import debayer
from dali_studio.kernels.cpu.lookup import KEYS, equalize, look_up, table_of

WHITE, GREY = (255, 255, 255), (128, 128, 128)


def converted(pixels: object, source: str, target: str) -> np.ndarray:
    given = np.array(pixels, np.uint8).reshape(1, -1, CHANNELS[source])
    out = np.zeros((1, given.shape[1], CHANNELS[target]), np.uint8)
    convert_colors(given, out, source, target)
    return out[0]


def test_known_colors() -> None:
    np.testing.assert_array_equal(converted([WHITE, (0, 0, 0), GREY], "RGB", "YCbCr")[:, 0], [235, 16, 126])
    np.testing.assert_array_equal(converted([WHITE, (255, 0, 0)], "RGB", "YCbCr")[:, 1:], [[128, 128], [90, 240]])
    np.testing.assert_array_equal(converted([(235, 128, 128), (16, 128, 128)], "YCbCr", "RGB"), [WHITE, (0, 0, 0)])
    np.testing.assert_array_equal(converted([(255, 0, 0), (0, 255, 0), (0, 0, 255)], "RGB", "GRAY")[:, 0], [76, 150, 29])
    np.testing.assert_array_equal(converted([(235, 9, 9), (16, 9, 9), (0, 9, 9)], "YCbCr", "GRAY")[:, 0], [255, 0, 0])


@pytest.mark.parametrize("count", [1, 5, 15, 16, 17, 100])
def test_bgr_is_rgb_the_other_way_round(count: int) -> None:
    pixels = image(1, count, 3)[0]
    np.testing.assert_array_equal(converted(pixels, "RGB", "BGR"), pixels[:, ::-1])
    np.testing.assert_array_equal(converted(pixels[:, :1], "GRAY", "BGR"), np.repeat(pixels[:, :1], 3, axis=1))
    for space in ("YCbCr", "GRAY"):
        swapped = np.ascontiguousarray(pixels[:, ::-1])
        np.testing.assert_array_equal(converted(swapped, "BGR", space), converted(pixels, "RGB", space))
    np.testing.assert_array_equal(converted(pixels, "YCbCr", "BGR"), converted(pixels, "YCbCr", "RGB")[:, ::-1])


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"])
def test_tables_at_their_ends(dtype: str) -> None:
    info = np.iinfo(dtype)
    numbers = [info.min, -1, 0, 1, 127, 128, KEYS - 1, KEYS, info.max]
    given = np.array([number for number in numbers if info.min <= number <= info.max], dtype)
    keys = [0, 1, 127, 128, 255, KEYS - 1]
    out = np.zeros(given.shape, np.float32)
    look_up(given, out, table_of(keys, keys, -5, out.dtype))
    np.testing.assert_array_equal(out, [value if value in keys else -5 for value in given.tolist()])


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 7])
def test_equalized_histograms(channels: int) -> None:
    picture = image(41, 33, channels) // 3 + 40
    out = np.zeros_like(picture)
    equalize(picture, out, channels)
    for c in range(channels):
        counts = np.bincount(picture[..., c].ravel(), minlength=256)
        below = np.cumsum(counts) - counts[np.flatnonzero(counts)[0]]
        table = np.rint(below.astype(np.float32) * np.float32(255 / below[-1])).astype(np.uint8)
        np.testing.assert_array_equal(out[..., c], table[picture[..., c]])
    equalize(np.full_like(picture, 9), out, channels)
    assert (out == 9).all()


@pytest.mark.parametrize("blue", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("algorithm", ["bilinear_ocv", "edgeaware_ocv", "vng_ocv"])
def test_a_mosaic_of_one_color_is_that_color(algorithm: str, blue: tuple[int, int]) -> None:
    y, x = np.mgrid[:20, :38]
    rows, columns = (y + blue[0]) % 2 == 1, (x + blue[1]) % 2 == 1
    mosaic = np.where(rows & columns, 30, np.where(~rows & ~columns, 200, 120)).astype(np.uint8)
    out = np.zeros((20, 38, 3), np.uint8)
    debayer(mosaic, out, algorithm, blue)
    np.testing.assert_array_equal(out, np.broadcast_to(np.array([200, 120, 30], np.uint8), out.shape))
