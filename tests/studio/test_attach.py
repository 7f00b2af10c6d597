"""A designer that goes on in another kernel, and a view that comes back."""

from __future__ import annotations

import json
import os
import subprocess
import time
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dali_studio import fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.graph import document
from dali_studio.studio import widget
from dali_studio.studio.attach import _kept as attached  # pyright: ignore[reportPrivateUsage]
from dali_studio.studio.attach import attach
from dali_studio.studio.autosave import FOLDER, Autosave
from dali_studio.studio.session import Session
from dali_studio.studio.widget import Designer, designers


class Comm:
    """A stand-in for ipykernel's."""

    def __init__(self) -> None:
        self.sent: list[tuple[dict[str, Any], list[bytes]]] = []
        self.say: Callable[[dict[str, Any]], None] = lambda message: None
        self.close: Callable[[dict[str, Any]], None] = lambda message: None

    def send(self, data: Any, metadata: None = None, buffers: list[bytes] | None = None) -> None:
        self.sent.append((data, buffers or []))

    def on_msg(self, callback: Callable[[dict[str, Any]], None]) -> None:
        self.say = callback

    def on_close(self, callback: Callable[[dict[str, Any]], None]) -> None:
        self.close = callback

    def of(self, kind: str) -> list[tuple[dict[str, Any], list[bytes]]]:
        return [(content, buffers) for content, buffers in self.sent if content["type"] == kind]


@pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=3)
def turning() -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    return fn.rotate(fn.decoders.image(files), angle=10.0, fill_value=0.0), labels


def opening(revision: object, packed: bytes, **more: object) -> dict[str, Any]:
    return {"content": {"data": {"revision": revision, **more}}, "buffers": [memoryview(packed)]}


def turned(angle: float) -> bytes:
    """The document of `turning` with another angle."""
    graph = turning().graph
    graph.replace_node(replace(graph.node("rotate"), arguments={**graph.node("rotate").arguments, "angle": angle}))
    return zlib.compress(document.dumps(graph, {}).encode())


def say(comm: Comm, **message: object) -> None:
    comm.say({"content": {"data": message}})


def angle_of(comm: Comm) -> object:
    """What the last revision says that `comm` has heard of."""
    nodes = comm.of("revision_changed")[-1][0]["graph"]["nodes"]
    return next(node["arguments"]["angle"] for node in nodes if node["key"] == "rotate")


@contextmanager
def again(
    monkeypatch: pytest.MonkeyPatch, packed: bytes, **more: object
) -> Generator[tuple[Designer, list[tuple[dict[str, Any], list[bytes]]]]]:
    """The designer of a cell in another kernel, and the revisions that it tells of."""
    sent: list[tuple[dict[str, Any], list[bytes]]] = []

    def send(self: Designer, content: Any, buffers: Any = None) -> None:
        del self
        if content["type"] == "revision_changed":
            sent.append((content, buffers))

    monkeypatch.setattr(Designer, "send", send)
    comm = Comm()
    attach(comm, opening(more.pop("revision", 0), packed, model="one", **more))
    assert comm.of("attached")
    designer = designers["one"]
    yield designer, sent
    designer.close()


def told(session: Session, sent: list[tuple[Any, list[bytes]]], *messages: dict[str, Any]) -> None:
    sent.clear()
    for message in messages:
        session.receive(message)
    assert session.worker.wait(60)


def before() -> tuple[Session, list[tuple[Any, list[bytes]]]]:
    """The session of a kernel that ends, and what it sends."""
    sent: list[tuple[Any, list[bytes]]] = []
    session = Session(
        turning().graph, default_registry(), lambda message, buffers: sent.append((message, list(buffers))),
        images=samples.photos,
    )  # fmt: skip
    return session, sent


