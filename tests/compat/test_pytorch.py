"""Iterators for PyTorch against nvidia.dali's: the same tensors, lengths and ends of epochs."""

from __future__ import annotations

import importlib
import inspect
import itertools
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from declared import PROGRAM
from images import dataset
from peers import OURS, THEIRS
from training_loops import execute

from dali_studio import DaliStudioError

pytestmark = [
    pytest.mark.usefixtures("nvidia", "torch"),
    pytest.mark.filterwarnings("ignore:.*(size|reader_name|last_batch_policy)"),
]

COUNT, EPOCHS = 11, 4
#: More batches than any epoch of these tests has: an iterator that does not end is a failure, not a hang.
MANY = 100


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("numbers")
    for number in range(COUNT):
        (folder / f"{number}.bin").write_bytes(bytes([number, 100 + number]))
    return folder


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """nvidia.dali warns of resets that have no effect."""
    with caplog.at_level(logging.CRITICAL):
        yield


def plugin(prefix: str) -> Any:
    return importlib.import_module(f"{prefix}.plugin.pytorch")


def readers(prefix: str, root: Path, batch_size: int, shards: list[int], **arguments: Any) -> list[Any]:
    """A pipeline for each shard that is read."""
    fn, dali = importlib.import_module(f"{prefix}.fn"), importlib.import_module(prefix)
    made: list[Any] = []
    for shard in shards:
        pipe = dali.Pipeline(batch_size=batch_size, num_threads=1, device_id=None, seed=5)
        with pipe:
            files, labels = fn.readers.file(
                file_root=str(root), files=[f"{i}.bin" for i in range(COUNT)], labels=list(range(COUNT)), name="Reader",
                shard_id=shard, **arguments,
            )  # fmt: skip
            pipe.set_outputs(files, labels)
        made.append(pipe)
    return made


def counting(first: int, end: int | None) -> Callable[[Any], np.ndarray[Any, Any]]:
    def source(info: Any) -> np.ndarray[Any, Any]:
        if info.iteration == end:
            raise StopIteration
        return np.array([first + info.idx_in_epoch], np.int64)

    return source


def counters(prefix: str, batch_size: int, count: int = 1, end: int | None = None) -> list[Any]:
    """Pipelines whose source counts; it stops before iteration `end`, or never."""
    fn, dali = importlib.import_module(f"{prefix}.fn"), importlib.import_module(prefix)
    made: list[Any] = []
    for number in range(count):
        source = counting(1000 * number, end)
        pipe = dali.Pipeline(batch_size=batch_size, num_threads=1, device_id=None, seed=5)
        with pipe:
            pipe.set_outputs(fn.external_source(source=source, batch=False))
        made.append(pipe)
    return made


def said(batch: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {name: (str(tensor.dtype), tensor.device.type, tensor.tolist()) for name, tensor in part.items()}
        for part in batch
    ]


def trace(iterator: Any, by_length: bool, auto_reset: bool) -> list[Any]:
    """Everything that is observable over some epochs: lengths, sizes, tensors and where they end."""
    log: list[Any] = []
    for epoch in range(EPOCHS):
        log.append(("length", len(iterator), "size", iterator.size))
        if by_length:
            # without iter(), which begins an epoch
            log.extend(said(batch) for batch in itertools.islice(iter(iterator.next, None), len(iterator)))
        else:
            log.extend(said(batch) for batch in itertools.islice(iterator, MANY))
        if by_length or (not auto_reset and epoch % 2):  # else iter() begins the next epoch
            iterator.reset()
    return log


def made(prefix: str, pipes: list[Any], names: list[str], policy: str, **options: Any) -> Any:
    bridge = plugin(prefix)
    return bridge.DALIGenericIterator(pipes, names, last_batch_policy=bridge.LastBatchPolicy[policy], **options)


def outcome(prefix: str, build: Any, *, by_length: bool, auto_reset: bool) -> list[Any] | str:
    try:
        iterator = build(prefix)
    except (RuntimeError, AssertionError):
        return "refused"
    return trace(iterator, by_length, auto_reset)


