"""The designer and devices, without a GPU: what a recorded run tells the browser, repairs, known times, memory."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from images import encoded, picture
from studio.clients import Client, only

from dali_studio import DaliStudioError, fn, pipeline_def, samples
from dali_studio.api import placement
from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import errors
from dali_studio.graph.document import load
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph, Node
from dali_studio.kernels.cpu.image_codec import decode
from dali_studio.kernels.cuda.device import Unavailable
from dali_studio.runtime.probe import NodeTime, Probe
from dali_studio.studio import revision, runs, view, widget
from dali_studio.studio.protocol import messages, run_messages
from dali_studio.studio.timing import profiler, throughput
from dali_studio.studio.timing.known_times import KnownTimes


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about a machine without a GPU, wherever they run."""
    for module in (placement, profiler, revision, runs, throughput, view):
        name = "missing" if module is placement else "gpu_missing"
        monkeypatch.setattr(module, name, lambda _: Unavailable("There is no GPU in this test", "Buy one"))


@pipeline_def(batch_size=3, num_threads=2, device_id=0, seed=1)
def photos(root: str, decoder: str = "cpu") -> Any:
    files, labels = fn.readers.file(file_root=root, name="reader")
    images = fn.decoders.image(files, device=decoder, name="decode")
    small = fn.resize(images.gpu(), size=(40.0, 30.0), name="small")
    return fn.flip(small, name="flipped"), labels


@pytest.fixture
def root(tmp_path: Path) -> str:
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(3):
        photo = encoded(picture(64, 48 + number, seed=number), quality=80, subsampling=2)
        (folder / f"{number}.jpg").write_bytes(photo.tobytes())
    return str(tmp_path)


@pytest.fixture
def client(root: str) -> Iterator[Client]:
    made = Client(photos(root).graph)
    yield made
    made.session.close()


def set_device(key: str, device: str) -> dict[str, Any]:
    return {"type": "set_device", "key": key, "device": device}


# ------------------------------------------------------------------------------------------------------------- a run


class Clock:
    """Marks are milliseconds on an imagined GPU."""

    now = 0.0

    def mark(self, stream: Clock) -> float:
        return stream.now

    def reached(self, mark: float) -> bool:
        return True

    def milliseconds(self, begin: float, end: float) -> float:
        return end - begin


def test_a_recorded_run_becomes_messages(client: Client) -> None:
    clock = Clock()
    probe = Probe(clock)
    for _ in range(2):
        recording = probe.iteration()
        recording.add({"decode": 12_000_000, "to_gpu": 100_000, "small": 50_000})
        recording.results("decode", host=900)
        with recording.copy("to_gpu", clock, "H2D", 900):
            clock.now += 1.5
        recording.results("to_gpu", device=900)
        with recording.gpu("small", clock, ("small", "flipped")):
            clock.now += 0.25
        recording.results("small", device=400)
        recording.finish()
    devices = {"decode": "cpu", "to_gpu": "mixed", "small": "gpu"}
    measured = profiler.Measured(probe, 2, 0.5, devices, samples=6)
    finished = client.session.profiler._finished(client.session.graph, 7, measured)
    assert (finished.revision, finished.batches, finished.samples_per_second) == (7, 2, 12.0)
    timings = {t.key: t for t in finished.timings}
    assert set(timings) == {"decode", "to_gpu", "small"}
    copy, small = timings["to_gpu"], timings["small"]
    assert copy.copies == (run_messages.CopyTiming(direction="H2D", size=900, milliseconds=1.5),)
    assert (copy.device, copy.cpu, copy.gpu, copy.gpu_memory) == ("mixed", 0.1, 0.0, 900)
    assert copy.milliseconds == pytest.approx(1.6)
    assert (small.device, small.gpu, small.gpu_memory, small.group) == ("gpu", 0.25, 400, ("small", "flipped"))
    assert (timings["decode"].host, timings["decode"].share) == (900, pytest.approx(12 / 13.9))


