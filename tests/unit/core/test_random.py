"""The random streams: fixed numbers, rules of the ranges, and equality with nvidia.dali where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.core import random as streams

SEED = 2**40 + 9
ROUNDED = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")


# ---------------------------------------------------------------------------------------------------------- seeds


def test_operator_seeds_are_those_of_seed_seq() -> None:
    assert streams.operator_seeds(0, 3).tolist() == [2637131961, 3856171733, 377474265]
    assert streams.operator_seeds(7, 3).tolist() == [1430822620, 2208556945, 3585591917]


def test_only_the_low_half_of_a_pipeline_seed_counts_and_the_table_repeats() -> None:
    assert np.array_equal(streams.operator_seeds(2**32 + 7, 5), streams.operator_seeds(7, 5))
    long = streams.operator_seeds(7, streams.SEED_TABLE_SIZE + 2)
    assert np.array_equal(long[-2:], long[:2])


def test_a_negative_pipeline_seed_must_be_resolved_first() -> None:
    with pytest.raises(ValueError, match=r"seed is -1.*resolve_pipeline_seed"):
        streams.operator_seeds(-1, 1)
    assert streams.resolve_pipeline_seed(2**33 + 5) == 5
    fresh = {streams.resolve_pipeline_seed(None), streams.resolve_pipeline_seed(-1), streams.resolve_pipeline_seed(-1)}
    assert len(fresh) == 3
    assert all(0 <= seed < 2**32 for seed in fresh)


# --------------------------------------------------------------------------------------------------------- stream


def test_philox_gives_the_vectors_of_its_authors() -> None:
    """Known answers of the Random123 distribution for philox4x32-10."""
    zero = streams.philox(0, 0, 0).tolist()
    ones = streams.philox(2**64 - 1, 2**64 - 1, 2**64 - 1).tolist()
    assert zero == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert ones == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def test_a_draw_depends_only_on_its_place() -> None:
    whole = streams.draws_u32(SEED, 10, 4, 600, 3)
    assert whole.shape == (4, 600, 3)
    assert np.array_equal(streams.draws_u32(SEED, 10, 2, 7), whole[:2, :7, :1])
    again = streams.draws_u32(SEED, 10 + 2 * streams.SAMPLE_STRIDE, 2, 600, 3)
    assert np.array_equal(again, whole[2:])


def test_ragged_samples_are_laid_end_to_end() -> None:
    counts = [3, 0, 70, 1]
    whole = streams.draws_u32(5, 0, 4, 70)
    flat = streams.draws_u32(5, 0, 4, counts)
    assert np.array_equal(flat[:, 0], np.concatenate([whole[i, :n, 0] for i, n in enumerate(counts)]))


@pytest.mark.parametrize(
    ("elements", "words"),
    [(-1, "0 or more"), ([1, 2], r"shape \(2,\); expected one number, or one per sample: \(3,\)")],
)
def test_wrong_element_counts_are_refused(elements: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        streams.draws_u32(0, 0, 3, elements)


# --------------------------------------------------------------------------------------------------- distributions


def test_uniform_stays_in_its_range_and_never_reaches_the_upper_end() -> None:
    numbers = streams.uniform(3, 0, 50, 2000, 0.25, 0.75)
    assert numbers.dtype == np.float32
    assert float(numbers.min()) >= 0.25
    assert float(numbers.max()) < 0.75
    assert abs(float(numbers.mean()) - 0.5) < 2e-3


def test_uniform_integers_round_so_both_ends_have_half_the_weight() -> None:
    numbers = streams.uniform(3, 0, 40, 5000, 0.0, 4.0, np.int32)
    counts = np.bincount(numbers.ravel(), minlength=5) / numbers.size
    assert np.allclose(counts, [0.125, 0.25, 0.25, 0.25, 0.125], atol=0.01)


def test_ranges_per_sample() -> None:
    low = np.arange(4, dtype=np.float32)
    together = streams.uniform(9, 5, 4, 3, low, low + 1)
    for i in range(4):
        assert np.array_equal(together[i], streams.uniform(9, 5, 4, 3, low[i], low[i] + 1)[i])


@pytest.mark.parametrize("ends", [(3.0, 3.0), (5.0, 2.0), (0.0, float("nan"))])
def test_empty_ranges_are_refused(ends: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="is empty"):
        streams.uniform(0, 0, 2, 1, *ends)


def test_values_are_picked_evenly_and_per_sample_lists_work() -> None:
    picked = streams.uniform_values(1, 0, 30, 1000, [1.5, 2.5, -7.0])
    assert sorted(set(picked.ravel().tolist())) == [-7.0, 1.5, 2.5]
    lists = [np.arange(i + 1, dtype=np.float32) + 10 * i for i in range(3)]
    per_sample = streams.uniform_values(1, 0, 3, 200, lists)
    for i, row in enumerate(per_sample):
        assert set(row.tolist()) == set(lists[i].tolist())


def test_bad_value_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="one or more numbers"):
        streams.uniform_values(0, 0, 1, 1, [])
    with pytest.raises(ValueError, match="one per sample: 3"):
        streams.uniform_values(0, 0, 3, 1, [np.ones(1, np.float32), np.ones(2, np.float32)])


def test_coin_flip_follows_its_probability() -> None:
    chances = np.array([0.0, 0.3, 1.0, 2.0], np.float32)
    flips = streams.coin_flip(11, 0, 4, 20000, chances)
    assert flips.dtype == np.int32
    assert flips[0].sum() == 0
    assert abs(float(flips[1].mean()) - 0.3) < 0.02
    assert flips[2:].all()
    with pytest.raises(ValueError, match=r"probability is -0\.5"):
        streams.coin_flip(0, 0, 1, 1, -0.5)


def test_normal_has_its_mean_and_width() -> None:
    numbers = streams.normal(11, 0, 10, 20000, mean=3.0, stddev=2.0)
    assert abs(float(numbers.mean()) - 3) < 0.02
    assert abs(float(numbers.std()) - 2) < 0.02
    assert np.array_equal(streams.normal(11, 0, 2, 5, stddev=0.0), np.zeros((2, 5), np.float32))


def test_types_that_nvidia_dali_does_not_make_are_refused() -> None:
    with pytest.raises(ValueError, match="uniform cannot produce float16; accepted: uint8"):
        streams.uniform(0, 0, 1, 1, dtype=np.float16)
    with pytest.raises(ValueError, match="coin_flip cannot produce float32; accepted: bool, uint8, int32"):
        streams.coin_flip(0, 0, 1, 1, dtype=np.float32)


def test_rounding_is_half_away_from_zero_and_clamps() -> None:
    values = np.array([0.5, 1.5, -0.5, -1.5, 0.49999997, 300.0, -1e9, np.nan], np.float32)
    assert streams.round_to_dtype(values, np.int8).tolist() == [1, 2, -1, -2, 0, 127, -128, 0]
    huge = np.array([2.0**63, -(2.0**63), 2.0**62], np.float64)
    assert streams.round_to_dtype(huge, np.int64).tolist() == [2**63 - 1, -(2**63), 2**62]


# ---------------------------------------------------------------------------------------- against nvidia.dali itself


class Oracle:
    """Runs one random operator of nvidia.dali and returns its batches."""

    def __init__(self, dali: Any) -> None:
        self.fn, self.types, self.pipeline_def = dali.fn, dali.types, dali.pipeline_def

    def dtype(self, name: str) -> Any:
        special = {"float32": "FLOAT", "float64": "FLOAT64", "bool": "BOOL"}
        return getattr(self.types, special.get(name, name.upper()))

    def batches(self, make: Any, batch: int, iterations: int, seed: int = 7) -> list[np.ndarray[Any, Any]]:
        @self.pipeline_def(batch_size=batch, num_threads=1, device_id=None, seed=seed)
        def pipe() -> Any:
            return make(self.fn)

        built = pipe()
        built.build()
        return [np.array(built.run()[0].as_array()) for _ in range(iterations)]


@pytest.fixture(scope="module")
def oracle(nvidia: Any) -> Oracle:
    return Oracle(nvidia)


@pytest.mark.parametrize("name", [*ROUNDED, "float32", "float64"])
@pytest.mark.parametrize("ends", [(0.0, 5.0), (-300.0, 300.0), (1e-3, 1e9)])
def test_uniform_equals_nvidia_dali(oracle: Oracle, name: str, ends: tuple[float, float]) -> None:
    def make(fn: Any) -> Any:
        return fn.random.uniform(range=list(ends), dtype=oracle.dtype(name), seed=SEED, shape=500)

    for i, batch in enumerate(oracle.batches(make, 5, 2)):
        assert np.array_equal(batch, streams.uniform(SEED, 5 * i, 5, 500, *ends, dtype=name))


@pytest.mark.parametrize("name", ["uint8", "int32", "float32"])
def test_values_equal_nvidia_dali(oracle: Oracle, name: str) -> None:
    values = [-1.5, 0.5, 2.5, 300.7, 7.0]

    def make(fn: Any) -> Any:
        return fn.random.uniform(values=values, dtype=oracle.dtype(name), seed=-5, shape=500)

    for i, batch in enumerate(oracle.batches(make, 3, 2)):
        assert np.array_equal(batch, streams.uniform_values(-5, 3 * i, 3, 500, values, dtype=name))


@pytest.mark.parametrize("name", ["bool", "uint8", "int32"])
def test_coin_flip_equals_nvidia_dali(oracle: Oracle, name: str) -> None:
    def make(fn: Any) -> Any:
        return fn.random.coin_flip(probability=0.3, dtype=oracle.dtype(name), seed=2**63 - 1, shape=500)

    for i, batch in enumerate(oracle.batches(make, 3, 2)):
        assert np.array_equal(batch, streams.coin_flip(2**63 - 1, 3 * i, 3, 500, 0.3, dtype=name))


@pytest.mark.parametrize("name", [*ROUNDED, "float32", "float64"])
def test_normal_equals_nvidia_dali(oracle: Oracle, name: str) -> None:
    """Integers exactly; floats to the last bits, because the C library's logarithm and cosine are not reproduced."""

    def make(fn: Any) -> Any:
        return fn.random.normal(mean=1.3, stddev=30.7, dtype=oracle.dtype(name), seed=11, shape=2000)

    for i, batch in enumerate(oracle.batches(make, 3, 2)):
        mine = streams.normal(11, 3 * i, 3, 2000, 1.3, 30.7, dtype=name)
        if name.startswith("float"):
            assert np.allclose(batch, mine, rtol=2e-6, atol=1e-5)
            assert np.mean(batch == mine) > 0.97
        else:
            assert np.array_equal(batch, mine)


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32 - 1, 2**32 + 42, 2**63 - 1])
def test_pipeline_seeds_equal_nvidia_dali(oracle: Oracle, seed: int) -> None:
    batch = oracle.batches(lambda fn: fn.random.uniform(), 4, 1, seed)[0]
    assert np.array_equal(batch, streams.uniform(int(streams.operator_seeds(seed, 1)[0]), 0, 4)[:, 0])