@pytest.mark.parametrize("policy", ["FILL", "DROP", "PARTIAL"])
@pytest.mark.parametrize("pad_last_batch", [False, True])
@pytest.mark.parametrize("stick_to_shard", [False, True])
@pytest.mark.parametrize("batch_size", [pytest.param(1, marks=pytest.mark.grid), 2, 5, pytest.param(16, marks=pytest.mark.grid)])
def test_epochs_of_readers(
    root: Path, policy: str, pad_last_batch: bool, stick_to_shard: bool, batch_size: int
) -> None:
    shardings = {1: [[0]], 2: [[0], [1], [0, 1]], 3: [[2], [0, 1, 2], [1, 2]]}
    for num_shards, choices in shardings.items():
        for shards, auto_reset in itertools.product(choices, (False, True)):
            for shuffled in (False, True) if num_shards == 3 else (False,):
                arguments = {
                    "num_shards": num_shards,
                    "pad_last_batch": pad_last_batch,
                    "stick_to_shard": stick_to_shard,
                    "random_shuffle": shuffled,
                }

                def build(
                    prefix: str,
                    shards: list[int] = shards,
                    auto_reset: bool = auto_reset,
                    arguments: dict[str, Any] = arguments,
                ) -> Any:
                    pipes = readers(prefix, root, batch_size, shards, **arguments)
                    return made(prefix, pipes, ["data", "label"], policy, reader_name="Reader", auto_reset=auto_reset)

                for by_length in (False, True) if not auto_reset else (False,):
                    ours, theirs = (
                        outcome(p, build, by_length=by_length, auto_reset=auto_reset) for p in (OURS, THEIRS)
                    )
                    assert ours == theirs, (arguments, shards, auto_reset, by_length)


@pytest.mark.parametrize("policy", ["FILL", "DROP", "PARTIAL"])
@pytest.mark.parametrize("last_batch_padded", [False, True])
@pytest.mark.parametrize("size", [7, 8, 12, 1, 30])
def test_epochs_of_a_given_size(policy: str, last_batch_padded: bool, size: int) -> None:
    for pipelines, auto_reset, by_length in itertools.product((1, 2, 3), ("yes", "no"), (False, True)):
        if by_length and auto_reset == "yes":
            continue

        def build(prefix: str, pipelines: int = pipelines, auto_reset: str = auto_reset) -> Any:
            pipes = counters(prefix, 4, pipelines)
            return made(
                prefix, pipes, ["n"], policy, size=size, last_batch_padded=last_batch_padded, auto_reset=auto_reset
            )

        ours, theirs = (outcome(p, build, by_length=by_length, auto_reset=auto_reset == "yes") for p in (OURS, THEIRS))
        assert ours == theirs, (pipelines, auto_reset, by_length)


@pytest.mark.parametrize("end", [1, 2, 3, 6])
@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("prepare", [False, True])
def test_as_long_as_there_is_data(end: int, auto_reset: bool, prepare: bool) -> None:
    def build(prefix: str) -> Any:
        return made(
            prefix, counters(prefix, 4, end=end), ["n"], "PARTIAL", auto_reset=auto_reset, prepare_first_batch=prepare
        )

    ours, theirs = (outcome(p, build, by_length=False, auto_reset=auto_reset) for p in (OURS, THEIRS))
    assert ours == theirs
    assert sum(isinstance(entry, list) for entry in ours) == EPOCHS * end


@pytest.mark.parametrize("policy", ["FILL", "DROP", "PARTIAL"])
@pytest.mark.parametrize("prepare", [False, True])
def test_calls_that_come_too_early_or_too_often(root: Path, policy: str, prepare: bool) -> None:
    def log(prefix: str) -> list[Any]:
        pipes = readers(prefix, root, 4, [0], num_shards=1)
        iterator = made(prefix, pipes, ["data", "label"], policy, reader_name="Reader", prepare_first_batch=prepare)
        found: list[Any] = [said(iterator.next())]
        iterator.reset()  # in the middle of an epoch: ignored
        found += [said(batch) for batch in iterator]  # iter() too
        for _ in range(2):  # at the end without a reset
            with pytest.raises(StopIteration):
                next(iterator)
        iterator.reset()
        iterator.reset()
        return [*found, *[said(batch) for batch in iterator]]

    assert log(OURS) == log(THEIRS)


def test_sources_that_give_fewer_samples() -> None:
    def log(prefix: str) -> list[Any]:
        fn, dali = importlib.import_module(f"{prefix}.fn"), importlib.import_module(prefix)
        pipe = dali.Pipeline(batch_size=5, num_threads=1, device_id=None)
        with pipe:
            batches = [np.arange(n, dtype=np.float32).reshape(n, 1) for n in (5, 2, 1)]
            pipe.set_outputs(fn.external_source(source=batches))
        return [said(batch) for batch in plugin(prefix).DALIGenericIterator(pipe, ["x"])]

    assert log(OURS) == log(THEIRS)


