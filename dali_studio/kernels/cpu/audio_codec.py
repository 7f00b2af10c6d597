"""Files of sound (WAV, FLAC, OGG and others): WAV files with whole numbers by compiled code, all others by libsndfile.

The package ``soundfile`` brings libsndfile. Compiled code calls it where its functions are within reach, so that
threads decode without Python's lock.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array

#: Element types that sound is decoded to.
DTYPES = (np.dtype(np.float32), np.dtype(np.int16), np.dtype(np.int32))
_FUNCTIONS = ("sf_open_virtual", "sf_readf_short", "sf_readf_int", "sf_readf_float", "sf_seek", "sf_close")
#: Numbers of an opened file (`sndfile.cpp`), the last of which are frames, rate and channels.
_FIELDS, _FRAMES = 8, 5
#: Numbers of the head of a WAV file.
_HEAD = 5


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


def wav_heads(files: Batch) -> NDArray[np.int64]:
    """(N, 5): of WAV files with whole numbers, where their samples begin, the bytes of one, frames, channels and rate.

    All are 0 for a file that is not as plain as can be.
    """
    heads = np.empty((len(files), _HEAD), np.int64)
    kernel("wav_heads")(files.addresses, files.shapes[:, 0], heads)
    return heads


def reading_wavs(files: Batch, heads: NDArray[np.int64], out: Batch) -> Callable[[int, int], None]:
    """What decodes all of such files, from one to before another, into samples of one of `DTYPES`."""
    sources, targets, run = files.addresses, out.addresses, kernel("read_wavs", out.dtype)

    def compute(begin: int, end: int) -> None:
        run(sources[begin:end], heads[begin:end], targets[begin:end])

    return compute


class SoundFiles:
    """The files of a batch, opened by libsndfile where compiled code reaches its functions.

    Parameters
    ----------
    files : Batch
        Their bytes, which are not copied.

    Raises
    ------
    NoDecoderError
    """

    def __init__(self, files: Batch) -> None:
        self._files, self._sources, self._sizes = files, files.addresses, files.shapes[:, 0]
        self._states = np.zeros((len(files), _FIELDS), np.int64)
        self._library = _addresses(_library())

    def open(self, begin: int, end: int) -> bool:
        """Open some, and say whether all of them can be, and have a meaningful header."""
        if self._library is None:
            return False
        own = slice(begin, end)
        states = self._states[own]
        opened = kernel("open_sounds")(self._sources[own], self._sizes[own], states, self._library)
        return opened == end - begin and bool((states[:, _FRAMES:] >= (0, 1, 1)).all())

    def __del__(self) -> None:
        """Close them; their memory is that of the library."""
        if getattr(self, "_library", None) is not None:
            kernel("close_sounds")(self._states, self._library)

    @property
    def headers(self) -> NDArray[np.int64]:
        """(N, 3) samples of each channel, channels and rate."""
        return self._states[:, [_FRAMES, _FRAMES + 2, _FRAMES + 1]]

    def reading(self, out: Batch) -> Callable[[int, int], Sequence[int]]:
        """What decodes all of the files from one to before another, once; gives those from the first damaged one on."""
        states, library, targets, run = self._states, self._library, out.addresses, kernel("read_sounds", out.dtype)

        def compute(begin: int, end: int) -> Sequence[int]:
            return range(begin + run(states[begin:end], targets[begin:end], library), end)

        return compute


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
        self._start, self._size, self.frames, self.channels, self.rate = wav_heads(Batch.of([self._data]))[0].tolist()
        if self._start:
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
        if self._start:
            start = self._start + first * self._size * self.channels
            kernel("read_wav", out.dtype)(self._data, start, self._size, out)
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
