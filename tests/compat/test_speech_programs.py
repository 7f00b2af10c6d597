"""Input pipelines of speech recognition, as nvidia.dali's examples have them, against nvidia.dali itself."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import check

from dali_studio import fn
from dali_studio.schema.tolerance import Tolerance

pytestmark = pytest.mark.usefixtures("nvidia")
soundfile = pytest.importorskip("soundfile", exc_type=ImportError)

NOISE = Tolerance(relative=2e-5, reason="the spectra differ in their last bits")
SPEECH = Tolerance(relative=5e-4, reason="so do frequencies without sound, where nothing but last bits is left, of which logarithms are taken")
NEEDED = [name for name in ("normalize", "pad", "slice") if not hasattr(fn, name)]

LOG_MEL = """
    audio, rate = fn.decoders.audio(files, downmix=True, sample_rate=16000.0)
    audio = fn.preemphasis_filter(audio, preemph_coeff=0.97)
    power = fn.spectrogram(audio, nfft=512, window_length=320, window_step=160)
    mel = fn.mel_filter_bank(power, sample_rate=16000.0, nfilter=80, freq_high=8000.0)
    return fn.to_decibels(mel, multiplier=10.0, reference=1.0, cutoff_db=-80.0), rate
"""

#: Silence cut off, dither, features normalised over time, batches padded.
JASPER = """
    audio, _ = fn.decoders.audio(files, downmix=True, dtype=types.FLOAT)
    begin, length = fn.nonsilent_region(audio, cutoff_db=-60.0)
    audio = fn.slice(audio, begin, length, normalized_anchor=False, normalized_shape=False, axes=[0])
    audio = fn.audio_resample(audio, scale=fn.random.uniform(range=(0.9, 1.1)))
    audio = audio + fn.random.normal(audio) * 1e-5
    audio = fn.preemphasis_filter(audio, preemph_coeff=0.97)
    power = fn.spectrogram(audio, nfft=512, window_length=320, window_step=160)
    mel = fn.mel_filter_bank(power, sample_rate=16000.0, nfilter=64, freq_low=0.0, freq_high=8000.0, normalize=True)
    features = fn.to_decibels(mel, multiplier=np.log(10), reference=1.0, cutoff_db=np.log(1e-20))
    features = fn.normalize(features, axes=[1])
    return fn.pad(features, fill_value=0, align=16, axes=(1,))
"""

#: Windows from the very first sample, frames stacked by three.
RNN_T = """
    audio, _ = fn.decoders.audio(files, downmix=True, sample_rate=16000.0)
    audio = fn.preemphasis_filter(audio, preemph_coeff=0.97, border="zero")
    power = fn.spectrogram(audio, nfft=512, window_length=320, window_step=160, center_windows=False, layout="tf")
    mel = fn.mel_filter_bank(power, sample_rate=16000.0, nfilter=80, freq_high=8000.0, mel_formula="htk")
    features = math.log(mel + 1e-10)
    mean = fn.reductions.mean(features, axes=[0], keep_dims=True)
    deviation = fn.reductions.std_dev(features, mean, axes=[0], keep_dims=True)
    return (features - mean) / (deviation + 1e-5)
"""

CEPSTRUM = """
    audio, _ = fn.decoders.audio(files, downmix=True)
    power = fn.spectrogram(audio, nfft=2048, window_length=2048, window_step=512, power=1)
    mel = fn.mel_filter_bank(power, sample_rate=16000.0, nfilter=128, freq_high=8000.0)
    return fn.mfcc(fn.to_decibels(mel, multiplier=20.0, cutoff_db=-80.0), axis=0, dct_type=2, n_mfcc=40, normalize=True, lifter=26.0)
"""
COMPLETE = pytest.mark.skipif(bool(NEEDED), reason=f"needs fn.{', fn.'.join(NEEDED)}")
PROGRAMS = [
    pytest.param(LOG_MEL, id="log-mel"), pytest.param(JASPER, id="Jasper", marks=COMPLETE), pytest.param(RNN_T, id="RNN-T"),
    pytest.param(CEPSTRUM, id="MFCC"),
]  # fmt: skip


def noise(samples: int) -> Any:
    """A file with all frequencies, at the rate that the programs work with."""
    stream = io.BytesIO()
    soundfile.write(stream, np.random.default_rng(samples).normal(0, 0.1, samples), 16000, format="WAV", subtype="PCM_16")
    return np.frombuffer(stream.getvalue(), np.uint8)


@pytest.mark.parametrize("program", PROGRAMS)
def test_noise(program: str) -> None:
    check(program, {"files": [noise(samples) for samples in (9000, 3117, 4096, 12345)]}, NOISE, iterations=2)


@pytest.mark.parametrize("form", ["wav", "flac", "ogg"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_real_speech(program: str, form: str, data_dir: Path) -> None:
    paths = sorted((data_dir / "audio" / form).rglob(f"*.{form}"))
    check(program, {"files": [np.fromfile(path, np.uint8) for path in paths]}, SPEECH)


@pytest.mark.parametrize("layout", ["ft", "tf", ""])
def test_spectra_keep_the_layout(layout: str) -> None:
    waves: Any = ([np.random.default_rng(1).normal(size=(30, 5)).astype(np.float32)], layout)
    check("fn.power_spectrum(x, axis=0, nfft=32), fn.mel_filter_bank(x, nfilter=3), fn.mfcc(x, n_mfcc=3)", {"x": waves}, NOISE)