def test_a_run_without_a_gpu_says_where_it_was(client: Client) -> None:
    (finished,) = only(client.send("run", batches=2), run_messages.RunFinished)
    assert finished.note == "All of it ran on the CPU: There is no GPU in this test."
    assert {t.device for t in finished.timings} == {"cpu"}
    timings = {t.key: t for t in finished.timings}
    assert timings["small"].passing == 3 * 40 * 30 * 3 and timings["small"].host == 0
    assert timings["flipped"].host == 3 * 40 * 30 * 3
    assert all(t.gpu == 0 and t.copies == () and t.gpu_memory == 0 for t in finished.timings)
    client.edit(set_device("small", "cpu"), set_device("flipped", "cpu"), {"type": "connect", "source": {"node": "decode"},
                "target": "small", "input": 0}, {"type": "remove_node", "key": "to_gpu"})  # fmt: skip
    (finished,) = only(client.send("run", batches=1), run_messages.RunFinished)
    assert finished.note == ""


def test_an_undo_that_leads_back_to_the_measured_graph_names_its_run(client: Client) -> None:
    (finished,) = only(client.send("run", batches=1), run_messages.RunFinished)
    (edited,) = only(client.edit(set_device("small", "cpu")), messages.RevisionChanged)
    (undone,) = only(client.send("undo"), messages.RevisionChanged)
    assert (edited.measured, undone.measured) == (-1, finished.revision) and undone.revision > edited.revision


# ------------------------------------------------------------------------------------------------------- known times


def test_times_hold_for_what_was_measured_and_nothing_else(root: str) -> None:
    registry = default_registry()
    graph = photos(root).graph
    known = KnownTimes(registry)
    assert known.of(graph) == ()
    times = {key: NodeTime(median=number, p95=0, share=0, gpu=number / 2) for number, key in enumerate(graph, 1)}
    known.learn(graph, {key: graph.node(key).device for key in graph}, times)
    found = {(t.key, t.device): t.milliseconds for t in known.of(graph)}
    assert found == {("reader", "cpu"): 1, ("decode", "cpu"): 2, ("small", "gpu"): 4, ("flipped", "gpu"): 5}

    def after(*edits: dict[str, Any]) -> set[str]:
        other = Client(graph.copy())
        other.edit(*edits)
        other.session.close()
        return {t.key for t in known.of(other.session.graph)}

    moved = (set_device("small", "cpu"), set_device("decode", "mixed"))
    assert after(*moved) == {"reader", "decode", "small", "flipped"}
    assert after({"type": "set_argument", "key": "small", "argument": "size", "value": [9.0, 9.0]}) == {"reader", "decode"}
    assert after({"type": "set_pipeline", "option": "batch_size", "value": 2}) == set()


def test_nodes_that_compute_the_same_have_times_of_their_own(root: str) -> None:
    graph = photos(root).graph.copy()
    flipped = graph.node("flipped")
    graph.add_node(replace(flipped, key="twin"))
    graph.connect(graph.inputs("flipped")[0], "twin", 0)
    known = KnownTimes(default_registry())
    known.learn(graph, dict.fromkeys(graph, "cpu"), {"flipped": NodeTime(3, 3, 1), "twin": NodeTime(4, 4, 1)})
    graph.add_node(replace(flipped, key="pasted"))
    graph.connect(graph.inputs("flipped")[0], "pasted", 0)
    assert {t.key: t.milliseconds for t in known.of(graph)} == {"flipped": 3, "twin": 4, "pasted": 3}


def test_a_mixed_decoder_on_the_cpu_teaches_nothing_about_the_cpu(root: str) -> None:
    graph = photos(root, "mixed").graph
    known = KnownTimes(default_registry())
    known.learn(graph, dict.fromkeys(graph, "cpu"), {"decode": NodeTime(1, 1, 1), "small": NodeTime(2, 2, 1)})
    assert {t.key for t in known.of(graph)} == {"small"}


def test_a_run_is_remembered_over_edits_and_undo(client: Client) -> None:
    client.send("ready")
    (sent,) = only(client.send("run", batches=1), run_messages.DeviceTimes)
    before = {t.key for t in sent.times}
    assert before == {"reader", "decode", "small", "flipped"}
    (sent,) = only(
        client.edit({"type": "set_argument", "key": "flipped", "argument": "vertical", "value": 1}), run_messages.DeviceTimes
    )
    assert {t.key for t in sent.times} == before - {"flipped"}
    assert not only(client.edit(set_device("flipped", "cpu")), run_messages.DeviceTimes)  # nothing new is known
    client.send("undo")
    (sent,) = only(client.send("undo"), run_messages.DeviceTimes)
    assert {t.key for t in sent.times} == before


