"""Messages of all kinds: nothing that a browser can send blocks the designer, and each wrong one is answered."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studio.clients import Client, only, rotating, set_argument

from dali_studio import Pipeline, fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.graph.edits import PortRef
from dali_studio.runtime.workers import Cancelled, WorkerPool
from dali_studio.studio.outputs import previews
from dali_studio.studio.outputs.previews import PreviewEngine
from dali_studio.studio.protocol import messages, output_messages, run_messages
from dali_studio.studio.worker import Worker

FAR = 10**12


def reading(**options: Any) -> Pipeline:
    @pipeline_def(batch_size=6, num_threads=2, device_id=None, seed=11)
    def made() -> Any:
        files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader", **options)
        images = fn.resize(fn.decoders.image(files), resize_shorter=60.0)
        return fn.rotate(images, angle=fn.random.uniform(range=(-40.0, 40.0)), keep_size=True), labels

    return made()


@pytest.mark.parametrize("options", [{}, {"pad_last_batch": True, "num_shards": 2}, {"stick_to_shard": True, "num_shards": 3}])
def test_any_batch_of_an_order_without_chance_is_shown_at_once(options: dict[str, Any]) -> None:
    client = Client(reading(**options).graph)
    for iteration in (FAR, 2**53 - 1):
        (shown,) = only(client.send("choose_sample", sample=1, iteration=iteration), messages.Previews)
        assert shown.iteration == iteration and not shown.failed
        assert {item.key for item in shown.items} >= {"reader", "resize", "rotate", "uniform"}
    assert only(client.send("choose_sample", sample=1, iteration=2), messages.Previews)
    client.session.close()


@pytest.mark.parametrize("options", [{}, {"random_shuffle": True}, {"shuffle_after_epoch": True}, {"pad_last_batch": True}])
def test_batches_are_those_of_the_run_in_whatever_order_they_are_chosen(options: dict[str, Any]) -> None:
    pipeline = reading(**options)
    graph = pipeline.graph
    runs = [[output.as_cpu() for output in pipeline.run()] for _ in range(12)]
    engine = PreviewEngine(default_registry(), WorkerPool(2))
    client = Client(graph)
    revision = client.session.current()
    for iteration, sample in ((3, 0), (3, 5), (2, 1), (3, 1), (11, 2), (0, 4), (0, 1), (9, 3), (8, 3), (9, 2), (1, 0)):
        made = engine.compute(revision, iteration, [sample])
        assert not made.failed and not made.unreached
        for port, expected in zip(graph.outputs, runs[iteration], strict=True):
            np.testing.assert_array_equal(made.outputs[port].samples[0], expected.at(sample))
    client.session.close()


def test_other_samples_of_a_batch_need_no_reader_to_be_opened_or_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strip asks for the samples of a batch in parts."""
    graph = reading(random_shuffle=True).graph
    registry = default_registry()
    reader = registry.operator("readers.file")
    opened: list[Any] = []
    monkeypatch.setattr(reader, "open", lambda args, opens=reader.open: opened.append(opens(args)) or opened[-1])
    engine, client = PreviewEngine(registry, WorkerPool(2)), Client(graph)
    revision = client.session.current()
    engine.compute(revision, 500, [0])
    (state,) = opened
    monkeypatch.setattr(state.order, "skip", lambda *given: pytest.fail("every batch is drawn again"))
    engine.compute(revision, 500, [1, 2])
    engine.compute(revision, 500, [3])
    assert len(opened) == 1
    client.session.close()


def blocked(client: Client, **far: Any) -> None:
    """Ask for a batch that takes hours to reach, and wait until the worker is on its way."""
    on_the_way = threading.Event()
    check = client.session.renderer.engine.workers.check

    def told() -> None:
        on_the_way.set()
        check()

    client.session.renderer.engine.workers.check = told
    client.session.receive({"type": "choose_sample", "sample": 0, **far})
    assert on_the_way.wait(60)


def counting() -> Iterator[Any]:
    number = 0
    while True:
        yield [np.full((4, 4, 3), number % 251, np.uint8)] * (2 - number % 2)
        number += 1


def fed(source: Callable[..., Any]) -> Pipeline:
    made = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=3)
    with made:
        data = fn.external_source(source=source, layout="HWC", name="source")
        made.set_outputs(fn.flip(data, horizontal=fn.random.coin_flip(), name="flip"))
    return made


