"""Spectra, matrices along an axis and mel filters against numpy in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.kernels.cpu.fourier import hann_window, power_spectrum, spectrogram, spectrogram_shapes
from dali_studio.kernels.cpu.linear import Matrix, transform_axis
from dali_studio.kernels.cpu.mel import FORMULAS, mel_weights

RANDOM = np.random.default_rng(5)
#: Every factor alone and with others, even and odd, a prime that numpy transforms, and one number.
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 24, 35, 49, 64, 75, 100, 105, 128, 210, 243, 320, 400, 512, 625, 22, 13)


def close(result: Any, expected: Any) -> None:
    assert result.shape == expected.shape
    assert np.abs(result - expected).max() <= 1e-6 * max(np.abs(expected).max(), 1e-30)


@pytest.mark.parametrize("root", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lines", [1, 2, 3, 8, 11])
def test_spectra(size: int, lines: int, root: bool) -> None:
    signals = RANDOM.normal(0, 1, (lines, size)).astype(np.float32)
    expected = np.abs(np.fft.rfft(signals.astype(np.float64)))
    expected = expected if root else expected**2
    for axis, given, wanted in ((1, signals, expected), (0, np.ascontiguousarray(signals.T), expected.T)):
        out = np.empty(wanted.shape, np.float32)
        power_spectrum(given, out, axis, size, root=root)
        close(out, wanted)


@pytest.mark.parametrize(("axis", "size"), [(0, 8), (1, 100), (2, 13)])
def test_short_signals_stand_in_the_middle(axis: int, size: int) -> None:
    signals = RANDOM.normal(0, 1, (5, 6, 7)).astype(np.float32)
    length = signals.shape[axis]
    padded = np.zeros([size if one == axis else extent for one, extent in enumerate(signals.shape)])
    np.moveaxis(padded, axis, 0)[(size - length) // 2 :][:length] = np.moveaxis(signals, axis, 0)
    expected = np.abs(np.fft.rfft(padded, axis=axis)) ** 2
    out = np.empty(expected.shape, np.float32)
    power_spectrum(signals, out, axis, size, root=False)
    close(out, expected)


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize(("centred", "reflect"), [(True, True), (True, False), (False, False)])
@pytest.mark.parametrize(("width", "step", "size"), [(16, 5, 16), (15, 15, 20), (40, 1, 44), (33, 50, 37)])
@pytest.mark.parametrize("samples", [41, 3, 500])
def test_windows(samples: int, width: int, step: int, size: int, centred: bool, reflect: bool, time_major: bool) -> None:
    signal = RANDOM.normal(0, 1, samples).astype(np.float32)
    made, wrong = spectrogram_shapes(np.array([[samples]]), width, step, 1, centred=centred, time_major=True)
    windows = int(made[0, 0])
    if wrong == 0:
        assert not centred and samples < width
        return
    before, weights = width // 2 if centred else 0, hann_window(width)
    after = max((windows - 1) * step + width - before - samples, 0)
    padded = np.pad(signal.astype(np.float64), (before, after), "reflect" if reflect else "constant")
    frames = np.stack([padded[i * step :][:width] * weights for i in range(windows)])
    expected = np.abs(np.fft.rfft(frames, size, axis=1)) ** 2
    out = np.empty(expected.shape if time_major else expected.T.shape, np.float32)
    spectrogram(signal, out, weights, step, size, centred=centred, reflect=reflect, root=False, time_major=time_major)
    close(out if time_major else out.T, expected)


@pytest.mark.parametrize("shape", [(9, 6), (20, 6), (2, 6, 3), (1, 6, 100), (3, 6, 17), (8, 6)])
@pytest.mark.parametrize("rows", [1, 5, 11])
def test_matrices(shape: tuple[int, ...], rows: int) -> None:
    table = RANDOM.normal(0, 1, (rows, 6)).astype(np.float32)
    table[0, :4] = 0
    table[-1] = 0
    factors = np.arange(rows, dtype=np.float32) + 2
    src = RANDOM.normal(0, 1, shape).astype(np.float32)
    expected = np.moveaxis(np.tensordot(factors[:, None] * table.astype(np.float64), src, axes=(1, 1)), 0, 1)
    out = np.full(expected.shape, np.nan, np.float32)
    transform_axis(src, out, 1, Matrix.of(table, factors))
    assert np.allclose(out, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("formula", FORMULAS)
def test_mel_filters_overlap_by_half_and_have_the_area_one(formula: str) -> None:
    weights, factors = mel_weights(4097, 30, 16000.0, 100.0, 7000.0, formula)
    frequencies = np.linspace(0, 8000, 4097)
    middles = frequencies[weights.argmax(axis=1)]
    inside = (frequencies > middles[0]) & (frequencies < middles[-1])
    assert np.allclose(weights.sum(axis=0)[inside], 1, atol=1e-5)
    assert not weights[:, (frequencies < 100) | (frequencies >= 7000)].any()
    assert np.allclose((weights * factors[:, None]).sum(axis=1) * (8000 / 4096), 1, atol=0.02)
