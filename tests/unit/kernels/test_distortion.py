"""What JPEG loses, against libjpeg-turbo itself, as Pillow calls it."""

from __future__ import annotations

import io

import numpy as np
import pytest
from oracle import image
from PIL import Image

from dali_studio.kernels.jpeg.distortion import distort

SIZES = [(1, 1), (1, 2), (2, 5), (7, 1), (4, 4), (5, 6), (8, 8), (15, 33), (16, 16), (17, 31), (64, 97), (3, 200)]
QUALITIES = [1, 3, 10, 24, 49, 50, 51, 75, 93, 100]


def written_and_read(picture: np.ndarray, quality: int) -> np.ndarray:
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(file, "JPEG", quality=quality, subsampling="4:2:0")
    return np.asarray(Image.open(file))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_pixel_is_that_of_a_file(size: tuple[int, int]) -> None:
    random = np.random.default_rng(0)
    noise = random.integers(0, 256, (*size, 3)).astype(np.uint8)
    extremes = (random.integers(0, 2, (*size, 3)) * 255).astype(np.uint8)
    for picture in (image(*size, 3), noise, extremes, np.full((*size, 3), (250, 3, 120), np.uint8)):
        for quality in QUALITIES:
            out = np.zeros_like(picture)
            distort(picture, out, quality)
            np.testing.assert_array_equal(out, written_and_read(picture, quality), f"quality {quality}")


def test_strides_and_no_pixels() -> None:
    frame = image(60, 80, 3)
    out = np.zeros((70, 90, 3), np.uint8)
    for part in (frame[5:40, 7:61], frame[::2, ::-1]):
        into = out[3 : 3 + part.shape[0], 4 : 4 + part.shape[1]]
        distort(part, into, 30)
        np.testing.assert_array_equal(into, written_and_read(part, 30))
        out[3 : 3 + part.shape[0], 4 : 4 + part.shape[1]] = 0
        assert not out.any()
    distort(frame[:0], np.zeros((0, 80, 3), np.uint8), 30)
    with pytest.raises(ValueError, match="one after the other"):
        distort(frame, np.zeros((60, 3, 80), np.uint8).transpose(0, 2, 1), 30)
    with pytest.raises(ValueError, match="fit each other"):
        distort(frame, np.zeros((60, 80, 3), np.uint8), 0)
