"""Tables of a batch, random numbers and orders."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.random import normal, uniform
from dali_studio.kernels.cpu import audio, descriptors, philox, window_batch
from dali_studio.kernels.cpu.crop_window import random_crop_windows
from dali_studio.kernels.cpu.cxx_random import shuffle_mt19937, shuffle_mt19937_64
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.reader_order import ReaderOrder

COUNT = 300


def of_tables(random: np.random.Generator) -> list[Any]:
    sizes, shapes = random.integers(1, 2000, (COUNT, 2)), random.integers(1, 99, (COUNT, 3))
    numbers: list[NDArray[np.float32]] = [row.astype(np.float32) for row in random.normal(0, 300, (4, COUNT))]
    numbers[0][:6] = [np.nan, np.inf, -np.inf, 2.0**63, 1e30, 0.5]
    places = numbers[2] / np.float32(300), numbers[3] / np.float32(300)
    host = np.zeros(COUNT * 64, np.uint8)
    made = descriptors.Descriptors(host, COUNT, 64)
    offsets, size = descriptors.place(shapes, 4, 256)
    made.heads((1 << 40, offsets, shapes, descriptors.HWC), (1 << 41, offsets, shapes, descriptors.CHW), 3)
    windows = [
        array
        for nearest in (True, False)
        for policy in (window_batch.KEEP, window_batch.TRIM)
        for array in window_batch.windows(sizes, numbers[0], numbers[1], places, nearest=nearest, policy=policy)
    ]
    return [host, size, *descriptors.measure(shapes, descriptors.CHW, (3, 7), 2, planes=True), *windows]


def of_random_numbers(random: np.random.Generator) -> list[Any]:
    a, b, c = random.integers(0, 2**32, (3, 100_000), np.uint32).view(np.float32)
    fused = philox.multiply_add(a, b, c)
    sizes = random.integers(1, 3000, (COUNT, 2))
    return [
        fused[fused == fused],  # the bits of what is no number may differ
        normal(3, 0, COUNT, 9, 0.25, 2.5),
        uniform(2**60 + 3, 77, COUNT, 5, -3.5, 17.25),
        *(normal(3, 0, 2, 1000, 0.25, 2.5, dtype, origin=7) for dtype in (np.float32, np.uint8)),
        *(uniform(3, 77, 2, 1000, 3.5, 170.25, dtype, origin=7) for dtype in (np.float32, np.float64, np.uint8)),
        *random_crop_windows(5, 0, sizes),
        *random_crop_windows(5, COUNT, sizes, (0.5, 0.6), (0.01, 80.0), 3),
    ]


def of_orders() -> list[Any]:
    few, many = np.arange(5000), np.arange(70_001)
    shuffle_mt19937_64(few, 2**63 + 9)
    shuffle_mt19937(many, 524287)
    order = ReaderOrder(1000, random_shuffle=True, seed=9, initial_fill=100)
    return [few, many, [order.next_batch(64) for _ in range(40)]]


def of_sounds_and_masks(random: np.random.Generator) -> list[Any]:
    made: list[Any] = []
    for channels in (1, 3):
        sound = random.uniform(-1, 1, (3000, channels)).astype(np.float32)
        out, one = np.empty((4135, channels), np.float32), np.empty(3000, np.float32)
        integers = np.empty(out.shape, np.int32)
        audio.resample(sound, out, 16000, 22050, 80)
        audio.from_sound(out, integers)
        audio.downmix(sound, one)
        made += [out, one, integers]
    corners = random.uniform(-20, 120, (40, 2)).astype(np.float32)
    polygons = np.array([[i, 8 * i, 8 * i + 8] for i in range(5)], np.int32)
    labels, mask = np.array([3, 1, 2, 3, 4], np.int32), np.empty((90, 110), np.int32)
    scratch = np.empty(2 * mask.size + 1, np.uint8)
    kernel("draw_masks")(
        corners, polygons, np.empty((0, 3), np.int64), np.empty(0, np.uint32), labels, np.unique(labels), scratch, mask
    )
    return [*made, mask]


def digest() -> str:
    """Of all that is computed here."""
    random = np.random.default_rng(11)
    made = hashlib.sha256()
    for value in (*of_tables(random), *of_random_numbers(random), *of_orders(), *of_sounds_and_masks(random)):
        made.update(np.asarray(value).tobytes())
    return made.hexdigest()