PATHS: list[Callable[[], Pipeline]] = [
    lambda: reading(random_shuffle=True), lambda: reading(shuffle_after_epoch=True), lambda: fed(counting),
]  # fmt: skip


@pytest.mark.parametrize("make", PATHS, ids=["picks", "epochs", "source"])
def test_a_designer_that_is_closed_goes_no_further(
    make: Callable[[], Pipeline], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "_TIMEOUT", 10_000.0)
    client = Client(make().graph)
    blocked(client, iteration=FAR)
    client.session.close()
    assert client.session.worker.wait(60)
    assert not only(client.received, messages.Refused) and not only(client.received, messages.Previews)


@pytest.mark.parametrize("make", PATHS[:2], ids=["picks", "epochs"])
def test_a_nearer_batch_is_shown_while_a_far_one_is_looked_for(
    make: Callable[[], Pipeline], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "_TIMEOUT", 10_000.0)
    client = Client(make().graph)
    blocked(client, iteration=FAR)
    (shown,) = only(client.send("choose_sample", sample=2, iteration=1), messages.Previews)
    assert (shown.sample, shown.iteration, shown.failed) == (2, 1, ())
    client.session.close()


@pytest.mark.parametrize("make", PATHS[:2], ids=["picks", "epochs"])
def test_a_detail_that_waits_is_of_the_batch_that_was_chosen_last(
    make: Callable[[], Pipeline], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "_TIMEOUT", 10_000.0)
    client = Client(make().graph)
    engine = client.session.renderer.engine
    asked: list[int] = []
    compute = engine.compute
    monkeypatch.setattr(engine, "compute", lambda *given, **more: asked.append(given[1]) or compute(*given, **more))
    blocked(client, iteration=FAR)
    del asked[:]
    client.session.receive({"type": "request_detail", "key": next(iter(client.session.graph)), "output": 0})
    assert only(client.send("choose_sample", sample=2, iteration=1), output_messages.ImageDetail)
    assert set(asked) == {1}
    client.session.close()


@pytest.mark.parametrize("make", PATHS, ids=["picks", "epochs", "source"])
def test_other_work_does_not_wait_for_a_far_batch(make: Callable[[], Pipeline], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "_TIMEOUT", 10_000.0)
    client = Client(make().graph)
    blocked(client, iteration=FAR)
    finished = threading.Event()
    report = client.session.profiler._send

    def send(message: messages.KernelMessage, buffers: Any) -> None:
        report(message, buffers)
        if isinstance(message, run_messages.RunFinished):
            finished.set()

    client.session.profiler._send = send
    client.session.receive({"type": "run", "batches": 1})
    assert finished.wait(60)
    (shown,) = only(client.received, messages.Previews)
    assert "was not reached" in shown.failed[0].message
    client.session.close()


@pytest.mark.parametrize("make", PATHS, ids=["picks", "epochs", "source"])
def test_previews_give_up_after_a_while_and_the_next_try_goes_on(
    make: Callable[[], Pipeline], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "_TIMEOUT", -1.0)  # at the first question
    client = Client(make().graph)
    got = client.send("choose_sample", sample=0, iteration=FAR)
    (shown,) = only(got, messages.Previews)
    assert [d.code for d in shown.failed] == ["DS304"] and "was not reached" in shown.failed[0].message
    assert shown.failed[0].node in ("reader", "source")
    engine = client.session.renderer.engine

    def passed() -> list[int]:
        opened = [state.iteration for state in engine._sources.values()]
        return [*opened, *(kept[-1].iteration for _, kept in engine._feeders.values())]

    first = passed()
    client.send("choose_sample", sample=0, iteration=FAR)
    assert sum(passed()) > sum(first)
    (finished,) = only(client.send("run", batches=1), run_messages.RunFinished)
    assert finished.batches == 1
    client.session.close()


def test_batches_of_a_source_count_with_their_sizes() -> None:
    """Random numbers depend on how many samples came before, and batches of a source may be smaller."""
    pipeline = fed(counting)
    runs = [pipeline.run()[0].as_cpu() for _ in range(40)]
    client = Client(fed(counting).graph)
    engine = client.session.renderer.engine
    for iteration in (0, 3, 7, 30):
        made = engine.compute(client.session.current(), iteration, [0])
        np.testing.assert_array_equal(made.outputs[PortRef(node="flip")].samples[0], runs[iteration].at(0))
        coin = next(key for key in client.session.graph if key.startswith("coin"))
        assert made.outputs[PortRef(node=coin)].samples
    client.session.close()


