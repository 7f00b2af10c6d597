"""Sound."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.studio.bodies import WaveBody
from dali_studio.studio.renderers.base import Card, Large, Shown

#: Spans of which a card shows the lowest and the highest value.
_SPANS = 148
_CHANNELS = 8
#: Numbers from which on what may be anything is taken for a signal.
_SIGNAL = 256


class WaveRenderer:
    """Shows one axis of floats, or time and channels, as waves over the time."""

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
        lost = int(sample.size - np.isfinite(sample).sum())
        return Card(body, note=f"{lost} values are not finite" if lost else "")

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`: the browser draws waves at any size."""
        return None


def _spans(channel: NDArray[Any]) -> tuple[tuple[float, float], ...]:
    edges = np.linspace(0, len(channel), min(_SPANS, len(channel)), endpoint=False).astype(np.intp)
    low, high = np.minimum.reduceat(channel, edges), np.maximum.reduceat(channel, edges)
    return tuple((round(float(a), 5), round(float(b), 5)) for a, b in zip(low, high, strict=True))