def test_another_kernel_goes_on_with_what_the_browser_kept() -> None:
    first, sent = before()
    edit = {"type": "set_argument", "key": "rotate", "argument": "angle", "value": 33.0}
    told(
        first, sent, {"type": "ready"}, {"type": "apply_edits", "base_revision": 0, "edits": [edit]},
        {"type": "move_nodes", "positions": {"rotate": {"x": 400.0, "y": 80.0}}}, {"type": "ready"},
    )  # fmt: skip
    kept = [buffers[0] for message, buffers in sent if type(message).__name__ == "RevisionChanged"][-1]
    first.close()

    comm = Comm()
    attach(comm, opening(1, kept, document="other", page="a"))
    comm.say({"content": {"data": {"type": "ready"}}})
    (revision, buffers), *_ = comm.of("revision_changed")
    assert revision["revision"] == 1
    assert revision["positions"]["rotate"] == {"x": 400.0, "y": 80.0}
    assert {n["key"]: n["arguments"] for n in revision["graph"]["nodes"]}["rotate"]["angle"] == 33.0
    assert document.loads(zlib.decompress(buffers[0]).decode(), default_registry())[0] == first.graph
    comm.close({})


def test_another_kernel_takes_steps_back_and_does_them_again() -> None:
    first, sent = before()
    note = {"type": "note", "x": 0.0, "y": 0.0, "width": 90.0, "height": 40.0, "text": "turned"}
    told(first, sent, {"type": "ready"})
    graphs = [first.graph]
    changes: tuple[dict[str, Any], ...] = (
        {"edits": [{"type": "set_argument", "key": "rotate", "argument": "angle", "value": 33.0}]},
        {"edits": [{"type": "rename", "key": "rotate", "new_key": "turn"}], "positions": {"turn": {"x": 9.0, "y": 9.0}}},
        {"edits": [], "marks": {"n": note}},
        {"edits": [{"type": "remove_node", "key": "turn"}]},
    )
    for change in changes:
        told(first, sent, {"type": "apply_edits", "base_revision": 0, **change})
        graphs.append(first.graph)
    told(first, sent, {"type": "undo"}, {"type": "undo"})
    kept = [buffers for message, buffers in sent if type(message).__name__ == "RevisionChanged"][-1]
    assert sum(map(len, kept)) < 5_000
    first.close()

    comm = Comm()
    attach(comm, {**opening(first.revision, b"", document="steps", page="a"), "buffers": kept})
    say(comm, type="choose_sample", sample=2, iteration=1)

    def now(kind: str) -> tuple[Any, ...]:
        say(comm, type=kind)
        (told, buffers) = comm.of("revision_changed")[-1]
        graph = document.loads(zlib.decompress(buffers[0]).decode(), default_registry())[0]
        return graphs.index(graph), "n" in told["marks"], told["can_undo"], told["can_redo"]

    assert now("ready") == (2, False, True, True)
    assert comm.of("revision_changed")[-1][0]["revision"] == first.revision
    assert now("redo") == (2, True, True, True)  # a note is no change of the graph
    assert now("redo") == (4, True, True, False)
    assert now("undo") == (2, True, True, True)
    assert now("undo") == (2, False, True, True)
    assert now("undo") == (1, False, True, True)
    assert now("undo") == (0, False, False, True)
    assert now("redo") == (1, False, True, True)
    comm.close({})


