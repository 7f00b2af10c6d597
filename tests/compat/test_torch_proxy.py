"""Pipelines behind a DataLoader of PyTorch, and how loaders are measured, against nvidia.dali's."""

from __future__ import annotations

import importlib
import json
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS

from dali_studio import DaliStudioError, Pipeline, fn

pytestmark = pytest.mark.usefixtures("torch")


class Numbers:
    """A data set of six pairs, whose first part a transform changes."""

    def __init__(self, transform: Any) -> None:
        self.transform = transform

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self.transform(np.full((2, 3), index, np.float32)), 10 * index


def doubling(prefix: str = OURS, **options: Any) -> Any:
    """A pipeline with an input and two outputs."""
    fn, dali = importlib.import_module(f"{prefix}.fn"), importlib.import_module(prefix)
    pipe = dali.Pipeline(batch_size=4, num_threads=1, device_id=None, seed=7, **options)
    with pipe:
        numbers = fn.external_source(name="numbers")
        pipe.set_outputs(numbers * 2, fn.random.uniform(range=[0.0, 1.0]))
    return pipe


def proxy(prefix: str = OURS) -> Any:
    return importlib.import_module(f"{prefix}.plugin.pytorch.experimental.proxy")


def epoch(prefix: str, workers: int, *, deterministic: bool) -> list[Any]:
    bridge = proxy(prefix)
    with bridge.DALIServer(doubling(prefix), deterministic) as server:
        loader = bridge.DataLoader(server, Numbers(server.proxy), batch_size=2, num_workers=workers)
        return [
            (doubled.tolist(), chance.shape, chance.tolist() if deterministic else None, labels.tolist())
            for (doubled, chance), labels in loader
        ]


@pytest.mark.usefixtures("nvidia")
def test_batches_are_nvidia_dalis(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = importlib.import_module("torch.cuda.nvtx")  # which builds for the CPU lack, and nvidia.dali needs
    monkeypatch.setattr(marks, "range_push", lambda _: None)
    monkeypatch.setattr(marks, "range_pop", lambda: None)
    assert epoch(OURS, 2, deterministic=True) == epoch(THEIRS, 2, deterministic=True)


def test_workers_ask_in_advance() -> None:
    found = epoch(OURS, 2, deterministic=False)
    assert [labels for *_, labels in found] == [[0, 10], [20, 30], [40, 50]]
    assert [doubled for doubled, *_ in found] == [[[[2.0 * (n + i)] * 3] * 2 for i in (0, 1)] for n in (0, 2, 4)]


def test_without_workers_and_over_epochs() -> None:
    server = proxy().DALIServer(doubling())
    loader = proxy().DataLoader(server, Numbers(server.proxy), batch_size=3)
    for _ in range(2):
        assert [labels.tolist() for _, labels in loader] == [[0, 10, 20], [30, 40, 50]]
        assert not server.running
    iterator = iter(loader)
    assert next(iterator)[0][0][1].tolist() == [[2.0] * 3] * 2
    iterator.close()
    assert not server.running


def test_references_are_replaced_wherever_they_are() -> None:
    torch = importlib.import_module("torch")
    pair = namedtuple("pair", "first second")
    with proxy().DALIServer(doubling()) as server:
        made = [server.proxy(np.full(2, number, np.float32)) for number in range(3)]
        doubled, chance = torch.utils.data.default_collate(made)
        ring: list[Any] = [doubled]
        ring.append(ring)
        held = SimpleNamespace(a={"x": chance}, b=pair(doubled, "text"), c=ring, d=(1, 2), e=np.ones(1))
        same = held.d
        found = server.produce_data(held)
    assert found is held and held.d is same and held.c[1] is ring
    assert held.b.first.tolist() == [[0.0] * 2, [2.0] * 2, [4.0] * 2] and held.b.first is ring[0]
    assert held.a["x"].shape == (3,) and held.b.second == "text"


def test_a_failed_batch_stops_no_other() -> None:
    collate = importlib.import_module("torch").utils.data.default_collate
    with proxy().DALIServer(doubling()) as server:
        batches = [
            collate([server.proxy(np.zeros(size, np.float32))[0] for size in sizes])
            for sizes in ((2, 2), (2, 3), (3, 3))
        ]
        assert server.produce_data(batches[2]).shape == (2, 3)
        with pytest.raises(DaliStudioError, match="differ in shape"):
            server.produce_data(batches[1])
        assert server.produce_data(batches[0]).shape == (2, 2)
        mixed = collate([server.proxy(np.zeros(2, dtype))[0] for dtype in (np.float32, np.int8)])
        with pytest.raises((TypeError, ValueError, DaliStudioError)):
            server.produce_data(mixed)
        again = collate([server.proxy(np.ones(1, np.float32))[0]])
        assert server.produce_data(again).tolist() == [[2.0]]


def test_several_inputs() -> None:
    collate = importlib.import_module("torch").utils.data.default_collate
    pipe = Pipeline(batch_size=4, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.external_source(name="a") - fn.external_source(name="b"))
    with proxy().DALIServer(pipe) as server:
        run = collate([server.proxy(b=np.float32(1), a=np.float32(number)) for number in range(2)])
        assert server.produce_data(run).tolist() == [-1.0, 0.0]
        for args, named in (((1, 2), {}), ((), {"a": 1}), ((), {"a": 1, "b": 2, "c": 3})):
            with pytest.raises(DaliStudioError, match="The proxy takes a, b"):
                server.proxy(*args, **named)


def test_refusals() -> None:
    collate = importlib.import_module("torch").utils.data.default_collate
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.constant(idata=1))
    with pytest.raises(DaliStudioError, match="has no inputs"):
        proxy().DALIServer(pipe)
    with pytest.raises(DaliStudioError, match="str is no pipeline"):
        proxy().DALIServer("pipe")
    server = proxy().DALIServer(doubling())
    samples = [server.proxy(np.zeros(1, np.float32))[0] for _ in range(2)]
    with pytest.raises(DaliStudioError, match="not collated in the order"):
        collate(samples[::-1])
    with pytest.raises(DaliStudioError, match="does not run"):
        server.produce_data(collate(samples))


