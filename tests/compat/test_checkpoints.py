"""Checkpoints: a resumed run gives what the run that went on gives, under the rules of nvidia.dali."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS, assert_equal, collect

from dali_studio import DaliStudioError

FILES, BATCH = 23, 4
READERS: dict[str, dict[str, Any]] = {
    "in order": {},
    "shuffled": {"random_shuffle": True, "initial_fill": 5},
    "shuffled after epochs": {"shuffle_after_epoch": True},
    "shards": {"num_shards": 3, "shard_id": 1, "pad_last_batch": True},
    "shards, shuffled": {"num_shards": 3, "shard_id": 1, "random_shuffle": True, "initial_fill": 4},
    "sticks to its shard": {"num_shards": 3, "shard_id": 2, "stick_to_shard": True, "random_shuffle": True, "initial_fill": 3},
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files, each with its number in it."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "class").mkdir()
    for number in range(FILES):
        (folder / "class" / f"{number:02d}.jpg").write_bytes(bytes([number]))
    return folder


def reading(prefix: str, root: Path, reader: dict[str, Any], **options: Any) -> Any:
    """Files and random numbers."""
    fn = importlib.import_module(f"{prefix}.fn")
    settings = {"batch_size": BATCH, "num_threads": 2, "device_id": None, "seed": 3, "enable_checkpointing": True}

    @importlib.import_module(prefix).pipeline_def(**{**settings, **options})
    def pipe() -> Any:
        files, labels = fn.readers.file(file_root=str(root), name="reader", **reader)
        half = fn.random.uniform(range=[0.4, 0.6], shape=[])
        return files, labels, fn.random.normal(), fn.random.coin_flip(probability=half)

    return pipe()


def outputs(made: Any, count: int) -> list[Any]:
    """Copies of what some iterations return."""
    return [collect(made.run()) for _ in range(count)]


def assert_same(some: list[Any], others: list[Any]) -> None:
    """Iteration for iteration."""
    for mine, reference in zip(some, others, strict=True):
        assert_equal(mine, reference)


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_resumed_runs(reader: dict[str, Any], depth: int, root: Path) -> None:
    whole = outputs(reading(OURS, root, reader), 20)
    for cut in (0, 1, 5, 6, 13):
        first = reading(OURS, root, reader, prefetch_queue_depth=depth)
        assert_same(outputs(first, cut), whole[:cut])
        resumed = reading(OURS, root, reader, checkpoint=first.checkpoint(), seed=99, prefetch_queue_depth=depth)
        assert not resumed.is_restored_from_checkpoint
        assert_same(outputs(resumed, 20 - cut), whole[cut:])
        assert resumed.is_restored_from_checkpoint
        assert_same(outputs(first, 3), whole[cut : cut + 3])  # and the first one went on


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_order_with_checkpointing(reader: dict[str, Any], root: Path, nvidia: ModuleType) -> None:
    del nvidia
    assert_same(outputs(reading(OURS, root, reader), 14), outputs(reading(THEIRS, root, reader), 14))
    plain = [outputs(reading(which, root, reader, enable_checkpointing=False), 14) for which in (OURS, THEIRS)]
    assert_same(*plain)


def test_resumed_twice(root: Path) -> None:
    whole = outputs(reading(OURS, root, READERS["shuffled"]), 12)
    made = reading(OURS, root, READERS["shuffled"])
    got: list[Any] = []
    for _ in range(4):
        got += outputs(made, 3)
        made = reading(OURS, root, READERS["shuffled"], checkpoint=made.checkpoint())
    assert_same(got, whole)


def test_a_default_that_is_written_out(root: Path) -> None:
    whole = outputs(reading(OURS, root, READERS["shuffled"]), 6)
    for one, other in (({}, {"pad_last_batch": False}), ({"pad_last_batch": False}, {})):
        made = reading(OURS, root, {**READERS["shuffled"], **one})
        outputs(made, 2)
        assert_same(outputs(reading(OURS, root, {**READERS["shuffled"], **other}, checkpoint=made.checkpoint()), 4), whole[2:])


def test_a_seed_of_its_own(root: Path) -> None:
    made = reading(OURS, root, {}, seed=None)
    outputs(made, 2)
    resumed = reading(OURS, root, {}, seed=None, checkpoint=made.checkpoint())
    assert_same(outputs(resumed, 3), outputs(made, 3))


def test_filename(root: Path, tmp_path: Path) -> None:
    made = reading(OURS, root, {})
    outputs(made, 1)
    data = made.checkpoint(str(tmp_path / "place.json"))
    assert (tmp_path / "place.json").read_bytes() == data
    assert json.loads(data)["position"]["iteration"] == 1


# -------------------------------------------------------------------------------------------------- random in branches


@pytest.mark.parametrize("cut", [0, 1, 4])
def test_random_numbers_in_branches(cut: int, nvidia: ModuleType) -> None:
    del nvidia

    def program(fn: Any) -> Any:
        limits = fn.external_source(source=lambda i: [np.float32([0, 1 + i])] * BATCH)
        if fn.external_source(source=lambda i: [np.array((i + k) % 3 == 0) for k in range(BATCH)]):
            drawn = fn.random.uniform(range=limits)
        else:
            drawn = fn.random.normal(mean=fn.random.uniform(range=limits))
        return drawn

    def pipe(prefix: str, **options: Any) -> Any:
        define = importlib.import_module(prefix).pipeline_def
        settings = {"batch_size": BATCH, "num_threads": 2, "device_id": None, "seed": 8, "enable_checkpointing": True}
        return define(program, enable_conditionals=True, **settings, **options)(importlib.import_module(f"{prefix}.fn"))

    whole = outputs(pipe(THEIRS), 8)
    first = pipe(OURS)
    got = outputs(first, cut)
    got += outputs(pipe(OURS, checkpoint=first.checkpoint()), 8 - cut)
    for mine, reference in zip(got, whole, strict=True):
        np.testing.assert_allclose(mine[0].samples, reference[0].samples, rtol=1e-6)


# ---------------------------------------------------------------------------------------------------- external sources


def by_iteration(iteration: int) -> Any:
    if iteration == 4:
        raise StopIteration
    return [np.int32(10 * iteration + k) for k in range(BATCH)]


def by_sample(info: Any) -> Any:
    if info.iteration == 4:
        raise StopIteration
    return np.int32([info.idx_in_epoch, info.epoch_idx])


def by_batch_info(info: Any) -> Any:
    if info.iteration == 4:
        raise StopIteration
    return [np.int32([info.iteration, info.epoch_idx])] * BATCH


class Items:
    """Four batches."""

    def __iter__(self) -> Iterator[Any]:
        return iter([[np.int32(n)] * BATCH for n in range(4)])


def no_parameters() -> Any:
    return [np.int32(1)] * BATCH


SOURCES: dict[str, tuple[Any, dict[str, Any], bool]] = {
    "iteration": (by_iteration, {}, False),
    "sample": (by_sample, {"batch": False}, False),
    "batch info": (by_batch_info, {"batch_info": True}, False),
    "iterable": (Items(), {"cycle": "raise"}, True),
    "no parameters": (no_parameters, {}, True),
}


def sourced(prefix: str, source: Any, arguments: dict[str, Any], **options: Any) -> Any:
    fn = importlib.import_module(f"{prefix}.fn")

    @importlib.import_module(prefix).pipeline_def(
        batch_size=BATCH, num_threads=1, device_id=None, seed=1, enable_checkpointing=True, **options
    )
    def pipe() -> Any:
        return fn.external_source(source=source, name="data", **arguments), fn.random.uniform()

    return pipe()


def epochs(made: Any, count: int) -> list[Any]:
    """Values of some calls; "end" where the data ended."""
    got: list[Any] = []
    for _ in range(count):
        try:
            got.append([np.array(sample).tolist() for batch in made.run() for sample in batch])
        except StopIteration:
            got.append("end")
            made.reset()
    return got


@pytest.mark.parametrize("cut", [0, 2, 4, 5, 7])
@pytest.mark.parametrize("kind", SOURCES)
def test_external_sources(kind: str, cut: int, nvidia: ModuleType) -> None:
    del nvidia
    source, arguments, warns = SOURCES[kind]
    got: dict[str, list[Any]] = {}
    for prefix in (OURS, THEIRS):

        def build(prefix: str = prefix, **options: Any) -> Any:
            made = sourced(prefix, source, arguments, **options)
            if warns:
                with pytest.warns(Warning, match="heckpointing"):
                    made.build()
            return made

        first = build()
        epochs(first, cut)
        got[prefix] = epochs(build(checkpoint=first.checkpoint()), 6)
        if not warns:
            assert got[prefix] == epochs(first, 6)
    assert got[OURS] == got[THEIRS]


@pytest.mark.parametrize("cut", [1, 2, 5])
def test_batches_of_several_sizes(cut: int, nvidia: ModuleType) -> None:
    del nvidia

    def source(iteration: int) -> Any:
        return [np.float32([0, iteration + 1])] * (1 + iteration % BATCH)

    def pipe(prefix: str, **options: Any) -> Any:
        fn = importlib.import_module(f"{prefix}.fn")

        @importlib.import_module(prefix).pipeline_def(
            batch_size=BATCH, num_threads=1, device_id=None, seed=1, enable_checkpointing=True, **options
        )
        def made() -> Any:
            return fn.random.uniform(range=fn.external_source(source=source))

        return made()

    first = pipe(OURS)
    got = outputs(first, cut)
    assert_same(got + outputs(pipe(OURS, checkpoint=first.checkpoint()), 7 - cut), outputs(pipe(THEIRS), 7))


# ----------------------------------------------------------------------------------------------------------- refusals


def both_refuse(make: Callable[[str], Any], words: str) -> None:
    """Ours with a diagnostic that has these words."""
    with pytest.raises(RuntimeError):
        make(THEIRS)
    with pytest.raises(DaliStudioError) as caught:
        make(OURS)
    assert words in str(caught.value)


def test_refused_without_the_option(root: Path, nvidia: ModuleType) -> None:
    del nvidia
    data = {prefix: reading(prefix, root, {}).checkpoint() for prefix in (OURS, THEIRS)}
    both_refuse(
        lambda prefix: reading(prefix, root, {}, enable_checkpointing=False).checkpoint(),
        "Make it with enable_checkpointing=True",
    )
    both_refuse(
        lambda prefix: reading(prefix, root, {}, enable_checkpointing=False, checkpoint=data[prefix]).build(),
        "enable_checkpointing is False",
    )
    both_refuse(lambda prefix: reading(prefix, root, {}, checkpoint=b"abc").build(), "The checkpoint cannot be read")
    both_refuse(lambda prefix: sourced(prefix, by_iteration, {}, checkpoint=data[prefix]).build(), "of another pipeline")


def test_refused_for_another_graph(root: Path, tmp_path: Path) -> None:
    data = reading(OURS, root, READERS["shuffled"]).checkpoint()
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "0.jpg").write_bytes(b"0")
    for words, make in {
        "its batch_size is 4, here it is 5": lambda: reading(OURS, root, READERS["shuffled"], batch_size=5, checkpoint=data),
        "initial_fill of reader is 5 in it, and 6 here": lambda: reading(
            OURS, root, {"random_shuffle": True, "initial_fill": 6}, checkpoint=data
        ),
        "reader read a data set of 23 samples, here there are 1": lambda: reading(
            OURS, tmp_path, READERS["shuffled"], checkpoint=data
        ),
        "it has an operator reader (readers.file), which is missing here": lambda: sourced(
            OURS, by_iteration, {}, checkpoint=data
        ),
    }.items():
        with pytest.raises(DaliStudioError) as caught:
            make().build()
        assert words in str(caught.value)
        assert caught.value.diagnostics[0].code == "DS304"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("a path", "DS105"), (b"", "DS105"), (b"{}", "DS105"), (b'{"format":"other","version":1}', "DS105"),
        (b'{"format":"dali_studio.checkpoint","version":9}', "DS402"),
        (b'{"format":"dali_studio.checkpoint","version":1}', "DS105"),
    ],
)  # fmt: skip
def test_refused_bytes(data: Any, code: str, root: Path) -> None:
    with pytest.raises(DaliStudioError) as caught:
        reading(OURS, root, {}, checkpoint=data)
    assert caught.value.diagnostics[0].code == code
