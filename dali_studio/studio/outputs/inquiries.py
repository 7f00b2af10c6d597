"""Answers to questions about outputs: sheets of variants, draws, pairs and single pixels. Nothing changes by them."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import from_numpy, short_name
from dali_studio.core.limits import MAX_SAMPLES
from dali_studio.core.wording import plural
from dali_studio.graph.card_edits import unfolded
from dali_studio.graph.edits import CardEdit, PortRef, SetArgument, SetPipeline
from dali_studio.runtime import thumbnails
from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.around import image_near, shown_of
from dali_studio.studio.outputs.images import Rgb
from dali_studio.studio.outputs.preview_renderer import PreviewRequest
from dali_studio.studio.outputs.previews import PreviewEngine
from dali_studio.studio.outputs.renderers import renderer_of
from dali_studio.studio.outputs.renderers.base import Shown, no_backdrop
from dali_studio.studio.outputs.renderers.boxes import BoxesRenderer
from dali_studio.studio.outputs.renderers.image import ImageRenderer
from dali_studio.studio.outputs.renderers.mask import MaskRenderer
from dali_studio.studio.outputs.renderers.still import still
from dali_studio.studio.protocol import messages, output_messages, requests
from dali_studio.studio.protocol.bodies import PlanesBody, PreviewBody, VolumeBody
from dali_studio.studio.revision import Revision

Send = Callable[[messages.KernelMessage, Sequence[bytes]], None]
#: Samples of a sheet that are sent at a time, its largest extents, and how many cells it may have.
_CHUNK, _MAX_EXTENT, _MAX_CELLS = 4, 512, 1024
#: Numbers that `draws` asks a node for, how many spans its histogram has, and how many values are counted singly.
_DRAWS, _SPANS, _LEVELS = 1000, 40, 12
#: Extents at which pictures of different ones are compared, and how many spans the histogram of a pair has.
_PAIR, _PAIR_SPANS = (1600, 1200), 24
#: The picture of what has none.
_NOTHING: Rgb = np.zeros((0, 0, 3), np.uint8)
_CLASSES = MaskRenderer()
#: How many outputs are looked at in one point: of a node, of its input, and of what other cards show.
_PROBED = 26
#: Samples whose differences are listed.
_PAIR_SAMPLES = 64


@dataclass(slots=True)
class SheetJob:
    """A sheet on its way: what is interrupted goes on where it was."""

    request: PreviewRequest
    wanted: requests.RequestSheet
    #: How many samples have been sent.
    sent: int = 0
    variants: list[Revision | str] = field(default_factory=list[Revision | str])
    #: The extent of the values of images in all cells, and how they are mapped to the screen.
    span: tuple[float, float] | None = None
    note: str = ""


@dataclass(slots=True)
class Inquiries:
    """Computes answers with the previews' engine and sends them."""

    _engine: PreviewEngine
    _send: Send

    # ----------------------------------------------------------------------------------------------------------- sheet

    def sheet(self, job: SheetJob) -> None:
        """Send the cells that have not been sent, some samples at a time; `Cancelled` leaves the rest for later."""
        wanted = job.wanted
        size = job.request.batch_size
        most = max(_MAX_CELLS // max(len(wanted.variants), 1), 1)
        samples = [k for k in dict.fromkeys(wanted.samples) if 0 <= k < size][:most]
        if not job.variants:
            job.variants = [self._variant(job.request.revision, edits, wanted.port) for edits in wanted.variants]
            job.span = self._span(job, samples) if len(job.variants) > 1 else None
        while job.sent < len(samples) or not job.sent:
            chunk = samples[job.sent : job.sent + _CHUNK]
            cells: list[output_messages.SheetCell] = []
            pictures: list[Rgb] = []
            for number, revision in enumerate(job.variants):
                for k in chunk:
                    text, picture = self._cell(revision, job, k)
                    cells.append(
                        output_messages.SheetCell(variant=number, sample=k, text=text, failed=picture is None)
                    )
                    pictures.append(_NOTHING if picture is None else picture)
            self._send_cells(job, cells, pictures, done=job.sent + len(chunk) >= len(samples))
            job.sent += max(len(chunk), 1)

    def _variant(self, revision: Revision, edits: Sequence[CardEdit], port: PortRef) -> Revision | str:
        # what other values would do is shown of samples that are left alone, too
        coins = [chance.coin for chance in revision.cards.chances.values() if port.node in chance.merges and edits]
        sure = [SetArgument(key=coin, argument="probability", value=1.0) for coin in coins]
        try:
            return revision.variant([*unfolded(edits, revision.graph, revision.registry), *sure])
        except DaliStudioError as error:
            return error.diagnostics[0].message

    def _span(self, job: SheetJob, samples: Sequence[int]) -> tuple[float, float] | None:
        """The extent of the values of all cells, which would look alike over their own ones; of bytes there is none."""
        port, ends = job.wanted.port, list[float]()
        for revision in (one for one in job.variants if not isinstance(one, str)):
            for sample in samples:
                with suppress(DaliStudioError):
                    outputs = self._engine.compute(revision, job.request.iteration, [sample], only=port).outputs
                    if port not in outputs:
                        continue
                    shown = shown_of(revision, port, outputs)
                    if shown.sample.dtype == np.uint8 or not isinstance(renderer_of(shown), ImageRenderer):
                        return None
                    ends += images.span_of(shown.sample.astype(np.float32))
        return (min(ends), max(ends)) if ends else None

    def _cell(self, revision: Revision | str, job: SheetJob, sample: int) -> tuple[str, Rgb | None]:
        """Words and picture of one cell: of no size if there is none, None if it failed."""
        wanted, iteration = job.wanted, job.request.iteration
        if isinstance(revision, str):
            return revision, None
        try:
            made = self._engine.compute(revision, iteration, [sample], only=wanted.port)
        except DaliStudioError as error:
            return error.diagnostics[0].message, None
        if wanted.port not in made.outputs:
            reasons = ["left out" if d.severity == "warning" else d.message for d in made.failed] or [
                d.message for d in revision.validation.diagnostics if d.severity == "error"
            ]
            return next(iter(reasons), "not computed for this sample"), None
        outputs = made.outputs
        behind = image_near(revision, wanted.port)
        if behind is not None and behind not in outputs:  # boxes are drawn over their picture
            with suppress(DaliStudioError):
                outputs = {**self._engine.compute(revision, iteration, [sample], only=behind).outputs, **outputs}
        shown = replace(shown_of(revision, wanted.port, outputs), span=job.span)
        width, height = min(max(wanted.width, 8), _MAX_EXTENT), min(max(wanted.height, 8), _MAX_EXTENT)
        renderer = renderer_of(shown)
        # the browser draws them on cards only
        if isinstance(renderer, BoxesRenderer) and (picture := still(shown)) is not None:
            return "", thumbnails.fitted(picture, width, height)
        card = renderer.card(shown, width, height)
        if card.picture is not None:
            job.note = card.note if job.span else ""
            layout, extents = outputs[wanted.port].layout, shown.sample.shape
            size = "×".join(str(extents[layout.index(axis)]) for axis in "HW" if axis in layout)
            return size, _one_of(card.body, card.picture)
        few = shown.sample.size <= 4 and shown.sample.dtype.kind in "biuf"
        words = ", ".join(images.number(v) for v in shown.sample.reshape(-1).tolist()) if few else ""
        return words or images.info(shown.sample, encoded=shown.kind == "encoded"), _NOTHING

    def _send_cells(
        self, job: SheetJob, cells: list[output_messages.SheetCell], pictures: list[Rgb], *, done: bool
    ) -> None:  # fmt: skip
        drawn = [picture for picture in pictures if picture.size]
        places, atlas = images.atlas(drawn) if drawn else ([], b"")
        rest = iter(places)
        placed: list[output_messages.SheetCell] = []
        for cell, picture in zip(cells, pictures, strict=True):
            at = next(rest) if picture.size else images.Cell(0, 0, 0, 0)
            placed.append(msgspec.structs.replace(cell, x=at.x, y=at.y, width=at.width, height=at.height))
        wanted, request = job.wanted, job.request
        message = output_messages.Sheet(
            name=wanted.name, port=wanted.port, revision=request.revision.number, iteration=request.iteration,
            cells=tuple(placed), first=job.sent == 0, done=done, note=job.note,
        )  # fmt: skip
        self._send(message, [atlas] if atlas else [])

    # ----------------------------------------------------------------------------------------------------------- draws

    def draws(self, request: PreviewRequest, wanted: requests.RequestDraws) -> None:
        """Send what a thousand draws of a node are like; nothing for one that depends on data."""
        port, revision = wanted.port, request.revision
        count = min(_DRAWS, MAX_SAMPLES)
        if port.node not in revision.active or port.node not in self._engine.independent(revision):
            return
        many = revision.variant([SetPipeline(option="batch_size", value=count)])
        made = self._engine.compute(many, request.iteration, range(count), only=port).outputs
        if port not in made:
            return
        values = np.array([float(sample.reshape(-1)[0]) for sample in made[port].samples if sample.size], np.float64)
        values = values[np.isfinite(values)]
        if not values.size:
            return
        each, counts = np.unique(values, return_counts=True)
        levels = zip(each.tolist(), counts.tolist(), strict=True) if len(each) <= _LEVELS else ()
        low, high = images.span_of(values)
        self._send(
            output_messages.Draws(
                port=port, count=len(values), minimum=low, maximum=high, mean=float(values.mean()),
                deviation=float(values.std()), histogram=tuple(np.histogram(values, _SPANS, (low, high))[0].tolist()),
                levels=tuple(levels),
            ),
            [],
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------------------ pair

    def pair(
        self, request: PreviewRequest, wanted: requests.RequestPair, before: Callable[[int], Revision],
        past: Callable[[], tuple[str, ...]],
    ) -> None:  # fmt: skip
        """Send two outputs and how far they are apart, or one alone.

        `before` gives the state some undo steps ago, `past` what each of these steps has changed.
        """
        if wanted.b is None:
            self._alone(request, wanted, before)
            return
        sides = [self._made(request, side, before) for side in (wanted.a, wanted.b)]
        shown = [None if side is None else _picture(side, wanted.plane) for side in sides]
        one, other = shown
        apart = _Apart()
        note = ""
        if one is None or other is None:
            absent = " and ".join(
                f"{letter} ({side.port.node}" + (f", {plural(side.steps, 'step')} ago)" if side.steps else ")")
                for letter, side, picture in zip("AB", (wanted.a, wanted.b), shown, strict=True) if picture is None
            )  # fmt: skip
            note = f"{absent} {'gives' if other is not None or one is not None else 'give'} no picture of this sample."
        else:
            if one.shape != other.shape:
                note = f"B is scaled to A: {other.shape[0]}×{other.shape[1]} to {one.shape[0]}×{one.shape[1]}."
            apart = _distance(sides, wanted.plane)
            if apart.pictures:
                said = "The figures are of the pictures as they are shown, 0 to 255, and not of the values."
                note = f"{note} {said}".lstrip()
        # what can be seen of A stays where B gives nothing
        buffers = [] if one is None else [_png(p) for p in (one, other) if p is not None]
        self._send(
            output_messages.Pair(
                a=wanted.a, b=wanted.b, facts_a=_told(sides[0]), facts_b=_told(sides[1]), same=apart.same,
                mean=apart.mean, largest=apart.largest, peak=apart.peak, histogram=apart.histogram, note=note,
                planes=max(0 if side is None else _planes(side) for side in sides), past=past(),
            ),
            buffers,
        )  # fmt: skip
        if len(buffers) == 2:
            samples = range(min(request.batch_size, _PAIR_SAMPLES))
            sides = (wanted.a, wanted.b)
            means = tuple(self._apart(replace(request, sample=k), sides, wanted.plane, before) for k in samples)
            self._send(output_messages.PairBatch(a=wanted.a, b=wanted.b, means=means), [])

    def _apart(
        self, request: PreviewRequest, wanted: Sequence[requests.Side], plane: int, before: Callable[[int], Revision]
    ) -> float:  # fmt: skip
        """The mean difference of a sample; -1 if there is none."""
        try:
            return _distance([self._side(request, side, before) for side in wanted], plane).mean
        except DaliStudioError:
            return -1.0

    def _alone(
        self, request: PreviewRequest, wanted: requests.RequestPair, before: Callable[[int], Revision]
    ) -> None:  # fmt: skip
        """Send one output as it is shown large: a frame, a slice, or an image, with masks over theirs."""
        port, shown = wanted.a.port, self._side(request, wanted.a, before)
        picture = None
        if shown is not None and _axis(shown) is not None:
            picture = _picture(shown, wanted.plane)
        elif shown is not None:
            large = renderer_of(shown).large(shown, -1)
            picture = large and thumbnails.fitted(large.image, *images.LARGEST)
        message = output_messages.Pair(
            a=wanted.a, b=None, facts_a=_told(shown),
            note="" if picture is not None else f"{port.node} gives no picture of this sample.",
            planes=0 if shown is None else _planes(shown),
        )  # fmt: skip
        self._send(message, [] if picture is None else [_png(picture)])

    def _side(
        self, request: PreviewRequest, side: requests.Side, before: Callable[[int], Revision]
    ) -> Shown | None:  # fmt: skip
        revision = before(side.steps) if side.steps else request.revision
        if side.port.node not in revision.active:
            return None
        made = self._engine.compute(revision, request.iteration, [request.sample], only=side.port).outputs
        return replace(shown_of(revision, side.port, made), full=True) if side.port in made else None

    def _made(
        self, request: PreviewRequest, side: requests.Side, before: Callable[[int], Revision]
    ) -> Shown | None:  # fmt: skip
        """As `_side`; None also where it fails, which its card tells."""
        try:
            return self._side(request, side, before)
        except DaliStudioError:
            return None

    # ----------------------------------------------------------------------------------------------------------- pixel

    def pixel(
        self, request: PreviewRequest, wanted: requests.RequestPixel, before: Callable[[int], Revision]
    ) -> None:  # fmt: skip
        """Send the numbers of outputs at one point; `before` gives the state some undo steps ago."""
        items: list[output_messages.PixelValue] = []
        for side in wanted.sides[:_PROBED]:
            shown = self._side(request, side, before)
            value = None if shown is None else _pixel(side, _plane(shown, wanted.plane), wanted.x, wanted.y)
            items += [] if value is None else [value]
        self._send(output_messages.Pixel(x=wanted.x, y=wanted.y, items=tuple(items)), [])

    # ---------------------------------------------------------------------------------------------------------- output

    def output(self, revision: Revision, iteration: int, samples: Sequence[int], port: PortRef) -> Batch:
        """An output as the previews compute it.

        Raises
        ------
        DaliStudioError
            Why there is none.
        """
        made = self._engine.compute(revision, iteration, samples, only=port)
        if port in made.outputs:
            return made.outputs[port]
        found = [d for d in (*made.failed, *revision.validation.diagnostics) if d.severity == "error"]
        hint = "Mend what is found, or choose a sample that is processed here."
        message = f"{port.node} gives nothing for these samples."
        raise DaliStudioError(found or (Diagnostic(code="DS305", message=message, hint=hint, node=port.node),))


@dataclass(frozen=True, slots=True)
class _Apart:
    """How far two samples are apart."""

    same: bool = False
    mean: float = 0.0
    largest: float = 0.0
    peak: float = 0.0
    histogram: tuple[int, ...] = ()
    #: Whether the pictures were compared, and not the numbers.
    pictures: bool = False


def _one_of(body: PreviewBody, row: Rgb) -> Rgb:
    """The first frame of a row of them, the slice in the middle of a volume; other pictures as they are."""
    if not isinstance(body, PlanesBody | VolumeBody):
        return row
    place = body.shown[0].index(body.extents[0] // 2) if isinstance(body, VolumeBody) else 0
    return row[:, place * body.width : (place + 1) * body.width]


def _told(shown: Shown | None) -> str:
    return "" if shown is None else images.info(shown.sample)


def _distance(sides: Sequence[Shown | None], number: int) -> _Apart:
    """Of the numbers themselves where they have the same extents, else of the pictures; -1 where one has none."""
    planes = [_plane(side, number) for side in sides if side is not None]
    if len(planes) < len(sides) or not all(map(_is_picture, planes)):
        return _Apart(mean=-1.0)
    a, b = (plane.sample for plane in planes)
    pictures = a.shape != b.shape
    if pictures:
        one, other = (thumbnails.fitted(images.to_rgb(plane.sample, plane.layout)[0], *_PAIR) for plane in planes)
        a, b = one, images.fitted_to(other, one.shape[1], one.shape[0])
    difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
    difference = difference[np.isfinite(difference)]
    if not difference.size:
        return _Apart(same=True, pictures=pictures)
    largest = float(difference.max())
    full = 255.0 if a.dtype == np.uint8 else float(np.nanmax(np.abs(a.astype(np.float64)))) or 1.0
    square = float((difference**2).mean())
    histogram = np.histogram(difference, _PAIR_SPANS, (0.0, largest or 1.0))[0]
    return _Apart(
        same=largest == 0.0, mean=float(difference.mean()), largest=largest,
        peak=10.0 * float(np.log10(full * full / square)) if square else 0.0,
        histogram=tuple(histogram.tolist()), pictures=pictures,
    )  # fmt: skip


def _axis(shown: Shown) -> int | None:
    """The axis of frames, or else of slices, of what is no image itself."""
    layout = shown.layout
    if shown.sample.ndim != len(layout) or not shown.sample.size or images.is_image(shown.sample, layout):
        return None
    return next((layout.index(axis) for axis in "FD" if axis in layout), None)


def _planes(shown: Shown) -> int:
    axis = _axis(shown)
    return 0 if axis is None else shown.sample.shape[axis]


def _plane(shown: Shown, number: int) -> Shown:
    """A frame, or a slice, as an image; of a frame that is a volume the middle slice. What is an image as it is."""
    axis = _axis(shown)
    if axis is None:
        return shown
    plane = shown.sample.take(min(max(number, 0), shown.sample.shape[axis] - 1), axis)
    made = replace(shown, sample=plane, layout=shown.layout.replace(shown.layout[axis], ""))
    return _plane(made, _planes(made) // 2)


def _is_picture(plane: Shown) -> bool:
    return _CLASSES.accepts(plane) or images.is_image(plane.sample, plane.layout)


def _picture(shown: Shown, number: int) -> Rgb | None:
    """Of an image, or of a frame or slice, whose values are mapped to the screen as those of the others are."""
    plane = _plane(shown, number)
    if not _is_picture(plane):
        return None
    if _CLASSES.accepts(plane):
        large = _CLASSES.large(replace(plane, backdrop=no_backdrop), -1)
        return large and large.image
    span = None if plane is shown else images.span_of(shown.sample)
    return thumbnails.fitted(images.to_rgb_each([plane.sample], plane.layout, span)[0][0], *images.LARGEST)


def _png(image: Rgb) -> bytes:
    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG", compress_level=1)
    return file.getvalue()


def _pixel(side: requests.Side, shown: Shown, x: float, y: float) -> output_messages.PixelValue | None:
    sample: NDArray[np.generic] = shown.sample
    if not images.is_image(sample, shown.layout) and (sample.ndim != 2 or shown.layout):
        return None
    down, across = (axis for axis, letter in enumerate(shown.layout or "HW") if letter != "C")
    height, width = sample.shape[down], sample.shape[across]
    row = int(np.clip(y * height, 0, height - 1))
    column = int(np.clip(x * width, 0, width - 1))
    at: list[int | slice] = [slice(None)] * sample.ndim
    at[down], at[across] = row, column
    values = np.asarray(sample[tuple(at)]).reshape(-1)[:8]
    return output_messages.PixelValue(
        side=side, row=row, column=column, values=tuple(float(v) for v in values.tolist()),
        dtype=short_name(from_numpy(sample.dtype)),
    )  # fmt: skip
