"""Orientation from Exif blocks that are odd, damaged, or several; equality with nvidia.dali."""

from __future__ import annotations

import io
import struct
from typing import Any

import forged
import numpy as np
import pytest
from file_headers import read_headers
from fuzz.machine import SANITIZED
from fuzz.peer import Peer
from fuzz.programs import Call
from images import encoded, picture
from PIL import Image

from dali_studio.kernels.cpu import image_codec
from dali_studio.kernels.cpu.exif import agreed, exif_orientation
from dali_studio.kernels.jpeg.header import parse_header

PIXELS = picture(3, 41)
_PLAIN = struct.pack(">HHIHH", 0x0112, 3, 1, 3, 0)


def block(*entries: bytes, count: int | None = None, order: bytes = b"MM", magic: int = 42) -> bytes:
    """An Exif block of some entries."""
    return order + struct.pack(">HIH", magic, 8, len(entries) if count is None else count) + b"".join(entries)


def turned(value: int, **options: Any) -> bytes:
    """A block with an orientation alone."""
    return block(struct.pack(">HHIHH", 0x0112, 3, 1, value, 0), **options)


#: Blocks, and what they say: nvImageCodec's parser, and OpenCV.
BLOCKS: dict[str, tuple[bytes, int, int]] = {
    "plain": (turned(3), 3, 3),
    "little-endian": (b"II*\0\x08\0\0\0\1\0" + struct.pack("<HHII", 0x0112, 3, 1, 3), 3, 3),
    "other order is big-endian": (turned(3, order=b"4d"), 3, 3),
    "wrong magic": (turned(3, magic=43), 0, 0),
    "unknown value": (turned(9), 1, 1),
    "no entry": (block(), 0, 0),
    "ends behind the value": (turned(3)[:-2], 3, 3),
    "ends in the value": (turned(3)[:-3], 0, 0),
    "fewer entries than counted": (turned(3, count=9), 0, 3),
    "first of two": (block(_PLAIN, struct.pack(">HHIHH", 0x0112, 3, 1, 2, 0)), 3, 3),
    "text outside": (block(_PLAIN, struct.pack(">HHII", 0x010F, 2, 100, 20)), 0, 3),
    "text in the entry": (block(_PLAIN, struct.pack(">HHII", 0x010F, 2, 4, 2**32 - 1)), 3, 3),
    "fraction outside": (block(_PLAIN, struct.pack(">HHII", 0x011A, 5, 1, 500)), 0, 3),
    "fraction inside": (block(_PLAIN, struct.pack(">HHII", 0x011A, 5, 1, 0)), 3, 3),
    "unknown entry cut off": (block(_PLAIN, b"\x12\x34"), 3, 3),
    "directory outside": (b"MM\0*\xff\xff\xff\xff" + bytes(20), 0, 0),
    "empty": (b"", 0, 0),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_what_a_block_says(name: str) -> None:
    data, parsed, rest = BLOCKS[name]
    for form in (bytes, memoryview):
        assert exif_orientation(form(data)) == parsed
        assert exif_orientation(form(data), damaged=True) == rest


def test_the_axes_are_those_of_the_parser() -> None:
    assert agreed(3, 2) == 2
    assert agreed(6, 8) == 8
    assert agreed(6, 3) == 6
    assert agreed(1, 5) == 1


# ------------------------------------------------------------------------------------------------------------ files


def jpeg(*blocks: bytes) -> bytes:
    whole = encoded(PIXELS).tobytes()
    parts = (b"\xff\xe1" + struct.pack(">H", len(one) + 8) + b"Exif\0\0" + one for one in blocks)
    return whole[:2] + b"".join(parts) + whole[2:]


def png(*before: bytes, after: tuple[bytes, ...] = (), broken: bool = False) -> bytes:
    whole = encoded(PIXELS, "PNG").tobytes()
    first, last = ([forged.chunk(b"eXIf", one) for one in blocks] for blocks in (before, after))
    if broken:
        first = [one[:-1] + bytes([one[-1] ^ 1]) for one in first]
    return whole[:33] + b"".join(first) + whole[33:-12] + b"".join(last) + whole[-12:]


def webp(data: bytes, *, flag: bool = True) -> bytes:
    """With pixels of an even number of bytes: nvidia.dali's parser does not know that others are padded."""
    files = (_webp(picture(3, 41, seed=seed), data) for seed in range(40))
    file = next(file for file in files if file[file.index(b"VP8L") + 4] % 2 == 0)
    file[20] = file[20] if flag else file[20] & ~8
    return bytes(file)


def _webp(pixels: np.ndarray[Any, Any], data: bytes) -> bytearray:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "WEBP", lossless=True, exif=data)
    return bytearray(stream.getvalue())


