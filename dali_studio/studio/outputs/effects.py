"""What operators would make of an output: a picture for each, with the values that the gallery shows it with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.edits import AddNode, Connect, PortRef
from dali_studio.runtime import thumbnails
from dali_studio.runtime.probe import Probe
from dali_studio.schema.model import Value
from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.around import shown_of
from dali_studio.studio.outputs.images import Rgb
from dali_studio.studio.outputs.preview_renderer import PreviewRequest
from dali_studio.studio.outputs.previews import PreviewEngine
from dali_studio.studio.outputs.renderers.still import still
from dali_studio.studio.protocol import messages, output_messages, requests
from dali_studio.studio.revision import Revision

Send = Callable[[messages.KernelMessage, Sequence[bytes]], None]
#: Pixels of the longer side of what operators are shown on: their values suit that, and it is soon made.
_SIDE = 480
#: How many are sent together.
_TOGETHER = 6
_NOTHING = np.zeros((0, 0, 3), np.uint8)


@dataclass(slots=True)
class EffectsJob:
    """Effects on their way: what is interrupted goes on where it was."""

    request: PreviewRequest
    wanted: requests.RequestEffects
    #: The output, made as large as operators are shown on, in a graph that nobody keeps.
    base: Revision | None = None
    before: Rgb = field(default_factory=_NOTHING.copy)
    #: How many operators are done.
    done: int = 0

    @property
    def keys(self) -> tuple[str, str]:
        """Names of the nodes that are added: nobody has given them."""
        taken, end = self.request.revision.active, ""
        while f"photo{end}" in taken or f"effect{end}" in taken:
            end += "_"
        return f"photo{end}", f"effect{end}"


@dataclass(slots=True)
class Effects:
    """Computes effects with the previews' engine and sends them."""

    _engine: PreviewEngine
    _send: Send
    #: Milliseconds for the picture; what is made for the first time takes longer, so the least counts.
    _times: dict[str, float] = field(default_factory=dict[str, float])

    def show(self, job: EffectsJob) -> None:
        """Send what has not been sent; `Cancelled` leaves the rest for later."""
        names = job.wanted.operators
        if job.base is None:
            job.base, job.before = self._base(job)
        while job.done < len(names):
            part = names[job.done : job.done + _TOGETHER]
            made = [self._effect(job, name) for name in part]
            shown = list(zip(("", *part), (job.before, *made), strict=True))
            self._send_part(job, shown)
            job.done += len(part)

    def _base(self, job: EffectsJob) -> tuple[Revision, Rgb]:
        revision, port, (photo, _) = job.request.revision, job.wanted.port, job.keys
        meta = revision.validation.metas.get(port)
        device = meta.device if meta else "cpu"
        side: dict[str, Value] = {"resize_longer": float(_SIDE)}
        added = AddNode(key=photo, operator="resize", device=device, arguments=side)
        try:
            base = revision.variant([added, Connect(source=port, target=photo, input=0)])
        except DaliStudioError:
            return revision, _NOTHING
        return base, self._picture(job, base, PortRef(node=photo))

    def _effect(self, job: EffectsJob, name: str) -> Rgb:
        (photo, effect), registry = job.keys, job.request.revision.registry
        if not job.before.size or job.base is None or name not in registry:
            return _NOTHING
        schema, device = registry.schema(name), job.base.active.node(photo).device
        if device not in schema.devices:
            return _NOTHING
        added = AddNode(key=effect, operator=name, device=device, arguments=dict(schema.shown or {}))
        try:
            made = job.base.variant([added, Connect(source=PortRef(node=photo), target=effect, input=0)])
        except DaliStudioError:
            return _NOTHING
        probe = Probe()
        picture = self._picture(job, made, PortRef(node=effect), probe)
        if time := probe.summary().get(effect):
            self._times[name] = min(time.median, self._times.get(name, time.median))
        return picture

    def _picture(self, job: EffectsJob, revision: Revision, port: PortRef, probe: Probe | None = None) -> Rgb:
        request = job.request
        try:
            made = self._engine.compute(revision, request.iteration, [request.sample], only=port, probe=probe).outputs
        except DaliStudioError:
            return _NOTHING
        picture = still(shown_of(revision, port, made)) if port in made else None
        return _NOTHING if picture is None else picture

    def _send_part(self, job: EffectsJob, shown: Sequence[tuple[str, Rgb]]) -> None:
        wanted, request = job.wanted, job.request
        size = max(wanted.width, 8), max(wanted.height, 8)
        small = [thumbnails.fitted(picture, *size) if picture.size else picture for _, picture in shown]
        drawn = [picture for picture in small if picture.size]
        places, atlas = images.atlas(drawn) if drawn else ([], b"")
        rest = iter(places)
        items: list[output_messages.Effect] = []
        for (name, picture), cut in zip(shown, small, strict=True):
            at = next(rest) if cut.size else images.Cell(0, 0, 0, 0)
            items.append(
                output_messages.Effect(
                    operator=name, x=at.x, y=at.y, width=at.width, height=at.height,
                    whole=bool(picture.size) and not images.alike(picture, job.before),
                    milliseconds=self._times.get(name, 0.0),
                )
            )  # fmt: skip
        message = output_messages.Effects(
            port=wanted.port, revision=request.revision.number, iteration=request.iteration, sample=request.sample,
            items=tuple(items),
        )  # fmt: skip
        self._send(message, [atlas] if atlas else [])

