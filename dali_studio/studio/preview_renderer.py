"""Painting previews: which nodes changed, their pictures in an atlas, the strip of samples, and one node in detail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import Validation, validate
from dali_studio.runtime.workers import Cancelled, WorkerPool
from dali_studio.schema.batches import Batch
from dali_studio.schema.registry import Registry
from dali_studio.studio import messages, pictures
from dali_studio.studio.previews import PreviewEngine

_STRIP_CELL = 56
_STRIP_SAMPLES = 64
_STRIP_CHUNK = 4
_MOST_VALUES = 64
_DETAIL = (1104, 756)


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """What is to be painted: a graph and one sample of one batch."""

    graph: Graph
    revision: int
    seed: int
    iteration: int
    sample: int


class Painter:
    """Computes previews and sends them.

    Parameters
    ----------
    registry : Registry
    send : callable
        Takes a message and its buffers.
    hurried : callable
        Whether somebody waits for other work.
    """

    def __init__(
        self, registry: Registry, send: Callable[[messages.KernelMessage, Sequence[bytes]], None],
        hurried: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        self.registry, self._send = registry, send
        self.width = 296
        self._workers = WorkerPool(2)
        self._engine = PreviewEngine(registry, self._workers, hurried)
        self._painted: dict[PortRef, tuple[object, ...]] = {}
        self._strip_of: tuple[object, ...] = ()

    def paint(self, request: PreviewRequest) -> None:
        """Send the outputs that changed since the last time."""
        begin = perf_counter()
        validation = validate(request.graph, self.registry)
        try:
            preview = self._engine.compute(request.graph, validation, request.seed, request.iteration, [request.sample])
            scalars = self._engine.scalars(request.graph, validation, request.seed, request.iteration)
        except Cancelled:
            return
        changed: list[tuple[PortRef, Batch]] = []
        for port, batch in preview.outputs.items():
            mark = (preview.keys[port.node], request.iteration, request.sample, request.graph.options.batch_size)
            if self._painted.get(port) != mark:
                self._painted[port] = mark
                changed.append((port, batch))
        self._painted = {port: mark for port, mark in self._painted.items() if port in preview.outputs}
        items, atlas = self._items(changed, scalars, validation)
        message = messages.Previews(
            revision=request.revision, sample=request.sample, iteration=request.iteration,
            batch_size=request.graph.options.batch_size, items=items, failed=preview.failed,
            milliseconds=(perf_counter() - begin) * 1e3,
        )  # fmt: skip
        self._send(message, [atlas] if atlas else [])

    def _items(
        self, changed: list[tuple[PortRef, Batch]], scalars: dict[PortRef, list[float]], validation: Validation
    ) -> tuple[tuple[messages.PreviewItem, ...], bytes]:
        images: list[pictures.Rgb] = []
        notes: dict[PortRef, str] = {}
        pictured: list[PortRef] = []
        height = round(self.width * 98 / 148)
        for port, batch in changed:
            sample = batch.samples[0]
            if pictures.is_picture(sample, batch.layout):
                shown, notes[port] = pictures.to_rgb(sample, batch.layout)
                images.append(pictures.fitted(shown, self.width, height))
                pictured.append(port)
        cells, atlas = pictures.atlas(images) if images else ([], b"")
        places = dict(zip(pictured, cells, strict=True))
        made: list[messages.PreviewItem] = []
        for port, batch in changed:
            encoded = validation.metas[port].kind == "encoded"
            sample = batch.samples[0]
            cell = places.get(port, pictures.Cell(0, 0, 0, 0))
            made.append(
                messages.PreviewItem(
                    key=port.node, output=port.output, facts=pictures.facts(sample, encoded=encoded),
                    atlas_x=cell.x, atlas_y=cell.y, atlas_width=cell.width, atlas_height=cell.height,
                    values=tuple(scalars.get(port, ())[:_MOST_VALUES]),
                    text="" if port in places else pictures.text_of(sample, encoded=encoded), note=notes.get(port, ""),
                )
            )
        return tuple(made), atlas

    # ----------------------------------------------------------------------------------------------------------- strip

    def strip(self, request: PreviewRequest, *, again: bool) -> None:
        """Send thumbnails of every sample of the batch, from the first node that makes pictures."""
        validation = validate(request.graph, self.registry)
        port = self._first_picture(request, validation)
        if port is None:
            return
        count = min(request.graph.options.batch_size, _STRIP_SAMPLES)
        try:
            first = self._engine.compute(
                request.graph, validation, request.seed, request.iteration, [request.sample], only=port
            )
        except Cancelled:
            return
        mark = (first.keys[port.node], request.iteration, count)
        if first.unreached or (mark == self._strip_of and not again):
            return
        canvas = np.full((_STRIP_CELL, _STRIP_CELL * count, 3), 128, np.uint8)
        names = [""] * count
        try:
            for first in range(0, count, _STRIP_CHUNK):
                chunk = range(first, min(first + _STRIP_CHUNK, count))
                made = self._engine.compute(
                    request.graph, validation, request.seed, request.iteration, chunk, only=port
                )
                # one bad sample fails its whole chunk: the others are then computed alone, and its place stays grey
                parts = [chunk] if port in made.outputs else [range(k, k + 1) for k in chunk]
                for part in parts:
                    made = self._engine.compute(
                        request.graph, validation, request.seed, request.iteration, part, only=port
                    )
                    if port in made.outputs:
                        self._place(canvas, names, part, made.outputs[port])
        except (Cancelled, DaliStudioError):
            return
        self._strip_of = mark
        message = messages.SampleStrip(iteration=request.iteration, count=count, cell=_STRIP_CELL, names=tuple(names))
        self._send(message, [pictures.jpeg(canvas)])

    @staticmethod
    def _place(canvas: NDArray[np.uint8], names: list[str], chunk: range, batch: Batch) -> None:
        for position, sample in zip(chunk, batch.samples, strict=False):
            shown, _ = pictures.to_rgb(sample, batch.layout)
            canvas[:, position * _STRIP_CELL : (position + 1) * _STRIP_CELL] = pictures.square(shown, _STRIP_CELL)
        for position, source in zip(chunk, batch.sources, strict=False):
            names[position] = source

    @staticmethod
    def _first_picture(request: PreviewRequest, validation: Validation) -> PortRef | None:
        graph = request.graph
        if graph.find_cycle():
            return None
        wrong = {d.node for d in validation.diagnostics if d.severity == "error"}
        for key in graph.order():
            port = PortRef(node=key)
            if key not in wrong and validation.metas.get(port) is not None and validation.metas[port].kind == "image":
                return port
        return None

    # ---------------------------------------------------------------------------------------------------------- detail

    def detail(self, request: PreviewRequest, key: str, output: int) -> None:
        """Send one node's output and first input at full width, with statistics."""
        if key not in request.graph:
            return
        validation = validate(request.graph, self.registry)
        port = PortRef(node=key, output=output)
        try:
            made = self._engine.compute(
                request.graph, validation, request.seed, request.iteration, [request.sample], only=port
            )
        except Cancelled:
            return
        if port not in made.outputs:
            return
        source = next(iter(request.graph.inputs(key)), None)
        batch = made.outputs[port]
        shown = [self._large(batch)]
        shown.append(self._large(made.outputs[source]) if source is not None and source in made.outputs else (b"", ""))
        message = self._statistics(port, batch, shown, validation)
        self._send(message, [picture for picture, _ in shown if picture])

    @staticmethod
    def _large(batch: Batch) -> tuple[bytes, str]:
        sample = batch.samples[0]
        if not pictures.is_picture(sample, batch.layout):
            return b"", ""
        image, note = pictures.to_rgb(sample, batch.layout)
        return pictures.jpeg(pictures.fitted(image, *_DETAIL)), note

    @staticmethod
    def _statistics(
        port: PortRef, batch: Batch, shown: list[tuple[bytes, str]], validation: Validation
    ) -> messages.ImageDetail:
        sample: NDArray[Any] = batch.samples[0]
        values = sample.astype(np.float32)
        finite = values[np.isfinite(values)]
        low, high, mean = (
            (float(finite.min()), float(finite.max()), float(finite.mean())) if finite.size else (0.0, 0.0, 0.0)
        )
        encoded = validation.metas[port].kind == "encoded"
        lost = values.size - finite.size
        return messages.ImageDetail(
            key=port.node, output=port.output, has_output=bool(shown[0][0]), has_input=bool(shown[1][0]),
            facts=pictures.facts(sample, encoded=encoded), layout=batch.layout, minimum=low, maximum=high, mean=mean,
            histogram=() if encoded else pictures.histogram(sample, batch.layout),
            note=f"{lost} values are not finite" if lost else shown[0][1],
        )  # fmt: skip

    # --------------------------------------------------------------------------------------------------------- control

    def repaint(self) -> None:
        """Send everything the next time (a new view was opened)."""
        self._painted.clear()

    def begin(self) -> None:
        """Forget an earlier `cancel`; called before anything is computed."""
        self._workers.cancelled.clear()

    def cancel(self) -> None:
        """Stop what is being computed."""
        self._workers.cancelled.set()

    def forget(self) -> None:
        """Another document was opened."""
        self._painted.clear()
        self._strip_of = ()
        self._engine.forget()

    def free(self) -> tuple[int, int]:
        """Give back what is kept for the next edit; returns bytes of host memory and of the GPU's."""
        return self._engine.forget()

    def close(self) -> None:
        """End the threads."""
        self._engine.close()
        self._workers.close()