@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), SystemExit("mine")])
def test_what_a_source_raises_is_told_on_its_node(error: BaseException) -> None:
    def source() -> Any:
        raise error

    client = Client(fed(source).graph)
    for _ in range(2):
        got = client.send("choose_sample", sample=0, iteration=0)
        (shown,) = only(got, messages.Previews)
        (found,) = shown.failed
        assert (found.node, found.code) == ("source", "DS305") and type(error).__name__ in found.message
    client.session.close()


WRONG: list[Any] = [
    None, 3, "text", [], {}, {"type": None}, {"type": "no_such_message"}, {"type": "choose_sample"},
    {"type": "choose_sample", "sample": 0, "iteration": 1.5}, {"type": "choose_sample", "sample": "1", "iteration": 0},
    {"type": "choose_sample", "sample": 0, "iteration": 2**53}, {"type": "choose_sample", "sample": 0, "iteration": 10**400},
    {"type": "choose_sample", "sample": None, "iteration": float("nan")}, {"type": "ready", "preview_width": "wide"},
    {"type": "ready", "preview_width": float("inf")}, {"type": "move_nodes", "positions": {"rotate": {"x": float("nan"), "y": 0.0}}},
    {"type": "apply_edits", "base_revision": 0, "edits": [set_argument("rotate", "fill_value", "\ud800")]},
    {"type": "apply_edits", "base_revision": 0, "edits": [{"type": "set_argument", "key": "rotate"}]},
    {"type": "apply_edits", "base_revision": 0, "edits": "all"}, {"type": "open_folder", "path": "\0"},
    {"type": "open_folder", "path": "~nobody-of-that-name/x"}, {"type": "open_folder", "path": "/dev/null"},
    {"type": "open_folder", "path": "no/such/folder"}, {"type": "open_recipe", "name": "../../secrets"},
    {"type": "save_document", "path": ""}, {"type": "save_document", "path": "\0"}, {"type": "save_document", "path": "/dev/null"},
    {"type": "save_document", "path": "/dev/null", "what": "code"}, {"type": "save_document", "path": "x", "what": "all"},
    {"type": "save_document", "path": "a" * 5000, "what": "code"}, {"type": "request_code", "dialect": "COBOL"},
    {"type": "run", "batches": "many"},
]  # fmt: skip


def _deep(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "message", [*WRONG, {"type": "apply_edits", "base_revision": 0, "edits": _deep(100_000)}], ids=itertools.count()
)
def test_a_message_out_of_protocol_is_refused_and_the_next_one_is_served(client: Client, message: Any) -> None:
    revision = client.session.revision
    client.received.clear()
    client.session.receive(message)
    assert client.session.worker.wait(60)
    (refused,) = only(client.received, messages.Refused)
    for found in refused.diagnostics:
        assert found.code != "DS305" and found.message.endswith(".") and found.hint
    assert client.session.revision == revision
    (shown,) = only(client.send("choose_sample", sample=1, iteration=0), messages.Previews)
    assert not shown.failed


@pytest.mark.parametrize(
    "message",
    [
        {"type": "choose_sample", "sample": -(10**30), "iteration": -(10**30)}, {"type": "choose_sample", "sample": 10**30, "iteration": 0},
        {"type": "ready", "preview_width": 10**30}, {"type": "ready", "preview_width": -5},
        {"type": "request_detail", "key": "rotate", "output": 10**30}, {"type": "request_detail", "key": "rotate", "output": -1},
        {"type": "request_detail", "key": "nobody"}, {"type": "move_nodes", "positions": {"nobody": {"x": 1e308, "y": -1e308}}},
        {"type": "stop"}, {"type": "run", "batches": -(10**30)},
    ],
    ids=str,
)  # fmt: skip
def test_numbers_out_of_range_are_brought_into_it(client: Client, message: Any) -> None:
    got = client.send(**{"kind" if name == "type" else name: value for name, value in message.items()})
    assert not only(got, messages.Refused)
    for shown in only(got, messages.Previews):
        assert shown.iteration == 0 and 0 <= shown.sample < 6
        assert all(item.atlas_width <= 800 for item in shown.items)


