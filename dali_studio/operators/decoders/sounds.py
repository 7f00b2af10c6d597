"""Decoding of sound, as the decoder and the readers of sound do it."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.audio import downmix, from_sound, resample
from dali_studio.kernels.cpu.audio_codec import SoundError
from dali_studio.operators.common import sentence


class Sound(Protocol):
    """An opened file of sound, or a part of one."""

    frames: int
    channels: int
    rate: int

    def read(self, out: NDArray[Any]) -> None:
        """Decode all of it, (frames, channels)."""
        ...


def decode_sound(file: Sound, out: NDArray[Any], wanted: float, quality: float, *, mixed: bool) -> None:
    """Decode a file of sound.

    Parameters
    ----------
    file : Sound
    out : ndarray
        (samples, channels) or, where channels are `mixed`, (samples,).
    wanted : float
        The rate to resample to, perhaps the file's.
    quality : float
        Of resampling, 0 to 100.

    Raises
    ------
    SoundError
    """
    mixed = mixed and file.channels > 1
    if not mixed and wanted == file.rate:
        file.read(out.reshape(file.frames, file.channels))
        return
    sound = np.empty((file.frames, file.channels), np.float32)
    file.read(sound)
    if mixed:
        one = np.empty(file.frames, np.float32)
        downmix(sound, one)
        sound = one[:, None]
    if wanted != file.rate:
        made = out.reshape(-1, sound.shape[1])
        if out.dtype != np.float32:
            made = np.empty(made.shape, np.float32)
        resample(sound, made, file.rate, wanted, quality)
        sound = made
    if out.dtype != np.float32:
        from_sound(sound, out)
    elif wanted == file.rate:
        out[...] = sound.reshape(out.shape)


def whole_lengths(lengths: NDArray[np.float64]) -> NDArray[np.int64]:
    """Lengths as whole numbers; what no memory holds is refused by those who ask for it."""
    return np.minimum(lengths, 2.0**60).astype(np.int64)


def sound_finding(error: SoundError, sample: int | None = None) -> ArgumentError:
    """What is said of a file that cannot be decoded."""
    hint = 'Replace the file, or take it out of the data set; on_error="skip" leaves such files out.'
    return ArgumentError(sentence(error), hint=hint, sample=sample, code="DS301")
