"""Previews for the browser: cards of the nodes that changed, the strip of samples, and one node in detail."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.meta import Kind
from dali_studio.core.progress import current, watched
from dali_studio.graph.edits import PortRef
from dali_studio.runtime import thumbnails
from dali_studio.runtime.workers import Cancelled, WorkerPool
from dali_studio.schema.registry import Registry
from dali_studio.studio import findings
from dali_studio.studio.drawing.stills import Still
from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.around import image_near, kind_of, may_have_backdrop, shown_of
from dali_studio.studio.outputs.previews import Preview, PreviewEngine
from dali_studio.studio.outputs.renderers import renderer_of
from dali_studio.studio.outputs.renderers.base import Card, Large, Shown
from dali_studio.studio.outputs.renderers.image import ImageRenderer
from dali_studio.studio.outputs.renderers.planes import PlanesRenderer
from dali_studio.studio.outputs.renderers.values import values_body
from dali_studio.studio.protocol import bodies, messages, output_messages
from dali_studio.studio.protocol.requests import RequestDetail
from dali_studio.studio.revision import Revision

#: Seconds after which images take long.
AFTER = 2.0
#: Width of a card in a picture of the graph.
_STILL = 222
_STRIP_CELL = 56
#: What the strip shows of images, of videos (the first frame) and of volumes (the middle slice).
_PICTURES = (ImageRenderer(), PlanesRenderer())
#: Outputs that the strip shows, the most telling ones first.
_TELLING: tuple[Kind, ...] = ("image", "video", "audio")
_STRIP_SAMPLES = 64
_STRIP_CHUNK = 4
_DETAIL = (1104, 756)
#: Samples of which the numbers of a batch are counted.
_WHOLE = 64


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """What is to be shown: one sample of one batch."""

    revision: Revision
    iteration: int
    sample: int
    #: The revision since which the browser has each card: what it had of an earlier one of that name, it has dropped.
    since: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def batch_size(self) -> int:
        """The pipeline's batch size."""
        return self.revision.active.options.batch_size