def test_devices_cannot_be_compared_without_a_gpu(client: Client) -> None:
    (refused,) = only(client.send("compare_devices"), messages.Refused)
    assert refused.diagnostics[0].code == "DS206" and "There is no GPU in this test" in refused.diagnostics[0].message


# ------------------------------------------------------------------------------------------------------ placements


def test_a_finding_is_repaired_in_one_step(client: Client) -> None:
    (revision,) = only(client.edit(set_device("flipped", "cpu")), messages.RevisionChanged)
    (repair,) = revision.repairs
    assert (repair.code, repair.node, repair.title) == ("DS207", "flipped", "Place flipped on the GPU")
    wanted = {"code": repair.code, "node": repair.node, "argument": repair.argument}
    (revision,) = only(client.send("apply_repair", **wanted), messages.RevisionChanged)
    assert revision.diagnostics == () and revision.repairs == ()
    assert client.session.graph.node("flipped").device == "gpu"
    (revision,) = only(client.send("apply_repair", **wanted), messages.RevisionChanged)  # pressed twice
    client.send("undo")
    assert client.session.graph.node("flipped").device == "cpu"
    client.send("undo")
    assert not client.session.history.can_undo and client.session.graph.node("flipped").device == "gpu"


def test_a_gpu_that_is_not_there_is_told_alone_and_the_step_goes_back(client: Client) -> None:
    (revision,) = only(
        client.edit({"type": "set_pipeline", "option": "device_id", "value": None}, set_device("flipped", "cpu")),
        messages.RevisionChanged,
    )
    assert {d.code for d in revision.diagnostics} == {"DS206"}
    titles = {repair.node: repair.title for repair in revision.repairs}
    assert titles["small"] == "Place small on the CPU"


def test_files_that_nothing_reads_are_decoded_for_an_input_without_a_wire(root: str) -> None:
    @pipeline_def(batch_size=3, num_threads=2, device_id=None)
    def chain() -> Any:
        files, labels = fn.readers.file(file_root=root, name="reader")
        return fn.resize(fn.decoders.image(files, name="decode"), size=(40.0, 30.0), name="small"), labels

    client = Client(chain().graph)
    try:
        (revision,) = only(client.edit({"type": "remove_node", "key": "decode"}), messages.RevisionChanged)
        (repair,) = revision.repairs
        assert (repair.code, repair.node, repair.title) == ("DS201", "small", "Decode what reader reads")
        wanted = {"code": repair.code, "node": repair.node, "argument": repair.argument}
        (revision,) = only(client.send("apply_repair", **wanted), messages.RevisionChanged)
        assert revision.diagnostics == () and revision.repairs == ()
    finally:
        client.session.close()


def test_a_reader_without_files_is_offered_the_sample_photos() -> None:
    example = Path(__file__).parents[2] / "gallery" / "getting_started" / "pipeline.dali.json"
    graph, _, _ = load(example, default_registry())
    client = Client(graph)
    try:
        (revision,) = only(client.send("ready"), messages.RevisionChanged)
        (repair,) = revision.repairs
        assert (repair.code, repair.argument, repair.title) == ("DS103", "file_root", "Read the sample photos")
        wanted = {"code": repair.code, "node": repair.node, "argument": repair.argument}
        got = client.send("apply_repair", **wanted)
        (revision,) = only(got, messages.RevisionChanged)
        assert revision.repairs == () and revision.diagnostics == ()
        assert only(got, messages.Previews)[-1].items
        client.send("undo")
        assert "file_root" not in client.session.graph.node(repair.node).arguments
    finally:
        client.session.close()