def test_another_kernel_goes_on_with_the_runs() -> None:
    first, sent = before()
    edit = {"type": "set_argument", "key": "rotate", "argument": "angle", "value": 33.0}
    told(first, sent, {"type": "ready"}, {"type": "run", "batches": 2})
    told(first, sent, {"type": "apply_edits", "base_revision": 0, "edits": [edit]}, {"type": "run", "batches": 2})
    kept, runs = ([buffers for message, buffers in sent if type(message).__name__ == kind][-1]
                  for kind in ("RevisionChanged", "RunHistory"))  # fmt: skip
    assert len(runs[0]) < 2_000
    first.close()

    comm = Comm()
    attach(comm, {**opening(first.revision, b"", document="runs", page="a"), "buffers": [*kept, *runs]})
    say(comm, type="ready")
    (history, buffers) = comm.of("run_history")[-1]
    assert [run["number"] for run in history["runs"]] == [2, 1] and zlib.decompress(buffers[0]) == zlib.decompress(runs[0])
    say(comm, type="open_state", name="1")
    assert {n["key"]: n["arguments"] for n in comm.of("revision_changed")[-1][0]["graph"]["nodes"]}["rotate"]["angle"] == 10.0
    say(comm, type="run", batches=2)
    assert (session := attached["runs"].session) is not None and session.worker.wait(60)
    assert [run["number"] for run in comm.of("run_history")[-1][0]["runs"]] == [3, 2, 1]
    assert "angle" in comm.of("run_history")[-1][0]["runs"][0]["changes"][0]
    comm.close({})


def test_steps_that_cannot_be_read_cost_only_themselves() -> None:
    for damaged in (b"[[1], {}]", b"[[null, {}], []]", b'[["{}"], []]', b"7"):
        comm = Comm()
        packed = [turned(10.0), zlib.compress(damaged)]
        attach(comm, {**opening(0, b"", document="damaged", page="a"), "buffers": packed})
        say(comm, type="ready")
        assert angle_of(comm) == 10.0
        assert not comm.of("revision_changed")[-1][0]["can_undo"]
        comm.close({})


def test_edits_after_a_restart_are_offered_to_the_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def opened(sent: list[tuple[Any, list[bytes]]]) -> Session:
        return Session(
            turning().graph, default_registry(), lambda message, buffers: sent.append((message, list(buffers))),
            images=samples.photos, autosave=Autosave(tmp_path / FOLDER, turning().graph, "/n/a.ipynb", "7"),
        )  # fmt: skip

    sent: list[tuple[Any, list[bytes]]] = []
    first = opened(sent)
    edit = {"type": "set_argument", "key": "rotate", "argument": "angle", "value": 33.0}
    told(first, sent, {"type": "ready"}, {"type": "apply_edits", "base_revision": 0, "edits": [edit]})
    kept = [buffers[0] for message, buffers in sent if type(message).__name__ == "RevisionChanged"][-1]
    first.close()
    with subprocess.Popen(["true"]) as ended:  # what the former kernel wrote has its number
        pass
    (file,) = (tmp_path / FOLDER).iterdir()
    file.rename(file.with_name(file.name.replace(str(os.getpid()), str(ended.pid))))

    with again(monkeypatch, kept, revision=1) as (designer, told_again):
        assert [one.name for one in (tmp_path / FOLDER).iterdir()] == [file.name]
        designer.session.receive({"type": "ready"})
        assert told_again[-1][0]["waiting"] == ""
        edits = [{**edit, "value": 77.0}]
        designer.session.receive({"type": "apply_edits", "base_revision": 1, "edits": edits})
        wait = time.monotonic() + 30
        while "77.0" not in file.read_text() and time.monotonic() < wait:
            time.sleep(0.02)
        mark = json.loads(zlib.decompress(told_again[-1][1][0]))["view"]["autosave"]
        assert mark == json.loads(zlib.decompress(kept))["view"]["autosave"]

    reloaded = opened(sent)
    told(reloaded, sent, {"type": "ready"}, {"type": "restore_edits"})
    assert reloaded.graph.node("rotate").arguments["angle"] == 77.0
    reloaded.close()


