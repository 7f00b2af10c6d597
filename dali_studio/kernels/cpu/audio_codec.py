"""Files of sound (WAV, FLAC, OGG and others): WAV files with whole numbers by compiled code, all others by libsndfile.

The package ``soundfile`` brings libsndfile. Compiled code calls it where its functions are within reach, so that
threads decode without Python's lock.
"""

from __future__ import annotations

import io
import struct
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array

#: Element types that sound is decoded to.
DTYPES = (np.dtype(np.float32), np.dtype(np.int16), np.dtype(np.int32))
_FUNCTIONS = ("sf_open_virtual", "sf_readf_short", "sf_readf_int", "sf_readf_float", "sf_seek", "sf_close")
#: Numbers of an opened file (`sndfile.cpp`), the last of which are frames, rate and channels.
_FIELDS = 8
_PCM, _MAX_CHANNELS, _MAX_BITS = 1, 1024, 32


class SoundError(ValueError):
    """A file that is no sound, or a damaged one."""


class NoDecoderError(RuntimeError):
    """libsndfile is not there."""


def _library() -> Any:
    try:
        import soundfile  # noqa: PLC0415 # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
    except ImportError as error:
        raise NoDecoderError("the package soundfile is not installed") from error
    except OSError as error:
        raise NoDecoderError(f"libsndfile cannot be loaded ({error})") from error
    return soundfile


@cache
def _addresses(library: Any) -> NDArray[np.int64] | None:
    """Where the functions of libsndfile lie, for compiled code; ``None`` where ``soundfile`` does not tell."""
    try:
        cast, functions = library._ffi.cast, library._snd  # noqa: SLF001
        found = [int(cast("intptr_t", getattr(functions, name))) for name in _FUNCTIONS]
    except (AttributeError, TypeError):
        return None
    return np.array(found, np.int64)


class _Wav(NamedTuple):
    """A WAV file with whole numbers: its samples begin at byte `start` and have `size` bytes each."""

    start: int
    size: int
    frames: int
    channels: int
    rate: int


def _wav(data: NDArray[np.uint8]) -> _Wav | None:
    """The samples of a WAV file; ``None`` for all that is not as plain as can be."""
    head = data[:12].tobytes()
    if head[:4] != b"RIFF" or head[8:] != b"WAVE":
        return None
    at, form = 12, b""
    while at + 8 <= len(data):
        name, length = struct.unpack("<4sI", data[at : at + 8].tobytes())
        at += 8
        if name == b"fmt ":
            form = data[at : at + 16].tobytes()
        elif name == b"data":
            break
        at += length + length % 2
    else:
        return None
    if len(form) < 16:
        return None
    kind, channels, rate, _, block, bits = struct.unpack("<HHIIHH", form)
    size = bits // 8
    plain = kind == _PCM and bits % 8 == 0 and 0 < bits <= _MAX_BITS and 0 < channels <= _MAX_CHANNELS and rate
    if not plain or block != size * channels or length % block or at + length > len(data):
        return None
    return _Wav(at, size, length // block, channels, rate)


class SoundFile:
    """An opened file of sound.

    Parameters
    ----------
    data : ndarray of uint8
        Its bytes, which are not copied.

    Attributes
    ----------
    frames : int
        Samples of each channel, as the header says.
    channels, rate : int

    Raises
    ------
    SoundError
    NoDecoderError
    """

    def __init__(self, data: NDArray[np.uint8]) -> None:
        self._data = np.ascontiguousarray(data)
        self._state: NDArray[np.int64] | None = None
        self._wav = _wav(self._data)
        if self._wav is not None:
            self.frames, self.channels, self.rate = self._wav[2:]
            return
        library = _library()
        self._addresses = _addresses(library)
        state = np.zeros(_FIELDS, np.int64)
        if self._addresses is not None and kernel("open_sound")(self._data, state, self._addresses):
            self._state = state
            self.frames, self.rate, self.channels = state[-3:].tolist()
        else:  # it says why, if it cannot be opened
            try:
                self._file = library.SoundFile(io.BytesIO(self._data.data))
            except library.LibsndfileError as error:
                raise SoundError(error.error_string) from error
            self.frames, self.channels = int(self._file.frames), int(self._file.channels)
            self.rate = int(self._file.samplerate)
        if self.rate < 1 or self.channels < 1 or self.frames < 0:
            raise SoundError(f"the header states {self.rate} Hz, {self.channels} channels and {self.frames} samples")

    def __del__(self) -> None:
        """Close the file; its memory is that of the library."""
        if getattr(self, "_state", None) is not None:
            kernel("close_sound")(self._state, self._addresses)

    def read(self, out: Array, first: int = 0) -> None:
        """Decode the frames from `first` on.

        Integers become floats from -1 to 1, and integers of another width by shifting. Floats become integers by
        rounding alone: this is libsndfile's and nvidia.dali's rule.

        Parameters
        ----------
        out : ndarray
            (frames, channels), of one of `DTYPES`; not more than there are.
        """
        if self._wav is not None:
            start = self._wav.start + first * self._wav.size * self.channels
            kernel("read_wav", out.dtype)(self._data, start, self._wav.size, out)
            return
        if self._state is not None:
            done = kernel("read_sound", out.dtype)(self._state, out, first, self._addresses)
        else:
            library = _library()
            try:
                self._file.seek(first)
                done = len(self._file.read(out=out))
            except library.LibsndfileError as error:
                raise SoundError(error.error_string) from error
        if done != len(out):
            raise SoundError(f"the file is damaged or cut off: it states {self.frames} samples, and has {first + done}")
