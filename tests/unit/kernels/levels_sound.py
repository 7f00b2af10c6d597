"""Sound: resampling, emphasis, decibels, silence, spectra, matrices along an axis, WAV files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from levels_pixels import noise
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import audio, fourier, linear
from dali_studio.kernels.cpu.audio_codec import SoundFile
from dali_studio.schema.samples import sound_files

WHOLE = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
LONG = ("uint64", "int64", "float32")


def of_samples(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for channels, rate, quality in ((1, 0.73, 50), (1, 2.1, 0), (2, 0.4, 100), (3, 1.0, 33)):
        sound = random.normal(0, 0.4, (500, channels)).astype(np.float32)
        out = np.empty((int(500 * rate), channels), np.float32)
        audio.resample(sound, out, 1.0, rate, quality)
        yield out
    for name in WHOLE:
        sound = audio.to_sound(noise(random, (77,), name), np.dtype("int16"))
        yield sound
        out = np.empty(77, name)
        audio.from_sound(random.normal(0, 0.6, 77).astype(np.float32), out)
        yield out
    for name in (*WHOLE, *LONG, "float64"):
        for border in audio.BORDERS:
            out = np.empty(130, "int32")
            audio.preemphasis(noise(random, (130,), name), out, 0.97, border)
            yield out
    for name in (*WHOLE, *LONG):
        for interval in (None, 64):
            made = [np.zeros((), np.int32) for _ in range(2)]
            sound, begin, length = (Batch.of([one]) for one in (noise(random, (900,), name), *made))
            audio.nonsilent_regions(sound, begin, length, 16, interval, -3.0, None)(0, 1)
            yield from made


def of_spectra(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    signal = random.normal(0, 1, 1000).astype(np.float32)
    for size in (64, 75, 98, 180, 512):
        for time_major in (False, True):
            windows = int(fourier.spectrogram_shapes(np.array([[1000]]), size, 40, 1, centred=True, time_major=True)[0][0, 0])
            out = np.empty((windows, size // 2 + 1) if time_major else (size // 2 + 1, windows), np.float32)
            fourier.spectrogram(
                signal, out, fourier.hann_window(size), 40, size, centred=True, reflect=True, root=time_major,
                time_major=time_major,
            )  # fmt: skip
            yield out
            made = np.empty_like(out)
            audio.to_decibels(out.reshape(-1), made.reshape(-1), 10.0, 0.0, -80.0)
            yield made
            axis = int(time_major)
            rows = linear.Matrix.of(random.normal(0, 1, (13, out.shape[axis])).astype(np.float32))
            shape = [13 if one == axis else extent for one, extent in enumerate(out.shape)]
            product = np.empty(shape, np.float32)
            linear.transform_axis(out, product, axis, rows)
            yield product


def of_files(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    del random
    for bits in (8, 16, 24, 32):
        for file in sound_files((100, 7), bits, channels=2).samples():
            opened = SoundFile(file)
            for name in ("int16", "int32", "float32"):
                out = np.empty((opened.frames, 2), name)
                opened.read(out)
                yield out


def digest() -> str:
    """Of all that is computed here."""
    made = hashlib.sha256()
    for part in (of_samples, of_spectra, of_files):
        for result in part(np.random.default_rng(7)):
            made.update(np.ascontiguousarray(result).tobytes())
    return made.hexdigest()
