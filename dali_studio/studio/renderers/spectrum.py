"""Spectrograms: power or features by frequency and time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.studio import images
from dali_studio.studio.bodies import ImageBody
from dali_studio.studio.images import Rgb
from dali_studio.studio.renderers.base import Card, Large, Shown

#: Colours from the lowest to the highest value, between which others lie: dark to light, so that they read as grey too.
_SCALE = np.array(
    [[0, 0, 4], [28, 16, 68], [79, 18, 123], [129, 37, 129], [181, 54, 122], [229, 80, 100], [251, 135, 97],
     [254, 194, 135], [252, 253, 191]],
    np.float32,
)  # fmt: skip
#: Powers are shown in decibels down to this far below the highest.
_RANGE = 80.0
#: Highest by lowest value from which on values that are not negative are taken for powers.
_POWERS = 1e3


class SpectrumRenderer:
    """Shows two axes of floats that are called frequency and time as colours; time runs to the right."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return shown.layout in ("ft", "tf") and shown.sample.ndim == 2 and shown.sample.size > 0

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        image, note = _drawn(shown)
        return Card(ImageBody(), images.fitted_to(image, width, height), note)

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`."""
        return Large(*_drawn(shown))


def _drawn(shown: Shown) -> tuple[Rgb, str]:
    values, unit = _levels(shown.sample if shown.layout == "ft" else shown.sample.T)
    low, high = float(values.min()), float(values.max())
    level = (values - low) / (high - low) if high > low else np.zeros_like(values)
    place = np.linspace(0, 1, len(_SCALE))
    colours = [np.interp(level[::-1], place, _SCALE[:, channel]) for channel in range(3)]
    words = f"{low:.3g} to {high:.3g}{unit}, low frequencies below, time to the right"
    return np.stack(colours, axis=-1).round().astype(np.uint8), words


def _levels(sample: NDArray[Any]) -> tuple[NDArray[np.float32], str]:
    """The values as they are shown: powers in decibels below the highest."""
    values = np.nan_to_num(sample.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    high = float(values.max())
    if values.min() < 0 or high <= 0 or float(np.median(values)) * _POWERS > high:
        return values, ""
    floor = high * 10 ** (-_RANGE / 10)
    return (10 * np.log10(np.maximum(values, floor) / high)).astype(np.float32), " dB below the highest"
