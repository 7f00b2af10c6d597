"""Sound."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.studio.outputs.images import Rgb, fitted_to, lost_words
from dali_studio.studio.outputs.renderers.base import Card, Large, Scale, Shown
from dali_studio.studio.outputs.renderers.spectrum import LARGE, LETTERS, RANGE, coloured, with_axes
from dali_studio.studio.protocol.bodies import WaveBody

#: Spans of which a card shows the lowest and the highest value.
_SPANS = 148
_CHANNELS = 8
#: Share of a card's height below the wave, and columns of the large picture.
_LOWER, _COLUMNS = 0.53, 500
#: Numbers from which on what may be anything is taken for a signal.
_SIGNAL = 256


class WaveRenderer:
    """Shows one axis of floats, or time and channels, as waves over the time, and as the frequencies in them."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        sample, kind = shown.sample, shown.kind
        if kind not in ("audio", "any") or sample.dtype.kind not in "fiu" or not sample.size:
            return False
        if sample.ndim == 1:
            return kind == "audio" or (sample.dtype.kind == "f" and sample.size >= _SIGNAL)
        if sample.ndim != 2 or not 0 < sample.shape[1] <= _CHANNELS or sample.shape[0] < _SIGNAL:
            return False
        return kind == "audio" or sample.dtype.kind == "f"

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        sample = shown.sample.reshape(len(shown.sample), -1)
        signal = np.nan_to_num(sample.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
        peak = max(float(np.abs(signal).max()), 1e-9)
        if shown.sample.dtype.kind == "f":
            peak = max(peak, 1.0)  # full scale
        body = WaveBody(length=len(signal), peak=peak, channels=tuple(_spans(channel) for channel in signal.T))
        return Card(body, _heard(shown, width, round(height * _LOWER)), lost_words(sample))

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`: its frequencies; the browser draws waves at any size."""
        level, step = _spectrum(shown.sample, _COLUMNS)
        rate = shown.rate
        scale = Scale(step / rate, rate / 2) if rate else Scale()
        return Large(with_axes(coloured(level), scale, LARGE, LETTERS[0]))


def _heard(shown: Shown, width: int, height: int) -> Rgb:
    """The lower part of a card: frequencies over the time."""
    return fitted_to(coloured(_spectrum(shown.sample, width)[0]), width, height)


def _spectrum(sample: NDArray[Any], columns: int) -> tuple[NDArray[np.float32], float]:
    """Decibels below the highest power by frequency and time, of all channels together, and moments for each column."""
    signal = np.nan_to_num(sample.reshape(len(sample), -1).astype(np.float64), posinf=0.0, neginf=0.0).mean(axis=1)
    size = int(np.clip(2 ** int(np.log2(max(len(signal), 1) / 8 + 1)), 16, 1024))
    signal = np.pad(signal, (0, max(0, size - len(signal))))
    starts = np.linspace(0, len(signal) - size, columns).astype(np.intp)
    parts = signal[starts[:, None] + np.arange(size)] * np.hanning(size)
    power = np.abs(np.fft.rfft(parts, axis=1)).T ** 2
    floor = max(float(power.max()), 1e-20) * 10 ** (-RANGE / 10)
    return (10 * np.log10(np.maximum(power, floor) / floor)).astype(np.float32), len(sample) / columns


def _spans(channel: NDArray[Any]) -> tuple[tuple[float, float], ...]:
    edges = np.linspace(0, len(channel), min(_SPANS, len(channel)), endpoint=False).astype(np.intp)
    low, high = np.minimum.reduceat(channel, edges), np.maximum.reduceat(channel, edges)
    return tuple((round(float(a), 5), round(float(b), 5)) for a, b in zip(low, high, strict=True))