def test_a_cell_has_its_widget_and_its_variable_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(user_ns={"taken": 7})
    monkeypatch.setattr(widget, "get_ipython", lambda: shell)
    for variable, names in (
        ("designer", {"taken", "designer"}), ("taken", {"taken"}), ("print", {"taken"}), ("a.b", {"taken"}),
        ("for", {"taken"}), ("", {"taken"}),
    ):  # fmt: skip
        with again(monkeypatch, turned(10.0), variable=variable, height=700, revision=4) as (designer, _):
            assert (designer.model_id, designer.get_state()["_height"], designer.session.revision) == ("one", 700, 4)
            assert set(shell.user_ns) == names and shell.user_ns["taken"] == 7
            assert shell.user_ns.pop("designer", designer) is designer
            # another view of the same one finds it there
            attach(comm := Comm(), opening(0, turned(20.0), model="one"))
            assert comm.of("attached") and designers["one"] is designer
            assert designer.graph.node("rotate").arguments["angle"] == 10.0
        assert "one" not in designers


def test_a_cell_has_its_file_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "within" / "turning.dali.json"
    file.parent.mkdir()
    file.write_text("as it was saved")
    for saved, there in ((True, True), (False, True), (True, False)):
        if not there:
            file.unlink()
        with again(monkeypatch, turned(10.0), path=str(file), saved=saved) as (designer, told_again):
            designer.session.receive({"type": "ready"})
            said = told_again[-1][0]
            assert (said["document"], said["saved"]) == (file.as_posix(), saved and there)
            designer.session.receive({"type": "save_document", "path": said["document"], "what": "document"})
            assert told_again[-1][0]["saved"] and '"rotate"' in file.read_text()


def test_a_path_from_the_browser_is_no_place_of_edits(tmp_path: Path) -> None:
    for stem in ("../a-0123456789ab", "a", "", 3):
        assert Autosave.again(tmp_path, {"stem": stem, "notebook": "", "cell": ""}) is None
    assert Autosave.again(tmp_path, None) is None


def test_what_is_no_document_is_refused_in_words() -> None:
    for revision, packed in ((1, b"no"), ("x", b""), (1, zlib.compress(b"{}")), (1, zlib.compress(bytes([255])))):
        comm = Comm()
        attach(comm, opening(revision, packed))
        ((refused, _),) = comm.sent
        assert refused["type"] == "refused"
        assert refused["diagnostics"][0]["message"]


def test_a_view_that_comes_back_hears_of_the_run() -> None:
    sent: list[tuple[Any, list[bytes]]] = []
    session = Session(
        turning().graph, default_registry(), lambda message, buffers: sent.append((message, list(buffers))),
        images=samples.photos,
    )  # fmt: skip
    told(session, sent, {"type": "ready"}, {"type": "run", "batches": 2})
    (finished,) = [message for message, _ in sent if type(message).__name__ == "RunFinished"]
    told(session, sent, {"type": "ready"})
    assert finished in [message for message, _ in sent]
    told(session, sent, {"type": "open_recipe", "name": "resnet50"}, {"type": "ready"})
    assert finished not in [message for message, _ in sent]
    session.close()


def test_places_that_a_view_gives_in_its_own_room_are_no_edit() -> None:
    def file(x: float, y: float) -> bytes:
        text = zlib.decompress(turned(10.0)).decode()
        graph, _, _ = document.loads(text, default_registry())
        return zlib.compress(document.dumps(graph, {"positions": {"rotate": [x, y]}}).encode())

    def edited(x: float, y: float) -> bool:
        again = Comm()
        attach(again, opening(0, file(x, y), document="room", page="b"))
        return again.sent[0][0]["edited"]

    first = Comm()
    attach(first, opening(0, file(1.0, 2.0), document="room", page="a"))
    for x in (400.0, 20.0):  # the window is made narrower, twice
        say(first, type="move_nodes", positions={"rotate": {"x": x, "y": 80.0}})
    assert [edited(1.0, 2.0), edited(400.0, 80.0), edited(20.0, 80.0), edited(5.0, 5.0)] == [False, False, False, True]
    # what a hand moves afterwards is one
    moved = {"positions": {"rotate": {"x": 9.0, "y": 9.0}}}
    say(first, type="apply_edits", base_revision=0, edits=[], **moved)
    assert [edited(1.0, 2.0), edited(9.0, 9.0)] == [True, False]


