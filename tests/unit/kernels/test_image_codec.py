"""Image files: recognition, headers, colours, types, windows, orientation and damage; equality with nvidia.dali."""

from __future__ import annotations

import contextlib
import io
import struct
import threading
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simplejpeg
from images import picture
from PIL import Image, ImageOps

from dali_studio.kernels.cpu import image_codec, openjpeg
from dali_studio.kernels.cpu.image_codec import DecodeError, ImageInfo
from dali_studio.kernels.jpeg import libjpeg

Array = np.ndarray[Any, Any]
BASE = picture(71, 97)
ORIENTATIONS = range(1, 9)


# ------------------------------------------------------------------------------------------------------ making files


def _saved(array: Array, form: str, mode: str | None = None, **options: Any) -> bytes:
    stream = io.BytesIO()
    image = Image.fromarray(array)
    (image.convert(mode) if mode else image).save(stream, form, **options)
    return stream.getvalue()


def _inks(array: Array) -> bytes:
    stream = io.BytesIO()
    Image.frombytes("CMYK", array.shape[1::-1], array.tobytes()).save(stream, "TIFF")
    return stream.getvalue()


def _turned(array: Array, orientation: int, form: str = "JPEG", **options: Any) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return _saved(array, form, exif=exif.tobytes(), **options)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _png(array: Array, depth: int, color: int, interlaced: bool = False, extra: bytes = b"") -> bytes:
    """A PNG of any kind, unfiltered; Pillow writes neither 16-bit colours nor Adam7."""
    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    grids = passes if interlaced else [(0, 0, 1, 1)]
    raw = b"".join(_png_rows(array[y::dy, x::dx], depth) for y, x, dy, dx in grids)
    header = struct.pack(">IIBBBBB", array.shape[1], array.shape[0], depth, color, 0, 0, interlaced)
    body = _chunk(b"IHDR", header) + extra + _chunk(b"IDAT", zlib.compress(raw)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _png_rows(part: Array, depth: int) -> bytes:
    height = part.shape[0]
    if depth == 16:
        rows = part.astype(">u2").reshape(height, -1).view(np.uint8)
    elif depth == 8:
        rows = part.reshape(height, -1).astype(np.uint8)
    else:
        bits = np.unpackbits(part.astype(np.uint8)[..., None], axis=-1)[..., 8 - depth :]
        rows = np.packbits(bits.reshape(height, -1), axis=1)
    return b"".join(b"\0" + row.tobytes() for row in rows)


def _wide(array: Array) -> Array:
    return array.astype(np.uint16) * 257 ^ (np.arange(array.size, dtype=np.uint16) % 256).reshape(array.shape)


GRAY = np.asarray(Image.fromarray(BASE).convert("L"))
RGBA = np.dstack([BASE, GRAY])
COLORS = _chunk(b"PLTE", np.random.default_rng(1).integers(0, 256, (16, 3), np.uint8).tobytes())

FILES: dict[str, bytes] = {
    "jpeg 444": _saved(BASE, "JPEG", subsampling=0),
    "jpeg 422": _saved(BASE, "JPEG", subsampling=1),
    "jpeg 420": _saved(BASE, "JPEG", subsampling=2),
    "jpeg 440": simplejpeg.encode_jpeg(BASE, colorsubsampling="440"),
    "jpeg 411": simplejpeg.encode_jpeg(BASE, colorsubsampling="411"),
    "jpeg progressive": _saved(BASE, "JPEG", progressive=True),
    "jpeg gray": _saved(GRAY, "JPEG"),
    "jpeg rgb": _saved(BASE, "JPEG", keep_rgb=True),
    "jpeg cmyk": _saved(RGBA, "JPEG", mode="CMYK"),
    "jpeg ycck": simplejpeg.encode_jpeg(RGBA, colorspace="CMYK", colorsubsampling="420"),
    "jpeg restart": _saved(BASE, "JPEG", restart_marker_blocks=3),
    "jpeg trailing bytes": _saved(BASE, "JPEG") + b"more" * 9,
    "png rgb": _saved(BASE, "PNG"),
    "png rgba": _saved(RGBA, "PNG"),
    "png gray": _saved(GRAY, "PNG"),
    "png turned": _turned(BASE, 6, "PNG"),
    "png 16 bit rgb": _png(_wide(BASE), 16, 2),
    "png 16 bit gray": _png(_wide(GRAY), 16, 0),
    "png interlaced": _png(BASE, 8, 2, True),
    "png 16 bit interlaced rgba": _png(_wide(RGBA), 16, 6, True),
    **{f"png {b} bit gray": _png(GRAY >> (8 - b), b, 0) for b in (1, 2, 4)},
    **{f"png {b} bit palette": _png(GRAY >> (8 - b), b, 3, b == 4, COLORS) for b in (1, 2, 4)},
    "bmp rgb": _saved(BASE, "BMP"),
    "bmp gray": _saved(GRAY, "BMP"),
    "tiff rgb": _saved(BASE, "TIFF"),
    "tiff lzw": _saved(BASE, "TIFF", compression="tiff_lzw"),
    "tiff palette": _saved(BASE, "TIFF", mode="P"),
    "tiff 16 bit gray": _saved(_wide(GRAY), "TIFF"),
    "tiff turned": _saved(BASE, "TIFF", tiffinfo={274: 6}),
    "tiff cmyk": _saved(BASE, "TIFF", mode="CMYK"),
    "tiff four inks": _inks(np.dstack([BASE, GRAY // 2])),
    "webp": _saved(BASE, "WEBP"),
    "webp lossless rgba": _saved(RGBA, "WEBP", lossless=True),
    "ppm": _saved(BASE, "PPM"),
    "ppm 16 bit": b"P6 97 71 65535\n" + _wide(BASE).astype(">u2").tobytes(),
    "pgm 16 bit": _saved(_wide(GRAY), "PPM"),
    "jp2": _saved(BASE, "JPEG2000"),
    "jp2 16 bit gray": _saved(_wide(GRAY), "JPEG2000"),
}
TYPES = {"uint8": "UINT8", "int8": "INT8", "uint16": "UINT16", "int32": "INT32", "float32": "FLOAT"}
# nvidia.dali 2.4 writes outside its memory for gray JPEGs with ANY_DATA, and refuses CMYK there.
NO_ANY_DATA = ("jpeg gray", "jpeg cmyk", "jpeg ycck")


class Oracle:
    """nvidia.dali's CPU decoder for one file at a time."""

    def __init__(self, dali: Any) -> None:
        self.dali = dali
        self.built: dict[Any, Any] = {}

    def __call__(self, data: bytes, output_type: str = "RGB", dtype: str = "uint8", **options: Any) -> Array:
        key = (output_type, dtype, *sorted(options.items()))
        if key not in self.built:
            self.built[key] = self._build(output_type, dtype, options)
        pipe = self.built[key]
        pipe.feed_input("data", [np.frombuffer(data, np.uint8)])
        return np.array(pipe.run()[0].at(0))

    def _build(self, output_type: str, dtype: str, options: dict[str, Any]) -> Any:
        fn, types = self.dali.fn, self.dali.types
        pipe = self.dali.Pipeline(1, 1, None, prefetch_queue_depth=1, exec_async=False, exec_pipelined=False)
        with pipe:
            kinds = {"output_type": getattr(types, output_type), "dtype": getattr(types, TYPES[dtype])}
            pipe.set_outputs(fn.decoders.image(fn.external_source(name="data"), **kinds, **options))
        pipe.build()
        return pipe


@pytest.fixture(scope="module")
def oracle(nvidia: Any) -> Oracle:
    return Oracle(nvidia)


# ----------------------------------------------------------------------------------------- equality, made and real


@pytest.mark.parametrize("dtype", list(TYPES))
@pytest.mark.parametrize("output_type", image_codec.OUTPUT_TYPES)
def test_made_files_equal_nvidia_dali(oracle: Oracle, output_type: str, dtype: str) -> None:
    for name, data in FILES.items():
        if output_type == "ANY_DATA" and name in NO_ANY_DATA:
            continue
        info = image_codec.peek(data)
        mine = image_codec.decode(data, info, output_type=output_type, dtype=dtype)
        assert mine.shape == image_codec.output_shape(info, output_type), name
        expected = oracle(data, output_type, dtype)
        assert mine.dtype == expected.dtype
        assert np.array_equal(mine, expected), name


@pytest.mark.parametrize("orientation", [0, *ORIENTATIONS, 9])
@pytest.mark.parametrize("array", [BASE, GRAY], ids=["rgb", "gray"])
def test_orientations_equal_nvidia_dali(oracle: Oracle, orientation: int, array: Array) -> None:
    data = _turned(array, orientation)
    assert np.array_equal(image_codec.decode(data), oracle(data))
    flat = image_codec.decode(data, adjust_orientation=False)
    assert np.array_equal(flat, oracle(data, adjust_orientation=False))
    fast = image_codec.decode(data, use_fast_idct=True)
    assert np.array_equal(fast, oracle(data, use_fast_idct=True))


@pytest.mark.parametrize("size", [(1, 1), (1, 9), (9, 1), (2, 3), (15, 17), (16, 16), (17, 33), (7, 200)])
@pytest.mark.parametrize("subsampling", [0, 1, 2])
def test_odd_sizes_equal_nvidia_dali(oracle: Oracle, size: tuple[int, int], subsampling: int) -> None:
    data = _saved(picture(*size), "JPEG", subsampling=subsampling)
    assert np.array_equal(image_codec.decode(data), oracle(data))


@pytest.mark.parametrize(
    "folder",
    ["bmp", "fuzzing", "jpeg", "jpeg2k", "orientation", "png", "pnm", "tiff", "webp_lossless", "webp_lossy", "coco"],
)
def test_real_files_equal_nvidia_dali(oracle: Oracle, data_dir: Path, folder: str) -> None:
    """Among them JPEG and BMP files that were damaged at random and still decode."""
    endings = {".jpg", ".png", ".bmp", ".tiff", ".webp", ".ppm", ".jp2"}
    files = sorted(p for p in (data_dir / folder).rglob("*") if p.suffix in endings)
    assert files
    for path in files[:: max(1, len(files) // 12)]:
        data = path.read_bytes()
        assert np.array_equal(image_codec.decode(data), oracle(data)), path.name


# ---------------------------------------------------------------------------------------------------------- headers


@pytest.mark.parametrize(
    ("name", "subsampling", "kind", "colors"),
    [
        ("jpeg 444", "4:4:4", "baseline", "ycc"),
        ("jpeg 422", "4:2:2", "baseline", "ycc"),
        ("jpeg 420", "4:2:0", "baseline", "ycc"),
        ("jpeg 440", "4:4:0", "baseline", "ycc"),
        ("jpeg 411", "4:1:1", "baseline", "ycc"),
        ("jpeg progressive", "4:2:0", "progressive", "ycc"),
        ("jpeg gray", "gray", "baseline", "gray"),
        ("jpeg rgb", "4:4:4", "baseline", "rgb"),
        ("jpeg cmyk", "4:4:4", "baseline", "cmyk"),
        ("jpeg ycck", "4:2:0", "baseline", "ycck"),
    ],
)
def test_jpeg_headers(name: str, subsampling: str, kind: str, colors: str) -> None:
    info = image_codec.peek(FILES[name])
    assert (info.format, info.height, info.width, info.bit_depth) == ("jpeg", 71, 97, 8)
    assert (info.subsampling, info.kind, info.colors) == (subsampling, kind, colors)
    assert info.single_scan == (kind == "baseline")


def test_other_headers() -> None:
    assert image_codec.peek(FILES["jpeg restart"]).restart_interval == 3
    assert image_codec.peek(FILES["png 16 bit interlaced rgba"]) == ImageInfo(
        "png", 71, 97, 4, bit_depth=16, interlaced=True
    )
    assert image_codec.peek(FILES["png 4 bit palette"]).channels == 3
    assert image_codec.peek(FILES["tiff turned"]).orientation == 6
    assert image_codec.output_shape(image_codec.peek(FILES["tiff turned"])) == (97, 71, 3)
    assert image_codec.output_shape(image_codec.peek(FILES["png turned"]), "GRAY", False) == (71, 97, 1)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda b: np.frombuffer(b, np.uint8)])
def test_any_kind_of_buffer(kind: Any) -> None:
    for name in ("jpeg 420", "png rgb", "webp"):
        data = FILES[name]
        assert np.array_equal(image_codec.decode(kind(data)), image_codec.decode(data))


# ---------------------------------------------------------------------------------------------------------- windows


def _windows(height: int, width: int, count: int, seed: int) -> list[tuple[int, int, int, int]]:
    rng = np.random.default_rng(seed)
    found = [(0, 0, height, width), (height - 1, width - 1, 1, 1), (0, 0, 1, width)]
    for _ in range(count):
        h, w = int(rng.integers(1, height + 1)), int(rng.integers(1, width + 1))
        found.append((int(rng.integers(0, height - h + 1)), int(rng.integers(0, width - w + 1)), h, w))
    return found


@pytest.mark.parametrize("output_type", ["RGB", "GRAY", "YCbCr"])
@pytest.mark.parametrize("name", list(FILES))
def test_a_window_equals_that_part_of_the_whole(name: str, output_type: str) -> None:
    data = FILES[name]
    info = image_codec.peek(data)
    whole = image_codec.decode(data, info, output_type=output_type)
    for y, x, h, w in _windows(*whole.shape[:2], 12, 3):
        expected = whole[y : y + h, x : x + w]
        view = image_codec.decode_view(data, info, (y, x, h, w), output_type=output_type)
        assert np.array_equal(view, expected), (y, x, h, w)
        assert view.strides[1:] == (view.shape[2], 1)
        assert np.array_equal(image_codec.decode(data, info, output_type=output_type, roi=(y, x, h, w)), expected)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_windows_are_given_in_the_upright_picture(orientation: int) -> None:
    data = _turned(picture(150, 110), orientation, subsampling=2)
    info = image_codec.peek(data)
    whole = image_codec.decode(data, info)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    assert np.array_equal(whole, np.asarray(upright))
    for y, x, h, w in _windows(*whole.shape[:2], 20, orientation):
        assert np.array_equal(image_codec.decode_view(data, info, (y, x, h, w)), whole[y : y + h, x : x + w])


def test_real_photos_by_window(data_dir: Path) -> None:
    for path in sorted((data_dir / "jpeg").rglob("*.jpg"))[::6]:
        data = path.read_bytes()
        info = image_codec.peek(data)
        whole = image_codec.decode(data, info)
        for y, x, h, w in _windows(*whole.shape[:2], 4, 1):
            assert np.array_equal(image_codec.decode_view(data, info, (y, x, h, w)), whole[y : y + h, x : x + w])


def test_what_lies_below_a_window_is_not_looked_at() -> None:
    data = _saved(picture(400, 64), "JPEG", subsampling=2)
    info = image_codec.peek(data)
    damaged = data[: len(data) * 3 // 4] + bytes(len(data) // 4 - 2) + data[-2:]
    window = (0, 5, 120, 40)
    assert np.array_equal(image_codec.decode_view(damaged, info, window), image_codec.decode_view(data, info, window))


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("jpeg")])
def test_the_pixels_are_the_same_where_libjpeg_cannot_be_called(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = FILES[name]
    info = image_codec.peek(data)
    height, width, _ = image_codec.output_shape(info)
    window = (height // 3, width // 4, height // 2, width // 2)
    whole, part = image_codec.decode(data, info), image_codec.decode_view(data, info, window).copy()
    monkeypatch.setattr(libjpeg, "entry_points", lambda: None)
    assert np.array_equal(image_codec.decode(data, info), whole)
    assert np.array_equal(image_codec.decode_view(data, info, window), part)


def test_threads_do_not_share_scratch_memory() -> None:
    data = FILES["jpeg 420"]
    info = image_codec.peek(data)
    expected = image_codec.decode(data, info)[5:40, 3:90].copy()
    wrong: list[int] = []

    def work(number: int) -> None:
        views = (image_codec.decode_view(data, info, (5, 3, 35, 87)) for _ in range(100))
        wrong.extend(number for view in views if not np.array_equal(view, expected))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("window", [(0, 0, 72, 1), (-1, 0, 5, 5), (0, 90, 5, 8), (0, 0, 0, 5)])
def test_windows_outside_are_refused(window: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="does not lie inside the image of 71x97"):
        image_codec.decode(FILES["jpeg 420"], roi=window)


# ----------------------------------------------------------------------------------------------------------- output


@pytest.mark.parametrize("name", list(FILES))
def test_decoding_into_given_memory(name: str) -> None:
    data = FILES[name]
    info = image_codec.peek(data)
    for dtype in ("uint8", "float32"):
        out = np.empty(image_codec.output_shape(info), dtype)
        assert image_codec.decode(data, info, dtype=dtype, out=out) is out
        assert np.array_equal(out, image_codec.decode(data, info, dtype=dtype))


def test_wrong_memory_is_refused() -> None:
    with pytest.raises(ValueError, match=r"out is uint8 of shape \(5, 5, 3\); this image needs uint8 of \(71, 97, 3\)"):
        image_codec.decode(FILES["jpeg 420"], out=np.empty((5, 5, 3), np.uint8))
    with pytest.raises(ValueError, match="not contiguous"):
        image_codec.decode(FILES["jpeg 420"], out=np.empty((71, 97, 6), np.uint8)[..., :3])


def test_wrong_colours_and_types_are_refused() -> None:
    with pytest.raises(ValueError, match="output_type is 'HSV'; accepted: RGB"):
        image_codec.decode(FILES["jpeg 420"], output_type="HSV")
    with pytest.raises(ValueError, match="cannot be decoded to float16; accepted: uint8"):
        image_codec.decode(FILES["jpeg 420"], dtype=np.float16)


# ----------------------------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no bytes; the file is empty"),
        (b"\xff\xd8", "only 2 bytes; the file is cut off"), (b"hello\n", "not a supported image: 6 bytes that start with 68 65"),
        (b"GIF89a" + bytes(40), r"this is a GIF; expected JPEG, PNG, BMP"),
        (b"hello, no image", "15 bytes that start with 68 65 6c"),
        (FILES["jpeg 420"][:300], "ends after 300 bytes, before its image data starts"),
        (FILES["jpeg 420"][:-2], r"ends after \d\.\d kB without its end marker, so part of its 71 rows of 97 pixels"),
        (FILES["jpeg progressive"][:-100], "without its end marker"),
        (FILES["png rgb"][:-12], r"without its end chunk \(IEND\)"),
        (FILES["png rgb"][:500] + b"\x00\x01" + FILES["png rgb"][502:], "wrong checksum in its IDAT chunk"),
        (FILES["bmp rgb"][:9000], "BMP file of 9.0 kB cannot hold the 71 rows of 97 pixels"),
        (FILES["webp"][:900], "WebP file of 900 bytes is damaged or cut off"),
        (FILES["ppm 16 bit"][:900], "needs 41.3 kB, but ends after 900 bytes"),
        (b"P6 2 1 100\n" + bytes(6), "counts to 100; supported: 255 and 65535"),
    ],
)
def test_damaged_files_are_refused_in_plain_words(data: bytes, words: str) -> None:
    with pytest.raises(DecodeError, match=words):
        image_codec.decode(data)


def test_what_stands_behind_the_last_pixels_does_not_matter() -> None:
    """As for nvidia.dali: an unknown marker, and a second frame."""
    data = FILES["jpeg 420"]
    for nonsense in (b"\xff\x11", b"\0\0\xff\xc0\0\x08"):
        odd = data[:-2] + nonsense + data[-2:]
        assert np.array_equal(image_codec.decode(odd), image_codec.decode(data))


def test_a_window_of_a_cut_off_file_is_refused_too() -> None:
    data = FILES["jpeg 420"]
    with pytest.raises(DecodeError, match="without its end marker"):
        image_codec.decode_view(data[:-20], image_codec.peek(data), (0, 0, 5, 5))


def test_what_is_not_supported_says_so(data_dir: Path) -> None:
    lossless = next((data_dir / "jpeg_lossless").glob("*8bit.jpg")).read_bytes()
    with pytest.raises(DecodeError, match="lossless JPEG"):
        image_codec.decode(lossless)
    with pytest.raises(DecodeError, match="four inks"):
        image_codec.decode(FILES["jpeg cmyk"], output_type="ANY_DATA")


def test_jpeg2000_of_more_than_8_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """FFmpeg writes it without a loss; 12 bits are the upper ones of 16."""
    av: Any = pytest.importorskip("av")
    wide = picture(40, 53, 3, np.uint16)
    for pixel_format, bits in ("rgb48le", 16), ("gbrp12le", 12):
        frame = av.VideoFrame.from_ndarray(wide, "rgb48le").reformat(format=pixel_format)
        data = _jpeg2000_of(av, frame)
        info = image_codec.peek(data)
        assert (info.bit_depth, info.channels) == (16, 3)
        found = image_codec.decode(data, dtype=np.uint16)
        ours = frame.to_ndarray().astype(np.uint16) << 16 - bits
        assert np.array_equal(found, ours)
        with pytest.raises(DecodeError, match="damaged or cut off"):
            image_codec.decode(data[: len(data) // 2], dtype=np.uint16)
    monkeypatch.setattr(openjpeg, "is_available", lambda: False)
    with pytest.raises(DecodeError, match=r"3 channels of 12 bits; .* gray up to 16"):
        image_codec.peek(data)


def _jpeg2000_of(av: Any, frame: Any) -> bytes:
    codec = av.CodecContext.create("jpeg2000", "w")
    codec.width, codec.height, codec.pix_fmt, codec.time_base = frame.width, frame.height, frame.format.name, Fraction(1)
    codec.options = {"format": "j2k", "pred": "dwt53"}
    return b"".join(bytes(packet) for packet in [*codec.encode(frame), *codec.encode(None)])


@pytest.mark.parametrize("seed", range(4))
def test_random_damage_never_does_anything_but_decode_or_refuse(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for original in FILES.values():
        for _ in range(15):
            data = bytearray(original)
            for place in rng.integers(0, min(len(data), 800), 3):
                data[place] = int(rng.integers(256))
            cut = int(rng.integers(0, len(data))) if rng.random() < 0.3 else len(data)
            with contextlib.suppress(DecodeError):
                assert image_codec.decode(bytes(data[:cut])).ndim == 3
