"""libjpeg-turbo called by compiled code: the pixels of simplejpeg, by windows, and no harm from damaged files."""

from __future__ import annotations

import io
import itertools
from typing import Any

import numpy as np
import pytest
import simplejpeg
from numpy.typing import NDArray
from PIL import Image

from dali_studio.kernels.cpu.image_info import ImageInfo
from dali_studio.kernels.jpeg import libjpeg
from dali_studio.kernels.jpeg.header import parse_header

_RNG = np.random.default_rng(5)


def picture(height: int, width: int) -> NDArray[np.uint8]:
    y, x = np.mgrid[:height, :width]
    waves = np.stack([127 + 120 * np.sin(x / 7 + y / 11), x * 3 + y, 255 - y * 2 + x], -1) + _RNG.normal(
        0, 9, (height, width, 3)
    )
    return np.ascontiguousarray(np.clip(waves % 256, 0, 255).astype(np.uint8))


def saved(image: NDArray[np.uint8], **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=90, **options)
    return file.getvalue()


SIZES = ((150, 203), (16, 17), (1, 1), (3, 90), (90, 3))
FILES = {
    f"{kind} {size[0]}x{size[1]}": saved(picture(*size), **options)
    for size in SIZES
    for kind, options in {
        "444": {"subsampling": 0}, "422": {"subsampling": 1}, "420": {"subsampling": 2},
        "420 restarts": {"subsampling": 2, "restart_marker_blocks": 3},
        "422 progressive": {"subsampling": 1, "progressive": True},
        "420 progressive": {"subsampling": 2, "progressive": True},
    }.items()
}  # fmt: skip
FILES |= {kind: simplejpeg.encode_jpeg(picture(97, 130), 90, "RGB", kind) for kind in ("440", "411")}
FILES["gray"] = saved(picture(75, 61)[..., 0])


def decoded(
    data: bytes, info: ImageInfo, colors: str = "RGB", *, window: tuple[int, int, int, int] | None = None,
    fast: bool = False, repeat: bool = False, gap: int = 0,
) -> tuple[int, NDArray[np.uint8]]:  # fmt: skip
    """The outcome, and pixels in rows that lie `gap` bytes apart."""
    entries = libjpeg.entry_points()
    assert entries is not None
    window = window or (0, 0, info.height, info.width)
    channels = 1 if colors == "GRAY" else 3
    pitch = window[3] * channels + gap
    memory = np.full(window[2] * pitch, 77, np.uint8)
    file = np.frombuffer(data, np.uint8)
    request = np.array(
        (
            file.ctypes.data, file.size, info.height, info.width, libjpeg.COLOR_SPACES[colors], channels, fast, repeat,
            *window, memory.ctypes.data, pitch,
        ),
        np.int64,
    )  # fmt: skip
    outcome = libjpeg.decode(request, entries)
    rows = memory.reshape(window[2], pitch)
    assert (rows[:, window[3] * channels :] == 77).all()  # nothing is written between rows
    return outcome, rows[:, : window[3] * channels].reshape(*window[2:], channels)


@pytest.mark.parametrize("name", FILES)
def test_whole_pictures_and_windows_are_those_of_simplejpeg(name: str) -> None:
    data, info = FILES[name], parse_header(FILES[name])
    for colors, fast, repeat in itertools.product(("RGB", "BGR", "GRAY"), (False, True), (False, True)):
        whole = simplejpeg.decode_jpeg(data, colors, fastdct=fast, fastupsample=repeat)
        outcome, pixels = decoded(data, info, colors, fast=fast, repeat=repeat, gap=5)
        assert outcome == libjpeg.DONE
        assert np.array_equal(pixels, whole)
        for _ in range(10):
            h, w = (int(_RNG.integers(1, size + 1)) for size in whole.shape[:2])
            y, x = int(_RNG.integers(info.height - h + 1)), int(_RNG.integers(info.width - w + 1))
            outcome, pixels = decoded(data, info, colors, window=(y, x, h, w), fast=fast, repeat=repeat)
            assert outcome == libjpeg.DONE
            assert np.array_equal(pixels, whole[y : y + h, x : x + w]), (colors, fast, repeat, (y, x, h, w))


