"""Edits that nobody has saved, and who is offered them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from dali_studio import fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.graph.model import Graph
from dali_studio.studio import messages
from dali_studio.studio.autosave import Autosave
from dali_studio.studio.session import Session


@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=3)
def turning(angle: float = 10.0) -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    return fn.rotate(fn.decoders.image(files), angle=angle, fill_value=0.0), labels


class Opened:
    """A session with an autosave in a folder, as a kernel of its own would have it."""

    def __init__(self, folder: Path, graph: Graph) -> None:
        self.revisions: list[messages.RevisionChanged] = []
        self.session = Session(
            graph, default_registry(), self._take, images=samples.photos, autosave=Autosave(folder, graph)
        )

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


def test_what_waits_is_not_written_over_by_the_first_edit(tmp_path: Path) -> None:
    Opened(tmp_path, turning().graph).turn(33.0)
    second = Opened(tmp_path, turning().graph)
    second.say("undo")  # nothing to take back: what waits stays
    assert second.say("ready").waiting
    assert second.turn(44.0) and second.say("ready").waiting == ""
    kept, before = sorted(tmp_path.iterdir(), key=lambda file: file.suffix, reverse=True)
    assert "44.0" in kept.read_text()
    assert "33.0" in before.read_text()


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
    second.say("restore_edits")
    assert second.angle == 10.0
    blocked = tmp_path / "a file"
    blocked.write_text("")
    third = Opened(blocked / "kept", turning().graph)
    third.turn(5.0)
    assert third.angle == 5.0


def test_what_nobody_asked_for_goes_after_a_month(tmp_path: Path) -> None:
    Opened(tmp_path, turning(angle=1.0).graph).turn(33.0)
    (old,) = tmp_path.iterdir()
    os.utime(old, (0, time.time() - 40 * 86_400))
    Opened(tmp_path, turning(angle=2.0).graph).turn(34.0)
    assert old not in tmp_path.iterdir()
