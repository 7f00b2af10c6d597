"""What the strip of samples says of those that fail."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from studio.clients import Client, only, set_argument

from dali_studio import fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.studio.gallery import open_recipe
from dali_studio.studio.protocol import messages, output_messages


@pytest.fixture
def broken(tmp_path: Path) -> Client:
    """Two photos and two files that are none, in turn, of which the first photo is large and the second small."""
    photos = sorted(samples.photos().rglob("*.jpg"))
    for place, photo in ((0, photos[0]), (2, photos[1])):
        shutil.copy(photo, tmp_path / f"{place}.jpg")
    for place in (1, 3):
        (tmp_path / f"{place}.jpg").write_bytes(b"no picture")

    @pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=1)
    def made() -> Any:
        files, _ = fn.readers.file(file_root=str(tmp_path), files=[f"{k}.jpg" for k in range(4)])
        return fn.crop(fn.decoders.image(files), crop=(8, 8))

    return Client(made().graph)


def _strip(received: Any) -> messages.SampleStrip:
    return only(received, messages.SampleStrip)[-1]


def test_every_sample_that_fails_is_told_with_its_file(broken: Client) -> None:
    strip = _strip(broken.send("ready"))
    assert [(d.node, d.sample, d.severity) for d in strip.failed] == [("decode", 1, "error"), ("decode", 3, "error")]
    assert strip.names == ("0.jpg", "1.jpg", "2.jpg", "3.jpg")


def test_photos_that_a_policy_leaves_out_are_named(broken: Client) -> None:
    broken.send("ready")
    strip = _strip(broken.edit(set_argument("decode", "on_error", "skip")))
    assert [(d.source, d.severity) for d in strip.failed] == [("1.jpg", "warning"), ("3.jpg", "warning")]
    assert all("leaves it out" in d.hint for d in strip.failed)


def test_a_sample_that_is_left_out_has_no_picture_anywhere(broken: Client) -> None:
    broken.send("ready")
    received = broken.edit(set_argument("decode", "on_error", "skip"))
    ((strip, buffers),) = [(m, b) for m, b in received if isinstance(m, messages.SampleStrip)]
    pixels = np.asarray(Image.open(io.BytesIO(buffers[0]))).reshape(strip.cell, 4, strip.cell, 3)
    assert [int(pixels[:, k].min()) > 80 for k in (1, 3)] == [True, True]  # hatched, not black
    previews = only(broken.send("choose_sample", sample=1, iteration=0), messages.Previews)[-1]
    assert {item.key for item in previews.items} == {"reader"}
    assert only(broken.send("request_detail", node="crop"), output_messages.ImageDetail) == []
    wanted: dict[str, Any] = {"name": "batch", "port": {"node": "crop"}, "variants": [[]], "samples": [0, 1, 2, 3], "width": 96, "height": 64}
    cells = [c for sheet in only(broken.send("request_sheet", **wanted), output_messages.Sheet) for c in sheet.cells]
    assert [(cell.text, cell.width > 0) for cell in cells] == [("8×8", True), ("left out", False)] * 2
    broken.edit(set_argument("decode", "on_error", "placeholder"))
    previews = only(broken.send("choose_sample", sample=3, iteration=0), messages.Previews)[-1]
    # a black picture is what a run gives, in the size of another one of the batch
    assert {item.key for item in previews.items} >= {"decode", "crop"}
    assert [d.severity for d in previews.failed] == ["warning"]


def test_edits_beside_a_sample_that_is_left_out_are_tried_with_another_one(broken: Client) -> None:
    broken.send("ready")
    broken.edit(set_argument("decode", "on_error", "skip"))
    broken.send("choose_sample", sample=1, iteration=0)

    def errors(window: list[float]) -> list[tuple[str | None, int | None]]:
        strip = _strip(broken.edit(set_argument("crop", "crop", window)))
        return [(one.node, one.sample) for one in strip.failed if one.severity == "error"]

    assert errors([9000.0, 8.0]) == [("crop", 0), ("crop", 2)]
    assert errors([9.0, 9.0]) == []


def test_failures_behind_the_first_picture_are_told_until_they_are_mended(broken: Client) -> None:
    broken.send("ready")
    strip = _strip(broken.edit(set_argument("crop", "crop", [20000.0, 8.0])))
    assert [(d.node, d.sample) for d in strip.failed if d.node == "crop"] == [("crop", 0), ("crop", 2)]
    strip = _strip(broken.edit(set_argument("crop", "crop", [8.0, 8.0])))
    assert {d.node for d in strip.failed} == {"decode"}


def test_a_run_that_stops_elsewhere_has_its_batch_looked_through() -> None:
    @pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=1)
    def made() -> Any:
        files, _ = fn.readers.file(file_root=str(samples.photos()))
        image = fn.resize(fn.decoders.image(files), size=(16, 16))
        return fn.crop(image, crop=(8, 8), crop_pos_x=fn.random.uniform(range=(0.2, 1.6)))

    client = Client(made().graph)
    client.send("ready")
    chosen = [only(client.send("choose_sample", sample=k, iteration=0), messages.Previews)[-1] for k in range(4)]
    failing = [k for k, previews in enumerate(chosen) if previews.failed]
    assert 0 < len(failing) < 4
    client = Client(made().graph, revision=1)
    client.send("choose_sample", sample=next(k for k in range(4) if k not in failing), iteration=0)
    client.send("ready")
    assert [d.sample for d in _strip(client.send("run", batches=1)).failed] == failing


def _recipe(name: str) -> Client:
    graph, _ = open_recipe(name, default_registry(), str(samples.photos()))
    return Client(graph)


@pytest.mark.parametrize("name", ["log_mel_speech", "action_clips"])
def test_sound_and_videos_have_pictures_too(name: str) -> None:
    client = _recipe(name)
    ((strip, buffers),) = [(m, b) for m, b in client.send("ready") if isinstance(m, messages.SampleStrip)]
    pixels = np.asarray(Image.open(io.BytesIO(buffers[0])).convert("L")).reshape(strip.cell, strip.count, strip.cell)
    assert strip.count == client.session.graph.options.batch_size
    assert all(np.unique(pixels[:, k]).size > 8 for k in range(strip.count))
    assert all(strip.names)


def test_pictures_of_a_graph_before_do_not_stay(broken: Client) -> None:
    assert _strip(broken.send("ready")).cell > 0
    for key in ("crop", "decode"):
        received = broken.edit({"type": "remove_node", "key": key})
    strip = _strip(received)
    assert (strip.cell, strip.count, strip.names) == (0, 4, ())