class PreviewRenderer:
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
        self.engine = PreviewEngine(registry, self._workers, hurried)
        self._sent: dict[PortRef, tuple[object, ...]] = {}
        self._strip_of: tuple[object, ...] = ()
        #: Nodes at which a sample has failed: other samples of its batch may fail there, too.
        self.suspects: set[str] = set()

    def cards(self, request: PreviewRequest) -> None:
        """Send the outputs that changed since the last time."""
        begin = perf_counter()
        revision = request.revision
        try:
            with self._told():
                preview = self.engine.compute(revision, request.iteration, [request.sample])
                scalars = self.engine.scalars(revision, request.iteration)
        except Cancelled:
            return
        self.suspects.update(d.node for d in preview.failed if d.node and d.severity == "error")
        changed: list[PortRef] = []
        there = preview.outputs.keys() | preview.aside
        for port in [*preview.outputs, *sorted(preview.aside, key=lambda port: (port.node, port.output))]:
            behind = image_near(revision, port)
            given = revision.passing.get(port, port)
            keys = revision.keys[given.node], given.output, behind and revision.keys[behind.node]
            card = revision.cards.drawn(port)  # which has another name where its node was renamed
            since = request.since.get(card.node)
            where = request.iteration, request.sample, request.batch_size
            mark = (keys, card, since, kind_of(revision, port), *where)
            if self._sent.get(port) != mark:
                self._sent[port] = mark
                changed.append(port)
        self._sent = {port: mark for port, mark in self._sent.items() if port in there}
        items, atlas = self._items(revision, changed, preview.outputs, scalars)
        message = messages.Previews(
            revision=revision.number, sample=request.sample, iteration=request.iteration,
            batch_size=request.batch_size, items=items,
            failed=tuple(findings.caused(found, revision.active, scalars) for found in preview.failed),
            milliseconds=(perf_counter() - begin) * 1e3,
        )  # fmt: skip
        self._send(message, [atlas] if atlas else [])

    @contextmanager
    def _told(self) -> Generator[None]:
        """Tell the browser what takes long, while it does."""
        said = False

        def tell(seconds: float) -> None:
            nonlocal said
            said, doing = True, "; ".join(filter(None, (self.engine.place(), current())))
            self._send(messages.Progress(doing=doing or "reading", seconds=int(seconds)), [])

        try:
            with watched(tell, AFTER, 1.0):
                yield
        finally:
            if said:
                self._send(messages.Progress(), [])

    def _items(
        self, revision: Revision, changed: Sequence[PortRef], outputs: Mapping[PortRef, Batch],
        scalars: Mapping[PortRef, list[float | None]],
    ) -> tuple[tuple[messages.PreviewItem, ...], bytes]:  # fmt: skip
        height = round(self.width * 98 / 148)
        cards: list[tuple[PortRef, Shown, Card]] = []
        made: list[messages.PreviewItem] = []
        for port in changed:
            if port not in outputs:
                made.append(_elsewhere(revision, port, tuple(scalars.get(port, ()))))
                continue
            shown = shown_of(revision, port, outputs, tuple(scalars.get(port, ())))
            cards.append((port, shown, renderer_of(shown).card(shown, self.width, height)))
        drawn = [(port, card.picture) for port, _, card in cards if card.picture is not None]
        cells, atlas = images.atlas([image for _, image in drawn]) if drawn else ([], b"")
        places = {port: cell for (port, _), cell in zip(drawn, cells, strict=True)}
        for port, shown, card in cards:
            cell = places.get(port, images.Cell(0, 0, 0, 0))
            made.append(
                messages.PreviewItem(
                    key=port.node, output=port.output, body=card.body, note=card.note,
                    facts=images.info(shown.sample, encoded=shown.kind == "encoded"),
                    atlas_x=cell.x, atlas_y=cell.y, atlas_width=cell.width, atlas_height=cell.height,
                )
            )  # fmt: skip
        return tuple(made), atlas

    def stills(self, request: PreviewRequest) -> dict[str, Still]:
        """What the cards show, by node: for a picture of the graph."""
        revision = request.revision
        outputs = self.engine.compute(revision, request.iteration, [request.sample]).outputs
        scalars = self.engine.scalars(revision, request.iteration)
        found: dict[str, Still] = {}
        for port in outputs:
            if port.output == 0:
                shown = shown_of(revision, port, outputs, tuple(scalars.get(port, ())))
                card = renderer_of(shown).card(shown, _STILL, _STILL * 2 // 3)
                facts = images.info(shown.sample, encoded=shown.kind == "encoded")
                found[port.node] = Still(card.body, card.picture, facts, request.sample)
        return found

    # ----------------------------------------------------------------------------------------------------------- strip

    def strip(self, request: PreviewRequest, *, again: bool) -> None:
        """Send thumbnails of every sample of the batch: of the first node that makes images, videos, or else sound.

        Where there is none, or it cannot be computed, the strip is told to show none: those of another graph would
        stay otherwise.

        Raises
        ------
        Cancelled
            If something more urgent came: nothing was sent.
        """
        revision, iteration = request.revision, request.iteration
        port = self._first_telling(revision)
        count = min(request.batch_size, _STRIP_SAMPLES)
        if port is None:
            self._clear_strip(iteration, count)
            return
        self._suspect_beside(request, count)
        suspects = sorted(self.suspects & revision.computable - revision.sources_of([port]))
        mark = (revision.keys[port.node], iteration, count, *(revision.keys[key] for key in suspects))
        if mark == self._strip_of and not again:
            return
        y, x, _ = np.indices((_STRIP_CELL, _STRIP_CELL * count, 3))
        canvas = np.where((x + y) % 8 < 2, 110, 160).astype(np.uint8)
        names = [""] * count
        failed: dict[tuple[str | None, int], Diagnostic] = {}
        try:
            if self.engine.compute(revision, iteration, [request.sample], only=port).unreached:
                self._clear_strip(iteration, count)
                return
            for first in range(0, count, _STRIP_CHUNK):
                chunk = range(first, min(first + _STRIP_CHUNK, count))
                made = self.engine.compute(revision, iteration, chunk, only=port)
                # one bad sample fails its whole chunk: the others are then computed alone, and its place stays hatched
                parts = [chunk] if port in made.outputs else [range(k, k + 1) for k in chunk]
                for part in parts:
                    made = self.engine.compute(revision, iteration, part, only=port)
                    if port in made.outputs:
                        self._place(canvas, names, part, made.outputs[port])
                    else:
                        failed.update(_failures(made, part[0]))
            for sample, key in product(range(count), suspects):
                made = self.engine.compute(revision, iteration, [sample], only=PortRef(node=key))
                failed.update(_failures(made, sample))
        except DaliStudioError:
            self._clear_strip(iteration, count)
            return
        self._strip_of = mark
        self.suspects = {node for node, _ in failed if node}
        found = (*failed.values(), *self.engine.missed(revision, revision.computable, iteration, range(count)))
        for one in found:
            names[one.sample or 0] = one.source
        message = messages.SampleStrip(
            iteration=iteration, count=count, cell=_STRIP_CELL, names=tuple(names), failed=found
        )
        self._send(message, [images.jpeg(canvas)])

    def _suspect_beside(self, request: PreviewRequest, count: int) -> None:
        """Where the shown sample is left out, another one tells which nodes may fail."""
        revision, iteration = request.revision, request.iteration
        missed = self.engine.missed(revision, revision.computable, iteration, range(count))
        left = {one.sample for one in missed}
        other = next((sample for sample in range(count) if sample not in left), None)
        if request.sample in left and other is not None:
            made = self.engine.compute(revision, iteration, [other])
            self.suspects.update(node for node, _ in _failures(made, other) if node)

    @staticmethod
    def _place(canvas: NDArray[np.uint8], names: list[str], chunk: range, batch: Batch) -> None:
        places = chunk if batch.indices is None else batch.indices.tolist()  # those of a branch
        for position, sample in zip(places, batch.samples, strict=False):
            shown = Shown(sample, batch.layout)
            large = next((one.large(shown, -1) for one in _PICTURES if one.accepts(shown)), None)
            size = 2 * _STRIP_CELL
            picture = large.image if large else renderer_of(shown).card(shown, size, size).picture
            if picture is not None:
                cell = images.square(picture, _STRIP_CELL)
                canvas[:, position * _STRIP_CELL : (position + 1) * _STRIP_CELL] = cell
        for position, source in zip(places, batch.sources, strict=False):
            names[position] = str(source)

    def _clear_strip(self, iteration: int, count: int) -> None:
        mark = (iteration, count)
        if mark != self._strip_of:
            self._strip_of = mark
            self._send(messages.SampleStrip(iteration=iteration, count=count, cell=0, names=()), [])

    @staticmethod
    def _first_telling(revision: Revision) -> PortRef | None:
        shown = revision.computable - revision.behind_pins
        known = revision.validation.metas
        ports = [PortRef(node=key) for key in revision.active.order() if key in shown] if shown else []
        return next((p for kind in _TELLING for p in ports if p in known and known[p].kind == kind), None)

    # ---------------------------------------------------------------------------------------------------------- detail

    def detail(self, request: PreviewRequest, wanted: RequestDetail) -> None:
        """Send one node's output and first input at full width, with statistics; for `plane` see `Renderer.large`."""
        revision, key, plane = request.revision, wanted.key, wanted.plane
        if key not in revision.active:
            return
        port = PortRef(node=key, output=wanted.output)
        try:
            found = self.engine.compute(revision, request.iteration, [request.sample], only=port)
        except Cancelled:
            return
        made = found.outputs
        if port in found.aside:  # in place of what is known of another sample
            self._send(_ASIDE(key=key, output=wanted.output), [])
        if port not in made:
            return
        source = _before(revision, key)
        shown = shown_of(revision, port, made)
        large = renderer_of(shown).large(shown, plane)
        before: Large | None = None
        given: Shown | None = None
        beside = large is None or not large.extents  # three planes leave no room
        if beside and source is not None and source in made and not may_have_backdrop(revision, port):
            given = shown_of(revision, source, made)
            before = renderer_of(given).large(given, plane)
        pixels = [images.jpeg(thumbnails.fitted(one.image, *_DETAIL)) for one in (large, before) if one is not None]
        samples: Sequence[NDArray[Any]] = [shown.sample]
        if wanted.whole:
            samples = self._samples(request, port) or samples
            shown = _pooled(shown, samples)
            given = _pooled(given, self._samples(request, source)) if source is not None and given is not None else None
        told = msgspec.structs.replace(
            _statistics(port, shown, given, large, before), layout=made[port].layout, samples=len(samples),
            facts=images.info(*samples, encoded=shown.kind == "encoded"), bytes=sum(one.nbytes for one in samples),
        )  # fmt: skip
        self._send(told, pixels)

    def _samples(self, request: PreviewRequest, port: PortRef) -> Sequence[NDArray[Any]]:
        """What an output is for the samples of the batch; nothing if that cannot be computed."""
        size = min(request.batch_size, _WHOLE)
        try:
            made = self.engine.compute(request.revision, request.iteration, range(size), only=port).outputs
        except Cancelled:
            return ()
        return made[port].samples if port in made else ()

    # --------------------------------------------------------------------------------------------------------- control

    def resend(self) -> None:
        """Send everything the next time (a new view was opened)."""
        self._sent.clear()

    def begin(self) -> None:
        """Forget an earlier `cancel`; called before anything is computed."""
        self._workers.cancelled.clear()

    def cancel(self) -> None:
        """Stop what is being computed."""
        self._workers.cancelled.set()

    def forget(self) -> None:
        """Another document was opened."""
        self._sent.clear()
        self._strip_of = ()
        self.suspects.clear()
        self.engine.forget()

    def free(self) -> tuple[int, int]:
        """Give back what is kept for the next edit; returns bytes of host memory and of the GPU's."""
        return self.engine.forget()

    def close(self) -> None:
        """End the threads."""
        self.engine.close()
        self._workers.close()


def _failures(made: Preview, sample: int) -> dict[tuple[str | None, int], Diagnostic]:
    """What one sample alone fails with, without what only a card has room for; a reader that reads nothing has none."""
    errors = [d for d in made.failed if d.severity == "error" and not (d.code == "DS302" and d.argument)]
    return {(d.node, sample): msgspec.structs.replace(d, sample=sample, detail="") for d in errors}


def _elsewhere(revision: Revision, port: PortRef, values: tuple[float | None, ...]) -> messages.PreviewItem:
    """What a card in a branch shows of a sample that takes another one: in as much room as for other samples."""
    number = revision.validation.metas[port].kind in ("scalar", "label")
    divides = revision.registry.schema(revision.active.node(port.node).operator).role == "split"
    words = f"goes to {'true' if port.output else 'false'}" if divides else "takes another branch"
    note, short = f"the sample {words}", "–"
    if values and all(value is None for value in values):
        note, short = "no sample of this batch takes the branch", "no sample"
    body = bodies.TableBody(rows=((short,),)) if number else bodies.TextBody(text=words, hex=False)
    if values and short == "–":
        body = values_body(values, short)
    return messages.PreviewItem(
        key=port.node, output=port.output, body=body,
        note=note, facts="", atlas_x=0, atlas_y=0, atlas_width=0, atlas_height=0,
    )  # fmt: skip


#: What is told of an output that the sample goes around.
_ASIDE = partial(
    output_messages.ImageDetail, has_output=False, has_input=False, facts="", layout="", minimum=0.0, maximum=0.0,
    mean=0.0, histogram=(), note="This sample takes another branch.",
)  # fmt: skip


def _pooled(shown: Shown, samples: Sequence[NDArray[Any]]) -> Shown:
    """An output with the numbers of several samples in place of one, if all have as many channels."""
    planar = shown.layout in ("HWC", "CHW")
    flat = [np.moveaxis(one, shown.layout.index("C"), -1) if planar else one[..., None] for one in samples]
    if len({one.shape[-1] for one in flat}) != 1:
        return shown
    pooled = np.concatenate([one.reshape(-1, 1, one.shape[-1]) for one in flat])
    return replace(shown, sample=pooled if planar else pooled[:, 0, 0], layout="HWC" if planar else shown.layout)


def _statistics(
    port: PortRef, shown: Shown, given: Shown | None, large: Large | None, before: Large | None
) -> output_messages.ImageDetail:  # fmt: skip
    """Of one sample, or of those of a batch, as `shown` and `given` hold them."""
    values: NDArray[Any] = shown.sample.astype(np.float32)
    finite = values[np.isfinite(values)]
    low, high = images.span_of(values)
    nan, infinite = images.lost(shown.sample)
    encoded = shown.kind == "encoded"
    return output_messages.ImageDetail(
        key=port.node, output=port.output, has_output=large is not None, has_input=before is not None,
        facts="", layout="", minimum=low, maximum=high,
        mean=float(finite.mean()) if finite.size else 0.0,
        histogram=() if encoded else images.histogram(shown.sample, shown.layout),
        before=_comparable(shown, given, (low, high)),
        planes=large.planes if large else 0, plane=large.plane if large else 0,
        extents=large.extents if large else (), depth=large.depth if large else 0,
        nan=nan, infinite=infinite, note=large.note if large else "",
    )  # fmt: skip


def _before(revision: Revision, key: str) -> PortRef | None:
    """What a node makes its output of; of a merge, what was split."""
    graph = revision.active
    inputs = graph.inputs(key)
    if inputs and inputs[-1] and revision.registry.schema(graph.node(key).operator).role == "merge":
        inputs = graph.inputs(inputs[-1].node)
    return next(iter(inputs), None)


def _comparable(shown: Shown, given: Shown | None, limits: tuple[float, float]) -> tuple[tuple[int, ...], ...]:
    """The histogram of the input between the limits of the output, if their numbers mean the same."""
    if given is None or given.sample.dtype != shown.sample.dtype or given.kind != shown.kind or limits[0] == limits[1]:
        return ()
    return images.histogram(given.sample, given.layout, limits=limits)