@pytest.mark.parametrize("noise", [0, 15, 200])
@pytest.mark.parametrize("quality", [1, 30, 75, 95, 100])
def test_all_lengths_of_codes_and_numbers(quality: int, noise: int) -> None:
    """From blocks of zeros to numbers of many bits, with the usual tables and with a file's own, and with restarts."""
    image = np.clip(picture(61, 83) + _RNG.normal(0, noise, (61, 83, 3)), 0, 255).astype(np.uint8)
    for options in ({}, {"optimize": True}, {"restart_marker_blocks": 1}, {"restart_marker_rows": 1, "optimize": True}):
        file = io.BytesIO()
        Image.fromarray(image).save(file, "JPEG", quality=quality, **options)
        data = file.getvalue()
        whole, info = simplejpeg.decode_jpeg(data), parse_header(data)
        for window in ((0, 0, 61, 83), (20, 30, 40, 50)):
            y, x, h, w = window
            outcome, pixels = decoded(data, info, window=window)
            assert outcome == libjpeg.DONE and np.array_equal(pixels, whole[y : y + h, x : x + w])


def test_damaged_files_do_no_harm_and_are_done_only_if_nothing_is_wrong() -> None:
    """Whatever bytes change; where it says that all is well, simplejpeg's strict decoder agrees, or found no end."""
    outcomes = {libjpeg.DONE: 0, libjpeg.FAILED: 0}
    names = [name for name in FILES if "150x203" in name]
    for k in range(600):
        damaged = bytearray(FILES[names[k % len(names)]])
        info = parse_header(bytes(damaged))
        for _ in range(int(_RNG.integers(1, 6))):
            end = len(damaged) if _RNG.random() < 0.5 else 700
            damaged[int(_RNG.integers(2, end))] = int(_RNG.integers(256))
        data = bytes(damaged[: int(_RNG.integers(10, len(damaged)))]) if k % 5 == 0 else bytes(damaged)
        outcome, pixels = decoded(data, info)
        outcomes[outcome] += 1
        decoded(data, info, window=(30, 40, 50, 60), repeat=True)
        if outcome == libjpeg.DONE:
            try:
                expected = simplejpeg.decode_jpeg(data, "RGB", strict=True)
            except ValueError:
                expected = simplejpeg.decode_jpeg(data, "RGB", strict=False)
            assert np.array_equal(pixels, expected)
    assert min(outcomes.values()) > 50


@pytest.mark.parametrize("data", [b"", b"\xff\xd8\xff", b"nothing of the kind", bytes(1000)])
def test_what_is_no_jpeg_file_fails(data: bytes) -> None:
    assert decoded(data, parse_header(FILES["gray"]))[0] == libjpeg.FAILED


def test_another_size_than_expected_fails() -> None:
    info = parse_header(FILES["420 150x203"])
    assert decoded(FILES["gray"], info)[0] == libjpeg.FAILED


def test_an_ink_picture_is_not_decoded_to_colours() -> None:
    data = simplejpeg.encode_jpeg(np.dstack([picture(20, 30), picture(20, 30)[..., :1]]), colorspace="CMYK")
    assert decoded(data, parse_header(data))[0] == libjpeg.FAILED


@pytest.mark.parametrize("kind", ["inverted", "plain", "with luma", "progressive"])
def test_four_inks_become_red_green_and_blue(kind: str) -> None:
    inks = np.dstack([picture(41, 53), picture(41, 53)[..., 1:2] // 2])
    if kind == "with luma":
        data = simplejpeg.encode_jpeg(inks, colorspace="CMYK", colorsubsampling="420")
    else:
        file = io.BytesIO()
        Image.fromarray(inks, "CMYK").save(file, "JPEG", progressive=kind == "progressive")
        data = file.getvalue()
    if kind == "plain":
        at = data.index(b"\xff\xee")
        data = data[:at] + data[at + 16 :]
    info = parse_header(data)
    light = simplejpeg.decode_jpeg(data, "CMYK").astype(int)
    light = light if info.inverted else 255 - light
    whole = light[..., :3] * light[..., 3:] // 255
    assert info.inverted == (kind != "plain")
    for y, x, h, w in ((0, 0, 41, 53), (7, 11, 30, 20), (40, 52, 1, 1)):
        outcome, pixels = decoded(data, info, "CMYK", window=(y, x, h, w), gap=2)
        assert outcome == libjpeg.DONE and np.array_equal(pixels, whole[y : y + h, x : x + w])


def test_a_library_with_other_structures_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `entry_points` finds is tried on a picture; here it is told that a picture failed."""
    assert "called by compiled code" in libjpeg.describe()
    libjpeg.entry_points.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(libjpeg, "decode", lambda *_: libjpeg.FAILED)
        assert libjpeg.entry_points() is None
        assert "not called" in libjpeg.describe()
    libjpeg.entry_points.cache_clear()
    assert libjpeg.entry_points() is not None
