"""Runs in the designer: what they tell, what is advised and tried, and how two of them differ."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import dropwhile, takewhile
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest
from studio.clients import Client, only, rotating, set_argument

from dali_studio import Designer, Pipeline, fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.difference import difference, edits_to
from dali_studio.graph.edits import SetPipeline
from dali_studio.graph.history import History
from dali_studio.graph.model import Graph, GraphOptions
from dali_studio.runtime.probe import TRACED, Copied, NodeTime, Probe, Slice
from dali_studio.studio import snapshots
from dali_studio.studio.outputs.images import byte_count
from dali_studio.studio.protocol import messages, output_messages, run_messages
from dali_studio.studio.timing import profiler
from dali_studio.studio.timing.advice import Observed, Proposal, advise
from dali_studio.studio.timing.profiler import Measured
from dali_studio.studio.timing.timeline import chrome_trace, timeline
from dali_studio.studio.view import TARGET, target_of

NODES = ["reader", "decode", "resize", "uniform", "rotate", "normalize"]


# ------------------------------------------------------------------------------------------------------------ timeline


def test_only_the_newest_batches_keep_their_steps() -> None:
    probe = Probe()
    for number in range(TRACED + 2):
        recording = probe.iteration()
        recording.add({"a": 5}, [Slice("a", "main", number * 10, number * 10 + 5)])
        recording.finish()
    assert [len(one.slices) for one in probe.batches] == [0, 0, 1, 1, 1]
    assert [one.cpu["a"] for one in probe.batches] == [5] * (TRACED + 2)


def test_lanes_are_threads_and_the_trace_is_one_that_viewers_read() -> None:
    probe = Probe()
    recording = probe.iteration()
    at = recording.begin
    recording.add({}, [Slice("b", "dali-studio-worker-10", at + 2_000_000, at + 3_000_000)])
    recording.add({}, [Slice("b", "dali-studio-worker-2", at + 2_000_000, at + 4_000_000)])
    recording.add({}, [Slice("a", "session", at + 1_000_000, at + 2_000_000)])
    recording.finish()
    drawn = timeline(probe, 7)
    assert drawn is not None
    assert (drawn.revision, drawn.keys, drawn.first, drawn.note) == (7, ("a", "b"), 1, "")
    assert drawn.lanes == ("cpu thread 1", "cpu thread 2", "cpu thread 3")
    assert drawn.slices == ((0, 0, 1.0, 2.0), (1, 1, 2.0, 4.0), (1, 2, 2.0, 3.0))
    trace = json.loads(chrome_trace(drawn, "mine"))
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert [(s["name"], s["tid"], s["ts"], s["dur"]) for s in spans[1:]] == [
        ("a", 1, 1000.0, 1000.0), ("b", 2, 2000.0, 2000.0), ("b", 3, 2000.0, 1000.0)
    ]  # fmt: skip
    assert {e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"} >= {"mine", "batches", "cpu thread 3"}
    assert timeline(Probe(), 1) is None


def test_a_run_tells_both_speeds_its_timeline_and_its_place_in_the_history(client: Client, tmp_path: Path) -> None:
    got = client.send("run", batches=4)
    (finished,) = only(got, run_messages.RunFinished)
    assert finished.batches == 4 and finished.left_out == 1 and finished.pipelined.samples_per_second > 0
    assert 0 < finished.pipelined.median <= finished.pipelined.p95
    (drawn,) = only(got, messages.Timeline)
    assert set(drawn.keys) == set(NODES) and len(drawn.steps) == TRACED and drawn.first == 3
    assert all(0 <= begin <= end for _, _, begin, end in drawn.slices)
    assert {lane for _, lane, _, _ in drawn.slices} == set(range(len(drawn.lanes)))
    (history,) = only(got, messages.RunHistory)
    # whoever sees its speed, and restarts the kernel at once, has it in the list
    told = [type(m) for m, _ in got]
    assert told.index(messages.RunHistory) < told.index(run_messages.RunFinished)
    (run,) = history.runs
    assert (run.number, run.batches, run.changes, len(run.name)) == (1, 4, (), 7)
    assert run.alone == finished.samples_per_second and run.pipelined == finished.pipelined.samples_per_second
    # a view that comes back hears all of it again
    assert {type(m) for m, _ in client.send("ready")} >= {messages.Timeline, messages.RunHistory, run_messages.RunFinished}
    path = tmp_path / "run.json"
    assert only(client.send("save_document", path=str(path), what="trace"), messages.Saved)
    assert json.loads(path.read_text())["traceEvents"]


def test_a_run_of_no_number_measures_twenty_batches_or_as_many_as_fit_into_its_time(client: Client) -> None:
    (finished,) = only(client.send("run"), run_messages.RunFinished)
    assert 8 <= finished.batches <= 128 and finished.left_out == 1
    measured = Measured(batches=4)
    each = {0.001: 128, 0.01: 40, 0.03: 20, 0.06: 15, 0.5: 8}
    assert {pace: measured.planned(0, 4 * pace) for pace in each} == each
    assert measured.planned(3, 99.0) == 3


def test_batches_that_take_longer_at_the_end_leave_the_speed_in_the_pipeline(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Measured, "planned", lambda self, *_: 5 if self.batches == 7 else 9)
    (finished,) = only(client.send("run"), run_messages.RunFinished)
    assert finished.batches == 7 and finished.pipelined.samples_per_second > 0


def test_the_largest_sample_of_a_node_is_told_with_its_file_and_the_bytes_of_each_result(client: Client) -> None:
    (finished,) = only(client.send("run", batches=3), run_messages.RunFinished)
    timings = {timing.key: timing for timing in finished.timings}
    most = timings["decode"].largest
    assert most is not None and 1 <= most.batch <= 3 and 0 <= most.sample < 6  # batch 0 was left out
    assert (samples.photos() / most.source).exists() or list(samples.photos().rglob(most.source))
    client.send("choose_sample", sample=most.sample, iteration=most.batch)
    (detail,) = only(client.send("request_detail", key="decode", output=0), output_messages.ImageDetail)
    assert math.prod(map(int, detail.facts.split(" ")[0].split("×"))) == most.size
    assert most.size < timings["decode"].outputs[0] <= 6 * most.size
    encoded, labels = timings["reader"].outputs
    assert labels == 6 * 4 and encoded > 6000


def test_a_long_batch_says_which_nodes_are_through_with_it() -> None:
    def wait(image: Any) -> Any:
        sleep(0.3)
        return image

    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        first = fn.external_source(source=lambda: [np.zeros((8, 8, 3), np.uint8)] * 2, layout="HWC", name="first")
        pipe.set_outputs(fn.flip(first, name="turned"), fn.python_function(first, function=wait, name="slow"))
    client = Client(pipe.graph)
    told = only(client.send("run", batches=1), run_messages.RunProgress)
    client.session.close()
    assert any("first" in one.keys for one in told) and all("slow" not in one.keys for one in told[:1])
    assert {one.total for one in told} == {1}


def test_a_long_batch_says_how_many_of_its_samples_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dali_studio.studio.timing.profiler._TOLD", 0.01)
    pipe = Pipeline(batch_size=40, num_threads=1, device_id=None)
    with pipe:
        files, _ = fn.readers.file(file_root=str(samples.photos()))
        pipe.set_outputs(fn.gaussian_blur(fn.decoders.image(files), sigma=5.0))
    client = Client(pipe.graph)
    told = [one.samples for one in only(client.send("run", batches=1), run_messages.RunProgress)]
    client.session.close()
    first = list(takewhile(bool, dropwhile(lambda made: not made, told)))
    assert first and first == sorted(first) and first[-1] <= 40


def test_a_sample_that_is_made_again_counts_once_and_a_step_of_the_batch_not_at_all() -> None:
    recording = Probe().iteration()
    recording.add({}, [Slice("a", "main", 0, 5), *(Slice("a", "main", at, at + 5, at // 10) for at in (5, 10, 15))])
    assert recording.samples() == 2


def test_a_trace_without_a_run_says_what_to_do(client: Client, tmp_path: Path) -> None:
    (refused,) = only(client.send("save_document", path=str(tmp_path / "a"), what="trace"), messages.Refused)
    assert refused.diagnostics[0].hint == "Press Run first."


def test_a_run_to_a_node_leaves_out_what_comes_behind_and_is_no_part_of_the_history(client: Client) -> None:
    got = client.send("run", batches=2, until="resize")
    (finished,) = only(got, run_messages.RunFinished)
    assert {t.key for t in finished.timings} == {"reader", "decode", "resize"} and finished.until == "resize"
    assert not only(got, messages.RunHistory)
    (refused,) = only(client.send("run", batches=2, until="nothing"), messages.Refused)
    assert refused.diagnostics[0].code == "DS209"


def test_the_target_of_the_model_is_kept_with_the_document(client: Client, tmp_path: Path) -> None:
    (revision,) = only(client.send("set_target", samples_per_second=2400), messages.RevisionChanged)
    assert revision.target == 2400 and revision.can_undo
    path = tmp_path / "a.dali.json"
    client.send("save_document", path=str(path))
    opened = Designer(path)
    assert opened.session.history.places[TARGET] == 2400
    opened.close()
    (revision,) = only(client.send("undo"), messages.RevisionChanged)
    assert revision.target == 0
    for wrong in (-1, 1e300):
        assert only(client.send("set_target", samples_per_second=wrong), messages.Refused)
    assert Designer(path, target=500).session.history.places[TARGET] == 500
    for wrong in (0, -1.0, float("inf")):
        with pytest.raises(ValueError, match="Give samples a second, such as 4000"):
            Designer(path, target=wrong)
    assert [target_of({"target": t}) for t in (None, "2", True, -1, float("nan"), 7)] == [None] * 5 + [7.0]


# ------------------------------------------------------------------------------------------------------------- advice


def time_of(milliseconds: float, share: float) -> NodeTime:
    return NodeTime(median=milliseconds, p95=milliseconds, share=share, cpu=milliseconds)


def advised(
    times: Mapping[str, NodeTime], milliseconds: float, *, threads: int = 2, cores: int = 2, size: int = 64, ahead: int = 2
) -> dict[str, Any]:  # fmt: skip
    graph, registry = rotating().graph, default_registry()
    for option, value in (("num_threads", threads), ("batch_size", size), ("prefetch_queue_depth", ahead)):
        history = History(graph, registry)
        graph = history.apply([SetPipeline(option=option, value=value)])
    working = sum(time.cpu for time in times.values()) / max(milliseconds, 1)
    run = Observed(milliseconds=milliseconds, working=working, times=times, cores=cores, gpu=False)
    return {advice.name: advice for advice in advise(graph, registry, run)}


def test_each_rule_speaks_for_its_cause_with_its_numbers() -> None:
    busy = {"decode": time_of(16, 0.8), "resize": time_of(4, 0.2)}
    found = advised(busy, 10.5)
    assert list(found) == ["decode"]
    assert (found["decode"].lead, found["decode"].edits) == ("decode sets the pace:", ())
    assert found["decode"].proof == "80 % of the work of all nodes, 16.0 ms in the median batch."
    second = advised({"decode": time_of(9, 0.42), "rotate": time_of(10, 0.46)}, 10.5)["decode"]
    assert second.lead == "decode takes long, too:"
    threads = advised(busy, 10.5, cores=8)["threads"]
    assert threads.proof == "2 of 8 cores work, 95 % of the time."
    assert threads.edits == (SetPipeline(option="num_threads", value=8),)
    assert advised(busy, 10.5, threads=5)["threads"].proof == "5 threads share 2 cores, and wait for each other."
    small = advised(busy, 30, size=4)["batch"]
    assert small.edits == (SetPipeline(option="batch_size", value=16),)
    assert advised(busy, 30, ahead=1)["ahead"].edits == (SetPipeline(option="prefetch_queue_depth", value=2),)
    reader = advised({"reader": time_of(9, 0.9), "resize": time_of(1, 0.1)}, 5)["reader"]
    assert reader.edits[0].value == 4 and reader.node == "reader"  # type: ignore[union-attr]
    assert reader.proof == "90 % of the work is reading files."
    assert not advised({}, 0)
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:  # what decodes does not wait for files
        clips = fn.readers.video(filenames=["clip.mp4"], sequence_length=2, name="clips")
        pipe.set_outputs(clips)
    run = Observed(milliseconds=10, working=0.9, times={"clips": time_of(9, 0.9)}, cores=2, gpu=False)
    (video,) = (one for one in advise(pipe.graph, default_registry(), run) if one.name == "reader")
    assert (video.proof, video.edits) == ("90 % of the work is reading and decoding files.", ())


def test_rules_about_the_gpu_and_about_python_speak_for_their_cause() -> None:
    copied = Copied("H2D", 12_000_000, 3.0)
    moved = advised({"resize": replace(time_of(5, 0.9), cpu=0.1, gpu=1.0, copies=(copied,))}, 9)
    assert moved["copies"].proof == "12.0 MB in 3.00 ms of the median batch." and "gpu" not in moved
    one = replace(time_of(6, 0.5), cpu=0.1, gpu=6.0, group=("resize", "rotate"))
    busy = advised({"resize": one, "rotate": one, "normalize": replace(time_of(2, 0.1), cpu=0.1, gpu=2.0)}, 10)["gpu"]
    assert busy.proof == "it works 80 % of the time of the median batch, 6.00 ms of it for resize to rotate."
    assert (busy.node, busy.edits) == ("resize", ())
    pipe = Pipeline(batch_size=64, num_threads=2, device_id=None)
    with pipe:
        source = fn.external_source(source=lambda: np.zeros((64, 2), np.float32), name="source")
        pipe.set_outputs(fn.python_function(source, function=np.negative, name="own"))
    run = Observed(milliseconds=10, working=0.8, times={"own": time_of(8, 0.8)}, cores=2, gpu=False)
    (own,) = (found for found in advise(pipe.graph, default_registry(), run) if found.node == "own")
    assert own.name == "python" and own.proof == "80 % of the work is Python, which uses one core at a time."


def test_some_slow_batches_do_not_hide_that_the_threads_work(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.edit({"type": "set_pipeline", "option": "num_threads", "value": 1})
    monkeypatch.setattr(profiler, "cores", lambda: 8)
    measured, millisecond = Measured(batches=10, seconds=0.37, devices={"decode": "cpu"}), 1_000_000
    for number in range(10):  # as of a machine that others use: four batches are slow, each at another node
        recording = measured.probe.iteration()
        slow = {f"n{number}": 80 * millisecond} if number < 4 else {}
        recording.add({"decode": 10 * millisecond, "resize": 5 * millisecond, **slow})
        recording.finish()
        recording.begin, recording.end = 0, (18 + 80 * bool(slow)) * millisecond
    told = client.session.profiler._finished(client.session.graph, 1, measured)
    (threads,) = (one for one in told.advice if one.name == "threads")
    assert (threads.proof, threads.offer, threads.measurable) == (
        "1 of 8 cores work, 94 % of the time.", "Use 8 threads.", True,
    )  # fmt: skip


AHEAD = Proposal(
    name="ahead", lead="", proof="", offer="", edits=(SetPipeline(option="prefetch_queue_depth", value=2),)
)


def test_what_is_advised_is_tried_and_nothing_changes_by_it(client: Client) -> None:
    client.edit({"type": "set_pipeline", "option": "prefetch_queue_depth", "value": 1})
    client.send("run", batches=1)
    client.session.profiler._proposals = (AHEAD,)
    revision = client.session.revision
    got = client.send("try_advice", name="ahead", batches=2)
    (trial,) = only(got, messages.Trial)
    assert (trial.name, trial.batches, trial.failed, trial.stopped) == ("ahead", 4, (), False)
    assert trial.before.samples_per_second > 0 and trial.after.samples_per_second > 0
    assert client.session.revision == revision and not only(got, run_messages.RunFinished)
    assert [p.done for p in only(got, run_messages.RunProgress)] == list(range(1, 9))
    (history,) = only(got, messages.RunHistory)
    assert [(run.number, run.tried) for run in history.runs] == [(3, True), (2, True), (1, False)]
    assert history.runs[0].changes == ("prefetch_queue_depth 1 → 2",) and history.runs[0].pipelined > 0
    client.send("take_advice", name="ahead")
    assert client.session.graph.options.prefetch_queue_depth == 2
    for kind in ("try_advice", "take_advice"):
        (refused,) = only(client.send(kind, name="x"), messages.Refused)
        assert refused.diagnostics[0].code == "DS209"


# ---------------------------------------------------------------------------------------------- history and difference


def test_runs_say_what_was_changed_between_them_and_one_can_be_gone_back_to(client: Client) -> None:
    client.send("run", batches=1)
    before = client.session.graph
    client.edit(set_argument("resize", "resize_shorter", 90.0), {"type": "remove_node", "key": "uniform"})
    client.edit(set_argument("rotate", "angle", 10.0))
    (history,) = only(client.send("run", batches=1), messages.RunHistory)
    newest, oldest = history.runs
    assert newest.number == 2 and newest.name != oldest.name
    assert newest.changes == (
        "uniform removed", "resize.resize_shorter 120 px → 90 px", "rotate.angle from uniform → 10°"
    )  # fmt: skip
    (found,) = only(client.send("request_difference", before="1", after="2"), messages.GraphDifference)
    assert found.lines == (
        "- uniform", "~ resize.resize_shorter: 120 px → 90 px", "~ rotate.angle: from uniform → 10°"
    )  # fmt: skip
    assert found.difference.removed == ("uniform",)
    (now,) = only(client.send("open_state", name="1"), messages.RevisionChanged)
    assert client.session.graph == before and now.runs == (1,)
    client.send("undo")
    assert client.session.graph.node("resize").arguments["resize_shorter"] == 90.0 and "uniform" not in client.session.graph
    (refused,) = only(client.send("open_state", name="9"), messages.Refused)
    assert refused.diagnostics[0].code == "DS209"


def test_who_goes_back_to_a_run_has_the_nodes_that_it_left_out_in_their_places(client: Client) -> None:
    client.edit({"type": "set_bypass", "key": "rotate", "bypassed": True})
    before = client.session.graph
    (finished,) = only(client.send("run", batches=1), run_messages.RunFinished)
    assert "rotate" not in {timing.key for timing in finished.timings}
    (other,) = only(client.edit(set_argument("resize", "resize_shorter", 90.0)), messages.RevisionChanged)
    (again,) = only(client.send("open_state", name="1"), messages.RevisionChanged)
    assert client.session.graph == before and (other.runs, again.runs) == ((), (1,))


def test_a_difference_finds_renamed_nodes_moved_wires_and_options() -> None:
    graph, registry = rotating().graph, default_registry()
    history = History(graph, registry)
    client = Client(graph)
    client.edit(
        {"type": "rename", "key": "uniform", "new_key": "angle"},
        {"type": "set_pipeline", "option": "batch_size", "value": 3},
        {"type": "connect", "source": {"node": "decode"}, "target": "rotate", "input": 0},
        {"type": "set_bypass", "key": "normalize", "bypassed": True},
        {"type": "set_outputs", "outputs": [{"node": "reader", "output": 1}]},
    )
    other = client.session.graph
    client.session.close()
    found = difference(history.graph, other)
    assert found.renamed == (("uniform", "angle"),) and not found.added and not found.removed
    assert found.lines() == [
        "~ uniform is called angle", "~ batch_size: 6 -> 3", "~ outputs: normalize, reader[1] -> reader[1]",
        "~ rotate.input 1: from resize -> from decode", "~ normalize.bypassed: False -> True",
    ]  # fmt: skip
    told = difference(history.graph, other, registry).words()
    assert told[-1] == "normalize not returned" and "rotate.input 1 from resize → from decode" in told
    assert not difference(other, other)
    there = history.apply(edits_to(graph, other))
    assert there == other and history.undo() == graph and history.redo() == other
    assert edits_to(graph, graph) == ()


def test_each_saved_state_can_be_compared_and_gone_back_to(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "mine.dali.json"
    (states,) = only(client.send("save_document", path=str(path)), messages.SavedStates)
    (first,) = states.snapshots
    before = client.session.graph
    (states,) = only(client.send("save_document", path=str(path)), messages.SavedStates)
    assert states.snapshots == (first,)  # nothing has changed
    client.edit(set_argument("resize", "resize_shorter", 90.0))
    (states,) = only(client.send("save_document", path=str(path)), messages.SavedStates)
    newest, oldest = states.snapshots
    assert oldest == first and newest.name != first.name
    (found,) = only(client.send("request_difference", before=first.name), messages.GraphDifference)
    assert found.lines == ("~ resize.resize_shorter: 120 px → 90 px",)
    client.send("open_state", name=first.name)
    assert client.session.graph == before
    client.send("undo")
    assert client.session.graph.node("resize").arguments["resize_shorter"] == 90.0
    for name in ("../mine", "20260101-000000000-abcdef0"):
        assert only(client.send("open_state", name=name), messages.Refused)
    (states,) = only(client.send("ready"), messages.SavedStates)
    assert len(states.snapshots) == 2


def test_the_newest_saved_states_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "_MAX_KEPT", 2)
    kept = snapshots.Snapshots(tmp_path / "a.dali.json")
    times = iter(float(10**9 + number) for number in range(9))
    monkeypatch.setattr(snapshots.time, "time", lambda: next(times))
    for size in (1, 2, 3):
        kept.keep(Graph(GraphOptions(batch_size=size)), {})
    names = [one.name for one in kept.all()]
    assert [kept.graph(name, default_registry()).options.batch_size for name in names] == [3, 2]


# ------------------------------------------------------------------------------------------------------------- profile


@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=1)
def small() -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    return fn.resize(fn.decoders.image(files), size=[40, 60]), labels


def test_a_profile_is_a_table_a_figure_and_a_trace(tmp_path: Path) -> None:
    designer = Designer(small())
    assert designer.profile(1).in_pipeline == 0  # it lay ready
    profile = designer.profile(4)
    assert {row["node"] for row in profile.rows()} == {"reader", "decode", "resize"}
    assert profile.alone > 0 and profile.in_pipeline > 0
    assert "samples/s in the pipeline" in repr(profile) and "<th>decode</th>" in profile._repr_html_()
    # samples go from the decoder to the next operator one by one: in brackets, as in the designer
    (decode,) = (row for row in profile.rows() if row["node"] == "decode")
    assert decode["bytes"] == 0 and f"({byte_count(decode['passing_bytes'])})" in repr(profile)
    figure = profile.plot()
    assert len(figure.axes) == 2 and len(figure.axes[0].patches) == 3
    figure.savefig(tmp_path / "profile.png")
    assert figure._repr_png_().startswith(b"\x89PNG")  # what a cell shows, where nobody has imported pyplot
    profile.save_trace(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    with pytest.raises(DaliStudioError, match="from 1 is accepted"):
        designer.profile(0)
    designer.close()
    designer.close()  # as when it is forgotten


def test_a_frame_needs_pandas_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Frame:
        def __init__(self, rows: list[dict[str, Any]], columns: list[str]) -> None:
            self.rows, self.columns = rows, columns

        def set_index(self, name: str) -> Any:
            made.append((name, self.columns, self.rows))
            return self

    designer = Designer(small())
    profile = designer.profile(1)
    designer.close()
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(DaliStudioError, match="needs pandas"):
        profile.to_frame()
    monkeypatch.setitem(__import__("sys").modules, "pandas", type("pandas", (), {"DataFrame": Frame}))
    profile.to_frame()
    ((name, columns, rows),) = made
    assert name == "node" and set(rows[0]) == set(columns) and len(rows) == 3
