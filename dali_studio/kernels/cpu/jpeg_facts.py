"""Headers of many JPEG files: files that say the same share one `ImageInfo`.

A data set has few kinds of headers. A kernel collects the numbers of a file on which the result of `parse_header`
depends; that function itself, slower by far, reads only the first file of each kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from dali_studio.core.rows import Pieces, addresses_of, shapes_of
from dali_studio.kernels.cpu.image_info import DecodeError, ImageInfo
from dali_studio.kernels.cpu.jit import kernel
from dali_studio.kernels.cpu.jpeg_header import NARROW_TABLE, parse_header

#: Numbers of a key: components of the scan, place of the frame header, restart interval, Adobe's transform, JFIF, and
#: the bytes of the frame header.
_FRAME = 5
_LONGEST = 19
_ADOBE = tuple(b"Adobe")
#: Kinds that are remembered; a data set whose files all differ must not fill the memory.
_MOST = 4096
_known: dict[bytes, ImageInfo] = {}


@intrinsic
def byte_at(typing_context: Any, address: Any) -> Any:  # noqa: ARG001 - numba's protocol
    """The byte at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        return builder.zext(builder.load(pointer), ir.IntType(64))

    return types.int64(types.int64), generate


@kernel
def _collect(address: int, size: int, key: Any) -> bool:  # noqa: C901, PLR0912 - one branch for each kind of segment
    """Fill `key`; false for what is no plain header, or holds an orientation."""
    if size < 4 or byte_at(address) != 0xFF or byte_at(address + 1) != 0xD8 or byte_at(address + 2) != 0xFF:
        return False
    position = 2
    while position + 4 <= size:
        marker = byte_at(address + position + 1)
        if byte_at(address + position) != 0xFF or marker == 0x01 or 0xD0 <= marker <= 0xD9:
            return False
        if marker == 0xFF:
            position += 1
            continue
        body = position + 4
        end = position + 2 + (byte_at(address + position + 2) << 8 | byte_at(address + position + 3))
        if end > size or end < body:
            return False
        if marker == 0xDA:
            key[0] = byte_at(address + body)
            return key[1] > 0 and end > body
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            if key[1] or end - position > _LONGEST + 2:
                return False
            key[1] = position
            for k in range(position, end):
                key[_FRAME + k - position] = byte_at(address + k)
        elif marker == 0xDD:
            if end < body + 2:
                return False
            key[2] = byte_at(address + body) << 8 | byte_at(address + body + 1)
        elif marker == 0xE0 and end >= body + 4:
            letters = byte_at(address + body) == 0x4A and byte_at(address + body + 1) == 0x46
            if letters and byte_at(address + body + 2) == 0x49 and byte_at(address + body + 3) == 0x46:
                key[4] = 1
        elif marker == 0xE1 and end >= body + 2:
            if byte_at(address + body) == 0x45 and byte_at(address + body + 1) == 0x78:  # Exif
                return False
        elif marker == 0xEE:
            if end - body < 12:
                return False
            for k in range(len(_ADOBE)):
                if byte_at(address + body + k) != _ADOBE[k]:
                    return False
            key[3] = 1 + byte_at(address + body + 11)
        elif marker == 0xDB and (end - body) % NARROW_TABLE:
            return False
        position = end
    return False


@kernel
def _collect_all(addresses: Any, sizes: Any, keys: Any, plain: Any) -> None:
    for i in range(len(addresses)):
        plain[i] = _collect(addresses[i], sizes[i], keys[i])


def read_headers(files: Sequence[NDArray[np.uint8]]) -> list[ImageInfo | None]:
    """The headers of JPEG files, by `parse_header`, remembered by kind.

    Parameters
    ----------
    files : sequence of ndarray of uint8
        Each contiguous in memory.

    Returns
    -------
    list of ImageInfo or None
        ``None`` for what is no JPEG file with a plain header: `image_codec.peek` knows more.
    """
    addresses, sizes = addresses_of(files), shapes_of(files)[:, 0]
    keys = np.zeros((len(files), _FRAME + _LONGEST + 2), np.int32)
    plain = np.zeros(len(files), np.bool_)
    _collect_all(addresses, sizes, keys, plain)
    kinds = keys.view(f"V{keys.shape[1] * keys.itemsize}").ravel().tolist()
    found = [_known.get(kind) if ok else None for kind, ok in zip(kinds, plain.tolist(), strict=True)]
    for index in np.flatnonzero(plain).tolist() if None in found else ():
        if found[index] is None:
            found[index] = _header(kinds[index], files[index])
    return found


def _header(kind: bytes, data: NDArray[np.uint8]) -> ImageInfo | None:
    info = _known.get(kind)
    if info is None:
        try:
            info = parse_header(data)
        except DecodeError:
            return None
        if len(_known) >= _MOST:
            _known.clear()
        _known[kind] = info
    return info


def have_ends(files: Sequence[NDArray[np.uint8]]) -> NDArray[np.bool_]:
    """Which JPEG files close with an end marker, bool, (N,)."""
    if isinstance(files, Pieces):
        last = np.maximum(files.starts + files.sizes - 1, 1)
        return (files.sizes > 3) & (files.slab[last] == 0xD9) & (files.slab[last - 1] == 0xFF)
    ends = (len(file) > 3 and file[-1] == 0xD9 and file[-2] == 0xFF for file in files)
    return np.fromiter(ends, np.bool_, len(files))
