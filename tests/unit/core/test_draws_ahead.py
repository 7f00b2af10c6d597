"""Draws are made for several iterations at once: no number depends on that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.api.default import default_registry
from dali_studio.core.random_stream import _FEW, AHEAD, ELEMENT_STRIDE, SAMPLE_STRIDE, draws_u32, philox
from dali_studio.kernels.cpu import crop_window
from dali_studio.kernels.cpu.crop_window import random_crop_windows
from dali_studio.schema.arguments import Args, RunContext
from dali_studio.schema.model import ArgumentSchema, OperatorSchema
from dali_studio.schema.values import canonical

SEED = 2**41 + 77


def drawn(seed: int, start: int, sample: int, element: int, draw: int) -> int:
    """One number, by its place in the stream."""
    high, place = (start + SAMPLE_STRIDE * sample) % 2**64, element * ELEMENT_STRIDE + draw
    return int(philox(place // 4, np.uint64(high), seed)[place % 4])


#: Batch sizes, and positions in units of them: before, at and behind the edges of a block.
_SIZES = (1, 2, 3, 7, 64)
_STEPS = (0, 1, AHEAD - 1, AHEAD, AHEAD + 1, 5 * AHEAD - 1, 1000)


@pytest.mark.parametrize("draws", [1, 2, 5])
@pytest.mark.parametrize("size", _SIZES)
def test_each_number_is_that_of_its_place(size: int, draws: int) -> None:
    for start in [*(size * step for step in _STEPS), size * AHEAD + 1, 2 * size * AHEAD - 1, 12345, 2**40 + 1]:
        whole = draws_u32(SEED, start, size, 1, draws)
        assert whole.shape == (size, 1, draws) and whole.dtype == np.uint32
        for sample in {0, size // 2, size - 1}:
            assert whole[sample, 0].tolist() == [drawn(SEED, start, sample, 0, draw) for draw in range(draws)]


def test_sizes_that_change_from_iteration_to_iteration() -> None:
    generator = np.random.default_rng(1)
    start = 0
    for size in generator.choice([1, 4, 5, 8, 16, 17, 32, 100], 200).tolist():
        together = draws_u32(SEED, start, size, 1, 2)
        ragged = draws_u32(SEED, start, size, np.ones(size, np.int64), 2)  # never ahead
        assert np.array_equal(together[:, 0], ragged)
        start += size


@pytest.mark.parametrize("size", [_FEW - 1, _FEW, _FEW + 1])
def test_large_batches_draw_the_same(size: int) -> None:
    for step in (0, 3, AHEAD):
        whole = draws_u32(SEED, size * step, size, 1)
        assert np.array_equal(whole[:, 0], draws_u32(SEED, size * step, size, np.ones(size, np.int64)))


def test_seeds_and_numbers_of_draws_are_kept_apart() -> None:
    kinds = [(seed, draws) for seed in (1, 2, 2**64 - 1) for draws in (1, 2, 3)]
    for start in (0, 8, 16, 24):
        for seed, draws in kinds:
            expected = [drawn(seed, start, sample, 0, draw) for sample in range(8) for draw in range(draws)]
            assert draws_u32(seed, start, 8, 1, draws).ravel().tolist() == expected


def test_what_was_drawn_cannot_be_spoilt_for_others() -> None:
    first = draws_u32(SEED, 0, 4, 1)
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 0


def test_no_samples() -> None:
    assert draws_u32(SEED, 0, 0, 1).shape == (0, 1, 1)


# -------------------------------------------------------------------------------------------------------- crop windows


@pytest.mark.parametrize("attempts", [1, 10])
@pytest.mark.parametrize("size", [1, 2, 5, 33])
def test_crop_windows_are_those_of_their_places(size: int, attempts: int) -> None:
    shapes = np.random.default_rng(size).integers(5, 900, (size, 2))
    ahead = crop_window._AHEAD
    starts = [*(size * step for step in (0, 1, ahead - 1, ahead, ahead + 1, 70)), size * ahead + 1, 999, 2**33 + 1]
    for start in starts:
        anchors, sizes = random_crop_windows(SEED, start, shapes, num_attempts=attempts)
        for sample in {0, size // 2, size - 1}:
            # a batch that is too large to be drawn ahead, whose first sample is this one
            filled = np.tile(shapes[sample], (crop_window._FEW + 1, 1))
            one = random_crop_windows(SEED, start + sample * SAMPLE_STRIDE, filled, num_attempts=attempts)
            assert (anchors[sample].tolist(), sizes[sample].tolist()) == (one[0][0].tolist(), one[1][0].tolist())


@pytest.mark.parametrize("size", [crop_window._FEW, crop_window._FEW + 1])
def test_crop_windows_of_large_batches(size: int) -> None:
    shapes = np.tile([300, 400], (size, 1))
    for start in (0, size, 9 * size):
        anchors, sizes = random_crop_windows(SEED, start, shapes)
        for sample in (0, 1, size - 1):
            one = random_crop_windows(SEED, start + sample * SAMPLE_STRIDE, shapes[:1])
            assert (anchors[sample].tolist(), sizes[sample].tolist()) == (one[0][0].tolist(), one[1][0].tolist())


def test_crop_windows_of_no_images() -> None:
    anchors, sizes = random_crop_windows(SEED, 0, np.zeros((0, 2), np.int64))
    assert anchors.shape == sizes.shape == (0, 2)


# ---------------------------------------------------------------------------------------------------------- operators


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("random.uniform", {}),
        ("random.uniform", {"range": (3.0, 9.0), "dtype": "INT32", "shape": (2, 3)}),
        ("random.uniform", {"values": (1.0, 5.0, 7.0)}),
        ("random.coin_flip", {"probability": 0.3}),
        ("random.normal", {"mean": 2.0, "shape": (3,)}),
    ],
)
def test_operators_draw_ahead_what_they_draw_one_by_one(name: str, arguments: dict[str, Any]) -> None:
    operator = default_registry().operator(name)
    values = {key: canonical(_argument(operator.schema, key), value) for key, value in arguments.items()}
    memory: dict[Any, Any] = {}
    before = 0
    for iteration, size in enumerate([5] * 40 + [3, 5, 5] + [7] * 20):

        def run(chosen: Any, place: tuple[int, int, int] = (size, iteration, before)) -> list[Any]:
            whole = len(chosen) == place[0]
            context = RunContext(place[0], chosen, place[1], place[2], SEED, whole=whole)
            args = Args(operator.schema, values, {}, len(chosen), {}, context, memory if whole else None)
            return list(operator.run(None, args)[0].samples)

        ahead = run(np.arange(size))
        for k in range(size):
            (alone,) = run(np.array([k]))
            assert np.array_equal(ahead[k], alone) and ahead[k].dtype == alone.dtype
        ahead[0][...] = 0  # the array is the user's
        before += size


def _argument(schema: OperatorSchema, name: str) -> ArgumentSchema:
    found = schema.argument(name)
    assert found is not None
    return found
