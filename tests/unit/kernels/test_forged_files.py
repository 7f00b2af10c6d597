"""Image files that lie about their size: what is accepted, and that they take no memory."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import forged
import numpy as np
import pytest
from file_headers import peeked, read_headers
from fuzz.machine import Memory
from images import picture, tiff_of
from PIL import Image, ImageFile

from dali_studio.kernels.cpu import image_codec, libwebp
from dali_studio.kernels.cpu.image_codec import DecodeError
from dali_studio.kernels.jpeg import libjpeg

Array = np.ndarray[Any, Any]
_MIB = 1 << 20


def peak(call: Callable[[], object]) -> int:
    """Bytes that a call takes at most."""
    call()  # what is compiled or imported once
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refused(data: bytes) -> str:
    with pytest.raises(DecodeError) as caught:
        image_codec.decode(data)
    return str(caught.value)


# -------------------------------------------------------------------------------------------------------------- PNG


@pytest.mark.parametrize("name", forged.surplus())
def test_a_png_may_hold_more_than_its_pixels(name: str) -> None:
    data = forged.surplus()[name]
    image = image_codec.decode(data)
    if image.shape == (8, 10, 3):
        rows = np.frombuffer(forged.png_rows(8, 10), np.uint8).reshape(8, 31)[:, 1:]
        assert np.array_equal(image.reshape(8, 30), rows)
    else:
        assert image.tolist() == [[[97, 98, 99]]] if name == "interlaced" else image.shape == (1, 1, 3)


@pytest.mark.parametrize("name", forged.incomplete())
def test_a_png_that_lacks_pixels_or_their_checksum_is_refused(name: str) -> None:
    assert "PNG" in refused(forged.incomplete()[name])


@pytest.mark.parametrize("name", forged.misplaced())
def test_a_png_with_chunks_that_make_no_sense_is_refused(name: str) -> None:
    assert "PNG" in refused(forged.misplaced()[name])


@pytest.mark.parametrize("pieces", [1, 40])
def test_pixels_of_a_png_are_inflated_no_further_than_announced(pieces: int) -> None:
    packed = zlib.compress(b"\0abc" + bytes(64 * _MIB), 9)
    step = -(-len(packed) // pieces)
    split = b"".join(forged.chunk(b"IDAT", packed[at : at + step]) for at in range(0, len(packed), step))
    data = forged.png(1, 1, b"").replace(forged.chunk(b"IDAT", b""), split)
    assert image_codec.decode(data).tolist() == [[[97, 98, 99]]]
    assert peak(lambda: image_codec.decode(data)) < _MIB


def test_chunks_of_a_png_that_hold_no_pixels_are_not_inflated() -> None:
    large = zlib.compress(bytes(64 * _MIB), 9)
    chunks = [forged.chunk(kind, b"name\0\0" + large) for kind in (b"iCCP", b"zTXt")]
    data = forged.png(8, 10, zlib.compress(forged.png_rows(8, 10)), *chunks)
    assert peak(lambda: image_codec.decode(data)) < _MIB


def test_a_png_of_many_pixels_that_are_all_alike_is_decoded() -> None:
    """The most that zlib can do: 1032 bytes from one."""
    image = image_codec.decode(forged.png(3000, 3000, zlib.compress(bytes(3000 * 9001), 9)))
    assert image.shape == (3000, 3000, 3)
    assert not image.any()


# -------------------------------------------------------------------------------------------------------- all formats


@pytest.mark.parametrize("size", [(16000, 16000), (30000, 30000)])
@pytest.mark.parametrize("form", forged.SHORT)
def test_a_file_too_short_for_its_pixels_is_refused_by_its_header_and_takes_no_memory(
    form: str, size: tuple[int, int]
) -> None:  # fmt: skip
    data = forged.SHORT[form](*size)
    assert f"{size[0]:,} rows of {size[1]:,} pixels" in refused(data)
    (found,) = peeked([np.frombuffer(data, np.uint8)])
    assert isinstance(found, DecodeError)
    assert peak(lambda: refused(data)) < _MIB


@pytest.mark.parametrize("quality", [{"quality": 70}, {"lossless": True}])
def test_a_webp_file_that_announces_more_than_it_holds_takes_no_memory(quality: dict[str, Any]) -> None:
    stream = io.BytesIO()
    Image.fromarray(picture(60, 50)).save(stream, "WEBP", **quality)
    data = forged.webp(stream.getvalue(), 8000, 9000)
    memory = Memory()
    assert "WebP" in refused(data)
    assert memory.grown() < 20 * _MIB  # where the system tells: 275 MiB if the canvas is cleared first


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
@pytest.mark.parametrize("quality", [{"quality": 70}, {"lossless": True}])
def test_webp_pixels_are_those_of_pillow(mode: str, quality: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO()
    Image.fromarray(picture(37, 41, len(mode))).save(stream, "WEBP", **quality)
    direct = image_codec.decode(stream.getvalue(), output_type="ANY_DATA")
    monkeypatch.setattr(libwebp, "_functions", dict)
    assert np.array_equal(image_codec.decode(stream.getvalue(), output_type="ANY_DATA"), direct)


def test_animations_are_read_as_before() -> None:
    frames = [Image.fromarray(picture(20, 30, seed=seed)) for seed in range(2)]
    stream = io.BytesIO()
    frames[0].save(stream, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    assert np.array_equal(image_codec.decode(stream.getvalue()), np.asarray(frames[0]))


def test_large_pictures_of_one_colour_may_take_few_bytes() -> None:
    """The bounds are those of the formats: real encoders stay far from them."""
    for form, options in (("WEBP", {"quality": 1}), ("WEBP", {"lossless": True}), ("JPEG2000", {"tile_size": (32, 32)})):
        stream = io.BytesIO()
        Image.new("RGB", (2000, 3000)).save(stream, form, **options)
        assert image_codec.decode(stream.getvalue()).shape == (3000, 2000, 3)


def test_a_jpeg_2000_file_without_a_codestream_is_refused_before_memory_is_taken() -> None:
    stream = io.BytesIO()
    Image.new("RGB", (8, 8)).save(stream, "JPEG2000")
    data = stream.getvalue().replace(b"\xff\x4f\xff\x51", b"\xff\x4f\xff\x53")
    assert "no codestream begins" in refused(data)
    assert peak(lambda: refused(data)) < _MIB


@pytest.mark.parametrize(
    ("size", "tile"), [((1, 230_190_573), (1, 1)), ((9000, 9000), (30, 30)), ((2**31, 2**31), (2**31, 2**31))]
)
def test_a_jpeg_2000_file_with_more_tiles_than_it_holds_is_refused_by_its_header(
    size: tuple[int, int], tile: tuple[int, int]
) -> None:
    stream = io.BytesIO()
    Image.fromarray(picture(60, 50)).save(stream, "JPEG2000", no_jp2=True)
    data = forged.tiles(stream.getvalue(), size, tile)
    assert "tiles that its header announces" in refused(data)
    assert peak(lambda: refused(data)) < _MIB


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "packbits", "group3", "group4"])
def test_a_tiff_file_that_cannot_be_inflated_to_its_size_takes_no_memory(compression: str) -> None:
    data = forged.packed_tiff(37922, 4096, compression)
    memory = Memory()
    for _ in range(2):  # memory that has been used before is not fresh from the system
        assert "37,922 rows of 4,096 pixels" in refused(data)
    assert memory.grown() < 20 * _MIB


@pytest.mark.parametrize("channels", [3, 5])
def test_a_tiff_file_whose_tiles_are_forged_takes_no_memory(channels: int) -> None:
    data = bytearray(tiff_of(np.zeros((40, 53, channels), np.uint8), tile=16, deflate=True).tobytes())
    at = data.index(struct.pack("<HHIHH", 323, 3, 1, 16, 0))
    struct.pack_into("<HI", data, at + 2, 4, 1)
    struct.pack_into("<I", data, at + 8, 2**24)
    assert "40 rows of 53 pixels" in refused(bytes(data))


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "packbits", "group3", "group4"])
def test_a_tiff_file_of_one_colour_may_be_short(compression: str) -> None:
    stream = io.BytesIO()
    Image.new("1" if compression.startswith("group") else "RGB", (3000, 2000)).save(stream, "TIFF", compression=compression)
    assert image_codec.decode(stream.getvalue()).shape == (2000, 3000, 3)


@pytest.mark.parametrize("compression", ["group3", "group4"])
def test_a_fax_of_more_than_one_bit_takes_no_memory(compression: str) -> None:
    data = forged.packed_tiff(16, 2**23, compression)
    one_bit = struct.pack("<HHII", 258, 3, 1, 1)
    assert one_bit in data
    memory = Memory()
    assert "1 bit a pixel, and 8 bits" in refused(data.replace(one_bit, struct.pack("<HHII", 258, 3, 1, 8)))
    assert memory.grown() < 20 * _MIB


def test_a_jpeg_2000_file_with_another_size_in_its_box_is_refused_by_its_header() -> None:
    """Pillow takes memory by the box, 8 bytes for each row at least."""
    stream = io.BytesIO()
    Image.fromarray(picture(9, 3)).save(stream, "JPEG2000")
    data = bytearray(stream.getvalue())
    at = data.find(b"ihdr") + 4
    data[at : at + 4] = (1 << 24).to_bytes(4, "big")
    memory = Memory()
    assert "16,777,216 rows of 3 pixels, but its codestream has 9 rows of 3 pixels" in refused(bytes(data))
    assert memory.grown() < 20 * _MIB


@pytest.mark.parametrize("place", [(8, 0), (0, 9), (2**31, 0)])
def test_a_jpeg_2000_file_whose_first_tile_holds_nothing_is_refused_by_its_header(place: tuple[int, int]) -> None:
    stream = io.BytesIO()
    Image.fromarray(picture(9, 8)).save(stream, "JPEG2000", no_jp2=True)
    data = bytearray(stream.getvalue())
    struct.pack_into(">I", data, 12, 1 << 24)  # rows
    struct.pack_into(">II", data, 32, *place)
    memory = Memory()
    assert f"begin at {place[0]}, {place[1]}" in refused(bytes(data))
    assert memory.grown() < 20 * _MIB


def test_a_tiff_file_with_strips_for_a_part_of_its_rows_is_refused() -> None:
    data = bytearray(forged.tiff(4, 4))
    at = data.find((257).to_bytes(2, "little")) + 8
    data[at : at + 4] = (400_000).to_bytes(4, "little")
    assert "400,000 rows of 4 pixels" in refused(bytes(data))


def test_a_short_file_of_a_known_kind_is_refused_as_well() -> None:
    whole, cut = forged.jpeg(9000, 16000, end=True), forged.jpeg(9000, 16000)
    files = [np.frombuffer(data, np.uint8) for data in (whole, cut, whole)]
    assert [isinstance(found, DecodeError) for found in peeked(files)] == [False, True, False]


@pytest.mark.parametrize("form", ["png", "bmp", "pnm"])
def test_sizes_that_no_memory_holds_are_refused(form: str) -> None:
    data = forged.SHORT[form](2**31 - 1, 2**31 - 1)
    assert refused(data)
    assert peak(lambda: refused(data)) < _MIB


def test_pillow_does_not_refuse_large_pictures_by_a_limit_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO()
    Image.fromarray(picture(50, 60)).save(stream, "BMP")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    assert image_codec.decode(stream.getvalue()).shape == (50, 60, 3)


# -------------------------------------------------------------------------------------------------------------- JPEG


def _jpeg(mode: str = "RGB", **options: Any) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(picture(48, 64)).convert(mode).save(stream, "JPEG", quality=90, **options)
    return stream.getvalue()


needs_library = pytest.mark.skipif(libjpeg.entry_points() is None, reason="libjpeg-turbo cannot be called here")


@needs_library
@pytest.mark.parametrize("marker", [0x02, 0x63, 0xBF, 0xC0, 0xC5, 0xC8, 0xD8, 0xDE, 0xF0, 0xFD])
@pytest.mark.parametrize("kind", [{}, {"mode": "L"}, {"mode": "CMYK"}, {"restart_marker_blocks": 3}], ids=str)
def test_what_follows_the_last_row_of_a_jpeg_does_not_matter(kind: dict[str, Any], marker: int) -> None:
    whole = _jpeg(**kind)
    for end in (b"", b"\0\6abcd"):
        strange = whole[:-2] + bytes([0xFF, marker]) + end + whole[-2:]
        difference = image_codec.decode(strange).astype(int) - image_codec.decode(whole)
        assert np.abs(difference).max() <= (1 if kind.get("mode") == "CMYK" else 0)  # another build's rounding


@pytest.mark.parametrize("marker", [0x02, 0xC0, 0xF0])
def test_scans_of_a_progressive_jpeg_may_follow_so_what_is_unknown_is_refused(marker: int) -> None:
    whole = _jpeg(progressive=True)
    assert refused(whole[:-2] + bytes([0xFF, marker]) + whole[-2:])


@needs_library
def test_a_jpeg_that_stops_at_an_unknown_marker_keeps_the_rows_before_it() -> None:
    whole = _jpeg()
    cut = len(whole) - 40
    image = image_codec.decode(whole[:cut] + b"\xff\x03" + whole[cut:])
    expected = image_codec.decode(whole)
    assert np.array_equal(image[:16], expected[:16])
    assert not np.array_equal(image, expected)


@pytest.mark.parametrize("marker", [0x01, 0xD0, 0xD7, 0xD8])
def test_a_marker_without_a_body_has_no_place_in_a_jpeg_header(marker: int) -> None:
    whole = _jpeg()
    strange = whole[:2] + bytes([0xFF, marker]) + whole[2:]
    assert f"0x{marker:02x}" in refused(strange)
    assert read_headers([np.frombuffer(strange, np.uint8)]) == [None]


def test_the_header_of_a_picture_with_a_palette_is_read_without_its_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may state any size: Pillow would take memory for it."""
    file = io.BytesIO()
    Image.fromarray(picture(8, 8)).quantize(16).save(file, "bmp")

    def load(*_: object) -> None:
        raise AssertionError("pixels were read")

    monkeypatch.setattr(ImageFile.ImageFile, "load", load)
    assert image_codec.peek(file.getvalue()).height == 8


def test_a_gamma_of_another_length_is_none() -> None:
    rows = zlib.compress(forged.png_rows(4, 4))
    strange = forged.png(4, 4, rows, forged.chunk(b"gAMA", bytes([255]) * 400))
    assert image_codec.peek(strange).gamma == 0
    np.testing.assert_array_equal(image_codec.decode(strange), image_codec.decode(forged.png(4, 4, rows)))
