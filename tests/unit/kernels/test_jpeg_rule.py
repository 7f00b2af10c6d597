"""Which files the JPEG hardware is given, and what is said where there is no hardware. None of this needs a GPU."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simplejpeg

from dali_studio.kernels.cpu import image_codec
from dali_studio.kernels.cuda.device import Unavailable
from dali_studio.kernels.jpeg import codec as jpeg
from dali_studio.kernels.jpeg import gpu_decoder, libjpeg, nvjpeg, nvjpeg_library
from dali_studio.kernels.jpeg.gpu_rule import takes, takes_coefficients, takes_scans
from dali_studio.runtime import mixed
from dali_studio.schema.batches import JpegImages
from tests.images import Array, encoded, picture


def _patched(file: Array, marker: int, offset: int, value: int) -> Array:
    """The file with another byte at an offset from a segment's marker."""
    copy = file.copy()
    copy[bytes(file).index(bytes([0xFF, marker])) + offset] = value
    return copy


def _without_table_width(file: Array) -> Array:
    """The file with its first quantisation table rewritten with 16 bits an entry."""
    data = bytes(file)
    at = data.index(b"\xff\xdb")
    table = data[at + 5 : at + 69]
    wide = b"\xff\xdb" + (2 + 129).to_bytes(2, "big") + bytes([0x10 | data[at + 4]])
    wide += b"".join(bytes([0, value]) for value in table)
    rest = data[at + 2 + int.from_bytes(data[at + 2 : at + 4], "big") :]
    return np.frombuffer(data[:at] + wide + rest, np.uint8)


@pytest.mark.parametrize("sampling", ["444", "422", "420", "440", "Gray"])
def test_baseline_files_go_to_the_hardware(sampling: str) -> None:
    colors = "GRAY" if sampling == "Gray" else "RGB"
    plane = np.ascontiguousarray(picture(20, 30)[..., :1] if sampling == "Gray" else picture(20, 30))
    assert takes(jpeg.parse_header(simplejpeg.encode_jpeg(plane, 90, colors, sampling)))


def test_markers_that_change_no_pixel_do_not_matter() -> None:
    image = picture(40, 50)
    for options in ({"restart_marker_blocks": 2}, {"optimize": True}, {"icc_profile": b"x" * 70000}):
        assert takes(jpeg.parse_header(encoded(image, **options)))


@pytest.mark.parametrize(
    ("what", "make"),
    [
        ("progressive", lambda image: encoded(image, progressive=True)),
        ("4:1:1", lambda image: np.frombuffer(simplejpeg.encode_jpeg(image, 90, "RGB", "411"), np.uint8)),
        ("four inks", lambda image: encoded(image, mode="CMYK")),
        ("RGB inside", lambda image: encoded(image, keep_rgb=True, subsampling=0)),
        ("extended", lambda image: _patched(encoded(image), 0xC0, 1, 0xC1)),
        ("arithmetic", lambda image: _patched(encoded(image), 0xC0, 1, 0xC9)),
        ("12 bits", lambda image: _patched(_patched(encoded(image), 0xC0, 1, 0xC1), 0xC1, 4, 12)),
        ("gray with factors", lambda image: _patched(encoded(image[..., :1]), 0xC0, 11, 0x22)),
        ("unequal chroma", lambda image: _patched(encoded(image, subsampling=2), 0xC0, 14, 0x21)),
        ("factors of zero", lambda image: _patched(_patched(encoded(image), 0xC0, 14, 0), 0xC0, 17, 0)),
        ("tables of 16 bits", lambda image: _without_table_width(encoded(image, subsampling=0))),
        ("too wide", lambda image: _patched(encoded(image), 0xC0, 7, 0x41)),
        ("several scans", lambda image: _patched(encoded(image), 0xDA, 4, 1)),
        ("another format", lambda image: encoded(image, "PNG")),
    ],
)
def test_what_the_hardware_refuses_or_decodes_differently_stays_on_the_cpu(what: str, make: Any) -> None:
    image = picture(40, 56)
    assert takes(jpeg.parse_header(encoded(image)))
    assert not takes(image_codec.peek(make(image)))


def test_the_library_that_fits_cuda_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {13: tmp_path / "nvidia/cu13/lib/libnvjpeg.so.13", 12: tmp_path / "nvidia/nvjpeg/lib/libnvjpeg.so.12"}
    for file in files.values():
        file.parent.mkdir(parents=True)
        file.write_bytes(b"not a library")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "nvidia", raising=False)
    for cuda, other in ((12, 13), (13, 12)):
        found = nvjpeg_library.places(cuda)
        assert found == [str(files[cuda]), f"libnvjpeg.so.{cuda}", str(files[other]), f"libnvjpeg.so.{other}"]


def test_without_the_library_the_answer_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(nvjpeg_library, "places", lambda cuda: [str(tmp_path / "libnvjpeg.so.13")])
    for cuda, package in ((12, "nvidia-nvjpeg-cu12"), (13, "nvidia-nvjpeg")):
        absent = nvjpeg_library.load(cuda)
        assert isinstance(absent, Unavailable) and absent.hint.endswith(f"pip install {package}")


def test_without_a_gpu_the_answer_says_so() -> None:
    opened = nvjpeg.open_decoder(99)
    assert isinstance(opened, Unavailable) and opened.reason and opened.hint


@pytest.mark.parametrize(("sides", "room", "decoders"), [([375, 500], 0, 2), ([375, 1024], 0, 2), ([375, 1025], 0, 3), ([9, 9], 8, 4)])
def test_large_or_progressive_pictures_in_a_batch_take_more_decoders(sides: list[int], room: int, decoders: int) -> None:
    requests = np.zeros((len(sides), libjpeg.FIELDS), np.int64)
    requests[:, libjpeg.HEIGHT], requests[:, libjpeg.WIDTH] = 1024, sides
    assert gpu_decoder.decoders(requests, np.array([0, room])) == decoders


def test_few_progressive_pictures_are_left_to_the_threads() -> None:
    def shared(scans: int, threads: int) -> int:
        rooms = np.array([0] * 20 + [4096] * scans + [8192] * 3)
        images = JpegImages(np.arange(len(rooms)), 20 + scans, False, np.zeros((len(rooms), 14), np.int64), "RGB", rooms)
        told = mixed._scans_shared(images, threads)
        assert told is images
        return images.shared

    assert [shared(scans, 4) for scans in (0, 1, 31, 32, 100)] == [20, 20, 20, 52, 120]
    assert shared(1, 0) == 21 and mixed._scans_shared(None, 4) is None


def test_kernels_decode_the_scans_of_small_progressive_files() -> None:
    infos = [jpeg.parse_header(encoded(np.zeros((h, 1024, 3), np.uint8), progressive=p)) for h, p in ((1024, True), (1025, True), (16, False))]
    assert [takes_scans(info) for info in infos] == [True, False, False]
    assert [takes_coefficients(info) for info in infos] == [True, True, False]
