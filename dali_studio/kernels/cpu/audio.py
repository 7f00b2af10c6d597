"""Sound: mixing channels, resampling, integers, emphasis, decibels, silence."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.views import Array

#: Values of the filter's table between two samples of the input.
_FINENESS = 32
#: What stands before the first sample of a sound: 0, the first sample, or the second.
BORDERS = ("zero", "clamp", "reflect")


def resampled_length(length: NDArray[np.int64], rate: NDArray[np.float64], wanted: NDArray[np.float64]) -> Array:
    """Samples at the rate `wanted` of sounds with `length` samples at `rate`."""
    return np.ceil(length * wanted / rate)


def lobes_of(quality: float) -> int:
    """How many lobes of the sinc on each side a filter of this quality, 0 to 100, has: 3, 16 for 50, 64 for 100."""
    return math.floor(0.007 * quality * quality - 0.09 * quality + 3 + 0.5)


@lru_cache(maxsize=16)
def sinc_window(lobes: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A sinc in Hann's window, after one zero and before five; and rows of its values that are a sample apart."""
    middle = _FINENESS * lobes
    at = np.arange(-middle, middle + 1, dtype=np.float32)
    x, y = at * np.float32(1 / _FINENESS), at * np.float32(2 / (2 * middle + 1))
    weights = np.sinc(x.astype(np.float64)) * (0.5 + 0.5 * np.cos(np.pi * y.astype(np.float64)))
    table = np.concatenate([np.zeros(1), weights, np.zeros(5)]).astype(np.float32)
    columns = 2 * lobes + 5
    padded = np.concatenate([table, np.zeros((columns + 1) * _FINENESS - len(table), np.float32)])
    return table, np.stack([padded[phase:][::_FINENESS][:columns] for phase in range(_FINENESS + 1)])


def resample(sound: NDArray[np.float32], out: NDArray[np.float32], rate: float, wanted: float, quality: float) -> None:
    """Resample a sound from one rate to another.

    Parameters
    ----------
    sound, out : ndarray
        (samples, channels).
    rate, wanted : float
        Samples a second.
    quality : float
        0 to 100.

    Notes
    -----
    The filter is not made wider where the rate becomes lower: frequencies above half of it are folded, as
    nvidia.dali does.
    """
    if not out.size:
        return
    lobes = lobes_of(quality)
    kernel("resample_audio")(sound, out, float(rate) / float(wanted), *sinc_window(lobes), lobes)