def test_a_reader_of_a_folder_that_is_not_here_is_offered_the_sample_photos(tmp_path: Path) -> None:
    source = """
from nvidia.dali import fn, pipeline_def

@pipeline_def
def train(data_dir):
    files, labels = fn.readers.file(file_root=data_dir, random_shuffle=True, name="reader")
    return fn.resize(fn.decoders.image(files), size=(8, 8)), labels

pipe = train(batch_size=4, num_threads=2, device_id=None, data_dir={folder!r})
"""
    client = Client(Graph())
    try:
        got = client.send("apply_code", source=source.format(folder=str(tmp_path / "none")))
        (failed,) = only(got, messages.Previews)[-1].failed
        (repair,) = only(got, messages.RevisionChanged)[-1].repairs
        assert repair.title == "Read the sample photos"
        assert (repair.code, repair.node, repair.argument) == (failed.code, failed.node, failed.argument)
        got = client.send("apply_repair", code=repair.code, node=repair.node, argument=repair.argument)
        assert only(got, messages.RevisionChanged)[-1].repairs == () and not only(got, messages.Previews)[-1].failed
        given = client.session.graph.node("reader").arguments
        assert given["file_root"] == str(samples.photos()) and given["random_shuffle"] is True
        got = client.send("apply_code", source=source.format(folder=str(tmp_path)))
        assert only(got, messages.RevisionChanged)[-1].repairs == ()  # it is here, and empty
    finally:
        client.session.close()


@pytest.mark.parametrize(
    ("name", "what"),
    [("action_clips", "videos"), ("medical_volumes", "volumes"), ("segmentation", "photos with their boxes"),
     ("log_mel_speech", "sounds")],
)  # fmt: skip
def test_readers_of_other_files_are_offered_samples_of_them(name: str, what: str) -> None:
    graph, _, _ = load(Path(__file__).parents[2] / "gallery" / name / "pipeline.dali.json", default_registry())
    client = Client(graph)
    try:
        (revision,) = only(client.send("ready"), messages.RevisionChanged)
        (repair,) = {one.title: one for one in revision.repairs if one.code != "DS105"}.values()  # windows that leave
        assert repair.title == f"Read the sample {what}"
        got = client.send("apply_repair", code=repair.code, node=repair.node, argument=repair.argument)
        (revision,) = only(got, messages.RevisionChanged)
        assert not [one for one in revision.repairs if one.code != "DS105"] and not errors(revision.diagnostics)
        shown = {item.key for item in only(got, messages.Previews)[-1].items}
        assert shown >= {port.node for port in graph.outputs}
        client.send("undo")
        assert client.session.graph == graph
    finally:
        client.session.close()


def test_the_preview_of_a_mixed_decoder_has_the_pixels_of_the_hardware(root: str) -> None:
    """Chroma is repeated, not interpolated, also where the CPU stands in for the GPU."""

    def shown(graph: Graph) -> Any:
        made = Client(graph)
        engine = made.session.renderer.engine
        preview = engine.compute(made.session.current(), 0, [1])
        made.session.close()
        return preview.outputs[PortRef(node="decode")].samples[0]

    data = np.frombuffer((Path(root) / "class" / "1.jpg").read_bytes(), np.uint8)
    mixed, cpu = shown(photos(root, "mixed").graph), shown(photos(root, "cpu").graph)
    np.testing.assert_array_equal(mixed, decode(data, repeat_chroma=True))
    np.testing.assert_array_equal(cpu, decode(data))
    assert (mixed != cpu).any()


# ------------------------------------------------------------------------------------------------------------ memory


def test_free_memory_gives_kept_results_back_and_pictures_stay_right(client: Client) -> None:
    client.send("ready")
    (freed,) = only(client.send("free_memory"), run_messages.MemoryFreed)
    assert freed.host >= 3 * 64 * 48 * 3 and freed.gpu == 0
    (again,) = only(client.send("free_memory"), run_messages.MemoryFreed)
    assert again.host == 0
    edited = client.edit({"type": "set_argument", "key": "flipped", "argument": "vertical", "value": 1})
    (previews,) = only(edited, messages.Previews)
    assert [item.key for item in previews.items] == ["flipped"] and previews.failed == ()


# ------------------------------------------------------------------------------------------------------ cards and code


