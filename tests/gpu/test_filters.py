"""Filters whose windows lie in shared memory give, bit by bit, what they give on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gpu_programs import both
from images import TINY_SIZES

from dali_studio import fn, types
from dali_studio.kernels.cuda import strips

pytestmark = pytest.mark.gpu

SIZES = ((131, 70), (33, 210), (3, 200), (140, 2), *TINY_SIZES)
ROUGH = np.random.default_rng(5).normal(0, 0.2, (5, 9)).astype(np.float32)
ROUGH[1:3, 2:4] = 0


def filtered(x: Any, window: Any, **options: Any) -> Any:
    weights = types.Constant(window)
    return fn.filter(x, weights.gpu() if x.device == "gpu" else weights, **options)


FILTERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "blur": (lambda x: fn.gaussian_blur(x, sigma=3.0), "u1 u2 f4"),
    "blur, wide": (lambda x: fn.gaussian_blur(x, window_size=(3, 41)), "u1"),
    "blur, high": (lambda x: fn.gaussian_blur(x, window_size=(81, 1)), "u1 f4"),
    "blur, far": (lambda x: fn.gaussian_blur(x, window_size=301), "u1"),
    "laplacian": (lambda x: fn.laplacian(x, window_size=5, dtype=types.FLOAT), "u1 i2"),
    "laplacian, uneven": (lambda x: fn.laplacian(x, window_size=(9, 3), smoothing_size=(1, 5), scale=(0.5, -1.0)), "u1 f4"),
    "filter": (lambda x: filtered(x, np.full((3, 3), 0.1, np.float32)), "u1 i2 f2 f4"),
    **{
        f"filter, {border}": (lambda x, b=border: filtered(x, ROUGH, anchor=(4, 0), border=b, dtype=types.FLOAT), "u1 f4")
        for border in ("constant", "clamp", "reflect_1001", "reflect_101", "wrap")
    },
    **{
        f"dilate, {border}": (lambda x, b=border: fn.experimental.dilate(x, mask_size=(7, 6), border_mode=b), "u1 u2")
        for border in ("constant", "replicate", "reflect", "reflect_101", "wrap")
    },
    "erode": (lambda x: fn.experimental.erode(x, mask_size=(7, 7)), "u1 u2 f4"),
    "erode, high": (lambda x: fn.experimental.erode(x, mask_size=(1, 60), anchor=(0, 50)), "u1"),
    "median": (lambda x: fn.experimental.median_blur(x, window_size=(9, 9)), "u1 u2"),
    "median, wide": (lambda x: fn.experimental.median_blur(x, window_size=(33, 3)), "u1"),
}


@pytest.mark.parametrize("blocks", [1, 1024])
@pytest.mark.parametrize("name", FILTERS)
def test_filters_in_shared_memory(name: str, blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "_BLOCKS", blocks)  # 1: strips are many pieces high
    strips._cut.cache_clear()  # pyright: ignore[reportPrivateUsage]
    define, dtypes = FILTERS[name]
    for dtype in map(np.dtype, dtypes.split()):
        for channels in (1, 3, 4):
            made = [np.random.default_rng(size).integers(0, 256, (*size, channels)).astype(dtype) for size in SIZES]
            for index, (ours, expected) in enumerate(zip(*both(define, made), strict=True)):
                assert ours.tobytes() == expected.tobytes(), (dtype, channels, SIZES[index])


def distorted(x: Any) -> Any:
    return fn.jpeg_compression_distortion(x, quality=40)


def test_jpeg_distortion_of_whole_tiles_and_of_parts() -> None:
    sizes = ((131, 263), (64, 128), (130, 140), (63, 129))
    made = [np.random.default_rng(index).integers(0, 256, (*size, 3), np.uint8) for index, size in enumerate(sizes)]
    for ours, expected in zip(*both(distorted, made), strict=True):
        np.testing.assert_array_equal(ours, expected)
