"""Damaged files in the designer: what can be seen of them, the list of a run, and the smallest program that fails."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from studio.clients import Client, only

from dali_studio import fn, pipeline_def, samples
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.studio.protocol import messages, run_messages
from dali_studio.studio.timing.failing import remains


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "photos" / "class"
    folder.mkdir(parents=True)
    whole = sorted(samples.photos().rglob("*.jpg"))[0]
    shutil.copy(whole, folder / "a.jpg")
    content = whole.read_bytes()
    (folder / "cut.jpg").write_bytes(content[: len(content) // 2])
    (folder / "none.jpg").write_bytes(b"no picture")
    return folder.parent


def reading(root: Path, **options: Any) -> Any:
    @pipeline_def(batch_size=3, num_threads=2, device_id=None, seed=1)
    def made() -> Any:
        files, labels = fn.readers.file(file_root=str(root), name="reader", random_shuffle=True)
        return fn.resize(fn.decoders.image(files, name="decode", **options), size=[30, 40], name="small"), labels

    return made().graph


@pytest.fixture
def client(root: Path) -> Iterator[Client]:
    made = Client(reading(root))
    yield made
    made.session.close()


def test_what_is_there_of_a_file_is_shown_and_how_much_that_is(root: Path) -> None:
    picture, part, aspect, words = remains(root / "class" / "cut.jpg")
    shown = np.asarray(Image.open(io.BytesIO(picture)))
    assert 0.2 < part < 0.9 and shown.shape[0] <= 196 and shown.shape[1] <= 296 and "kB" in words
    assert abs(aspect - shown.shape[1] / shown.shape[0]) < 0.02
    assert words.startswith("{}×{},".format(*np.asarray(Image.open(root / "class" / "a.jpg")).shape[:2]))
    assert remains(root / "class" / "a.jpg")[1] == 1.0
    assert remains(root / "class" / "none.jpg") == (b"", 0.0, 1.0, "10 B, begins with 6E 6F 20 70 69 63 74 75")
    (root / "empty.jpg").write_bytes(b"")
    assert remains(root / "empty.jpg") == (b"", 0.0, 1.0, "no bytes")
    assert remains(root / "gone.jpg")[0] == b""


def test_of_the_row_at_which_a_file_ends_nothing_is_told_to_be_there(root: Path, tmp_path: Path) -> None:
    whole = (root / "class" / "a.jpg").read_bytes()
    for share in range(40, 80, 5):
        (tmp_path / "cut.jpg").write_bytes(whole[: len(whole) * share // 100])
        picture, part, *_ = remains(tmp_path / "cut.jpg")
        shown = np.asarray(Image.open(io.BytesIO(picture))).astype(int)
        there = (abs(shown - 128).max(axis=2) > 4).mean(axis=1)  # what is missing of a JPEG is grey
        assert there[round(part * len(shown)) - 2] > 0.5, share


def test_a_run_lists_each_file_once_with_what_became_of_it(root: Path) -> None:
    client = Client(reading(root, on_error="placeholder"))
    (finished,) = only(client.send("run", batches=3), run_messages.RunFinished)
    found = {file.source: file for file in finished.missed}
    assert set(found) == {"class/cut.jpg", "class/none.jpg"}
    assert {(f.node, f.action) for f in finished.missed} == {("decode", "placeholder")}
    assert all(file.count >= 3 and file.message for file in finished.missed)
    client.session.close()


def test_a_run_tells_in_which_batch_it_has_stopped(root: Path) -> None:
    @pipeline_def(batch_size=2, num_threads=2, device_id=None, seed=1)
    def made() -> Any:
        files, _ = fn.readers.file(file_root=str(root), files=["class/a.jpg"] * 4 + ["class/cut.jpg"])
        return fn.decoders.image(files)

    client = Client(made().graph)
    (finished,) = only(client.send("run", batches=8), run_messages.RunFinished)
    assert (finished.failed[0].sample, finished.failed_in) == (0, 2)
    client.session.close()


def test_the_designer_asks_for_a_file_by_its_name_alone(client: Client, root: Path) -> None:
    ((answer, buffers),) = [
        (m, b) for m, b in client.send("request_file", node="decode", source="class/cut.jpg")
        if isinstance(m, messages.FileRemains)
    ]  # fmt: skip
    assert answer.path == str(root / "class" / "cut.jpg")
    assert 0 < answer.part < 1 and buffers[0][:2] == b"\xff\xd8"
    for node, source in (("decode", "class/other.jpg"), ("nothing", "class/cut.jpg"), ("decode", ""), ("decode", "../photos/class/cut.jpg")):
        ((answer, buffers),) = client.send("request_file", node=node, source=source)
        assert isinstance(answer, messages.FileRemains)
        assert (answer.words, answer.path, buffers) == ("The file is not there.", "", [])


def test_the_reproduction_fails_with_the_same_finding_and_nothing_else(client: Client, root: Path) -> None:
    client.send("request_code", dialect="dali_studio")
    (made,) = only(client.send("request_reproduction", node="decode", source="class/cut.jpg"), messages.Reproduction)
    assert str(root / "class" / "cut.jpg") in made.program and "resize" not in made.program
    assert "random_shuffle" not in made.program and "batch_size=1" in made.program
    scope: dict[str, Any] = {"__name__": "made"}
    exec(made.program, scope)
    pipe = scope["repro"]()
    with pytest.raises(DaliStudioError) as raised:
        pipe.run()
    (found,) = raised.value.diagnostics
    assert found.node == "decode" and str(found.source).endswith("cut.jpg")
    # without a file: the whole part of the graph
    (made,) = only(client.send("request_reproduction", node="small"), messages.Reproduction)
    assert "resize" in made.program and "batch_size=3" in made.program
    (refused,) = only(client.send("request_reproduction", node="nothing"), messages.Refused)
    assert refused.diagnostics[0].code == "DS209"
