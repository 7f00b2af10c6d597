"""OpenJPEG called directly: colours of more than 8 bits in JPEG 2000, of which Pillow keeps 8.

The library is the one that Pillow brings along or is linked to.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_int, c_int64, c_size_t, c_uint32, c_void_p
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.wording import byte_count
from dali_studio.kernels.cpu.image_info import DecodeError

_CODESTREAM, _JP2 = 0, 2
_SYCC = 3
_PARAMETERS = 1 << 14  # bytes, more than the structure of parameters has
_WORD = 16


class _Component(Structure):
    _fields_ = [
        *((name, c_uint32) for name in ("dx", "dy", "w", "h", "x0", "y0", "prec", "bpp", "sgnd", "level", "factor")),
        ("data", POINTER(ctypes.c_int32)), ("alpha", ctypes.c_uint16),
    ]  # fmt: skip


class _Image(Structure):
    _fields_ = [
        *((name, c_uint32) for name in ("x0", "y0", "x1", "y1", "count")),
        ("colors", c_int), ("components", POINTER(_Component)), ("profile", c_void_p), ("length", c_uint32),
    ]  # fmt: skip


_Read = ctypes.CFUNCTYPE(c_size_t, c_void_p, c_size_t, c_void_p)
_Skip = ctypes.CFUNCTYPE(c_int64, c_int64, c_void_p)
_Seek = ctypes.CFUNCTYPE(c_int, c_int64, c_void_p)


class _File:
    """A file in memory as OpenJPEG reads it."""

    def __init__(self, data: memoryview) -> None:
        self._data, self._at = np.frombuffer(data, np.uint8), 0
        self.callbacks = _Read(self._read), _Skip(self._skip), _Seek(self._seek)

    def _read(self, target: int, size: int, _: Any) -> int:
        count = min(size, self._data.size - self._at)
        if count <= 0:
            return ctypes.c_size_t(-1).value
        ctypes.memmove(target, self._data.ctypes.data + self._at, count)
        self._at += count
        return count

    def _skip(self, size: int, _: Any) -> int:
        count = max(min(size, self._data.size - self._at), -self._at)
        self._at += count
        return count

    def _seek(self, place: int, _: Any) -> int:
        self._at = min(max(place, 0), self._data.size)
        return int(self._at == place)


def decode(data: memoryview, shape: tuple[int, int, int]) -> NDArray[np.uint16]:
    """The pixels of a file with 3 or 4 channels of 9 to 16 bits, which are the upper ones of 16.

    Parameters
    ----------
    data : memoryview
    shape : (int, int, int)
        Height, width and channels that its header states.

    Raises
    ------
    DecodeError
        When the file is damaged or cut off, or its channels differ in size, in bits or in sign.
    """
    library = _library()
    assert library is not None, "peek has refused the file"
    file, image = _File(data), POINTER(_Image)()
    stream = library.opj_stream_default_create(1)
    codec = library.opj_create_decompress(_JP2 if bytes(data[:4]) == b"\0\0\0\x0c" else _CODESTREAM)
    try:
        for name, callback in zip(("read", "skip", "seek"), file.callbacks, strict=True):
            getattr(library, f"opj_stream_set_{name}_function")(stream, callback)
        library.opj_stream_set_user_data_length(stream, len(data))
        parameters = ctypes.create_string_buffer(_PARAMETERS)
        library.opj_set_default_decoder_parameters(parameters)
        if not (
            library.opj_setup_decoder(codec, parameters)
            and library.opj_read_header(stream, codec, ctypes.byref(image))
            and library.opj_decode(codec, stream, image)
        ):
            raise DecodeError(f"this JPEG 2000 file of {byte_count(len(data))} is damaged or cut off")
        return _pixels(image.contents, shape)
    finally:
        if image:
            library.opj_image_destroy(image)
        library.opj_destroy_codec(codec)
        library.opj_stream_destroy(stream)


def _pixels(image: _Image, shape: tuple[int, int, int]) -> NDArray[np.uint16]:
    height, width, channels = shape
    out = np.empty(shape, np.uint16)
    components = image.components[: image.count]
    bits = components[0].prec
    alike = all((c.h, c.w, c.prec, c.sgnd) == (height, width, bits, 0) and c.data for c in components)
    if len(components) != channels or not alike or bits > _WORD or image.colors == _SYCC:
        raise DecodeError("this JPEG 2000 has channels of different kinds, or YCbCr, with more than 8 bits")
    for index, component in enumerate(components):
        plane = np.ctypeslib.as_array(component.data, (height, width))
        out[..., index] = plane.clip(0, (1 << bits) - 1) << _WORD - bits
    return out


def is_available() -> bool:
    """Whether Pillow's extension module leads to OpenJPEG."""
    return _library() is not None


@cache
def _library() -> Any:
    try:
        from PIL import _imaging  # noqa: PLC0415 - its C part

        library = ctypes.CDLL(_imaging.__file__)
        pointers = {"opj_stream_default_create": (c_int,), "opj_create_decompress": (c_int,)}
        calls = {
            "opj_stream_set_read_function": (c_void_p, _Read), "opj_stream_set_skip_function": (c_void_p, _Skip),
            "opj_stream_set_seek_function": (c_void_p, _Seek),
            "opj_stream_set_user_data_length": (c_void_p, ctypes.c_uint64),
            "opj_set_default_decoder_parameters": (c_void_p,), "opj_setup_decoder": (c_void_p, c_void_p),
            "opj_read_header": (c_void_p, c_void_p, c_void_p), "opj_decode": (c_void_p, c_void_p, c_void_p),
            "opj_image_destroy": (c_void_p,), "opj_destroy_codec": (c_void_p,), "opj_stream_destroy": (c_void_p,),
        }  # fmt: skip
        for name, arguments in {**pointers, **calls}.items():
            function = getattr(library, name)
            function.argtypes, function.restype = arguments, c_void_p if name in pointers else c_int
    except (ImportError, AttributeError, OSError):
        return None
    return library
