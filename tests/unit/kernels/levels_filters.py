"""Convolutions, random numbers that are added, and warped volumes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from levels_pixels import TYPES, noise
from numpy.typing import NDArray

from dali_studio.kernels.cpu import clahe, correlate, displace, rank, sample, separable, warp_volume
from dali_studio.kernels.cpu import noise as noises
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.weights import Interp

SHAPES = ((1, 1, 3), (3, 50, 2), (9, 33, 70), (2, 5, 7, 3), (40,))


def of_convolutions(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for sigma in (0.3, 1.0, 4.7):
        yield separable.gaussian_windows(np.full(3, sigma, np.float32), np.array([0, 2, 15]))
    for shape in SHAPES:
        axes = max(len(shape) - 1, 1)
        taps = 2 * random.integers(0, 5, axes) + 1
        windows = random.random(int(taps.sum())).astype(np.float32)
        for source in (name for name in TYPES if name != "bool"):
            for target in (source, "float32"):
                out = np.zeros(shape, target)
                separable.convolve(noise(random, shape, source), out, 0, windows, taps)
                yield out


def of_boxes(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for border in Border:
        for source in ("uint8", "int8", "uint16", "int16", "float16", "float32"):
            for target in (source, "float32"):
                weights, out = random.normal(0, 0.3, (3, 4)).astype(np.float32), np.zeros((9, 70, 3), target)
                data, fill = noise(random, (9, 70, 3), source), np.full(1, 3, source)
                correlate.correlate(data, out, 0, weights, np.array([2, 0]), border, fill)
                yield out
        for source in ("uint8", "uint16", "float32"):
            data = noise(random, (9, 70, 3), source)
            if source == "float32":
                data[np.isnan(data)] = 0
            for largest in (True, False):
                out = np.zeros_like(data)
                rank.extremes(data, out, 0, np.array([3, 6]), np.array([0, 4]), border, largest=largest)
                yield out
            for window in ((3, 3), (9, 9)):
                out = np.zeros_like(data)
                rank.medians(data, out, 0, np.array(window))
                yield out
    data = noise(random, (50, 61, 3), "uint8")
    for luma in (True, False):
        out = np.zeros_like(data)
        clahe.clahe(data, out, (3, 4), 2.5, luma=luma)
        yield out


def of_points(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    fill, matrix = np.array([1, 2, 3, 4], np.float32), np.eye(3) + random.normal(0, 0.1, (3, 3)) * [[1, 1, 9], [1, 1, 9], [0.01, 0.01, 0]]
    for source in ("uint8", "uint16", "int16", "float32"):
        for channels in (1, 2, 3, 4):
            data = noise(random, (20, 70, channels), source)
            if source == "float32":  # beside tiny numbers, sums that are not rounded lie between two floats on level v1
                data = random.normal(0, 50, data.shape).astype(source)
            for interp in (Interp.NN, Interp.LINEAR, Interp.CUBIC):
                for border in Border:
                    out = np.zeros((30, 80, channels), source)
                    sample.homography(data, out, matrix, interp, border, fill)
                    yield out
    for source in ("uint8", "float32"):
        for channels in (1, 3, 4, 5):
            data = noise(random, (20, 70, channels), source)
            waves = (displace.wave(function, 5, 0.3, 0.1, 70) for function in (np.sin, np.cos))
            across, down = waves
            for linear in (False, True):
                out = np.zeros_like(data)
                displace.water(data, out, across, down, np.full(1, 9, source), linear=linear)
                yield out.copy()
                displace.sphere(data, out, np.full(1, 9, source), linear=linear)
                yield out.copy()
            displace.jitter(data, out, 5, 2**40, 6)
            yield out


def of_noise(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for source in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32"):
        for count in (1, 63, 1000):
            out = np.zeros(count, source)
            noises.gaussian(noise(random, (count,), source), out, 0x123456789ABCDEF, 2**40 + count, 3.5, 900.0)
            yield out


def of_volumes(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    turns = warp_volume.rotations(np.array([40.0]), np.array([[1.0, 2.0, -1.0]]))
    size = np.array([[5, 12, 13]])
    canvas = warp_volume.rotated_size(turns, size)
    yield canvas
    turn = warp_volume.rotate_matrix(turns, size, canvas)
    yield warp_volume.inverse_affine(turn)
    for matrix in (turn[0], random.normal(0, 3e9, (3, 4))):
        for source in ("uint8", "int16", "int32", "float32"):
            for interp, fill in ((Interp.LINEAR, None), (Interp.LINEAR, 7.5), (Interp.NN, None), (Interp.NN, -9.0)):
                for target in (source, "float32"):
                    out = np.zeros((*canvas[0], 2), target)
                    warp_volume.warp_volume(noise(random, (5, 12, 13, 2), source), out, matrix, interp, fill)
                    yield out


def digest() -> str:
    """Of all that is computed here."""
    made = hashlib.sha256()
    with np.errstate(all="ignore"):
        for number, cases in enumerate((of_convolutions, of_noise, of_volumes, of_boxes, of_points)):
            for value in cases(np.random.default_rng(number)):
                if value.dtype.kind == "f":
                    value[np.isnan(value)] = np.nan  # the bits of what is no number may differ
                made.update(np.ascontiguousarray(value).tobytes())
    return made.hexdigest()
