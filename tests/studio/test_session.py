"""The designer's Python side: what goes in and what comes out, without a browser."""

from __future__ import annotations

import io
import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from studio.clients import Client, only, rotating, set_argument

from dali_studio import Designer, fn, pipeline_def, samples
from dali_studio.codegen.dialects import installed_first
from dali_studio.graph import document
from dali_studio.graph.edits import PortRef
from dali_studio.runtime.executor import Executor
from dali_studio.studio.outputs import preview_renderer
from dali_studio.studio.protocol import messages, output_messages, run_messages


def test_ready_answers_with_everything_a_canvas_needs(client: Client) -> None:
    got = client.send("ready")
    (opened,) = only(got, messages.Opened)
    assert {"rotate", "readers.file"} <= {o.name for o in opened.catalog.operators}
    assert [d.name for d in opened.dialects] == list(installed_first())
    (revision,) = only(got, messages.RevisionChanged)
    assert [n.key for n in revision.graph.nodes] == ["reader", "decode", "resize", "uniform", "rotate", "normalize"]
    (previews,) = only(got, messages.Previews)
    items = {(item.key, item.output): item for item in previews.items}
    assert items["rotate", 0].atlas_width > 0
    assert items["reader", 0].body.text.startswith("FF D8 FF")
    assert len(items["uniform", 0].body.values) == 6
    atlas = Image.open(io.BytesIO(next(b for m, b in got if isinstance(m, messages.Previews))[0]))
    for item in previews.items:
        assert item.atlas_x + item.atlas_width <= atlas.width
        assert item.atlas_y + item.atlas_height <= atlas.height
    (strip,) = only(got, messages.SampleStrip)
    assert strip.count == 6
    assert all(strip.names)


def test_an_edit_repaints_only_what_is_downstream(client: Client) -> None:
    client.send("ready")
    (previews,) = only(client.edit(set_argument("rotate", "fill_value", 200.0)), messages.Previews)
    assert {item.key for item in previews.items} == {"rotate", "normalize"}
    (previews,) = only(client.edit(set_argument("resize", "resize_shorter", 100.0)), messages.Previews)
    assert {item.key for item in previews.items} == {"resize", "rotate", "normalize"}


