"""Resized pixels, weights and sizes."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from axis import axis_weights

from dali_studio.kernels.cpu import axis_batch
from dali_studio.kernels.cpu.resample import resize, resize_axes
from dali_studio.kernels.cpu.size_batch import MODES, sizes_and_regions
from dali_studio.kernels.cpu.weights import Interp

TYPES = [np.dtype(name) for name in ("uint8", "uint16", "int16", "float32")]


def of_pixels(random: np.random.Generator) -> list[Any]:
    made: list[Any] = []
    for number in range(240):
        height, width, tall, broad = (int(n) for n in random.integers(1, (4, 40, 150)[number % 3], 4))
        channels, kind, (source, target) = int(random.integers(1, 6)), number % len(Interp), random.choice(TYPES, 2)
        values = random.uniform(-9, 300, (height, width, channels)) * (1 if source.itemsize == 1 else 99)
        low, high = (0, 1e30) if source.kind == "f" else (np.iinfo(source).min, np.iinfo(source).max)
        src, out = values.clip(low, high).astype(source), np.zeros((tall, broad, channels), target)
        roi = tuple(random.uniform(-0.3, 1.3, 4) * [height, width, height, width]) if number % 2 else None
        resize(src, out, kind, kind, bool(number % 7), roi, mirror=bool(number % 5), full_size=(tall + 3, broad + 2))
        made.append(out)
    return made


def of_volumes(random: np.random.Generator) -> list[Any]:
    made: list[Any] = []
    for number in range(60):
        shape, size = random.integers(1, 24, (2, 3)).tolist()
        kind, (source, target) = number % len(Interp), random.choice(TYPES, 2)
        count, channels = 1 + number % 3, int(random.integers(1, 20))
        src = random.uniform(0, 250, (2, *shape[:count], channels)).astype(source)
        out = np.zeros((2, *size[:count], channels), target)
        roi = [*random.uniform(-3, 1, count), *random.uniform(2, 24, count)]
        resize_axes(src, out, 1, (kind, kind), roi, antialias=bool(number % 5))
        made.append(out)
    return made


def of_tables(random: np.random.Generator) -> list[Any]:
    made: list[Any] = []
    for kind in Interp:
        for size, out, low, high in ((640, 224, 0.0, 640.0), (7, 90, -3.3, 12.4), (70000, 3, 70000.0, 0.0)):
            made += axis_weights(kind, True, size, low, high, out, 1, out - 1, False, True)
    shapes, out = random.integers(1, 900, (2, 50, 3))
    lows, highs = random.uniform(-50, 0, (50, 2)), random.uniform(1, 900, (50, 2))
    regions = np.concatenate([lows, highs], axis=1)
    kinds = np.tile(np.array([1, 3], np.int32), (50, 1))
    table, rows, starts, *numbers = axis_batch.axes(shapes, out, "HWC", regions, kinds, (64, 32), 512, antialias=True)
    axis_batch.place_weights(table, rows, starts, 1 << 40)
    made += [table, rows, starts, *numbers]
    requested = random.choice([0, 1, -3.5, 20.5, 333.3], (50, 2)).astype(np.float32)
    for mode in range(len(MODES)):
        for exact in (True, False):
            limits = random.choice([np.inf, 40.0], (50, 2)).astype(np.float32)
            made += sizes_and_regions(lows, highs, requested, mode, limits, exact=exact)
    return made


def digest() -> str:
    """Of all that is computed here."""
    random = np.random.default_rng(12)
    made = hashlib.sha256()
    for value in (*of_pixels(random), *of_tables(random), *of_volumes(random)):
        made.update(np.asarray(value).tobytes())
    return made.hexdigest()
