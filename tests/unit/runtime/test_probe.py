"""What nodes cost, in plain numbers and in a run."""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

import pytest
from images import pictures

from dali_studio import Pipeline, fn
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.runtime.probe import Copied, Probe, Stopwatch


class Clock:
    """A stream whose marks are numbers: milliseconds on an imagined GPU."""

    def __init__(self) -> None:
        self.now = 0.0
        self.passed = float("inf")
        self.waited: list[float] = []

    def mark(self, stream: Any) -> float:
        return stream.now

    def reached(self, mark: float) -> bool:
        return mark <= self.passed

    def milliseconds(self, begin: float, end: float) -> float:
        self.waited.append(end)
        return end - begin


def test_sums_over_threads_and_medians_over_batches() -> None:
    probe = Probe()
    for batch in ((1, 3), (5, 1), (2, 2)):
        recording = probe.iteration()
        for part in batch:
            recording.add({"a": part * 1_000_000, "b": 1_000_000})
        recording.finish()
    times = probe.summary()
    assert times["a"].median == times["a"].cpu == pytest.approx(4)
    assert times["b"].median == pytest.approx(2)
    assert times["a"].p95 == pytest.approx(5.8)
    assert times["a"].share == pytest.approx(4 / 6)
    assert len(probe.batches) == 3


def test_the_gpu_and_copies_are_counted_apart() -> None:
    clock = Clock()
    probe = Probe(clock)
    recording = probe.iteration()
    recording.add({"up": 2_000_000, "turn": 1_000_000})
    with recording.copy("up", clock, "H2D", 3000):
        clock.now += 0.5
    clock.now += 7  # between the marks of two nodes: nobody's
    for _ in range(2):
        with recording.gpu("turn", clock, ("turn", "flip")):
            clock.now += 2
    recording.results("up", device=3000)
    recording.results("turn", device=1000)
    recording.results("turn", device=500, passing=7)
    recording.finish()
    times = probe.summary()
    up, turn = times["up"], times["turn"]
    assert up.copies == (Copied("H2D", 3000, 0.5),)
    assert (up.cpu, up.gpu, up.median, up.device) == (2, 0, 2.5, 3000)
    assert (turn.cpu, turn.gpu, turn.median, turn.device, turn.passing) == (1, 4, 5, 1500, 7)
    assert turn.group == ("turn", "flip") and turn.copies == ()
    assert up.share + turn.share == pytest.approx(1)


def test_marks_are_read_once_the_gpu_has_passed_them_and_nothing_waits_before() -> None:
    clock = Clock()
    probe = Probe(clock)
    for batch in range(3):
        recording = probe.iteration()
        with recording.gpu("a", clock):
            clock.now += batch + 1
        recording.finish()
        clock.passed = 1.0  # from now on the GPU has done the first batch only
    assert max(clock.waited) == 1.0
    assert probe.summary()["a"].gpu == 2
    assert max(clock.waited) == 6.0


def test_times_of_the_gpu_are_put_on_the_clock_of_the_host() -> None:
    clock = Clock()
    probe = Probe(clock)
    clock.now = 40.0
    before = perf_counter_ns()
    recording = probe.iteration()
    with recording.gpu("a", clock):
        clock.now += 2
    after = perf_counter_ns()
    with recording.copy("b", clock, "D2H", 8):
        clock.now += 1
    recording.spent("c", 5.0)  # nobody knows when
    recording.finish()
    probe.summary()
    first, second, third = recording.spans
    assert before <= first.at <= after and second.at - first.at == 2_000_000 and third.at == 0


def test_iterations_that_overlap_do_not_mix_and_what_began_before_clear_is_forgotten() -> None:
    probe = Probe()
    before = probe.iteration()
    probe.clear()
    first, second = probe.iteration(), probe.iteration()
    second.add({"a": 9_000_000})
    first.add({"a": 1_000_000})
    before.add({"a": 100_000_000})
    for recording in (before, second, first):
        recording.finish()
    assert sorted(recording.cpu["a"] for recording in probe.batches) == [1_000_000, 9_000_000]


def test_without_a_recording_nothing_is_measured() -> None:
    watch = Stopwatch(None)
    watch.start("a")
    watch.stop("a")
    watch.report()
    assert not watch.times


def test_every_node_of_a_run_has_a_time_and_its_memory() -> None:
    made = Pipeline(batch_size=4, num_threads=2)
    with made:
        image = fn.external_source(source=lambda: pictures(), layout="HWC", name="data")
        small = fn.resize(image, size=(30, 40), name="small")
        made.set_outputs(fn.rotate(small, angle=fn.random.uniform(name="angle"), size=(20, 10), name="turned"))
    probe = Probe()
    engine = Engine(made.graph, default_registry(), probe=probe)
    for _ in range(4):
        engine.schedule()
        engine.result()
    engine.close()
    times = probe.summary()
    assert {"data", "small", "angle", "turned"} <= set(times)
    assert sum(time.share for time in times.values()) == pytest.approx(1)
    assert len(probe.batches) == 4
    count = len(pictures())
    assert times["data"].host == sum(image.nbytes for image in pictures())
    assert times["angle"].host == 4 * count
    assert (times["small"].host, times["small"].passing) == (0, count * 30 * 40 * 3)
    assert (times["turned"].host, times["turned"].passing) == (count * 20 * 10 * 3, 0)
