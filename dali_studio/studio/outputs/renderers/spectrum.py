"""Spectrograms: power or features by frequency and time."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from dali_studio.studio.outputs.images import Rgb, fitted_to
from dali_studio.studio.outputs.renderers.base import Card, Large, Scale, Shown
from dali_studio.studio.protocol.bodies import ImageBody

#: Colours from the lowest to the highest value, between which others lie: dark to light, so that they read as grey too.
_SCALE = np.array(
    [[0, 0, 4], [28, 16, 68], [79, 18, 123], [129, 37, 129], [181, 54, 122], [229, 80, 100], [251, 135, 97],
     [254, 194, 135], [252, 253, 191]],
    np.float32,
)  # fmt: skip
#: Powers are shown in decibels down to this far below the highest.
RANGE = 80.0
#: Highest by lowest value from which on values that are not negative are taken for powers.
_POWERS = 1e3


#: Layouts of spectrograms.
SPECTRA = ("ft", "tf")
#: Of the picture with axes: its extents in the inspector, and the size of letters in parts of the width of both.
LARGE, LETTERS = (1104, 531), (1 / 24, 1 / 15)
#: Ground and letters of the axes, which are readable on it in light and dark pages.
_GROUND, _INK = (22, 20, 32), (232, 230, 240)


class SpectrumRenderer:
    """Shows two axes of floats that are called frequency and time as colours; time runs to the right."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return shown.layout in SPECTRA and shown.sample.ndim == 2 and shown.sample.size > 0

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        colours, note = _drawn(shown)
        return Card(ImageBody(axes=True), with_axes(colours, shown.scale, (width, height), LETTERS[1]), note)

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`."""
        colours, note = _drawn(shown)
        return Large(with_axes(colours, shown.scale, LARGE, LETTERS[0]), note)


def with_axes(colours: Rgb, scale: Scale, size: tuple[int, int], letters: float) -> Rgb:
    """The picture of a spectrogram between its axes, of `size` in all."""
    (width, height), (rows, columns) = size, colours.shape[:2]
    font = ImageFont.load_default(round(width * letters))
    canvas = Image.new("RGB", size, _GROUND)
    pen = ImageDraw.Draw(canvas)
    line = round(width * letters * 1.3)
    across = Axis.of(columns * scale.seconds, "s") if scale.seconds else Axis.of(columns, "windows")
    if scale.highest is not None and not scale.rows:
        up = Axis.of(scale.highest / 1000, "kHz") if scale.highest >= 2000 else Axis.of(scale.highest, "Hz")
    else:
        up = Axis.of(rows, scale.rows or "bin")
    tick = max(line // 5, 2)
    left = round(max(pen.textlength(text, font) for _, text in up.ticks)) + 3 * tick
    right, top, bottom = width - 2 * tick - 1, line + tick, height - line - tick
    canvas.paste(Image.fromarray(fitted_to(colours, right - left, bottom - top)), (left, top))
    pen.line([(left - 1, top), (left - 1, bottom), (right, bottom)], _INK)
    pen.text((tick, tick // 2), up.unit, _INK, font)
    for place, text in up.ticks:
        y = bottom - round(place * (bottom - top))
        pen.line([(left - 1 - tick, y), (left - 1, y)], _INK)
        pen.text((left - 2 * tick, min(max(y, top + line // 3), bottom)), text, _INK, font, anchor="rm")
    end = right - pen.textlength(across.unit, font)
    pen.text((end, bottom + tick + line // 2), across.unit, _INK, font, anchor="lm")
    for place, text in across.ticks:
        x = left + round(place * (right - left))
        pen.line([(x, bottom), (x, bottom + tick)], _INK)
        half = pen.textlength(text, font) / 2
        if x + half + tick < end:  # the unit stands there
            pen.text((max(x - half, 0), bottom + tick + line // 2), text, _INK, font, anchor="lm")
    return np.asarray(canvas)


class Axis(NamedTuple):
    """The numbers along an axis.

    Attributes
    ----------
    ticks : list of tuple
        Places, from 0 at its begin to 1 at its end, and what stands there.
    unit : str
    """

    ticks: list[tuple[float, str]]
    unit: str

    @classmethod
    def of(cls, extent: float, unit: str) -> Axis:
        """From 0 to `extent`, with a number at every 1, 2 or 5 of a power of ten: three to six of them."""
        power = 10.0 ** math.floor(math.log10(extent / 2))
        step = max(one * power for one in (1, 2, 5) if one * power * 2 <= extent * (1 + 1e-9))
        count = math.floor(extent / step + 1e-9)
        return cls([(number * step / extent, f"{number * step:.6g}") for number in range(count + 1)], unit)


def _drawn(shown: Shown) -> tuple[Rgb, str]:
    values, unit = _levels(shown.sample if shown.layout == "ft" else shown.sample.T)
    # without a unit the range of the output, which is told anyway
    note = f"{values.min():.3g} to {values.max():.3g}{unit}".replace("-", "−") if unit else ""
    return coloured(values), note


def coloured(values: NDArray[Any]) -> Rgb:
    """Numbers by frequency and time as colours; the first row is the lowest one."""
    low, high = float(values.min()), float(values.max())
    level = (values - low) / (high - low) if high > low else np.zeros_like(values)
    place = np.linspace(0, 1, len(_SCALE))
    colours = [np.interp(level[::-1], place, _SCALE[:, channel]) for channel in range(3)]
    return np.stack(colours, axis=-1).round().astype(np.uint8)


def _levels(sample: NDArray[Any]) -> tuple[NDArray[np.float32], str]:
    """The values as they are shown: powers in decibels below the highest."""
    values = np.nan_to_num(sample.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    high = float(values.max())
    if values.min() < 0 or high <= 0 or float(np.median(values)) * _POWERS > high:
        return values, ""
    floor = high * 10 ** (-RANGE / 10)
    return (10 * np.log10(np.maximum(values, floor) / high)).astype(np.float32), " dB below the highest"