def test_pages_share_the_session_of_a_document() -> None:
    edit = {"type": "set_argument", "key": "rotate", "argument": "angle", "value": 33.0}
    first, second = Comm(), Comm()
    attach(first, opening(0, turned(10.0), document="shared", page="a"))
    assert first.sent[0][0] == {"type": "attached", "edited": False, "overtaken": False}
    say(first, type="ready")
    say(first, type="apply_edits", base_revision=0, edits=[edit])
    # another page opens the file, in which the edit is not
    attach(second, opening(0, turned(10.0), document="shared", page="b"))
    assert second.sent[0][0] == {"type": "attached", "edited": True, "overtaken": False}
    say(second, type="undo")
    assert angle_of(first) == angle_of(second) == 10.0
    # the first page is loaded again: its former comm hears nothing more, and its end ends nothing
    again = Comm()
    attach(again, opening(0, turned(10.0), document="shared", page="a"))
    assert again.sent[0][0] == {"type": "attached", "edited": False, "overtaken": False}
    first.sent.clear()
    first.close({})
    # the file was changed and takes the place of what was open, for all
    attach(again, opening(0, turned(20.0), document="shared", page="a", fresh=True))
    assert angle_of(again) == angle_of(second) == 20.0
    assert not first.sent
    again.close({})
    say(second, type="apply_edits", base_revision=0, edits=[edit])
    assert angle_of(second) == 33.0
    second.close({})
    # nobody has it open: it begins anew
    attach(first, opening(0, turned(10.0), document="shared", page="a"))
    assert first.sent[0][0] == {"type": "attached", "edited": False, "overtaken": False}
    first.close({})


def test_a_file_that_somebody_else_has_written_overtakes_what_is_open() -> None:
    def reopened(angle: float, written: str) -> dict[str, Any]:
        comm = Comm()
        attach(comm, opening(0, turned(angle), document="overtaken", page="a", written=written))
        return comm.sent[0][0]

    edit = {"type": "set_argument", "key": "rotate", "argument": "angle", "value": 33.0}
    comm = Comm()
    attach(comm, opening(0, turned(10.0), document="overtaken", page="a", written="monday"))
    say(comm, type="apply_edits", base_revision=0, edits=[edit])
    assert reopened(10.0, "monday") == {"type": "attached", "edited": True, "overtaken": False}
    for _ in range(2):  # until it is said what to go on with
        assert reopened(20.0, "tuesday") == {"type": "attached", "edited": True, "overtaken": True}
    assert reopened(33.0, "tuesday") == {"type": "attached", "edited": False, "overtaken": False}  # it says the same
    say(comm, type="file_written", written="wednesday")
    assert reopened(20.0, "wednesday") == {"type": "attached", "edited": True, "overtaken": False}
    again = Comm()
    attach(again, opening(0, turned(20.0), document="overtaken", page="a", fresh=True, written="thursday"))
    assert again.sent[0][0] == {"type": "attached", "edited": False, "overtaken": False}
    assert reopened(20.0, "thursday") == {"type": "attached", "edited": False, "overtaken": False}
    last = Comm()
    attach(last, opening(0, turned(20.0), document="overtaken", page="a"))
    last.close({})


def test_what_one_page_saves_or_loads_is_told_to_the_others() -> None:
    first, second = Comm(), Comm()
    attach(first, opening(0, turned(10.0), document="told", page="a", written="monday"))
    attach(second, opening(0, turned(10.0), document="told", page="b", written="monday"))
    say(first, type="file_written", written="tuesday")
    say(second, type="file_written", written="tuesday")  # it knows it now
    assert first.of("file_written") == []
    assert [content["revision"] for content, _ in second.of("file_written")] == [None]
    # a file that is loaded is told with its revision, which comes before
    attach(first, opening(7, turned(20.0), document="told", page="a", fresh=True, written="wednesday"))
    assert angle_of(second) == 20.0
    (last, _), (revision, _) = second.of("file_written")[-1], second.of("revision_changed")[-1]
    assert last["revision"] == revision["revision"]
    second.close({})
    say(first, type="file_written", written="thursday")
    assert len(second.of("file_written")) == 2
    first.close({})


