"""The row filters of PNG files, against their definition; who inflates them, where pixels go, and compiled decoding."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from images import picture
from numpy.typing import NDArray
from PIL import Image

from dali_studio.kernels.cpu import image_codec, native, png
from dali_studio.kernels.jpeg import libjpeg
from dali_studio.kernels.jpeg.decode_threads import DecodeBatch, DecodeThreadPool

CHANNELS = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}
needs_isal = pytest.mark.skipif(not png.is_compiled(), reason="ISA-L cannot be called by compiled code here")


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    """PNG specification, section 9."""
    if kind < 4:
        return (0, left, up, (left + up) // 2)[kind]
    distances = [(abs(left + up - corner - one), order) for order, one in enumerate((left, up, corner))]
    return (left, up, corner)[min(distances)[1]]


def _file(mode: str) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(picture(71, 97)).convert(mode).save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize("pixels", [1, 2, 3, 31])
@pytest.mark.parametrize("step", [1, 2, 3, 4, 6, 8])
def test_rows_are_what_the_specification_says(step: int, pixels: int) -> None:
    random = np.random.default_rng(step)
    rows, width = 25, pixels * step
    filtered = random.integers(0, 256, (rows, width + 1), np.uint8)
    filtered[:, 0] = np.minimum(random.integers(0, 8, rows), 4)  # often Paeth's, of which two rows are undone at once
    made, given = np.zeros((rows, width), np.uint8), filtered.astype(np.int64)
    assert native.kernel("unfilter")(filtered, made, np.zeros(width, np.uint8), step)
    wanted = np.zeros((rows + 1, step + width), np.int64)  # with what lies above and to the left
    for y in range(rows):
        for x in range(step, step + width):
            guess = _predicted(given[y, 0], wanted[y + 1, x - step], wanted[y, x], wanted[y, x - step])
            wanted[y + 1, x] = (given[y, x - step + 1] + guess) % 256
    np.testing.assert_array_equal(made, wanted[1:, step:])


def test_an_unknown_filter_is_refused() -> None:
    filtered = np.array([[4, 1, 2, 3], [5, 1, 2, 3]], np.uint8)
    assert not native.kernel("unfilter")(filtered, np.zeros((2, 3), np.uint8), np.zeros(3, np.uint8), 3)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
def test_files_are_decoded_the_same_by_zlib_alone(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = np.asarray(Image.open(io.BytesIO(_file(mode)))).reshape(71, 97, -1)
    np.testing.assert_array_equal(image_codec.decode(_file(mode), output_type="ANY_DATA"), wanted)
    monkeypatch.setattr(png, "is_compiled", lambda: False)
    np.testing.assert_array_equal(image_codec.decode(_file(mode), output_type="ANY_DATA"), wanted)
    monkeypatch.setattr(png, "fast_zlib", zlib)
    np.testing.assert_array_equal(image_codec.decode(_file(mode), output_type="ANY_DATA"), wanted)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
@pytest.mark.parametrize("output_type", image_codec.OUTPUT_TYPES)
def test_pixels_are_put_where_they_are_wanted(output_type: str, mode: str) -> None:
    wanted = image_codec.decode(_file(mode), output_type=output_type)
    out = np.zeros_like(wanted)
    assert image_codec.decode(_file(mode), output_type=output_type, out=out) is out
    np.testing.assert_array_equal(out, wanted)


def _bytes(file: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(file, np.uint8)


def _compiled(file: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.uint8] | None:
    pixels = np.zeros(shape, np.uint8)
    return pixels if native.kernel("decode_png_into")(file, pixels) else None


def _in_parts(file: bytes, size: int) -> bytes:
    """The same file with its compressed pixels in chunks of so many bytes, behind a chunk that nobody needs."""
    chunks, at = [], 8
    while at < len(file):
        length, kind = struct.unpack(">I4s", file[at : at + 8])
        chunks.append((kind, file[at + 8 : at + 8 + length]))
        at += 12 + length
    (first, header), *pixels, (last, end) = chunks
    joined = b"".join(body for _, body in pixels)
    parts = [(b"IDAT", joined[i : i + size]) for i in range(0, len(joined), size)]
    made = file[:8]
    for kind, body in [(first, header), (b"tEXt", b"a\0b"), *parts, (last, end)]:
        made += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return made


@needs_isal
@pytest.mark.parametrize("mode", CHANNELS)
@pytest.mark.parametrize("size", [(1, 1), (1, 9), (9, 1), (71, 97)])
def test_compiled_code_decodes_usual_files(mode: str, size: tuple[int, int]) -> None:
    stream = io.BytesIO()
    Image.fromarray(picture(*size)).convert(mode).save(stream, "PNG")
    wanted = np.asarray(Image.open(stream)).reshape(*size, CHANNELS[mode])
    for file in (stream.getvalue(), _in_parts(stream.getvalue(), 100), _in_parts(stream.getvalue(), 1)):
        np.testing.assert_array_equal(_compiled(_bytes(file), wanted.shape), wanted)


@needs_isal
@pytest.mark.parametrize("mode", ["P", "1", "I;16"])
def test_compiled_code_leaves_other_files_alone(mode: str) -> None:
    stream = io.BytesIO()
    Image.fromarray(picture(71, 97)).convert("L").convert(mode).save(stream, "PNG")
    assert _compiled(_bytes(stream.getvalue()), (71, 97, 1)) is None


@needs_isal
def test_compiled_code_refuses_damage_and_never_differs() -> None:
    random, file = np.random.default_rng(4), _bytes(_in_parts(_file("RGB"), 3000))
    wanted = _compiled(file, (71, 97, 3))
    assert wanted is not None
    assert not any(_compiled(file[:count].copy(), wanted.shape) is not None for count in range(0, len(file), 97))
    assert all(_compiled(file, shape) is None for shape in ((71, 98, 3), (70, 97, 3), (71, 97, 4), (71, 97, 2)))
    for _ in range(500):
        damaged = file.copy()
        damaged[random.integers(len(file))] ^= 1 << random.integers(8)
        made = _compiled(damaged, wanted.shape)
        if made is not None:
            np.testing.assert_array_equal(made, wanted)
            np.testing.assert_array_equal(image_codec.decode(damaged), wanted)


@needs_isal
@pytest.mark.skipif(libjpeg.entry_points() is None, reason="there are no decode threads here")
@pytest.mark.parametrize("threads", [0, 3])
def test_decode_threads_decode_windows_of_files(threads: int) -> None:
    random, pool = np.random.default_rng(5), DecodeThreadPool(threads)
    cases = [(mode, kind) for mode in CHANNELS for kind in ("RGB", "GRAY") if kind == "RGB" or len(mode) < 3] * 4
    files = [_bytes(_in_parts(_file(mode), 2000) if k % 2 else _file(mode)) for k, (mode, _) in enumerate(cases)]
    requests, wanted, made = np.zeros((len(files), libjpeg.FIELDS), np.int64), [], []
    for k, (_, kind) in enumerate(cases):
        whole = image_codec.decode(files[k], output_type=kind)
        row, column = (0, 0) if k < len(cases) // 2 else (int(random.integers(71)), int(random.integers(97)))
        wanted.append(whole[row : row + 40, column : column + 30] if row or column else whole)
        made.append(np.zeros_like(wanted[-1], order="C"))
        rows, columns, channels = made[-1].shape
        requests[k] = (
            files[k].ctypes.data, files[k].size, 71, 97, libjpeg.PNG, channels, 0, 0, row, column, rows, columns,
            made[-1].ctypes.data, columns * channels,
        )  # fmt: skip
    batch = DecodeBatch(len(files), 0, requests)
    pool.start(batch)
    batch.finish(lambda: False)
    batch.close()
    pool.close()
    assert (batch.outcomes == libjpeg.DONE).all()
    for one, expected in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(one, expected)