def test_element_types() -> None:
    def log(prefix: str) -> list[Any]:
        fn, dali, types = (importlib.import_module(f"{prefix}{part}") for part in (".fn", "", ".types"))
        names = ["UINT8", "INT8", "INT16", "INT32", "INT64", "FLOAT16", "FLOAT", "FLOAT64", "BOOL"]
        pipe = dali.Pipeline(batch_size=2, num_threads=1, device_id=None, seed=1)
        with pipe:
            value = fn.random.uniform(range=(0.0, 9.0), shape=[3])
            pipe.set_outputs(*[fn.cast(value, dtype=getattr(types, name)) for name in names])
        return said(next(plugin(prefix).DALIGenericIterator([pipe], names, size=2)))

    assert log(OURS) == log(THEIRS)


@pytest.mark.parametrize("name", ["DALIGenericIterator", "DALIClassificationIterator"])
def test_parameters(name: str) -> None:
    ours, theirs = (
        inspect.signature(getattr(plugin(prefix), name).__init__).parameters.values() for prefix in (OURS, THEIRS)
    )
    # the value, since the policy is an enumeration of each engine's own
    assert [(p.name, getattr(p.default, "value", p.default)) for p in ours] == [
        (p.name, getattr(p.default, "value", p.default)) for p in theirs
    ]


def test_the_policies_have_the_same_values() -> None:
    ours, theirs = (
        {policy.name: policy.value for policy in plugin(prefix).LastBatchPolicy} for prefix in (OURS, THEIRS)
    )
    assert ours == theirs


def test_element_types_by_name() -> None:
    ours, theirs = (
        {dtype.name: torch for dtype, torch in plugin(prefix).to_torch_type.items()} for prefix in (OURS, THEIRS)
    )
    assert theirs.items() <= ours.items()


@pytest.mark.parametrize("given", ["twice the same name", "size 0", "size and reader", "padded and reader", "several without size",
                                   "other batch sizes", "auto_reset", "policy", "other readers"])  # fmt: skip
def test_what_is_refused(root: Path, given: str) -> None:
    def build(prefix: str) -> Any:
        bridge = plugin(prefix)
        pipes = readers(prefix, root, 4, [0])
        if given == "twice the same name":
            return bridge.DALIGenericIterator(pipes, ["a", "a"])
        options: dict[str, Any] = {
            "size 0": {"size": 0},
            "size and reader": {"size": 11, "reader_name": "Reader"},
            "padded and reader": {"last_batch_padded": True, "reader_name": "Reader"},
            "several without size": {},
            "other batch sizes": {"size": 11},
            "auto_reset": {"auto_reset": "maybe"},
            "policy": {"last_batch_policy": "FILL"},
            "other readers": {"reader_name": "Reader"},
        }[given]
        if given == "several without size":
            pipes += readers(prefix, root, 4, [0])
        if given == "other batch sizes":
            pipes += readers(prefix, root, 3, [0])
        if given == "other readers":
            pipes += readers(prefix, root, 4, [0], pad_last_batch=True)
        return bridge.DALIGenericIterator(pipes, ["a", "b"], **options)

    with pytest.raises((AssertionError, ValueError)):
        build(THEIRS)
    with pytest.raises(DaliStudioError) as caught:
        build(OURS)
    found = caught.value.diagnostics[0]
    assert found.argument and found.message.endswith(".") and found.hint


def test_feed_ndarray(torch: ModuleType) -> None:
    def log(prefix: str) -> list[Any]:
        bridge, tensors = plugin(prefix), importlib.import_module(f"{prefix}.tensors")
        tensor = tensors.TensorCPU(np.arange(6, dtype=np.int32).reshape(2, 3))
        target = torch.empty(2, 3, dtype=torch.int32)
        assert bridge.feed_ndarray(tensor, target) is target
        with pytest.raises((AssertionError, DaliStudioError)):
            bridge.feed_ndarray(tensor, torch.empty(2, 3))
        with pytest.raises((AssertionError, DaliStudioError)):
            bridge.feed_ndarray(tensor, torch.empty(3, 2, dtype=torch.int32))
        return target.tolist()

    assert log(OURS) == log(THEIRS) == [[0, 1, 2], [3, 4, 5]]


def test_a_training_loop(tmp_path: Path) -> None:
    folder = dataset(tmp_path, classes=3, images=5, size=(300, 340))
    ours, theirs = (execute(prefix, folder, cpu=True) for prefix in (OURS, THEIRS))
    assert len(ours) == len(theirs) >= 5
    for number, ((images, labels), (wanted, numbers)) in enumerate(zip(ours, theirs, strict=True)):
        assert labels.tolist() == numbers.tolist()
        PROGRAM.check(images.numpy(), wanted.numpy(), f"batch {number}")
