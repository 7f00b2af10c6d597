"""The designer's Python side on a GPU: what a run reports, previews, comparing devices, freeing memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import encoded, picture

from dali_studio import fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.studio.protocol import messages, run_messages
from dali_studio.studio.session import Session

pytestmark = pytest.mark.gpu


@pipeline_def(batch_size=4, num_threads=2, device_id=0, seed=5)
def turning(root: str, decoder: str) -> Any:
    files, labels = fn.readers.file(file_root=root, name="reader")
    images = fn.decoders.image(files, device=decoder, name="decode")
    images = images if decoder == "mixed" else images.gpu()
    small = fn.resize(images, size=(48.0, 64.0), name="small")
    turned = fn.rotate(small, angle=fn.random.uniform(range=(-30.0, 30.0), name="angle"), fill_value=0.0, name="turned")
    return turned, labels


class Client:
    """A browser's stand-in."""

    def __init__(self, graph: Graph) -> None:
        self.received: list[messages.KernelMessage] = []
        self.session = Session(graph, default_registry(), self._take, images=samples.photos)

    def _take(self, message: messages.KernelMessage, buffers: Sequence[bytes]) -> None:
        self.received.append(message)

    def send(self, kind: str, **content: Any) -> list[messages.KernelMessage]:
        before = len(self.received)
        self.session.receive({"type": kind, **content})
        assert self.session.worker.wait(120)
        return self.received[before:]


def only(received: Sequence[messages.KernelMessage], kind: type) -> Any:
    (found,) = [message for message in received if isinstance(message, kind)]
    return found


@pytest.fixture
def root(tmp_path: Path) -> str:
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(8):
        photo = encoded(picture(90 + number, 120, seed=number), quality=90, subsampling=2)
        (folder / f"{number}.jpg").write_bytes(photo.tobytes())
    return str(tmp_path)


def test_a_run_reports_times_copies_and_memory_of_the_gpu(root: str) -> None:
    client = Client(turning(root, "cpu").graph)
    assert only(client.send("ready"), messages.Opened).gpu == ""
    received = client.send("run", batches=4)
    finished = only(received, run_messages.RunFinished)
    client.session.close()
    drawn = only(received, run_messages.Timeline)
    assert drawn.lanes[-2:] == ("gpu", "copies to gpu") and drawn.note == ""
    (first, *_), (*_, last) = drawn.steps[0], drawn.steps[-1]
    for lane, made in (("gpu", {"small", "turned"}), ("copies to gpu", {key for key in drawn.keys if "to_gpu" in key})):
        steps = [step for step in drawn.slices if drawn.lanes[step[1]] == lane]
        assert {drawn.keys[step[0]] for step in steps} >= made and made
        # both clocks are read within some microseconds of each other; a batch ends when its results are there
        assert all(first - 0.5 < begin <= end < last + 0.5 for _, _, begin, end in steps)
    assert (finished.batches, finished.failed, finished.note) == (4, (), "")
    timings = {t.key: t for t in finished.timings}
    (key,) = (key for key in timings if key.startswith("to_gpu"))
    (copy,) = timings[key].copies
    assert copy.direction == "H2D" and copy.milliseconds > 0
    pixels = [120 * 3 * (90 + number) for number in range(8)]  # two batches take turns
    assert sum(pixels) / 2 <= copy.size < sum(pixels) / 2 + 4 * 16  # samples begin at multiples of 16 bytes
    assert timings[key].device == "mixed" and timings[key].gpu_memory == copy.size
    for name in ("small", "turned"):
        assert timings[name].device == "gpu" and timings[name].gpu > 0 and timings[name].copies == ()
    assert timings["small"].gpu_memory == 4 * 48 * 64 * 3
    assert timings["reader"].gpu == 0 and timings["reader"].host > 0
    assert sum(t.share for t in finished.timings) == pytest.approx(1)


@pytest.mark.parametrize("decoder", ["cpu", "mixed"])
def test_previews_come_from_the_gpu_and_are_those_of_the_run(root: str, decoder: str) -> None:
    graph = turning(root, decoder).graph
    client = Client(graph)
    client.send("ready")
    engine = client.session.renderer.engine
    made = engine.compute(client.session.current(), 1, [2])
    client.session.close()
    pipe = turning(root, decoder)
    pipe.run()
    images, labels = pipe.run()
    assert made.failed == ()
    np.testing.assert_array_equal(made.outputs[graph.outputs[0]].samples[0], images.as_cpu().at(2))
    np.testing.assert_array_equal(made.outputs[graph.outputs[1]].samples[0], labels.at(2))
    assert made.outputs[PortRef(node="small")].samples[0].shape == (48, 64, 3)


def test_devices_are_compared_and_an_edit_keeps_what_still_holds(root: str) -> None:
    client = Client(turning(root, "mixed").graph)
    client.send("ready")
    known = only(client.send("compare_devices", batches=2), run_messages.DeviceTimes).times
    assert {(t.key, t.device) for t in known} >= {
        ("decode", "cpu"), ("decode", "mixed"), ("small", "cpu"), ("small", "gpu"), ("turned", "cpu"), ("turned", "gpu"),
    }  # fmt: skip
    assert all(t.gpu > 0 for t in known if t.device == "gpu")
    edit = {"type": "set_argument", "key": "turned", "argument": "fill_value", "value": 7.0}
    left = client.send("apply_edits", base_revision=client.session.revision, edits=[edit])
    client.session.close()
    still = {t.key for t in only(left, run_messages.DeviceTimes).times}
    assert "small" in still and "turned" not in still


def test_copies_back_to_the_cpu_are_measured(root: str) -> None:
    @pipeline_def(batch_size=4, num_threads=2, device_id=0, seed=5)
    def back() -> Any:
        files, _ = fn.readers.file(file_root=root, name="reader")
        small = fn.resize(fn.decoders.image(files, device="mixed"), size=(48.0, 64.0), name="small")
        return fn.flip(small.cpu(), name="flipped")

    client = Client(back().graph)
    finished = only(client.send("run", batches=3), run_messages.RunFinished)
    client.session.close()
    timings = {t.key: t for t in finished.timings}
    (copy,) = timings["to_cpu"].copies
    assert (copy.direction, copy.size) == ("D2H", 4 * 48 * 64 * 3) and copy.milliseconds > 0
    assert timings["to_cpu"].host == copy.size and timings["to_cpu"].gpu_memory == 0
    assert timings["flipped"].device == "cpu" and timings["flipped"].gpu == 0


def test_free_memory_tells_what_went_back(root: str) -> None:
    client = Client(turning(root, "mixed").graph)
    client.send("ready")
    client.session.renderer.engine.compute(client.session.current(), 1, [2])
    first = only(client.send("free_memory"), run_messages.MemoryFreed)
    second = only(client.send("free_memory"), run_messages.MemoryFreed)
    client.session.close()
    assert first.gpu > 0 and first.host > 0
    assert (second.host, second.gpu) == (0, 0)
