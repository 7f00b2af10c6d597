"""What is known about a file of a data set: from its header, and after decoding it."""

from __future__ import annotations

import hashlib
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from dali_studio.core.wording import plural
from dali_studio.kernels.cpu.audio_codec import NoDecoderError, SoundError, SoundFile
from dali_studio.kernels.cpu.file_discovery import not_a_file
from dali_studio.kernels.cpu.image_codec import DecodeError, ImageInfo, decode, peek
from dali_studio.operators.decoders.common import DecoderArguments, decoded_shape

#: Bytes that most headers lie within.
_HEAD = 1 << 16
#: Pixels of a picture that is decoded while no other such picture is, and samples of sound that are decoded at once.
_LARGE, _BLOCK = 1 << 24, 1 << 20
_one_large = threading.Lock()
_SOUNDS = {b"RIFF": "WAV", b"fLaC": "FLAC", b"OggS": "OGG"}
_CHANNELS = {1: "gray", 2: "gray and alpha", 3: "RGB", 4: "RGB and alpha"}


class FileInfo(msgspec.Struct, array_like=True):
    """What is known about a file.

    Attributes
    ----------
    size, time : int
        Bytes, and when it was changed, in ns; what was found out holds as long as both are the same. The time is
        negative where it need not hold the next time: the file could not be read.
    kind, colors : str
        Format and colours, such as "jpeg" and "RGB"; of sounds, the channels.
    height, width : int
        Of the upright picture; 0 for sounds.
    digest : str
        Of the contents; equal files have the same. Empty before the file is decoded.
    problem : str
        Why it cannot be used.
    """

    size: int
    time: int
    kind: str = ""
    colors: str = ""
    height: int = 0
    width: int = 0
    digest: str = ""
    problem: str = ""

    @property
    def sounds(self) -> bool:
        """Whether it is no picture."""
        return self.width == 0

    @property
    def done(self) -> bool:
        """Whether nothing is left to be found out."""
        return bool(self.digest or self.problem)

    def holds(self, path: str) -> bool:
        """Whether the file is still the one that this is about."""
        try:
            found = Path(path).stat()
        except OSError:
            return False
        return (found.st_size, found.st_mtime_ns) == (self.size, self.time)


def read_header(path: str) -> FileInfo:
    """What the header says; the file is not decoded."""
    about = FileInfo(0, -1)
    try:
        found = Path(path).stat()
        if kind := "a folder" if stat.S_ISDIR(found.st_mode) else not_a_file(found.st_mode):
            about.problem = f"it is {kind}, not a file"
            return about
        with Path(path).open("rb") as file:
            _read_head(about, file)
        about.size, about.time = found.st_size, found.st_mtime_ns
    except (OSError, MemoryError, NoDecoderError) as error:
        about.problem = _reason(error)
    return about


def _read_head(about: FileInfo, file: BinaryIO) -> None:
    """Read as much of the file as the header takes."""
    data = file.read(_HEAD)
    try:
        if not _is_sound(data):
            with suppress(DecodeError):
                _describe(about, data)
                return
        _describe(about, data + file.read())
    except (DecodeError, SoundError) as error:
        about.problem = str(error)


def decode_file(path: str, about: FileInfo) -> FileInfo:
    """Decode the file as `decoders.image` and `decoders.audio` do, and complete what is known about it."""
    try:
        content = Path(path).read_bytes()
        about.digest, data = hashlib.blake2b(content, digest_size=16).hexdigest(), np.frombuffer(content, np.uint8)
        if _is_sound(content):
            _decode_sound(data)
        else:
            _decode_picture(data)
    except (DecodeError, SoundError) as error:
        about.problem = str(error)
    except (OSError, MemoryError, NoDecoderError) as error:
        about.time, about.problem = -1, _reason(error)
    return about


def _is_sound(data: bytes) -> bool:
    return data[:4] in _SOUNDS and data[8:12] != b"WEBP"


def _describe(about: FileInfo, content: bytes) -> None:
    data = np.frombuffer(content, np.uint8)
    if _is_sound(content):
        sound = SoundFile(data)
        about.kind, about.colors = _SOUNDS[content[:4]], f"{plural(sound.channels, 'channel')}, {sound.rate:,} Hz"
        return
    info, (about.height, about.width, _) = _shape(data)
    inks = "CMYK" if info.colors in ("cmyk", "ycck") else _CHANNELS.get(info.channels, plural(info.channels, "channel"))
    about.kind, about.colors = info.format, inks if info.bit_depth <= 8 else f"{inks}, {info.bit_depth} bits"


def _shape(data: NDArray[np.uint8]) -> tuple[ImageInfo, tuple[int, int, int]]:
    """The header and the shape of the decoded picture, within what decoders accept unless they are told otherwise."""
    info = peek(data)
    shape = decoded_shape(info, "RGB", DecoderArguments.max_pixels, upright=True)
    if isinstance(shape, DecodeError):
        raise shape
    return info, shape


def _decode_picture(data: NDArray[np.uint8]) -> None:
    info, (height, width, _) = _shape(data)
    if height * width < _LARGE:
        decode(data, info)
        return
    with _one_large:
        decode(data, info)


def _decode_sound(data: NDArray[np.uint8]) -> None:
    sound = SoundFile(data)
    room = np.empty((max(_BLOCK // sound.channels, 1), sound.channels), np.int16)
    for first in range(0, sound.frames, len(room)):
        sound.read(room[: sound.frames - first], first)


def _reason(error: OSError | MemoryError | NoDecoderError) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory to decode it"
    return f"it cannot be read: {error.strerror}" if isinstance(error, OSError) else str(error)