# ------------------------------------------------------------------------------------------------------ loader evaluator


def evaluator(prefix: str, *args: Any, **options: Any) -> Any:
    return importlib.import_module(f"{prefix}.plugin.pytorch.loader_evaluator").LoaderEvaluator(*args, **options)


@pytest.mark.usefixtures("nvidia")
@pytest.mark.parametrize("mode", ["log", "replay"])
def test_measuring_a_loader(mode: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def of(prefix: str) -> tuple[Any, ...]:
        loader = importlib.import_module("torch").utils.data.DataLoader(list(range(5)), batch_size=2)
        made = evaluator(prefix, loader, mode, num_cached_batches=2, metrics_file=str(tmp_path / "metrics.json"))
        assert made.get_metrics() == {} and len(made) == 3
        batches = [batch.tolist() for batch in made]
        made.save_metrics()
        made.print_summary()
        metrics = made.get_metrics()
        assert json.loads((tmp_path / "metrics.json").read_text()) == metrics
        assert metrics["total_time"] >= sum(metrics["batch_times"]) and len(metrics["batch_times"]) == 3
        counted = {name: value for name, value in metrics.items() if not name.endswith(("time", "times"))}
        return batches, sorted(metrics), counted

    assert of(OURS) == of(THEIRS)
    assert "Loader Evaluator Summary:" in capsys.readouterr().out


def test_refusals_of_the_evaluator() -> None:
    with pytest.raises(DaliStudioError, match="log and replay are accepted"):
        evaluator(OURS, [], "fast")
    with pytest.raises(DaliStudioError, match="no batch to replay"):
        iter(evaluator(OURS, [], "replay"))
    with pytest.raises(DaliStudioError, match="No file is named"):
        evaluator(OURS, [1]).save_metrics()
