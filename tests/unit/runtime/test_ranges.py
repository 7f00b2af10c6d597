"""NVTX ranges: only when asked for, and then for each node and iteration."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

from dali_studio import Pipeline, fn
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.runtime import ranges


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    ranges.nvtx.cache_clear()
    yield
    ranges.nvtx.cache_clear()


def run() -> None:
    made = Pipeline(batch_size=1, num_threads=1, exec_async=False, exec_pipelined=False)
    with made:
        image = fn.external_source(source=lambda: [np.zeros((6, 8, 3), np.uint8)], layout="HWC", name="data")
        made.set_outputs(fn.flip(fn.resize(image, size=(3, 4), name="small"), name="flipped"))
    made.run()
    made.release()


def test_ranges_are_balanced_and_name_nodes_and_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    pushed: list[str] = []
    depth: list[int] = []
    module = SimpleNamespace(RangePush=pushed.append, RangePop=lambda: depth.append(len(pushed) - len(depth)))
    monkeypatch.setenv(ranges.VARIABLE, "1")
    monkeypatch.setattr(ranges, "cupy", lambda: SimpleNamespace(cuda=SimpleNamespace(nvtx=module)))
    run()
    assert {"iteration 0", "data", "small", "flipped"} <= set(pushed)
    assert len(pushed) == len(depth) and min(depth) > 0


@pytest.mark.parametrize("value", [None, "", "0"])
def test_they_are_off_unless_asked_for(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv(ranges.VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(ranges.VARIABLE, value)
    assert ranges.nvtx() is None
    run()


def test_a_build_without_nvtx_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = SimpleNamespace(cuda=SimpleNamespace(nvtx=SimpleNamespace(available=False)))
    monkeypatch.setenv(ranges.VARIABLE, "1")
    monkeypatch.setattr(ranges, "cupy", lambda: absent)
    with pytest.raises(DaliStudioError, match=r"DS601.*without NVTX"):
        ranges.nvtx()