def test_a_new_file_is_an_empty_document() -> None:
    comm = Comm()
    attach(comm, opening(0, zlib.compress(b""), document="new", page="a"))
    say(comm, type="ready")
    assert not comm.of("revision_changed")[-1][0]["graph"]["nodes"]
    comm.close({})


def test_modules_of_functions_are_called_as_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which JupyterLab says, also when it has renamed it."""
    monkeypatch.chdir(tmp_path)
    comm = Comm()
    attach(comm, opening(0, turned(10.0), document="named", page="a", file="folder/first.dali.json"))
    session = attached["named"].session
    assert session is not None
    wire = {"type": "connect", "source": {"node": "rotate", "output": 0}, "target": "own", "input": 0}
    added = {"type": "add_node", "key": "own", "operator": "python_function"}
    say(comm, type="apply_edits", base_revision=0, edits=[added, wire])
    say(comm, type="apply_function", key="own", source="def own(image):\n    return image\n")
    say(comm, type="file_written", written="monday", file="folder/second.dali.json")
    assert session.worker.wait(60)
    codes = {node["key"]: node["code"] for node in comm.of("revision_changed")[-1][0]["graph"]["nodes"]}
    assert codes["own"]["module"] == "second_own"
    assert {file.name for file in tmp_path.glob("*.py")} == {"first_own.py", "second_own.py"}
    # what somebody else has under that name stays
    (tmp_path / "third_own.py").write_text("mine = 1\n")
    say(comm, type="file_written", written="tuesday", file="folder/third.dali.json")
    (refused, _) = comm.of("refused")[-1]
    assert "third_own.py holds something else" in refused["diagnostics"][0]["message"]
    assert (tmp_path / "third_own.py").read_text() == "mine = 1\n"
    comm.close({})


def test_modules_of_functions_go_to_the_folder_of_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel stays where it was started, when the document is saved in another folder."""
    for folder in ("home/one", "home/two", "run"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path / "run")
    comm = Comm()
    attach(comm, opening(0, turned(10.0), document="moved", page="a", file="one/mine.dali.json", root="~/home"))
    session = attached["moved"].session
    assert session is not None
    wire = {"type": "connect", "source": {"node": "rotate", "output": 0}, "target": "own", "input": 0}
    added = {"type": "add_node", "key": "own", "operator": "python_function"}
    say(comm, type="apply_edits", base_revision=0, edits=[added, wire])
    say(comm, type="apply_function", key="own", source="def own(image):\n    return image\n")
    say(comm, type="apply_edits", base_revision=session.revision, edits=[], pins={"rotate": True})
    say(comm, type="file_written", written="monday", file="two/mine.dali.json", root="~/home")
    written = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.py")}
    assert written == {"home/one/mine_own.py", "home/two/mine_own.py"}
    assert [*(tmp_path / "home/two/.dali_studio/pins").glob("*.npz")]
    say(comm, type="apply_function", key="own", source="def own(image):\n    return image + 1\n")
    assert "+ 1" in (tmp_path / "home/two/mine_own.py").read_text()
    assert "+ 1" not in (tmp_path / "home/one/mine_own.py").read_text()
    # a folder that does not exist, and one that this machine does not have
    say(comm, type="file_written", written="tuesday", file="three/none.dali.json", root="~/home")
    assert not [*tmp_path.rglob("none_own.py")]
    say(comm, type="file_written", written="tuesday", file="three/last.dali.json", root="/elsewhere")
    assert (tmp_path / "run/last_own.py").is_file()
    comm.close({})