def test_images_that_take_long_say_what_they_wait_for(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Executor._stage

    def slow_stage(*given: Any) -> Any:
        end = time.monotonic() + 10
        while not only(client.received, messages.Progress) and time.monotonic() < end:
            time.sleep(0.01)
        return stage(*given)

    monkeypatch.setattr(preview_renderer, "AFTER", 0.01)
    monkeypatch.setattr(Executor, "_stage", slow_stage)
    told = only(client.send("ready"), messages.Progress)
    assert " of " in told[0].doing and told[-1] == messages.Progress()


def test_the_preview_is_the_run(client: Client) -> None:
    """Sample k of batch b on the canvas is sample k of batch b of the pipeline, random numbers included."""
    client.send("ready")
    pipe = rotating()
    batches = [pipe.run() for _ in range(3)]
    for iteration, sample in ((0, 0), (2, 5), (1, 3)):
        client.send("choose_sample", sample=sample, iteration=iteration)
        engine = client.session.renderer.engine
        made = engine.compute(client.session.current(), iteration, [sample])
        for at, port in enumerate(client.session.graph.outputs):
            expected = batches[iteration][at].at(sample)
            np.testing.assert_array_equal(made.outputs[port].samples[0], expected)


def test_the_emitted_program_gives_the_pixels_of_the_canvas(client: Client, nvidia: Any) -> None:
    """Code out: the program for nvidia.dali runs there, unchanged, and gives what the canvas shows."""
    client.edit(set_argument("rotate", "keep_size", True))
    client.send("choose_sample", sample=4, iteration=1)
    source = client.session.code().source
    space: dict[str, Any] = {"__name__": "emitted"}
    exec(compile(source, "emitted", "exec"), space)
    pipe = space["rotating"]()
    pipe.build()
    pipe.run()
    theirs = pipe.run()
    made = client.session.renderer.engine.compute(client.session.current(), 1, [4])
    image, label = (made.outputs[port].samples[0] for port in client.session.graph.outputs)
    difference = np.abs(image - theirs[0].at(4)) * 60.0
    assert difference.mean() < 0.02
    assert np.percentile(difference, 99.9) <= 1.01
    np.testing.assert_array_equal(label, theirs[1].at(4))


def test_a_live_pipeline_of_nvidia_dali_opens(client: Client, nvidia: Any) -> None:
    space: dict[str, Any] = {"__name__": "emitted"}
    exec(compile(client.session.code().source, "emitted", "exec"), space)
    pipe = space["rotating"]()
    assert isinstance(pipe, nvidia.Pipeline)
    designer = Designer(pipe)
    assert set(designer.graph) == set(client.session.graph)
    assert designer.graph.options.seed == 11 and "range=[-40, 40]" in designer.code("nvidia.dali")
    designer.close()


def test_undo_returns_to_the_start_and_a_drag_is_one_step(client: Client) -> None:
    start = document.dumps(client.session.graph, {})
    for angle in range(5):
        client.edit(set_argument("rotate", "fill_value", float(angle)), gesture="drag-1")
    client.edit({"type": "remove_node", "key": "resize"})
    client.edit({"type": "rename", "key": "rotate", "new_key": "turn"})
    for _ in range(3):
        client.send("undo")
    assert document.dumps(client.session.graph, {}) == start
    assert not client.session.history.can_undo


def test_undo_without_a_step_is_answered_and_is_no_error(client: Client) -> None:
    for word in ("undo", "redo"):
        got = client.send(word)
        assert not only(got, messages.Refused)
        assert only(got, messages.RevisionChanged)


def test_undo_brings_a_removed_node_back_to_its_place(client: Client, tmp_path: Path) -> None:
    client.send("move_nodes", positions={"rotate": {"x": 10.0, "y": 20.0}})
    client.edit({"type": "remove_node", "key": "rotate"})
    client.send("save_document", path=str(tmp_path / "without.dali.json"))
    assert "rotate" not in json.loads((tmp_path / "without.dali.json").read_text())["view"].get("positions", {})
    (revision,) = only(client.send("undo"), messages.RevisionChanged)
    assert revision.positions["rotate"] == messages.Position(x=10.0, y=20.0)


def test_pictures_follow_an_edit_while_a_run_goes_on(client: Client) -> None:
    client.send("ready")
    before = len(client.received)
    client.session.receive({"type": "run", "batches": 40})
    edit = {"type": "set_argument", "key": "rotate", "argument": "fill_value", "value": 90.0}
    client.session.receive(
        {"type": "apply_edits", "base_revision": client.session.revision, "edits": [edit], "gesture": ""}
    )
    assert client.session.worker.wait(60)
    kinds = [type(message) for message, _ in client.received[before:]]
    assert messages.Previews in kinds[: kinds.index(run_messages.RunFinished)]
    (finished,) = only(client.received[before:], run_messages.RunFinished)
    assert finished.batches == 40
    assert finished.revision == client.session.revision - 1  # what was measured is not what is shown now


def test_an_output_that_is_too_large_is_told_on_its_node(client: Client) -> None:
    client.send("ready")
    (previews,) = only(client.edit(set_argument("rotate", "size", [900_000.0, 900_000.0])), messages.Previews)
    (finding,) = previews.failed
    assert finding.node == "rotate"
    assert "does not fit into memory" in finding.message
    (finished,) = only(client.send("run", batches=1), run_messages.RunFinished)
    assert [d.node for d in finished.failed] == ["rotate"]
    (previews,) = only(client.send("undo"), messages.Previews)
    assert not previews.failed


def test_an_unwired_node_that_nothing_needs_does_not_stop_the_run(client: Client) -> None:
    got = client.edit({"type": "add_node", "key": "spare", "operator": "flip", "device": "cpu"})
    (revision,) = only(got, messages.RevisionChanged)
    (finding,) = revision.diagnostics
    assert (finding.node, finding.severity) == ("spare", "warning")
    (finished,) = only(client.send("run", batches=1), run_messages.RunFinished)
    assert finished.batches == 1
    assert not finished.failed
    got = client.edit({"type": "set_outputs", "outputs": [{"node": "spare", "output": 0}]})
    assert [d.severity for d in only(got, messages.RevisionChanged)[-1].diagnostics if d.node == "spare"] == ["error"]
    (finished,) = only(client.send("run", batches=1), run_messages.RunFinished)
    assert [d.node for d in finished.failed] == ["spare"]


def test_a_refused_edit_changes_nothing_and_says_why(client: Client) -> None:
    before = client.session.revision
    got = client.edit(set_argument("rotate", "fill_value", "red"))
    (refused,) = only(got, messages.Refused)
    assert refused.diagnostics[0].node == "rotate"
    assert refused.diagnostics[0].argument == "fill_value"
    assert client.session.revision == before
    (refused,) = only(client.send("no_such_message"), messages.Refused)
    assert refused.diagnostics[0].code == "DS401"


def test_a_cycle_is_refused(client: Client) -> None:
    got = client.edit({"type": "connect", "source": {"node": "rotate"}, "target": "resize", "input": 0})
    (refused,) = only(got, messages.Refused)
    assert refused.diagnostics[0].code == "DS204"


def test_nodes_outside_the_run_are_shown_too(client: Client) -> None:
    client.send("ready")
    got = client.edit(
        {"type": "add_node", "key": "side", "operator": "hsv", "arguments": {"hue": 90.0}},
        {"type": "connect", "source": {"node": "resize"}, "target": "side", "input": 0},
    )
    (revision,) = only(got, messages.RevisionChanged)
    assert not next(n for n in revision.graph.nodes if n.key == "side").in_run
    (previews,) = only(got, messages.Previews)
    assert [item.key for item in previews.items] == ["side"]


def test_a_missing_input_is_a_finding_and_the_rest_lives(client: Client) -> None:
    client.send("ready")
    got = client.edit(
        {"type": "disconnect", "target": "rotate", "input": 0}, set_argument("resize", "resize_shorter", 90.0)
    )
    (revision,) = only(got, messages.RevisionChanged)
    assert ("DS201", "rotate") in [(d.code, d.node) for d in revision.diagnostics]
    (previews,) = only(got, messages.Previews)
    painted = {item.key for item in previews.items}
    assert "resize" in painted
    assert not painted & {"rotate", "normalize"}


def test_run_measures_every_node(client: Client) -> None:
    got = client.send("run", batches=4)
    (finished,) = only(got, run_messages.RunFinished)
    assert finished.batches == 4
    assert finished.samples_per_second > 0
    assert {t.key for t in finished.timings} == {"reader", "decode", "resize", "uniform", "rotate", "normalize"}
    assert sum(t.share for t in finished.timings) == pytest.approx(1.0)
    # each batch is made twice: measured, and ahead
    told = only(got, run_messages.RunProgress)
    at = [(p.done, p.total) for p in told]  # a step that takes long tells where it is more than once
    assert sorted(at) == at and sorted(set(at)) == [(number, 8) for number in range(9)]
    assert told[-1].seconds_left == 0 and all(p.seconds_left >= 0 for p in told)
    # made ahead, so few would be ready when they are asked for
    got = client.send("run", batches=3)
    (finished,) = only(got, run_messages.RunFinished)
    assert finished.samples_per_second > 0 and finished.pipelined == run_messages.Speed()
    last = only(got, run_messages.RunProgress)[-1]
    assert (last.done, last.total) == (3, 3)


def test_stop_ends_a_long_run(client: Client) -> None:
    client.session.receive({"type": "run", "batches": 10_000})
    client.session.receive({"type": "stop"})
    assert client.session.worker.wait(20)
    (finished,) = only(client.received, run_messages.RunFinished)
    assert finished.stopped
    # and the next run works
    assert only(client.send("run", batches=1), run_messages.RunFinished)[0].batches == 1


def test_a_run_of_an_invalid_graph_says_why(client: Client) -> None:
    client.edit({"type": "remove_node", "key": "reader"})
    (finished,) = only(client.send("run", batches=2), run_messages.RunFinished)
    assert finished.failed
    assert finished.batches == 0


def test_python_sources_are_previewed_forwards_and_a_little_back() -> None:
    def frames(iteration: int) -> list[Any]:
        return [np.full((8, 8, 3), 10 * iteration + k, np.uint8) for k in range(3)]

    @pipeline_def(batch_size=3, num_threads=1, device_id=None, seed=1)
    def fed() -> Any:
        return fn.flip(fn.external_source(source=frames, layout="HWC"))

    client = Client(fed().graph)
    port = PortRef(node="flip")
    for iteration, sample in ((0, 1), (4, 2), (3, 0)):
        client.send("choose_sample", sample=sample, iteration=iteration)
        made = client.session.renderer.engine.compute(client.session.current(), iteration, [sample])
        assert made.outputs[port].samples[0][0, 0, 0] == 10 * iteration + sample
    client.session.close()


def test_detail_has_both_pictures_and_statistics(client: Client) -> None:
    got = client.send("request_detail", key="normalize")
    ((detail, buffers),) = [(m, b) for m, b in got if isinstance(m, output_messages.ImageDetail)]
    assert detail.has_output
    assert detail.has_input
    assert len(buffers) == 2
    assert detail.minimum < detail.mean < detail.maximum
    assert len(detail.histogram) == 3
    # what is seen follows from the formula in the note
    formula = re.fullmatch(r"shown from .* to .*, as x·(.*?)([+-].*)", detail.note)
    assert formula is not None
    scale, shift = map(float, formula.groups())
    assert detail.minimum * scale + shift == pytest.approx(0, abs=1) and detail.maximum * scale + shift == pytest.approx(255, abs=1)


def test_statistics_are_of_a_sample_or_of_the_whole_batch(client: Client) -> None:
    def asked(key: str, whole: bool) -> output_messages.ImageDetail:
        return only(client.send("request_detail", key=key, whole=whole), output_messages.ImageDetail)[0]

    samples = client.session.answers.output(PortRef(node="normalize"), range(6)).samples
    one, all_of_them = asked("normalize", whole=False), asked("normalize", whole=True)
    assert (one.facts, one.layout) == (all_of_them.facts, all_of_them.layout) == ("3×96×96 f32", "CHW")
    assert [sum(channel) for channel in one.histogram] == [96 * 96] * 3
    assert [sum(channel) for channel in all_of_them.histogram] == [6 * 96 * 96] * 3
    assert all_of_them.mean == pytest.approx(float(np.mean([sample.mean() for sample in samples])), abs=1e-4)
    turned, count = asked("rotate", whole=True), client.session.answers.output(PortRef(node="resize"), range(6))
    assert [sum(channel) for channel in turned.before] == [sum(s.shape[0] * s.shape[1] for s in count.samples)] * 3


def test_statistics_tell_of_ragged_shapes_bytes_and_of_what_is_no_number() -> None:
    def numbers() -> list[Any]:
        made = [np.ones((height, 30, 3), np.float32) for height in (20, 40, 31)]
        made[0][0, 0], made[2][:2, 0, 0] = (np.nan, np.inf, -np.inf), np.nan
        return made

    @pipeline_def(batch_size=3, num_threads=1, device_id=None, seed=1)
    def fed() -> Any:
        raw = fn.external_source(source=numbers, layout="HWC", name="raw")
        return fn.copy(raw, name="same"), fn.readers.file(file_root=str(samples.photos()), name="reader")[0]

    client = Client(fed().graph)

    def asked(key: str, whole: bool) -> output_messages.ImageDetail:
        return only(client.send("request_detail", key=key, whole=whole), output_messages.ImageDetail)[0]

    try:
        one, batch = asked("same", whole=False), asked("same", whole=True)
        assert (one.facts, one.samples, one.bytes, one.nan, one.infinite) == ("20×30×3 f32", 1, 20 * 30 * 3 * 4, 1, 2)
        assert (batch.facts, batch.samples, batch.bytes) == ("20…40×30×3 f32", 3, (20 + 40 + 31) * 30 * 3 * 4)
        assert (batch.nan, batch.infinite, batch.minimum, batch.maximum) == (3, 2, 1.0, 1.0)
        files = [np.asarray(one).nbytes for one in client.session.answers.output(PortRef(node="reader"), range(3)).samples]
        known = asked("reader", whole=True)
        assert known.bytes == sum(files) and known.facts.count("…") == 1 and not known.histogram
    finally:
        client.session.close()


@pytest.mark.parametrize("send_first", [True, False])
def test_quick_edits_end_at_the_last(client: Client, send_first: bool) -> None:
    """Edits faster than painting: the last picture is that of the last edit."""
    if send_first:
        client.send("ready")
    for value in range(30):
        client.session.receive(
            {
                "type": "apply_edits",
                "base_revision": 0,
                "gesture": "g",
                "edits": [set_argument("rotate", "fill_value", float(value))],
            }
        )
    assert client.session.worker.wait(60)
    last = only(client.received, messages.Previews)[-1]
    assert last.revision == client.session.revision
    assert client.session.graph.node("rotate").arguments["fill_value"] == 29.0
    painted: set[str] = set()
    for message in only(client.received, messages.Previews):
        painted |= {item.key for item in message.items}
    assert "normalize" in painted




def test_a_node_that_is_left_out_shows_what_passes_it(client: Client) -> None:
    facts: dict[str, str] = {}
    for got in (client.send("ready"), client.edit({"type": "set_bypass", "key": "rotate", "bypassed": True})):
        facts |= {item.key: item.facts for item in only(got, messages.Previews)[-1].items if item.output == 0}
    assert facts["rotate"] == facts["resize"]
    output, source = (client.session.answers.output(PortRef(node=key), [0]).samples[0] for key in ("rotate", "resize"))
    np.testing.assert_array_equal(output, source)
    # nor can it fail
    failing = set_argument("rotate", "size", [10_000_000, 10_000_000])
    assert not only(client.edit(failing), messages.Previews)[0].failed
    back = client.edit({"type": "set_bypass", "key": "rotate", "bypassed": False})
    assert [found.node for found in only(back, messages.Previews)[0].failed] == ["rotate"]
