"""Windows of any number of axes, and grids of squares: against numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.copy_window import copy_window, copy_windows
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.grid_mask import grid_mask
from dali_studio.kernels.cpu.native import kernel

Array = np.ndarray[Any, Any]
TYPES = ("bool", "uint8", "int16", "float16", "float32", "int64")


def expected(src: Array, shape: tuple[int, ...], first: tuple[int, ...], fill: Array, along: int) -> Array:
    """The window once more, by a padded copy."""
    broadcast = fill.reshape([-1 if axis == along else 1 for axis in range(len(shape))]) if along >= 0 else fill[0]
    made = np.array(np.broadcast_to(broadcast, shape))
    inside = [(max(0, -at), min(extent, size - at)) for at, extent, size in zip(first, shape, src.shape, strict=True)]
    if all(end > begin for begin, end in inside):
        made[tuple(slice(*pair) for pair in inside)] = src[
            tuple(slice(at + begin, at + end) for at, (begin, end) in zip(first, inside, strict=True))
        ]
    return made


def drawn(random: np.random.Generator, ndim: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Shapes of a source and of a window, and where that begins: inside, partly or wholly outside."""
    shape, window = random.integers(0, 7, (2, ndim)).tolist()
    return tuple(shape), tuple(window), tuple(random.integers(-8, 8, ndim).tolist())


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("ndim", [1, 2, 3, 4, 6])
def test_windows_are_numpys(ndim: int, dtype: str) -> None:
    random = np.random.default_rng(ndim)
    for trial in range(60):
        shape, window, first = drawn(random, ndim)
        if trial % 3 == 0:  # the last axes whole, as channels are
            window, first = (*window[:-1], shape[-1]), (*first[:-1], 0)
        src = random.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)
        along = int(random.integers(-1, ndim))
        fill = random.integers(0, 2 if dtype == "bool" else 100, max(window[along], 1) if along >= 0 else 1).astype(dtype)
        strided = np.repeat(src, 2, axis=0)[::2] if trial % 2 else src
        out = np.zeros(window, dtype)
        copy_window(strided, out, first, fill, along)
        np.testing.assert_array_equal(out, expected(src, window, first, fill, along))


def test_a_batch_is_its_samples() -> None:
    random = np.random.default_rng(0)
    src = [random.integers(0, 255, (int(n), 5, 3), np.uint8) for n in (3, 0, 9, 1)]
    firsts = np.array([[-1, 2, 0], [0, 0, 0], [4, -3, 0], [0, 9, 0]])
    fills = random.integers(0, 255, (4, 3)).astype(np.uint8)
    out = [np.zeros((4, 6, 3), np.uint8) for _ in src]
    copy_windows(Batch.of(src, "HWC"), Batch.of(out, "HWC"), firsts, fills, 2)
    for sample, made, first, fill in zip(src, out, firsts.tolist(), fills, strict=True):
        np.testing.assert_array_equal(made, expected(sample, (4, 6, 3), tuple(first), fill, 2))


@pytest.mark.parametrize(("border", "mode"), [
    (Border.CLAMP, "edge"), (Border.REFLECT_1001, "symmetric"), (Border.REFLECT_101, "reflect"), (Border.WRAP, "wrap"),
])  # fmt: skip
def test_what_goes_on_outside_is_numpys(border: Border, mode: Any) -> None:
    random = np.random.default_rng(3)
    for size in (1, 2, 3, 4, 5, 6, 8, 12):
        src = random.integers(0, 255, (int(random.integers(1, 7)), int(random.integers(1, 9)), size), np.uint8)
        around = [(int(before), int(after)) for before, after in random.integers(0, 20, (2, 2))]
        out = np.empty((src.shape[0] + sum(around[0]), src.shape[1] + sum(around[1]), size), np.uint8)
        copy_window(src, out, (-around[0][0], -around[1][0], 0), np.zeros(1, np.uint8), border=border)
        np.testing.assert_array_equal(out, np.pad(src, (*around, (0, 0)), mode))
        far = np.empty((3, *src.shape[1:]), np.uint8)
        copy_window(src, far, (src.shape[0] + 4, 0, 0), np.zeros(1, np.uint8), border=border)
        np.testing.assert_array_equal(far, np.pad(src, ((0, 7), (0, 0), (0, 0)), mode)[-3:])


