"""Files of sound (WAV, FLAC, OGG and others), by libsndfile, which the package ``soundfile`` brings."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.views import Array

#: Element types that sound is decoded to.
DTYPES = (np.dtype(np.float32), np.dtype(np.int16), np.dtype(np.int32))


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
        library = _library()
        try:
            self._file = library.SoundFile(io.BytesIO(np.ascontiguousarray(data).data))
        except library.LibsndfileError as error:
            raise SoundError(error.error_string) from error
        self.frames, self.channels = int(self._file.frames), int(self._file.channels)
        self.rate = int(self._file.samplerate)
        if self.rate < 1 or self.channels < 1 or self.frames < 0:
            raise SoundError(f"the header states {self.rate} Hz, {self.channels} channels and {self.frames} samples")

    def read(self, out: Array) -> None:
        """Decode all of it.

        Integers become floats from -1 to 1, and integers of another width by shifting. Floats become integers by
        rounding alone: this is libsndfile's and nvidia.dali's rule.

        Parameters
        ----------
        out : ndarray
            (frames, channels), of one of `DTYPES`.
        """
        library = _library()
        try:
            self._file.seek(0)
            done = len(self._file.read(out=out))
        except library.LibsndfileError as error:
            raise SoundError(error.error_string) from error
        if done != self.frames:
            raise SoundError(f"the file is damaged or cut off: it states {self.frames} samples, and has {done}")
