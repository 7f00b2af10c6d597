"""Colour spaces, tables, mosaics, what JPEG loses, noise."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu import noise
from dali_studio.kernels.cpu.beta import beta
from dali_studio.kernels.cpu.color_space import CHANNELS, convert_colors
from dali_studio.kernels.cpu.debayer import ALGORITHMS, debayer
from dali_studio.kernels.cpu.lookup import equalize, look_up, table_of
from dali_studio.kernels.jpeg.distortion import distort


def results(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for height, width in ((1, 1), (2, 4), (16, 32), (19, 37), (40, 70)):
        image = random.integers(0, 256, (height, width, 3)).astype(np.uint8)
        for source in CHANNELS:
            for target in CHANNELS:
                if source != target:
                    out = np.zeros((height, width, CHANNELS[target]), np.uint8)
                    convert_colors(np.ascontiguousarray(image[..., : CHANNELS[source]]), out, source, target)
                    yield out
        out = np.zeros_like(image)
        equalize(image // 2, out, 3)
        yield out.copy()
        for quality in (1, 40, 80, 100):
            distort(image, out, quality)
            yield out.copy()
        for algorithm, (_, channels) in ALGORITHMS.items():
            for dtype in ("uint8", "uint16")[: 1 if algorithm == "vng_ocv" else 2]:
                made = np.zeros((2 * height, 2 * width, channels), dtype)
                mosaic = random.integers(0, np.iinfo(dtype).max, made.shape[:2]).astype(dtype)
                debayer(mosaic, made, algorithm, (height % 2, width % 2))
                yield made
    for dtype in ("float32", "float64"):
        for alpha in (0.3, 2.5):
            drawn = np.zeros((2, 500), dtype)
            beta(drawn, 7, np.array([9, 10], np.uint64), *np.array([[alpha] * 2, [0.8] * 2], np.float32))
            yield drawn
    for dtype in ("uint8", "int16", "int64", "float32"):
        values = random.integers(0, 120, 5000).astype(dtype)
        out = np.zeros_like(values)
        noise.shot(values, out, 7, 9, 3.5)
        yield out.copy()
        noise.salt_and_pepper(values, out, 7, 9, 0.5, 0.2, np.array([1, 2], dtype), 5, planar=dtype == "uint8")
        yield out
        if values.dtype.kind != "f":
            found = np.zeros(values.shape, np.float16)
            look_up(values, found, table_of(range(0, 100, 3), range(34), 0.3, found.dtype))
            yield found


def digest() -> str:
    """Of all that is computed here."""
    made = hashlib.sha256()
    for array in results(np.random.default_rng(0)):
        made.update(array.tobytes())
    return made.hexdigest()
