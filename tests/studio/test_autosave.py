"""Edits that nobody has saved, and who is offered them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from dali_studio import fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.graph import document
from dali_studio.graph.model import Graph
from dali_studio.studio.autosave import Autosave, program_of
from dali_studio.studio.data.portable import portable
from dali_studio.studio.protocol import messages
from dali_studio.studio.session import Session


@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=3)
def turning(angle: float = 10.0) -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    return fn.rotate(fn.decoders.image(files), angle=angle, fill_value=0.0), labels


class Opened:
    """A session with an autosave in a folder, as a kernel of its own would have it."""

    def __init__(self, folder: Path, graph: Graph, *place: str) -> None:
        self.revisions: list[messages.RevisionChanged] = []
        autosave = Autosave(folder, graph, *place)
        self.session = Session(graph, default_registry(), self._take, images=samples.photos, autosave=autosave)

    def _take(self, message: messages.KernelMessage, buffers: object) -> None:
        if isinstance(message, messages.RevisionChanged):
            self.revisions.append(message)

    def say(self, kind: str, **content: Any) -> messages.RevisionChanged:
        self.session.receive({"type": kind, **content})
        assert self.session.worker.wait(60)
        return self.revisions[-1]

    def turn(self, angle: float) -> messages.RevisionChanged:
        edit = {"type": "set_argument", "key": "rotate", "argument": "angle", "value": angle}
        return self.say("apply_edits", base_revision=0, edits=[edit])

    @property
    def angle(self) -> object:
        return self.session.graph.node("rotate").arguments["angle"]


def test_edits_are_offered_where_the_notebook_was_renamed(tmp_path: Path) -> None:
    before, copy = tmp_path / "a.ipynb", tmp_path / "b.ipynb"
    before.touch()
    first = Opened(tmp_path / "kept", turning().graph, str(before), "7")
    first.turn(33.0)
    first.session.close()
    assert Opened(tmp_path / "kept", turning().graph, str(copy), "7").say("ready").waiting == ""
    before.rename(copy)
    assert Opened(tmp_path / "kept", turning().graph, str(copy), "8").say("ready").waiting == ""
    assert Opened(tmp_path / "kept", turning(angle=11.0).graph, str(copy), "7").say("ready").waiting == ""
    second = Opened(tmp_path / "kept", turning().graph, str(copy), "7")
    assert second.say("ready").waiting.startswith("3 operators in b.ipynb")
    assert second.say("restore_edits").waiting == ""
    assert second.angle == 33.0
    (file,) = (tmp_path / "kept").iterdir()
    second.turn(34.0)
    assert list((tmp_path / "kept").iterdir()) == [file] and "34.0" in file.read_text()


def test_edits_come_with_the_notebook_alone(tmp_path: Path) -> None:
    """A folder of edits stays on its machine; the file of the notebook has the graph below the cell."""
    notebook = tmp_path / "a.ipynb"

    def opened(name: str, graph: Graph, cell: str = "7") -> Opened:
        program = program_of(document.dumps(portable(graph, default_registry(), Path.cwd())))
        return Opened(tmp_path / name, graph, str(notebook), cell, program)

    def write(designer: Opened) -> None:
        outputs = [{"data": {"text/plain": ""}}, {"data": designer.session.answers.picture(0.0).bundle()}]
        cells = [{"cell_type": "markdown", "id": "6"}, {"id": "7", "outputs": outputs}]
        # a page writes numbers as its own: 10.0 as 10
        notebook.write_text(re.sub(r"(?<=\d)\.0(?=[],}])", "", json.dumps({"cells": cells})), "utf-8")

    first = opened("kept", turning().graph)
    write(first)
    assert '"angle": 10' in notebook.read_text("utf-8") and '"angle": 10.' not in notebook.read_text("utf-8")
    assert opened("one", turning().graph).say("ready").waiting == ""  # as the program gives it
    first.turn(33.0)
    write(first)
    first.session.close()
    for graph, cell in ((turning(angle=11.0).graph, "7"), (turning().graph, "8"), (turning().graph, "6")):
        assert opened("two", graph, cell).say("ready").waiting == ""
    second = opened("three", turning().graph)
    assert second.say("ready").waiting.startswith("3 operators in a.ipynb")
    assert second.say("restore_edits").waiting == "" and second.angle == 33.0
    notebook.write_text("broken " + document.MIME, "utf-8")
    assert opened("four", turning().graph).say("ready").waiting == ""


def test_edits_are_offered_to_whoever_opens_the_same_pipeline_again(tmp_path: Path) -> None:
    first = Opened(tmp_path / "kept", turning().graph)
    assert first.say("ready").waiting == ""
    first.turn(33.0)
    first.session.close()

    assert Opened(tmp_path / "kept", turning(angle=11.0).graph).say("ready").waiting == ""
    second = Opened(tmp_path / "kept", turning().graph)
    assert str(time.localtime().tm_year) in second.say("ready").waiting
    assert second.angle == 10.0
    restored = second.say("restore_edits")
    assert restored.waiting == ""
    assert not restored.saved
    assert second.angle == 33.0


def test_each_cell_of_each_notebook_has_edits_of_its_own(tmp_path: Path) -> None:
    a, b = (str(tmp_path / name) for name in ("a.ipynb", "b.ipynb"))
    for name in (a, b):
        Path(name).touch()
    for place, angle in (((a, "1"), 33.0), ((a, "2"), 44.0), ((b, "1"), 55.0)):
        opened = Opened(tmp_path / "kept", turning().graph, *place)
        assert opened.say("ready").waiting == ""
        opened.turn(angle)
    again = Opened(tmp_path / "kept", turning().graph, b, "1")
    assert again.say("ready").waiting.startswith("3 operators in b.ipynb, ")
    again.say("restore_edits")
    assert again.angle == 55.0


def test_what_a_kernel_has_that_still_runs_is_not_offered(tmp_path: Path) -> None:
    Opened(tmp_path, turning().graph).turn(33.0)
    (mine,) = tmp_path.iterdir()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        theirs = mine.with_name(mine.name.replace(str(os.getpid()), str(other.pid)))
        mine.rename(theirs)
        there = Opened(tmp_path, turning().graph)
        assert there.say("ready").waiting == ""
        there.turn(44.0)
        assert "33.0" in theirs.read_text()
        there.say("undo")
        other.communicate(b"\n")
    late = Opened(tmp_path, turning().graph)
    assert late.say("ready").waiting
    late.say("restore_edits")
    assert late.angle == 33.0
    assert [file.name for file in tmp_path.iterdir()] == [mine.name]


def test_what_waits_is_not_written_over_by_the_first_edit(tmp_path: Path) -> None:
    Opened(tmp_path, turning().graph).turn(33.0)
    second = Opened(tmp_path, turning().graph)
    second.say("undo")  # nothing to take back: what waits stays
    assert second.say("ready").waiting
    assert second.turn(44.0).waiting and second.say("ready").waiting
    kept, before = sorted(tmp_path.iterdir(), key=lambda file: file.suffix, reverse=True)
    assert "44.0" in kept.read_text()
    assert "33.0" in before.read_text()
    # it is restored over other edits, too, as a step
    assert second.say("restore_edits").waiting == "" and second.angle == 33.0
    assert second.say("undo") and second.angle == 44.0

    # the newest are offered first, and those before them afterwards, however often the cell is run
    for angle in (55.0, 66.0):
        Opened(tmp_path, turning().graph).turn(angle)
    last = Opened(tmp_path, turning().graph)
    for angle in (66.0, 55.0, 44.0):
        assert last.say("ready").waiting
        last.say("restore_edits")
        assert last.angle == angle
    assert last.say("ready").waiting == ""


def test_what_is_saved_or_taken_back_is_not_kept(tmp_path: Path) -> None:
    opened = Opened(tmp_path / "kept", turning().graph)
    opened.turn(33.0)
    assert len(list((tmp_path / "kept").iterdir())) == 1
    opened.say("undo")
    assert list((tmp_path / "kept").iterdir()) == []
    opened.turn(44.0)
    opened.session.save(tmp_path / "mine.dali.json")
    assert list((tmp_path / "kept").iterdir()) == []
    opened.say("ready")
    assert list((tmp_path / "kept").iterdir()) == []


def test_a_damaged_file_and_a_folder_that_cannot_be_written_stop_nothing(tmp_path: Path) -> None:
    Opened(tmp_path, turning().graph).turn(33.0)
    (file,) = tmp_path.iterdir()
    file.write_text("{")
    second = Opened(tmp_path, turning().graph)
    assert second.say("ready").waiting == ""
    file.write_text('{"pipeline": {"nodes": []}}')
    third = Opened(tmp_path, turning().graph)
    assert third.say("ready").waiting
    third.say("restore_edits")
    assert third.angle == 10.0
    blocked = tmp_path / "a file"
    blocked.write_text("")
    last = Opened(blocked / "kept", turning().graph)
    last.turn(5.0)
    assert last.angle == 5.0


def test_what_nobody_asked_for_goes_after_a_month(tmp_path: Path) -> None:
    Opened(tmp_path, turning(angle=1.0).graph).turn(33.0)
    (old,) = tmp_path.iterdir()
    os.utime(old, (0, time.time() - 40 * 86_400))
    Opened(tmp_path, turning(angle=2.0).graph).turn(34.0)
    assert old not in tmp_path.iterdir()
