"""Pictures for tests: made with numpy, of odd sizes, as arrays and as files."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import simplejpeg  # pyright: ignore[reportMissingTypeStubs]
from PIL import Image

from dali_studio.kernels.jpeg import codec as jpeg
from dali_studio.schema.samples import picture

Array = np.ndarray[Any, Any]

#: Heights and widths that find mistakes at edges, in vector tails and in aspect ratios.
ODD_SIZES: tuple[tuple[int, int], ...] = ((57, 43), (200, 301), (3, 5), (1, 9))
TINY_SIZES: tuple[tuple[int, int], ...] = ((1, 1), (1, 7), (6, 1), (2, 2))


def pictures(
    sizes: Sequence[tuple[int, int]] = ODD_SIZES, channels: int = 3, dtype: Any = np.uint8, planar: bool = False
) -> list[Array]:
    """A batch of pictures of these sizes, HWC or CHW."""
    made = [picture(h, w, channels, dtype, seed) for seed, (h, w) in enumerate(sizes)]
    return [np.ascontiguousarray(item.transpose(2, 0, 1)) for item in made] if planar else made


def encoded(array: Array, form: str = "JPEG", **options: Any) -> Array:
    """The bytes of an image file, as a uint8 array."""
    stream = io.BytesIO()
    mode = options.pop("mode", None)
    image = Image.fromarray(array[..., 0] if array.ndim == 3 and array.shape[2] == 1 else array)
    (image.convert(mode) if mode else image).save(stream, form, **options)
    return np.frombuffer(stream.getvalue(), np.uint8)


def tiff_of(
    array: Array, *, order: Literal["<", ">"] = "<", deflate: bool = False, differences: bool = False, tile: int = 0, planes: bool = False,
    extra: int = 0, orientation: int = 1, big: bool = False, twelve: bool = False, rows: int = 5,
    others: Mapping[int, list[int]] = MappingProxyType({}),
) -> Array:  # fmt: skip
    """A TIFF file of the samples of an array, of any number of channels: strips of `rows`, or square tiles.

    `extra` is what the file says of channels beyond the colours: 0 nothing, 1 alpha that colours are multiplied by.
    `twelve` stores the upper 12 bits of numbers of 16; `others` are tags that differ, and empty lists
    those to be left out.
    """
    height, width, channels = array.shape
    parts = [array[..., i : i + 1] for i in range(channels)] if planes else [array]
    step = tile or rows
    stored: list[bytes] = []
    for part in parts:
        for y in range(0, height, step):
            for x in range(0, width, tile or width):
                block = part[y : y + step, x : x + (tile or width)]
                if tile:
                    block = np.pad(block, ((0, tile - block.shape[0]), (0, tile - block.shape[1]), (0, 0)))
                if differences:
                    block = np.diff(block, axis=1, prepend=np.zeros_like(block[:, :1]))
                data = packed_rows(block) if twelve else block.astype(block.dtype.newbyteorder(order)).tobytes()
                stored.append(zlib.compress(data) if deflate else data)
    colors = 3 if channels > 2 else 1
    places = (324, 325) if tile else (273, 279)
    sizes = [len(data) for data in stored]
    tags = {
        256: [width], 257: [height], 258: [12 if twelve else 8 * array.itemsize] * channels, 259: [8 if deflate else 1],
        262: [2 if colors == 3 else 1], 274: [orientation], 277: [channels], 284: [2 if planes else 1],
        317: [2 if differences else 1], 339: [{"f": 3, "i": 2}.get(array.dtype.kind, 1)] * channels,
        **({338: [extra] * (channels - colors)} if channels > colors else {}),
        **({322: [tile], 323: [tile]} if tile else {278: [step]}),
        places[0]: list(np.cumsum([16, *sizes[:-1]])), places[1]: sizes, **others,
    }  # fmt: skip
    tags = {tag: values for tag, values in tags.items() if values}
    begin = 16 + sum(sizes)
    number, count = ("Q", 8) if big else ("I", 4)
    behind = begin + (8 if big else 2) + (4 + 2 * count) * len(tags) + count
    entries, arrays = b"", b""
    for tag, values in sorted(tags.items()):
        kind, letter = (4, "I") if tag in places else (3, "H")
        packed = struct.pack(f"{order}{len(values)}{letter}", *values)
        entries += struct.pack(f"{order}HH{number}", tag, kind, len(values))
        entries += packed.ljust(count, b"\0") if len(packed) <= count else struct.pack(order + number, behind + len(arrays))
        arrays += packed if len(packed) > count else b""
    mark = b"II" if order == "<" else b"MM"
    head = struct.pack(f"{order}HHHQ", 43, 8, 0, begin) if big else struct.pack(f"{order}HI", 42, begin)
    directory = struct.pack(order + ("Q" if big else "H"), len(tags)) + entries + bytes(count) + arrays
    return np.frombuffer((mark + head).ljust(16, b"\0") + b"".join(stored) + directory, np.uint8)


def packed_rows(block: Array) -> bytes:
    """The upper 12 bits of each number, one behind the other; each row begins a byte."""
    bits = np.unpackbits(block.astype(">u2").view(np.uint8).reshape(len(block), -1, 2), axis=2)[..., :12]
    return np.packbits(bits.reshape(len(block), -1), axis=1).tobytes()


def coded(array: Array, sampling: str = "420", quality: int = 90) -> Array:
    """A JPEG file with chroma sampling "444", "422", "420" or "440", or of one component ("Gray"), as a uint8 array."""
    colors = "GRAY" if sampling == "Gray" else "RGB"
    plane = np.ascontiguousarray(array[..., :1] if sampling == "Gray" else array)
    return np.frombuffer(simplejpeg.encode_jpeg(plane, quality, colors, sampling), np.uint8)


def on_cpu(file: Array, output: str = "RGB", *, repeated: bool = True) -> Array:
    """The pixels of a JPEG file, with repeated or interpolated chroma, by the CPU's decoder."""
    return jpeg.decode(file, jpeg.parse_header(file), output, fast_upsampling=repeated)


def windows_of(h: int, w: int, more: int) -> list[tuple[int, int, int, int]]:
    """First row, first column, height and width of windows of a picture: those at its edges, and `more` random ones."""
    generator = np.random.default_rng(5)
    found = [(0, 0, h, w), (0, 0, 1, 1), (h - 1, w - 1, 1, 1), (h - 1, 0, 1, w), (0, w - 1, h, 1), (7, 9, 16, 16)]
    for _ in range(more):
        y, x = int(generator.integers(h)), int(generator.integers(w))
        found.append((y, x, int(generator.integers(1, h - y + 1)), int(generator.integers(1, w - x + 1))))
    return found


def dataset(root: Path, classes: int = 3, images: int = 4, size: tuple[int, int] = (20, 27)) -> Path:
    """A folder of class folders with small JPEG files; names sort differently as text and as numbers."""
    for label in range(classes):
        folder = root / f"class_{label}"
        folder.mkdir(parents=True)
        for number in range(images):
            array = picture(size[0] + number, size[1] + label, seed=label * 100 + number)
            (folder / f"{number * 5}.jpg").write_bytes(encoded(array, quality=90).tobytes())
    return root