_XMP = b"\xff\xe1\0\x0fhttp://abc/\0\0"
_BAD = turned(2, count=9)
FILES: dict[str, tuple[bytes, int]] = {
    **{f"jpeg: {name}": (jpeg(data), said or 1) for name, (data, said, _) in BLOCKS.items()},
    "jpeg: the first of two turns": (jpeg(turned(2), turned(3)), 2),
    "jpeg: if the last one turns at all": (jpeg(turned(2), turned(1)), 1),
    "jpeg: a damaged one after": (jpeg(turned(3), _BAD), 3),
    "jpeg: a damaged one before": (jpeg(_BAD, turned(3)), 2),
    "jpeg: one that says nothing before": (jpeg(turned(2, magic=41), turned(3)), 3),
    "jpeg: other segments before": (jpeg(turned(3)).replace(b"\xff\xe1", _XMP + b"\xff\xe1", 1), 3),
    **{
        f"png: {name}": (png(data), said or 1)
        for name, (data, _, said) in BLOCKS.items()
        if name != "other order is big-endian"
    },
    "png: other order": (png(turned(3, order=b"4d")), 1),
    "png: behind the pixels": (png(after=(turned(6),)), 6),
    "png: the first of two": (png(turned(2), after=(turned(3),)), 2),
    "png: the first of two, upright": (png(turned(1), turned(3)), 1),
    "png: wrong checksum": (png(turned(3), broken=True), 1),
    "png: fewer entries than counted, axes exchanged": (png(turned(6, count=9)), 1),
    **{f"webp: {name}": (webp(data), said or 1) for name, (data, _, said) in BLOCKS.items() if name != "empty"},
    "webp: not announced": (webp(turned(3), flag=False), 1),
}


@pytest.mark.parametrize("name", FILES)
def test_orientation_of_files(name: str) -> None:
    data, orientation = FILES[name]
    assert image_codec.peek(data).orientation == orientation


@pytest.fixture(scope="module")
def peer() -> Any:
    if SANITIZED:
        pytest.skip("nvidia.dali does not load under sanitizers")
    pytest.importorskip("nvidia.dali", reason="the comparison needs nvidia-dali, which is not installed")
    asked = Peer()
    yield asked
    asked.close()


@pytest.mark.parametrize("name", [name for name in FILES if "axes exchanged" not in name])
def test_pictures_are_turned_as_by_nvidia_dali(peer: Peer, name: str) -> None:
    """Where the parser and OpenCV disagree about the axes it writes beyond its memory."""
    data, _ = FILES[name]
    (theirs,) = peer.decode(Call("decoders.image"), [data], [True])
    assert theirs.arrays is not None, theirs.message
    np.testing.assert_array_equal(image_codec.decode(data), theirs.arrays[0][0])


def _array(*blocks: bytes) -> np.ndarray[Any, Any]:
    return np.frombuffer(jpeg(*blocks), np.uint8)


def test_compiled_code_reads_blocks_alike() -> None:
    blocks = [data for data, _, _ in BLOCKS.values()]
    files = [_array(one) for one in blocks]
    files += [_array(one, other) for one in blocks for other in [*blocks, turned(6), turned(8)]]
    files += [_array(turned(value)) for value in range(10)]
    assert read_headers(files) == [parse_header(file) for file in files]


def test_compiled_code_reads_damaged_blocks_alike() -> None:
    random = np.random.default_rng(5)
    entries = [struct.pack(">HHII", tag, 2, *random.integers(0, 70, 2)) for tag in (0x10F, 0x11A, 0x13E, 0x112, 0x8298)]
    files: list[np.ndarray[Any, Any]] = []
    for _ in range(2000):
        some = bytearray(block(*random.permutation(np.array(entries, object)).tolist(), *[turned(6)[10:]]))
        for place in random.integers(0, len(some), 2):
            some[place] = random.choice([0, 1, 2, 6, 42, 255])
        files.append(_array(bytes(some), turned(3) if random.random() < 0.5 else bytes(some[:-7])))
    found = read_headers(files)
    assert found == [parse_header(file) for file in files]
    assert len({info.orientation for info in found if info is not None}) > 2
