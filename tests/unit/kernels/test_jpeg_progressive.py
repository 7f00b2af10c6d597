"""Progressive files decoded without libjpeg-turbo: to its pixels; all that is unusual or damaged is left to it."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
import simplejpeg
from PIL import Image

from dali_studio.kernels.jpeg import codec, libjpeg
from tests.jpeg_scans import progressive
from tests.unit.kernels.test_jpeg_baseline import CHANNELS, SAMPLINGS, alone, picture, windows, written
from tests.unit.kernels.test_jpeg_coefficients import DAMAGED, FITS, SCRIPTS

ALL_SCANS = SCRIPTS["chroma together"]


def made(image: Any, sampling: str, quality: int, **options: Any) -> bytes:
    """A progressive file; Pillow does not write 4:4:0."""
    if SAMPLINGS[sampling] is None:
        return progressive(written(image, sampling, quality), ALL_SCANS)
    return written(image, sampling, quality, progressive=True, **options)


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_all_sizes(sampling: str) -> None:
    """Every third height and width up to 40, each with some window, quality and colours."""
    rng = np.random.default_rng(1)
    names = list(CHANNELS)
    for height in range(1, 41, 2):
        for width in range(1 + height % 5, 41, 5):
            colors, repeat = names[(height + width) % 3], bool(height % 4 == 1)
            data = made(picture(rng, height, width), sampling, int(rng.integers(1, 101)))
            whole = simplejpeg.decode_jpeg(data, colors, fastupsample=repeat)
            for y, x, h, w in windows(rng, height, width):
                outcome, pixels = alone(data, (height, width), colors, (y, x, h, w), repeat=repeat)
                assert outcome == libjpeg.DONE
                assert np.array_equal(pixels, whole[y : y + h, x : x + w]), (height, width, colors, repeat, y, x, h, w)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_any_order_of_scans(script: str, sampling: str) -> None:
    rng = np.random.default_rng(2)
    data = progressive(written(picture(rng, 43, 50), sampling, 85), SCRIPTS[script])
    whole = simplejpeg.decode_jpeg(data)
    for y, x, h, w in windows(rng, 43, 50):
        outcome, pixels = alone(data, (43, 50), window=(y, x, h, w))
        assert outcome == libjpeg.DONE and np.array_equal(pixels, whole[y : y + h, x : x + w])


@pytest.mark.parametrize("colors", CHANNELS)
def test_gray_files(colors: str) -> None:
    rng = np.random.default_rng(3)
    for height, width in ((1, 1), (9, 40), (33, 17)):
        file = io.BytesIO()
        Image.fromarray(picture(rng, height, width)[..., 0]).save(file, "JPEG", quality=85, progressive=True)
        outcome, pixels = alone(file.getvalue(), (height, width), colors)
        assert outcome == libjpeg.DONE and np.array_equal(pixels, simplejpeg.decode_jpeg(file.getvalue(), colors))


@pytest.mark.parametrize("quality", [1, 40, 92, 100])
def test_qualities_and_restarts(quality: int) -> None:
    rng = np.random.default_rng(quality)
    for noise in (0, 20, 200):
        for options in ({}, {"restart_marker_blocks": 1}, {"restart_marker_rows": 1}):
            data = made(picture(rng, 75, 130, noise), "420", quality, **options)
            outcome, pixels = alone(data, (75, 130))
            assert outcome == libjpeg.DONE and np.array_equal(pixels, simplejpeg.decode_jpeg(data))


def test_large_pictures_are_forgotten() -> None:
    """One whose coefficients a thread does not keep, and a small one after it."""
    rng = np.random.default_rng(4)
    for height, width in ((1600, 4000), (20, 30)):
        data = made(picture(rng, height, width), "420", 60)
        outcome, pixels = alone(data, (height, width))
        assert outcome == libjpeg.DONE and np.array_equal(pixels, simplejpeg.decode_jpeg(data))


def test_what_is_unusual_is_left_to_the_library() -> None:
    image = picture(np.random.default_rng(5), 40, 50)
    left: list[bytes] = []
    for mode, options in (("RGB", {"keep_rgb": True}), ("CMYK", {})):
        file = io.BytesIO()
        Image.fromarray(image).convert(mode).save(file, "JPEG", progressive=True, **options)
        left.append(file.getvalue())
    adobe = b"\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"  # colours as they are
    data = made(image, "444", 90)
    jfif = data.index(b"\xff\xe0")
    behind = jfif + 2 + int.from_bytes(data[jfif + 2 : jfif + 4], "big")
    left += [data[:2] + adobe + data[behind:], progressive(simplejpeg.encode_jpeg(image, 90, "RGB", "411"), ALL_SCANS)]
    for one in left:
        assert alone(one, (40, 50))[0] == libjpeg.FAILED
    assert alone(data, (40, 50))[0] == libjpeg.DONE and alone(data, (41, 50))[0] == libjpeg.FAILED


@pytest.mark.parametrize("what", DAMAGED)
def test_what_is_damaged_or_incomplete_is_left_to_the_library(what: str) -> None:
    assert alone(DAMAGED[what], FITS[0])[0] == libjpeg.FAILED


def test_damaged_files_are_done_only_if_the_library_finds_nothing_wrong() -> None:
    """Whatever bytes change, or where a file is cut off."""
    rng = np.random.default_rng(6)
    outcomes = {libjpeg.DONE: 0, libjpeg.FAILED: 0}
    files = [made(picture(rng, 33, 45), sampling, 85) for sampling in SAMPLINGS]
    for k in range(2000):
        damaged = bytearray(files[k % len(files)])
        begin, end = (2, 620) if k % 2 else (400, len(damaged))
        for _ in range(int(rng.integers(1, 4))):
            damaged[int(rng.integers(begin, min(end, len(damaged))))] = int(rng.integers(256))
        if k % 7 == 0:
            del damaged[int(rng.integers(10, len(damaged))) :]
        data = bytes(damaged)
        outcome, pixels = alone(data, (33, 45))
        alone(data, (33, 45), "BGR", (9, 17, 20, 21), repeat=True)
        outcomes[outcome] += 1
        if outcome == libjpeg.DONE:
            assert np.array_equal(pixels, simplejpeg.decode_jpeg(data, "RGB"))  # it warns of nothing
    assert min(outcomes.values()) > 100


def test_decoders_use_it() -> None:
    data = made(picture(np.random.default_rng(7), 60, 80), "420", 90)
    info = codec.parse_header(np.frombuffer(data, np.uint8))
    assert np.array_equal(codec.decode(data, info), simplejpeg.decode_jpeg(data))
