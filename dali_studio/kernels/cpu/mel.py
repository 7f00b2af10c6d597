"""Filters on the mel scale."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
FORMULAS = ("slaney", "htk")

# Slaney's scale is linear up to here, and logarithmic above, in steps of log(6.4) / 27.
_LINEAR_HZ, _HZ_PER_MEL, _STEP = np.float32(1000), np.float32(200 / 3), np.float32(0.068751777)
_LINEAR_MEL = _LINEAR_HZ / _HZ_PER_MEL
_HTK_MEL, _HTK_HZ = np.float32(1127), np.float32(700)


def _logarithm(x: np.float32) -> np.float32:
    return np.float32(math.log(x))


def _exponential(x: Floats) -> Floats:
    return np.exp(x.astype(np.float64)).astype(np.float32)


def _mel_of(hz: np.float32, formula: str) -> np.float32:
    """In single precision, as nvidia.dali does it: the places of narrow filters follow from the last bits."""
    if formula == "htk":
        return _HTK_MEL * _logarithm(np.float32(1) + hz / _HTK_HZ)
    if hz >= _LINEAR_HZ:
        return _LINEAR_MEL + _logarithm(hz / _LINEAR_HZ) / _STEP
    return hz / _HZ_PER_MEL


def _hz_of(mels: NDArray[np.float64], formula: str) -> NDArray[np.float64]:
    mel = mels.astype(np.float32)
    if formula == "htk":
        made = _HTK_HZ * (_exponential(mel / _HTK_MEL) - np.float32(1))
    else:
        above = _LINEAR_HZ * _exponential(_STEP * (mel - _LINEAR_MEL))
        made = np.where(mel >= _LINEAR_MEL, above, mel * _HZ_PER_MEL)
    return made.astype(np.float64)


def mel_weights(
    bins: int, filters: int, rate: float, low: float, high: float, formula: str
) -> tuple[Floats, Floats]:
    """Triangular filters, whose peaks are 1, over the frequencies of a spectrum.

    Parameters
    ----------
    bins : int
        Frequencies of the spectrum, from 0 to half of the rate; 2 or more.
    filters : int
    rate, low, high : float
        Of the sound, and the frequencies over which the filters extend, in Hz.
    formula : str
        One of `FORMULAS`.

    Returns
    -------
    weights : ndarray
        (filters, bins).
    factors : ndarray
        (filters,), with which their integrals are 1.
    """
    first, last = (float(_mel_of(np.float32(hz), formula)) for hz in (low, high))
    delta = (last - first) / (filters + 1)
    inner = np.add.accumulate(np.append(first, np.full(filters, delta)))[1:]
    places = _hz_of(np.concatenate([[first], inner, [last]]), formula)
    beyond = _hz_of(inner + delta, formula)
    step = float(np.float32(rate)) / (2 * (bins - 1))
    frequencies = np.arange(bins) * step
    inside = (frequencies >= low) & (frequencies < high)
    interval = np.searchsorted(places[1:], frequencies, side="right")  # below the upper edge of which filter
    weights = np.zeros((filters + 1, bins), np.float32)
    for number in range(filters + 1):
        there = inside & (interval == number)
        slope = 1 / (places[number + 1] - places[number])
        down = ((places[number + 1] - frequencies[there]) * slope).astype(np.float32)
        weights[number, there] = 1 - down
        if number:
            weights[number - 1, there] = down
    return weights[:-1], (2 / (beyond - places[:-2])).astype(np.float32)
