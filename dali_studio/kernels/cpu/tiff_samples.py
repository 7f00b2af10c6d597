"""TIFF files whose samples Pillow would narrow, multiply or drop: 12 bits, more in colours, alpha, more channels.

A TIFF is a directory of tags, and rows of pixels that are compressed as bytes. A second directory, in which the same
rows are those of a gray picture of 8 bits that is as many bytes wide, makes Pillow's libtiff give the bytes as they
are; the samples are made of them here.
"""

from __future__ import annotations

import io
import struct
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import TiffImagePlugin

from dali_studio.kernels.cpu.image_info import DecodeError

_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC, _FILL_ORDER = 256, 257, 258, 259, 262, 266
_STRIPS, _ORIENTATION, _CHANNELS, _ROWS, _STRIP_SIZES, _PLANAR = 273, 274, 277, 278, 279, 284
_PREDICTOR, _TILE_WIDTH, _TILE_HEIGHT, _TILES, _TILE_SIZES, _EXTRA, _FORMAT = 317, 322, 323, 324, 325, 338, 339
_PLACES = (_COMPRESSION, _STRIPS, _ROWS, _STRIP_SIZES, _TILE_HEIGHT, _TILES, _TILE_SIZES)
_OF_PLANES = (_STRIPS, _STRIP_SIZES, _TILES, _TILE_SIZES)
#: None, LZW, Deflate (two numbers), PackBits.
_COMPRESSIONS = (1, 5, 8, 32946, 32773)
_WHITE_IS_0, _GRAY, _RGB = 0, 1, 2
_UNSIGNED, _FLOAT = 1, 3
_PACKED = 12
_DTYPES = {
    (8, _UNSIGNED): np.uint8, (_PACKED, _UNSIGNED): np.uint16, (16, _UNSIGNED): np.uint16, (32, _FLOAT): np.float32,
}  # fmt: skip
_NO_PREDICTOR, _DIFFERENCES = 1, 2
_SEPARATE_ALPHA = 2
_TOGETHER, _IN_PLANES = 1, 2
_LONG = 4