def downmix(sound: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """The mean of the channels: (samples, channels) to (samples,)."""
    kernel("downmix")(sound, out)


def to_sound(samples: Array, wanted: np.dtype[Any]) -> NDArray[np.float32]:
    """Samples of any type as floats that become samples of the type `wanted` by `from_sound`.

    Signed types, and floats, reach from -1 to 1, unsigned ones from 0 to 1.

    Parameters
    ----------
    samples : ndarray
        Contiguous.
    """
    moved = moved_by(samples.dtype, wanted)
    if samples.dtype == np.float32 and not moved:
        return samples
    out = np.empty(samples.shape, np.float32)
    kernel("to_sound", samples.dtype)(samples.reshape(-1), out.reshape(-1), moved)
    return out


def moved_by(given: np.dtype[Any], wanted: np.dtype[Any]) -> int:
    """How numbers are moved: 1 from -1 .. 1 to 0 .. 1, 2 the other way round, 0 not at all."""
    signed, unsigned = given.kind != "u", wanted.kind == "u"
    return 1 if signed and unsigned else 2 if not signed and not unsigned else 0


def from_sound(sound: NDArray[np.float32], out: Array) -> None:
    """Sound over the whole range of an integer type, which 1 is the end of; what is louder saturates."""
    kernel("from_sound", out.dtype)(sound.reshape(-1), out.reshape(-1))


def preemphasis(sound: Array, out: Array, coefficient: float, border: str) -> None:
    """Take from each sample a part of the one before.

    Parameters
    ----------
    sound, out : ndarray
        (samples,), of any integer or floating-point types but float16. Integers are rounded and saturated.
    coefficient : float
        The part; 0 converts the samples alone.
    border : str
        One of `BORDERS`.
    """
    if coefficient == 0:
        convert(sound, out)
        return
    computed = np.dtype(np.float64 if sound.dtype == np.float64 else np.float32)
    made = out if out.dtype == computed else np.empty(out.shape, computed)
    kernel("preemphasis", sound.dtype)(sound, made, float(coefficient), BORDERS.index(border))
    if made is not out:
        convert(made, out)
        if border == "zero":
            convert(sound[:1], out[:1])


def emphasising(
    sounds: Batch, out: Batch, coefficients: NDArray[np.float32], border: str
) -> Callable[[int, int], None] | None:  # fmt: skip
    """What does the same with the sounds from one to before another; ``None`` for what is more than that of floats."""
    if sounds.dtype != np.float32 or out.dtype != np.float32 or not coefficients.all():
        return None
    sources, counts, targets = sounds.addresses, sounds.counts, out.addresses
    code, run = BORDERS.index(border), kernel("preemphasis_of_all")

    def compute(begin: int, end: int) -> None:
        own = slice(begin, end)
        run(sources[own], counts[own], targets[own], coefficients[own], code)

    return compute


def to_decibels(
    magnitudes: NDArray[np.float32], out: NDArray[np.float32], multiplier: float, reference: float, cutoff: float
) -> None:
    """``multiplier * log10(magnitude / reference)``, or `cutoff` where that is less.

    Parameters
    ----------
    magnitudes, out : ndarray
        (elements,).
    reference : float
        0 stands for the largest of the magnitudes.
    """
    factor, smallest = decibel_numbers(multiplier, cutoff)
    kernel("to_decibels")(magnitudes, out, factor, float(reference), smallest)


def making_decibels(
    magnitudes: Batch, out: Batch, multiplier: float, reference: float, cutoff: float
) -> Callable[[int, int], None]:
    """What does the same with the samples from one to before another."""
    sources, counts, targets = magnitudes.addresses, magnitudes.counts, out.addresses
    factor, smallest = decibel_numbers(multiplier, cutoff)
    run = kernel("decibels_of_all")

    def compute(begin: int, end: int) -> None:
        own = slice(begin, end)
        run(sources[own], counts[own], targets[own], factor, reference, smallest)

    return compute


def decibel_numbers(multiplier: float, cutoff: float) -> tuple[float, float]:
    """The factor of logarithms to base 2, and the smallest ratio, which is above 0."""
    smallest = np.float32(10) ** (np.float32(cutoff) / np.float32(multiplier))
    factor = np.float32(multiplier) * np.float32(math.log10(2))
    return float(factor), float(smallest or np.nextafter(np.float32(0), np.float32(1)))


def silence_ratio(cutoff: float) -> float:
    """The ratio of powers that `cutoff` decibels are."""
    return float(np.float32(10) ** (np.float32(cutoff) * np.float32(0.1)))


def nonsilent_regions(
    sounds: Batch, begins: Batch, lengths: Batch, width: int, interval: int | None, cutoff: float,
    reference: float | None,
) -> Callable[[int, int], None]:  # fmt: skip
    """What finds begin and length of what is not silent in the sounds from one to before another.

    Parameters
    ----------
    sounds : Batch
        (samples,) each, at least one, of any integer or floating-point type but float16 and float64.
    begins, lengths : Batch
        int32 scalars, which are written.
    width : int
        Samples of the windows, the mean square of which is the power at a place.
    interval : int or None
        Samples after which sums are computed anew, at least `width`; ``None``: never.
    cutoff : float
        What is silent, in decibels of the reference.
    reference : float or None
        Power; ``None``: the largest of all windows.
    """
    counts, run = sounds.counts, kernel("nonsilent_regions", sounds.dtype)
    sources, firsts, sizes = sounds.addresses, begins.addresses, lengths.addresses
    ratio, room = silence_ratio(cutoff), 4 * int(counts.max(initial=0))

    def compute(begin: int, end: int) -> None:
        means = scratch(room)[:room].view(np.float32)
        own = slice(begin, end)
        run(sources[own], counts[own], firsts[own], sizes[own], width, interval or 0, ratio, reference or 0.0, means)

    return compute
