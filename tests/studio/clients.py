"""What the tests of the designer's Python side share: a browser's stand-in, and a pipeline for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dali_studio import fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.graph.model import Graph
from dali_studio.studio.protocol import messages
from dali_studio.studio.session import Session


class Client:
    """A browser's stand-in: sends messages and keeps what comes back."""

    def __init__(self, graph: Graph, **options: Any) -> None:
        self.received: list[tuple[messages.KernelMessage, list[bytes]]] = []
        self.session = Session(graph, default_registry(), self._take, images=samples.photos, **options)

    def _take(self, message: messages.KernelMessage, buffers: Sequence[bytes]) -> None:
        self.received.append((message, list(buffers)))

    def send(self, kind: str, **content: Any) -> list[tuple[messages.KernelMessage, list[bytes]]]:
        """Send, wait for the worker, and return what came back."""
        before = len(self.received)
        self.session.receive({"type": kind, **content})
        assert self.session.worker.wait(60)
        return self.received[before:]

    def edit(self, *edits: dict[str, Any], gesture: str = "") -> list[tuple[messages.KernelMessage, list[bytes]]]:
        return self.send("apply_edits", base_revision=self.session.revision, edits=list(edits), gesture=gesture)


def only(received: Sequence[tuple[messages.KernelMessage, list[bytes]]], kind: type) -> list[Any]:
    return [message for message, _ in received if isinstance(message, kind)]


@pipeline_def(batch_size=6, num_threads=2, device_id=None, seed=11)
def rotating() -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), random_shuffle=True, name="reader")
    images = fn.resize(fn.decoders.image(files), resize_shorter=120.0)
    angle = fn.random.uniform(range=(-40.0, 40.0))
    turned = fn.rotate(images, angle=angle, fill_value=0.0)
    return fn.crop_mirror_normalize(turned, crop=(96, 96), mean=[120.0], std=[60.0]), labels


def set_argument(key: str, argument: str, value: Any) -> dict[str, Any]:
    return {"type": "set_argument", "key": key, "argument": argument, "value": value}
