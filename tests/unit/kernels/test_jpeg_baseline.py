"""The decoder of usual baseline files: it takes them, to libjpeg-turbo's pixels, and leaves all others to the library."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import simplejpeg
from numpy.typing import NDArray
from PIL import Image

from dali_studio.kernels.jpeg import libjpeg

Window = tuple[int, int, int, int]

#: What Pillow calls the samplings; it does not write the last one.
SAMPLINGS = {"444": 0, "422": 1, "420": 2, "440": None}
CHANNELS = {"RGB": 3, "BGR": 3, "GRAY": 1}


def picture(rng: np.random.Generator, height: int, width: int, noise: float = 12) -> NDArray[np.uint8]:
    """Slopes, a hard edge and noise."""
    y, x = np.mgrid[:height, :width]
    levels = np.stack([3 * x + 2 * y, 255 - 5 * y + x, np.where(x > width // 2, 230, 20) + y], -1)
    return np.clip(levels % 290 + rng.normal(0, noise, levels.shape), 0, 255).astype(np.uint8)


def written(image: NDArray[np.uint8], sampling: str, quality: int, **options: Any) -> bytes:
    """A file; 4:4:0 has no restarts and no tables of its own."""
    if SAMPLINGS[sampling] is None:
        return simplejpeg.encode_jpeg(image, quality, "RGB", sampling)
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=quality, subsampling=SAMPLINGS[sampling], **options)
    return file.getvalue()


def alone(
    data: bytes, size: tuple[int, int], colors: str = "RGB", window: Window | None = None, *, repeat: bool = False,
) -> tuple[int, NDArray[np.uint8]]:  # fmt: skip
    """The outcome without the library, and the pixels; nothing behind them is written."""
    window, channels = window or (0, 0, *size), CHANNELS[colors]
    memory = np.full(window[2] * window[3] * channels + 64, 99, np.uint8)
    file = np.frombuffer(data, np.uint8)
    numbers = (
        file.ctypes.data, file.size, *size, libjpeg.COLOR_SPACES[colors], channels, 0, repeat, *window, memory.ctypes.data,
        window[3] * channels,
    )  # fmt: skip
    outcome = libjpeg.decode_alone(np.array(numbers, np.int64))
    assert (memory[-64:] == 99).all()
    return outcome, memory[:-64].reshape(*window[2:], channels)


def windows(rng: np.random.Generator, height: int, width: int) -> Iterator[Window]:
    """The whole, a pixel, and parts of it."""
    yield 0, 0, height, width
    yield height - 1, width - 1, 1, 1
    for _ in range(2):
        h, w = int(rng.integers(1, height + 1)), int(rng.integers(1, width + 1))
        yield int(rng.integers(height - h + 1)), int(rng.integers(width - w + 1)), h, w


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_all_sizes(sampling: str) -> None:
    """Every height and width up to 40, each with some window, quality and colours."""
    rng = np.random.default_rng(1)
    names = list(CHANNELS)
    for height in range(1, 41):
        for width in range(1 + height % 3, 41, 3):
            colors, repeat = names[(height + width) % 3], bool(height % 2)
            data = written(picture(rng, height, width), sampling, int(rng.integers(1, 101)))
            whole = simplejpeg.decode_jpeg(data, colors, fastupsample=repeat)
            for y, x, h, w in windows(rng, height, width):
                outcome, pixels = alone(data, (height, width), colors, (y, x, h, w), repeat=repeat)
                assert outcome == libjpeg.DONE
                assert np.array_equal(pixels, whole[y : y + h, x : x + w]), (
                    height,
                    width,
                    colors,
                    repeat,
                    (y, x, h, w),
                )


@pytest.mark.parametrize("colors", CHANNELS)
def test_gray_files(colors: str) -> None:
    rng = np.random.default_rng(2)
    for height, width in ((1, 1), (8, 8), (9, 40), (40, 9), (33, 17)):
        data = simplejpeg.encode_jpeg(np.ascontiguousarray(picture(rng, height, width)[..., :1]), 85, "GRAY")
        whole = simplejpeg.decode_jpeg(data, colors)
        for y, x, h, w in windows(rng, height, width):
            outcome, pixels = alone(data, (height, width), colors, (y, x, h, w))
            assert outcome == libjpeg.DONE and np.array_equal(pixels, whole[y : y + h, x : x + w])


@pytest.mark.parametrize("noise", [0, 20, 200])
@pytest.mark.parametrize("quality", [1, 40, 75, 92, 98, 100])
def test_qualities_tables_and_restarts(quality: int, noise: int) -> None:
    """From blocks of nothing but a mean to full ones with numbers of many bits."""
    rng = np.random.default_rng(quality)
    image = picture(rng, 75, 130, noise)
    options: tuple[dict[str, Any], ...] = (
        {}, {"optimize": True}, {"restart_marker_blocks": 1}, {"restart_marker_blocks": 7},
        {"restart_marker_rows": 1, "optimize": True},
    )  # fmt: skip
    for sampling in ("444", "422", "420"):
        for one in options:
            data = written(image, sampling, quality, **one)
            whole = simplejpeg.decode_jpeg(data)
            for y, x, h, w in windows(rng, 75, 130):
                outcome, pixels = alone(data, (75, 130), window=(y, x, h, w))
                assert outcome == libjpeg.DONE and np.array_equal(pixels, whole[y : y + h, x : x + w]), (sampling, one)


def test_large_pictures_are_forgotten() -> None:
    """One whose memory a thread does not keep, and a small one after it."""
    rng = np.random.default_rng(3)
    for height, width in ((4, 40000), (20, 30), (3000, 20)):
        data = written(picture(rng, height, width), "420", 80)
        outcome, pixels = alone(data, (height, width))
        assert outcome == libjpeg.DONE and np.array_equal(pixels, simplejpeg.decode_jpeg(data))


def test_what_is_unusual_is_left_to_the_library() -> None:
    image = picture(np.random.default_rng(4), 40, 50)
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", keep_rgb=True)
    inks = simplejpeg.encode_jpeg(np.dstack([image, image[..., :1]]), colorspace="CMYK")
    left = (
        file.getvalue(), inks, simplejpeg.encode_jpeg(image, 90, "RGB", "411"),
        written(image, "420", 90)[:-2],
    )  # fmt: skip
    for data in left:
        assert alone(data, (40, 50))[0] == libjpeg.FAILED
    assert alone(written(image, "420", 90), (41, 50))[0] == libjpeg.FAILED


def test_restarts_that_are_missing_or_wrong_are_damage() -> None:
    data = written(picture(np.random.default_rng(5), 64, 64), "420", 90, restart_marker_blocks=2)
    assert alone(data, (64, 64))[0] == libjpeg.DONE
    places = [at for at in range(len(data) - 1) if data[at] == 0xFF and 0xD0 <= data[at + 1] <= 0xD7]
    assert len(places) == 7
    for at in places:
        for other in (data[:at] + data[at + 2 :], data[: at + 1] + bytes([data[at + 1] ^ 1]) + data[at + 2 :]):
            assert alone(other, (64, 64))[0] == libjpeg.FAILED


def test_damaged_files_are_done_only_if_the_library_finds_nothing_wrong() -> None:
    """Whatever bytes change, or where a file is cut off."""
    rng = np.random.default_rng(6)
    outcomes = {libjpeg.DONE: 0, libjpeg.FAILED: 0}
    files = [written(picture(rng, 33, 45), sampling, 85) for sampling in SAMPLINGS]
    files += [written(picture(rng, 33, 45), "420", 85, restart_marker_blocks=2, optimize=True)]
    for k in range(3000):
        damaged = bytearray(files[k % len(files)])
        begin, end = (2, 620) if k % 2 else (600, len(damaged))
        for _ in range(int(rng.integers(1, 4))):
            damaged[int(rng.integers(begin, min(end, len(damaged))))] = int(rng.integers(256))
        if k % 7 == 0:
            del damaged[int(rng.integers(10, len(damaged))) :]
        data = bytes(damaged)
        outcome, pixels = alone(data, (33, 45))
        alone(data, (33, 45), "BGR", (9, 17, 20, 21), repeat=True)
        outcomes[outcome] += 1
        if outcome == libjpeg.DONE:
            # what follows the last pixel does not matter: an end marker that is missing, or bytes before it
            with_end = data if data.endswith(b"\xff\xd9") else data + b"\xff\xd9"
            assert np.array_equal(pixels, simplejpeg.decode_jpeg(with_end, "RGB", strict=False))
    assert min(outcomes.values()) > 300