def test_moving_cards_is_a_step_that_leaves_times_and_code_alone(client: Client) -> None:
    client.send("ready")
    client.send("move_nodes", positions={"small": {"x": 1.0, "y": 2.0}})  # the view's own choice: nothing to undo
    assert not client.session.history.can_undo
    got = client.send("apply_edits", base_revision=0, edits=[], positions={"small": {"x": 300.0, "y": 40.0}})
    (moved,) = only(got, messages.RevisionChanged)
    assert (moved.revision, moved.can_undo) == (0, True)
    assert moved.positions["small"] == messages.Position(x=300.0, y=40.0)
    assert not only(got, messages.Code) and not only(got, messages.Previews)
    (undone,) = only(client.send("undo"), messages.RevisionChanged)
    assert (undone.revision, undone.positions["small"]) == (0, messages.Position(x=1.0, y=2.0))
    (again,) = only(client.send("redo"), messages.RevisionChanged)
    assert again.positions["small"] == messages.Position(x=300.0, y=40.0)


def test_a_copy_that_a_repair_inserts_gets_room_in_the_chain(root: str) -> None:
    client = Client(photos(root).graph)
    client.edit({"type": "connect", "source": {"node": "decode"}, "target": "small", "input": 0},
                {"type": "remove_node", "key": "to_gpu"})  # fmt: skip
    places = {key: {"x": 184.0 * n, "y": 14.0} for n, key in enumerate(("reader", "decode", "small", "flipped"))}
    client.send("move_nodes", positions=places)
    client.send("apply_repair", code="DS207", node="small", argument="image")
    found = client.session.positions
    assert {key: found[key].x / 184 for key in found} == {"reader": 0, "decode": 1, "to_gpu": 2, "small": 3, "flipped": 4}
    client.send("undo")
    assert {key: place.x for key, place in client.session.positions.items()} == {k: p["x"] for k, p in places.items()}
    client.session.close()


def test_code_goes_into_the_next_cell(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    designer = widget.Designer(photos(root))
    cells: list[tuple[str, bool]] = []
    shell = SimpleNamespace(set_next_input=lambda text, replace: cells.append((text, replace)))
    monkeypatch.setattr(widget, "get_ipython", lambda: shell)
    designer.insert_code("dali_studio")
    assert cells == [(designer.code("dali_studio"), False)]
    session = designer.session
    session.history.graph.add_node(Node(key="odd", operator="os.system", arguments={"preserve": True}))
    with pytest.raises(DaliStudioError, match=r"DS101 odd: There is no operator called 'os.system'"):
        designer.insert_code()
    assert len(cells) == 1
    designer.insert_code(force=True)
    assert 'raise NotImplementedError("odd: There is no operator' in cells[1][0] and "os.system(" not in cells[1][0]
    monkeypatch.setattr(widget, "get_ipython", lambda: None)
    with pytest.raises(RuntimeError, match="no notebook"):
        designer.insert_code()
    designer.close()


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_what_cannot_be_opened_is_one_error_without_noise(tmp_path: Path) -> None:
    broken = tmp_path / "broken.dali.json"
    broken.write_text("{")
    for given, error in ((42, TypeError), (broken, DaliStudioError)):
        with pytest.raises(error):
            widget.Designer(cast(Any, given))
        gc.collect()


def test_a_run_names_the_files_that_it_missed(root: str) -> None:
    (Path(root) / "class" / "broken.jpg").write_bytes(b"no picture")

    @pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=1)
    def tolerant() -> Any:
        files, _labels = fn.readers.file(file_root=root, name="reader")
        return fn.decoders.image(files, on_error="skip", name="decode")

    made = Client(tolerant().graph)
    (shown,) = only(made.send("choose_sample", sample=3, iteration=0), messages.Previews)
    (warned,) = shown.failed
    assert (warned.severity, warned.node, warned.sample, warned.source) == ("warning", "decode", 3, "class/broken.jpg")
    assert warned.hint == "A run leaves it out."
    (finished,) = only(made.send("run", batches=2), run_messages.RunFinished)
    assert finished.note == "Left out or replaced (on_error): broken.jpg."
    # three of four samples of a batch are there
    assert finished.samples_per_second * finished.milliseconds_per_batch == pytest.approx(3000)
    made.session.close()