def test_of_a_flood_the_last_one_is_shown(client: Client) -> None:
    client.send("ready")
    before = len(client.received)
    for number in range(3000):
        client.session.receive({"type": "choose_sample", "sample": number % 6, "iteration": number % 7})
        if number % 10 == 0:
            client.session.receive({"type": "request_detail", "key": "rotate"})
    assert client.session.worker.wait(60)
    shown = only(client.received[before:], messages.Previews)
    assert (shown[-1].sample, shown[-1].iteration) == (2999 % 6, 2999 % 7)
    assert not only(client.received[before:], messages.Refused)


def test_a_newer_run_takes_the_place_of_one_that_goes_on(client: Client) -> None:
    begun = threading.Event()
    client.session.profiler._progress = lambda *told: begun.set()
    client.session.receive({"type": "run", "batches": 10_000})
    assert begun.wait(60)
    (first, second) = only(client.send("run", batches=2), run_messages.RunFinished)
    assert first.stopped and first.batches < 10_000
    assert not second.stopped and second.batches == 2


def test_an_interruption_is_not_lost_on_a_job_that_is_about_to_begin() -> None:
    """A request that comes between the choice of a job and its first step counts."""
    pool = WorkerPool(1)
    ends: list[str] = []

    def begin(name: str) -> None:
        pool.cancelled.clear()

    def interrupt(running: str, name: str) -> None:
        pool.cancelled.set()

    def failed(error: BaseException) -> None:
        ends.append(type(error).__name__)

    worker = Worker(("preview",), begin, interrupt, failed)
    entered, asked = threading.Event(), threading.Event()

    def job() -> None:
        entered.set()
        asked.wait(60)
        pool.check()
        ends.append("went on")

    worker.submit("preview", job)
    assert entered.wait(60)
    worker.submit("preview", lambda: ends.append("second"))
    asked.set()
    assert worker.wait(60)
    assert ends == [Cancelled.__name__, "second"]
    worker.close()


def test_a_job_that_ends_its_thread_is_told_and_the_next_one_runs() -> None:
    told: list[BaseException] = []
    worker = Worker(("preview",), lambda name: None, lambda running, name: None, told.append)

    def leave() -> None:
        raise SystemExit

    worker.submit("preview", leave)
    assert worker.wait(60)
    ran = threading.Event()
    worker.submit("preview", ran.set)
    assert ran.wait(60) and isinstance(told[0], SystemExit)
    worker.close()


def test_photos_with_names_that_are_no_text_are_shown(tmp_path: Path) -> None:
    photo = sorted(samples.photos().rglob("*.jpg"))[0].read_bytes()
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "\udcff.jpg").write_bytes(photo)
    client = Client(rotating().graph)
    got = client.send("open_folder", path=str(tmp_path))
    (shown,) = only(got, messages.Previews)
    assert not shown.failed
    (strip,) = only(got, messages.SampleStrip)
    assert strip.names[0].endswith(".jpg")
    client.session.close()


def test_steps_are_answered_by_name_also_where_they_are_refused_and_nothing_else_is(tmp_path: Path) -> None:
    client = Client(rotating().graph)

    def answers(kind: str, **content: Any) -> list[str]:
        return [one.answers for one in only(client.send(kind, **content), messages.RevisionChanged)]

    one = {"base_revision": client.session.revision, "edits": [set_argument("rotate", "fill_value", 3.0)]}
    wrong = {"base_revision": client.session.revision, "edits": [set_argument("rotate", "fill_value", "red")]}
    assert answers("apply_edits", id="p 1", **one) == ["p 1"]
    assert answers("undo", id="p 2") == answers("redo", id="p 2") == ["p 2"]
    assert answers("apply_edits", id="p 3", **wrong) == ["p 3"]
    assert answers("apply_code", id="p 4", source="def (") == ["p 4"]
    assert answers("apply_code", id="p 5", source=client.session.code().source) == ["p 5"]
    assert answers("paste_code", id="p 6", text="x = fn.random.uniform()", at={"x": 0, "y": 0}) == ["p 6"]
    others = [
        answers("keep_draft", source="text that is being written"),
        answers("save_document", path=str(tmp_path / "saved.dali.json")),
        answers("ready"),
    ]
    client.session.close()
    assert all(others) and {name for all_of_one in others for name in all_of_one} == {""}