def test_numbers_are_copied() -> None:
    out = np.zeros((), np.int16)
    copy_window(np.array(7, np.int16), out, (), np.zeros(1, np.int16))
    assert out == 7


@pytest.mark.parametrize("change", [{"along": 3}, {"size": 0}, {"fills": np.zeros((2, 8), np.uint8)}, {"border": 5}])
def test_tables_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    given = {"size": 8, "fills": np.zeros((1, 8), np.uint8), "along": -1, "border": 0, **change}
    places = np.zeros(1, np.int64)
    size = given.pop("size")
    with pytest.raises(ValueError, match="fit"):
        kernel("copy_windows")(size, places, places, np.zeros((1, 4, 3), np.int64), *given.values())


@pytest.mark.parametrize("made", ["uint8", "float16", "float32"])
@pytest.mark.parametrize("given", ["uint8", "int8", "uint16", "int32", "uint64", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("border", [Border.CONSTANT, Border.REFLECT_101])
def test_other_types_are_saturated_and_cut(given: str, made: str, border: Border) -> None:
    numbers = [-1e30, -7e4, -300.5, -1.5, -0.7, 0, 0.49999999, 0.5, 1.5, 254.9999999999, 255.4, 256, 65519, 65520, 1e9, 1e30]
    numbers += [math.nan, math.inf, -math.inf, *range(250, 261), 2049, 2051, 1.00049, 3e-8, 0.1]
    with np.errstate(invalid="ignore", over="ignore"):
        src = np.resize(numbers, (5, 48, 2)).astype(given)[:, ::2]
        out = np.empty((5, src.shape[1] + 3, 2), made)
        copy_window(src, out, (0, -1, 0), np.full(1, 9, made), border=border)
        mode: Any = "constant" if border is Border.CONSTANT else "reflect"
        wide: Array = np.pad(src, ((0, 0), (1, 2), (0, 0)), mode)
        expected: Array = wide.astype(made)
        if given != made and made == "uint8":
            cut: Array = np.trunc(np.nan_to_num(wide)) if src.dtype.kind == "f" else wide
            expected = np.where(cut > 255, 255, np.where(cut < 0, 0, cut)).astype(np.uint8)
        elif given != made and made == "float16":  # rounded half away from zero, and never infinite
            convert(np.clip(wide.astype(np.float32), -65504, 65504), expected)
        if border is Border.CONSTANT:
            expected[:, :1] = expected[:, -2:] = 9
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "float32"])
@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_grids_are_numpys(angle: float, dtype: str) -> None:
    src = np.random.default_rng(1).uniform(-9 if dtype != "uint8" else 0, 9, (31, 45, 3)).astype(dtype)
    tile, ratio, x, y = np.float32(7), np.float32(0.4), np.float32(2.5), np.float32(-3.25)
    cosine, sine = np.float32(math.cos(np.float32(angle))) / tile, np.float32(math.sin(np.float32(angle))) / tile
    row, column = np.arange(31, dtype=np.float32)[:, None], np.arange(45, dtype=np.float32)
    along = (-(x / tile) + row * -sine) + column * cosine
    across = (-(y / tile) + row * cosine) + column * sine
    kept = (along - np.floor(along) >= ratio) | (across - np.floor(across) >= ratio)
    out = np.zeros_like(src)
    grid_mask(src, out, 7, 0.4, angle, (2.5, -3.25))
    np.testing.assert_array_equal(out, src * kept[..., None])
