"""Spectra of signals: by compiled code where a length has small factors alone, by numpy where not."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.strided import address_of, lines_along

Floats = NDArray[np.float32]
_FACTORS = (4, 2, 3, 5, 7)


class Transform(NamedTuple):
    """How compiled code transforms signals of a length.

    Attributes
    ----------
    size : int
    factors : ndarray of int64
        Of the length, or of its half where it is even: pairs of numbers are transformed as complex ones then.
    roots : ndarray of float32
        The roots of unity of each step, and those that make the spectrum of the pairs', as real and imaginary parts.
    """

    size: int
    factors: NDArray[np.int64]
    roots: Floats


@lru_cache(maxsize=64)
def transform_of(size: int) -> Transform | None:
    """How compiled code does it; ``None`` for lengths with other prime factors."""
    paired = size % 2 == 0
    length = rest = size // 2 if paired else size
    factors: list[int] = []
    for factor in _FACTORS:
        while rest % factor == 0:
            factors.append(factor)
            rest //= factor
    if rest != 1:
        return None
    roots: list[NDArray[np.complex128]] = []
    left = length
    for factor in factors:
        turns = np.outer(np.arange(left // factor), np.arange(1, factor)) / left
        roots.append(np.exp(-2j * np.pi * turns).ravel())
        left //= factor
    if paired:
        roots.append(np.exp(-2j * np.pi * np.arange(length + 1) / size))
    parts = np.concatenate([np.empty(0, np.complex128), *roots]).view(np.float64).astype(np.float32)
    return Transform(size, np.array(factors, np.int64), parts)


@lru_cache(maxsize=64)
def hann_window(length: int) -> Floats:
    """Hann's window, taken at the middles of `length` intervals, as nvidia.dali does."""
    made = (0.5 - 0.5 * np.cos(2 * np.pi / length * (np.arange(length) + 0.5))).astype(np.float32)
    made.flags.writeable = False
    return made


def spectrogram_shapes(
    signals: NDArray[np.int64], width: int, step: int, bins: int, *, centred: bool, time_major: bool
) -> tuple[NDArray[np.int64], int]:
    """Shapes of the spectra of windows of signals; and the first signal that has none, or -1.

    It has several channels, or is too short for a window. The last window may reach beyond the end where a signal is
    shorter than a window by less than a step.
    """
    made = np.empty((len(signals), 2), np.int64)
    return made, kernel("spectrogram_shapes")(signals, width, step, centred, bins, time_major, made)


def first_place(window: Floats, *, centred: bool) -> int:
    """The place in the signal where the first window begins."""
    return -(len(window) // 2) if centred else 0


def spectrogram(
    signal: Floats, out: Floats, window: Floats, step: int, size: int, *, centred: bool, reflect: bool, root: bool,
    time_major: bool,
) -> None:  # fmt: skip
    """The spectra of a signal's windows, as many as `out` has room for.

    Parameters
    ----------
    signal : ndarray
        (samples,), at least one.
    out : ndarray
        (size // 2 + 1, windows), or, where `time_major`, (windows, size // 2 + 1).
    window : ndarray
        The weights of each window. They stand in the middle of the transform, zeros around them.
    step : int
        Samples from window to window.
    size : int
        Of the transform, at least that of the window.
    centred : bool
        Whether the first window has its middle, and not its begin, at the first sample.
    reflect : bool
        Whether the signal is reflected at its ends; otherwise it is 0 beyond them.
    root : bool
        Whether to give magnitudes instead of powers.
    """
    first = first_place(window, centred=centred)
    transform = transform_of(size)
    if transform is not None:
        given = (signal, out, first, step, reflect, window, *transform, root, time_major)
        needed = kernel("spectrogram")(*given, scratch())
        if needed:
            kernel("spectrogram")(*given, scratch(needed))
        return
    windows = out.shape[0 if time_major else 1]
    span = max(windows - 1, 0) * step + len(window)
    widths = (-first, max(span + first - len(signal), 0))
    mode = "constant" if not reflect else "reflect" if len(signal) > 1 else "edge"
    padded = np.pad(signal, widths, mode)
    frames = np.lib.stride_tricks.sliding_window_view(padded, len(window))[::step][:windows] * window
    made = _by_numpy(frames, size, 1, root=root)
    out[...] = made if time_major else made.T


def spectrograms(
    signals: Batch, out: Batch, window: Floats, step: int, size: int, *, centred: bool, reflect: bool, root: bool,
    time_major: bool,
) -> Callable[[int, int], None] | None:  # fmt: skip
    """What does the same with the signals from one to before another; ``None`` where no compiled code does."""
    transform = transform_of(size)
    if transform is None:
        return None
    sources, counts, targets, shapes = signals.addresses, signals.counts, out.addresses, out.shapes
    settings = first_place(window, centred=centred), step, reflect, window, *transform, root, time_major
    run = kernel("spectrograms")

    def compute(begin: int, end: int) -> None:
        own = slice(begin, end)
        tables = sources[own], counts[own], targets[own], shapes[own]
        needed = 0
        while needed := run(*tables, *settings, scratch(needed)):  # the first that has too little memory says so
            pass

    return compute


def power_spectrum(signal: Floats, out: Floats, axis: int, size: int, *, root: bool) -> None:
    """The spectra along an axis of `signal`, which is not longer than `size`; `out` has ``size // 2 + 1`` there."""
    if transform_of(size) is None:
        out[...] = _by_numpy(signal, size, axis, root=root)
        return
    lines = np.ascontiguousarray(signal)
    power_spectra(address_of(lines), np.array([lines.shape], np.int64), address_of(out), axis, size, root=root)


def power_spectra(
    signals: NDArray[np.int64], shapes: NDArray[np.int64], out: NDArray[np.int64], axis: int, size: int, *, root: bool
) -> None:  # fmt: skip
    """The same for float32 arrays of (N, ndim) shapes at (N,) addresses; there must be a transform of the size."""
    transform = transform_of(size)
    assert transform is not None
    given = (signals, lines_along(shapes, axis), out, *transform, root)
    needed = kernel("power_spectrum")(*given, scratch())
    if needed:
        kernel("power_spectrum")(*given, scratch(needed))


def _by_numpy(lines: Floats, size: int, axis: int, *, root: bool) -> NDArray[np.float64]:
    """In double precision: the float32 of nvidia.dali's method for such lengths is far from exact."""
    before = (size - lines.shape[axis]) // 2
    widths = [(0, 0)] * lines.ndim
    widths[axis] = (before, size - lines.shape[axis] - before)
    made = np.abs(np.fft.rfft(np.pad(lines.astype(np.float64), widths), axis=axis))
    return made if root else made * made