class Samples(msgspec.Struct, frozen=True):
    """How the samples of a file lie in its rows."""

    height: int
    width: int
    channels: int
    bits: int
    dtype: np.dtype[Any]
    orientation: int
    differences: bool
    tile_width: int
    planes: int
    places: dict[int, tuple[int, ...]]

    @property
    def tile(self) -> int:
        """Bytes of a row of a plane in a tile."""
        return -(-self.tile_width * (self.channels // self.planes) * self.bits // 8)

    @property
    def row(self) -> int:
        """Bytes of a row of a plane, with what fills the last tile."""
        return -(-self.width // self.tile_width) * self.tile


def samples_of(data: memoryview) -> Samples | None:
    """How the samples lie in a file of the kinds that this module reads; ``None`` for others.

    Raises
    ------
    Exception
        Of nearly any kind, by Pillow, where the directory is damaged.
    """
    file = io.BytesIO(data)
    big = data[2:4] == b"+\0"
    tags = TiffImagePlugin.ImageFileDirectory_v2(file.read(16 if big else 8))
    file.seek(tags.next)
    tags.load(file)

    def numbers(tag: int, default: int) -> tuple[int, ...]:
        value: Any = tags.get(tag, default)
        return cast("tuple[int, ...]", value) if isinstance(value, tuple) else (value,)

    def number(tag: int, default: int) -> int:
        return numbers(tag, default)[0]

    channels, bits, formats = number(_CHANNELS, 1), set(numbers(_BITS, 1)), set(numbers(_FORMAT, _UNSIGNED))
    depth = bits.pop() if len(bits) == 1 else 0
    dtype = _DTYPES.get((depth, formats.pop())) if len(formats) == 1 else None
    colors, extra = number(_PHOTOMETRIC, -1), numbers(_EXTRA, 0)
    predictor = number(_PREDICTOR, _NO_PREDICTOR)
    if channels == 1:
        usual = depth != _PACKED and (dtype is not np.uint16 or colors == _GRAY)
    else:
        rgb = channels == 3 or (channels == 4 and extra == (_SEPARATE_ALPHA,))
        usual = dtype is np.uint8 and colors == _RGB and rgb
    if (
        dtype is None or usual or colors not in (_WHITE_IS_0, _GRAY, _RGB)[channels > 1 :]
        or number(_COMPRESSION, 1) not in _COMPRESSIONS or number(_FILL_ORDER, 1) != 1
        or predictor not in (_NO_PREDICTOR, _DIFFERENCES)[: 1 + (depth != _PACKED)]
    ):  # fmt: skip
        return None
    width, orientation = number(_WIDTH, 0), number(_ORIENTATION, 1)
    return Samples(
        height=number(_HEIGHT, 0),
        width=width,
        channels=channels,
        bits=depth,
        dtype=np.dtype(dtype).newbyteorder("<" if data[:1] == b"I" else ">"),
        orientation=orientation if 1 <= orientation <= 8 else 1,
        differences=predictor == _DIFFERENCES,
        tile_width=max(number(_TILE_WIDTH, width), 1),
        planes=channels if number(_PLANAR, _TOGETHER) == _IN_PLANES else 1,
        places={tag: numbers(tag, 0) for tag in _PLACES if tag in tags},
    )


def as_bytes(data: memoryview, samples: Samples, plane: int = 0) -> io.BytesIO:
    """The file with a directory that makes of a plane a gray picture, a pixel for each byte of a row."""
    tags = {
        _WIDTH: (samples.row,), _HEIGHT: (samples.height,), _BITS: (8,), _PHOTOMETRIC: (_GRAY,), _CHANNELS: (1,),
        **samples.places,
    }  # fmt: skip
    for tag in tags.keys() & set(_OF_PLANES):
        count = len(tags[tag]) // samples.planes
        tags[tag] = tags[tag][plane * count : (plane + 1) * count]
    if _TILES in tags:
        tags[_TILE_WIDTH] = (samples.tile,)
    begin = len(data) + len(data) % 2
    behind = begin + 2 + 12 * len(tags) + 4
    entries, arrays = b"", b""
    try:
        for tag, values in sorted(tags.items()):
            packed = struct.pack(f"<{len(values)}I", *values)
            entries += struct.pack("<HHI", tag, _LONG, len(values))
            entries += packed if len(values) == 1 else struct.pack("<I", behind + len(arrays))
            arrays += packed if len(values) > 1 else b""
        header = struct.pack("<2sHI", b"II", 42, begin)
    except struct.error as problem:
        raise DecodeError("broken TIFF header: sizes or places beyond 4 GB") from problem
    directory = struct.pack("<H", len(tags)) + entries + struct.pack("<I", 0) + arrays
    return io.BytesIO(b"".join((header, data[8:], b"\0" * (begin - len(data)), directory)))


def of_bytes(rows: NDArray[np.uint8], samples: Samples) -> NDArray[Any]:
    """The samples, in the machine's order of bytes, of the rows of a plane that Pillow gave.

    Returns
    -------
    ndarray of uint8, uint16 or float32, shape (height, width, channels of the plane)
    """
    channels = samples.channels // samples.planes
    if samples.bits == _PACKED:
        numbers = _unpacked(rows.reshape(len(rows), -1, samples.tile))[..., : samples.tile_width * channels]
    else:
        stored = np.ascontiguousarray(rows).view(samples.dtype)
        numbers = stored.astype(samples.dtype.newbyteorder("="), copy=False)
    if samples.differences:
        bits = numbers.view(f"u{numbers.itemsize}").reshape(len(rows), -1, samples.tile_width, channels)
        numbers = np.add.accumulate(bits, axis=2, dtype=bits.dtype).view(numbers.dtype)
    return numbers.reshape(len(rows), -1, channels)[:, : samples.width]


def _unpacked(rows: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Numbers of 12 bits along the last axis, in the upper bits of 16, as nvidia.dali gives them."""
    padded = np.pad(rows, ((0, 0), (0, 0), (0, -rows.shape[2] % 3)))
    triples = padded.astype(np.uint16).reshape(*padded.shape[:2], -1, 3)
    numbers = np.empty((*triples.shape[:3], 2), np.uint16)
    numbers[..., 0] = triples[..., 0] << 8 | triples[..., 1] & 0xF0
    numbers[..., 1] = triples[..., 1] << 12 | triples[..., 2] << 4
    return numbers.reshape(*padded.shape[:2], -1)
