"""Sounds longer than what a block of a kernel holds at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from gpu_programs import both

from dali_studio import fn, types
from dali_studio.kernels.cpu.audio import lobes_of
from dali_studio.kernels.cuda import audio

pytestmark = pytest.mark.gpu


def sounds(lengths: Sequence[int], dtype: str, channels: int = 1) -> list[np.ndarray[Any, Any]]:
    """Noise that swells and fades, in silence."""
    made: list[np.ndarray[Any, Any]] = []
    for length in lengths:
        noise = np.random.default_rng(length).normal(0, 0.1, (length, channels)) * np.hanning(length)[:, None] ** 8
        loud = noise if dtype == "f4" else noise * np.iinfo(dtype).max
        made.append(loud.astype(dtype)[:, 0] if channels == 1 else loud.astype(dtype))
    return made


RATES: dict[str, Callable[[Any], Any]] = {
    "lower": lambda x: fn.audio_resample(x, in_rate=22050.0, out_rate=16000.0),
    "higher": lambda x: fn.audio_resample(x, scale=2.7),
    "much lower": lambda x: fn.audio_resample(x, scale=0.004),  # a block reaches over more than it holds
    "sharp": lambda x: fn.audio_resample(x, scale=0.31, quality=100.0),
    "blunt": lambda x: fn.audio_resample(x, scale=1.0, quality=0.0),
}


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("dtype", ["f4", "i2"])
@pytest.mark.parametrize("name", RATES)
def test_rates(name: str, dtype: str, channels: int) -> None:
    made = sounds((5000, 257, 9001, 1, 256), dtype, channels)
    for ours, expected in zip(*both(RATES[name], made, ""), strict=True):
        assert ours.shape == expected.shape
        if dtype == "f4":
            np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-6)
        else:  # where the last bit decides how a number is rounded
            assert np.abs(ours.astype(int) - expected).max(initial=0) <= 1


@pytest.mark.parametrize(
    "rates", [(22050.0, 16000.0), (48000.0, 16000.0), (16000.0, 14400.0), (48000.0, 7000.0), (9.0, 9.0)]
)
@pytest.mark.parametrize("quality", [0.0, 50.0])
def test_weights_that_were_computed_before(
    monkeypatch: pytest.MonkeyPatch, rates: tuple[float, float], quality: float
) -> None:
    """They give the very bytes of those that each thread computes."""
    made = sounds((32000, 5, 40, 7777, 1, 257), "f4")
    define = lambda x: fn.audio_resample(x, in_rate=rates[0], out_rate=rates[1], quality=quality)  # noqa: E731
    steps: list[float] = []
    known = audio.phase_tables
    monkeypatch.setattr(audio, "phase_tables", lambda step, lobes: steps.append(step) or known(step, lobes))
    quick, _ = both(define, made, "")
    assert rates[0] / rates[1] in steps and known(rates[0] / rates[1], lobes_of(quality))
    monkeypatch.setattr(audio, "phase_tables", lambda *_: None)
    slow, _ = both(define, made, "")
    assert [one.tobytes() for one in quick] == [one.tobytes() for one in slow]


@pytest.mark.parametrize("window", [{}, {"window_length": 3, "reset_interval": 9}, {"reset_interval": -1}, {"window_length": 9000,
                                    "reset_interval": 9000}])  # fmt: skip
@pytest.mark.parametrize("dtype", ["f4", "i2", "i4"])
@pytest.mark.parametrize("cutoff", [-60.0, -10.0])
def test_silence(dtype: str, window: dict[str, int], cutoff: float) -> None:
    made = sounds((12_000, 2048, 2049, 4097, 1, 9000), dtype)
    for begin in (0, 1):
        define = lambda x, b=begin: fn.nonsilent_region(x, cutoff_db=cutoff, **window)[b]  # noqa: E731
        ours, expected = both(define, made, "")
        assert [int(np.asarray(one)) for one in ours] == [int(np.asarray(one)) for one in expected]


@pytest.mark.parametrize("border", ["zero", "clamp", "reflect"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u1"])
def test_emphasis(dtype: str, border: str) -> None:
    made = [np.random.default_rng(n).integers(0, 100, n).astype(dtype) for n in (5000, 1023, 1024, 1025, 256, 1)]
    for ours, expected in zip(*both(lambda x: fn.preemphasis_filter(x, border=border), made, ""), strict=True):
        assert np.array_equal(ours, expected) or (dtype == "f8" and np.allclose(ours, expected, 1e-6))


@pytest.mark.parametrize("longest", [1 << 17, 5000])
@pytest.mark.parametrize("reference", [None, 2.0])
def test_decibels_of_the_largest(monkeypatch: pytest.MonkeyPatch, longest: int, reference: float | None) -> None:
    """By one block of each sample, or by a reduction where samples are long."""
    monkeypatch.setattr("dali_studio.kernels.cuda.audio._ALONE", longest)
    rng = np.random.default_rng(1)
    made = [rng.exponential(2, shape).astype("f4") for shape in ((80, 101), (3, 1), (1, 1), (80, 7))] + [np.zeros((4, 5), "f4")]
    for ours, expected in zip(*both(lambda x: fn.to_decibels(x, reference=reference), made, "ft"), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("settings", [{"axes": [1]}, {"axes": [0, 1]}, {"axes": [1], "ddof": 1, "epsilon": 0.1}, {"axes": [0]},
                                      {"axes": [1], "scale": 20.0, "shift": 100.0, "dtype": types.UINT8}])  # fmt: skip
@pytest.mark.parametrize("extents", [((80, 1025), (3, 1), (80, 31)), ((5, 900), (1, 1), (7, 33)), ((2, 20000), (1, 3))])
@pytest.mark.parametrize("dtype", ["f4", "u1"])
def test_rows_are_normalised(settings: dict[str, Any], extents: Any, dtype: str) -> None:
    """Rows for a warp, for a block, and longer ones."""
    rng = np.random.default_rng(2)
    made = [rng.normal(100, 20, shape).astype(dtype) for shape in extents]
    for ours, expected in zip(*both(lambda x: fn.normalize(x, **settings), made, "ft"), strict=True):
        assert ours.dtype == expected.dtype and ours.shape == expected.shape
        if ours.dtype == np.uint8:
            assert np.abs(ours.astype(int) - expected).max() <= 1 and (ours != expected).mean() < 0.002
        else:
            np.testing.assert_allclose(ours, expected, rtol=0, atol=2e-6 * max(np.abs(expected).max(), 1))


#: Transforms that registers of a block hold, in steps of all factors, alone and two at once, and longer ones.
@pytest.mark.parametrize("size", [1, 2, 3, 12, 75, 98, 400, 512, 1029, 1200, 8192, 8232, 16384])
@pytest.mark.parametrize("layout", ["ft", "tf"])
def test_spectra_of_all_lengths(size: int, layout: str) -> None:
    made = [np.random.default_rng(n).normal(0, 0.1, n).astype("f4") for n in (9000, 40, 317, 1)]
    width, step = max(3 * size // 4, 1), max(size // 5, 1)
    for reflect in (True, False):
        define = lambda x, r=reflect: fn.spectrogram(  # noqa: E731
            x, nfft=size, window_length=width, window_step=step, layout=layout, power=2 - r, reflect_padding=r
        )
        for ours, expected in zip(*both(define, made, ""), strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-6, atol=1e-7 * expected.max())


@pytest.mark.parametrize("windows", [1, 31, 32, 97, 128, 129, 700])
def test_bands_of_many_windows(windows: int) -> None:
    rng = np.random.default_rng(windows)
    made = [rng.exponential(1, (257, extent)).astype("f4") for extent in (windows, 1, 40)]
    for define in (lambda x: fn.mel_filter_bank(x, nfilter=40), lambda x: fn.mfcc(x, n_mfcc=13, lifter=22.0)):
        for ours, expected in zip(*both(define, made, "ft"), strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-6)
