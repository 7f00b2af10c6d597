"""Times by node."""

from __future__ import annotations

import pytest
from images import pictures

from dali_studio import Pipeline, fn
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.runtime.probe import Probe, Stopwatch


def test_sums_over_threads_and_medians_over_batches() -> None:
    probe = Probe()
    for batch in ((1, 3), (5, 1), (2, 2)):
        for part in batch:
            probe.add({"a": part * 1_000_000, "b": 1_000_000})
        probe.finish(9)
    times = probe.summary()
    assert times["a"].median == pytest.approx(4)
    assert times["b"].median == pytest.approx(2)
    assert times["a"].p95 == pytest.approx(5.8)
    assert times["a"].share == pytest.approx(4 / 6)
    assert probe.walls == [9, 9, 9]


def test_without_a_probe_nothing_is_measured() -> None:
    watch = Stopwatch(None)
    watch.start()
    watch.stop("a")
    watch.report()
    assert not watch.times


def test_every_node_of_a_run_has_a_time() -> None:
    made = Pipeline(batch_size=4, num_threads=2)
    with made:
        image = fn.external_source(source=lambda: pictures(), layout="HWC", name="data")
        made.set_outputs(fn.rotate(fn.resize(image, size=(30, 40), name="small"), angle=fn.random.uniform(name="angle"), name="turned"))
    probe = Probe()
    engine = Engine(made.graph, default_registry(), probe=probe)
    for _ in range(4):
        engine.schedule()
        engine.result()
    engine.close()
    times = probe.summary()
    assert {"data", "small", "angle", "turned"} <= set(times)
    assert sum(time.share for time in times.values()) == pytest.approx(1)
    assert len(probe.walls) == 4
