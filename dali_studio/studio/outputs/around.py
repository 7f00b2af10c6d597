"""What is around an output in the graph, and says how it is to be shown: its image, its classes, its scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import cast

import msgspec
import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.meta import Kind
from dali_studio.core.timed import TimedSource
from dali_studio.graph.edits import PortRef
from dali_studio.graph.labels.followers import moved_alike
from dali_studio.graph.ways import Branches, way_to
from dali_studio.schema.model import Value
from dali_studio.schema.traits import PerFrame
from dali_studio.studio.data.paths import suggested
from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.renderers.base import Backdrop, Class, Scale, Shown
from dali_studio.studio.outputs.renderers.spectrum import SPECTRA
from dali_studio.studio.outputs.renderers.volume import is_volume
from dali_studio.studio.outputs.sounds import rate_of
from dali_studio.studio.outputs.spectra import scale_of
from dali_studio.studio.revision import Revision

#: Arguments by which operators say how they give boxes, and what stands for two corners.
_CORNERS = {"ltrb": True, "bbox_layout": "xyXY"}
#: Channels of images at most; what has no more along an axis is no volume.
_CHANNELS = 4


def shown_of(
    revision: Revision, port: PortRef, outputs: Mapping[PortRef, Batch], values: tuple[float | None, ...] = ()
) -> Shown:
    """An output of the only sample in `outputs`, with what is around it in the graph."""
    batch = outputs[port]
    near = image_near(revision, port)

    def backdrop() -> Backdrop | None:
        if near is None or near not in outputs or not outputs[near].samples:
            return None
        behind = outputs[near]
        if not images.is_image(behind.samples[0], behind.layout):
            return None
        return Backdrop(revision.cards.drawn(near).node, images.to_rgb(behind.samples[0], behind.layout)[0])

    def value_of(other: PortRef) -> float | None:
        there = outputs.get(other)
        return float(there.samples[0].item()) if there is not None and len(there.samples) else None

    graph, kind = revision.active, kind_of(revision, port)
    scale = scale_of(graph, port, revision.registry, value_of) if batch.layout in SPECTRA else Scale()
    rate = rate_of(graph, port, lambda one: value_of(one) or 0.0) if kind == "audio" else None
    return Shown(
        batch.samples[0], layout_of(revision, port, batch), kind, values, _are_corners(revision, port), backdrop, scale,
        rate or 0.0, _seconds(revision, port, batch), lambda: _classes(revision, port, outputs),
    )  # fmt: skip


def numbers_of(batch: Batch, size: int) -> list[float | None]:
    """The number that each of `size` samples has, none of those outside of the batch; empty where they have several."""
    if any(sample.size != 1 for sample in batch.samples):
        return []
    found: list[float | None] = [None] * size
    places = range(size) if batch.indices is None else batch.indices.tolist()
    for place, sample in zip(places, batch.samples, strict=True):
        found[place] = float(sample.reshape(-1)[0])
    return found


def layout_of(revision: Revision, port: PortRef, batch: Batch) -> str:
    """The layout of an output; of a reader's array without one that of a volume, if its shape suggests that."""
    shape = batch.samples[0].shape
    if batch.layout or revision.registry.schema(revision.active.node(port.node).operator).role != "reader":
        return batch.layout
    layout = suggested(shape)
    return layout if is_volume(layout) and min(shape[:3]) > _CHANNELS else ""


def kind_of(revision: Revision, port: PortRef) -> Kind:
    """The kind of an output; of one that may be anything, that of what takes it as boxes or points."""
    graph, kind = revision.active, revision.validation.metas[port].kind
    if kind != "any":
        return kind
    for key, place, _ in graph.consumers(port):
        operator = graph.node(key).operator
        inputs = revision.registry.schema(operator).inputs if operator in revision.registry else ()
        if place is not None and place < len(inputs) and inputs[place].kind in ("boxes", "points"):
            return inputs[place].kind
    return kind


class _Category(msgspec.Struct):
    id: int
    name: str = ""


class _Annotations(msgspec.Struct):
    categories: list[_Category] = []


@lru_cache(maxsize=4)
def _names(path: str, changed: float, remapped: bool) -> dict[int, str]:  # noqa: ARG001
    """Names of the categories of a file of annotations as it was then, by what stands for them in labels."""
    found = msgspec.json.decode(Path(path).read_bytes(), type=_Annotations).categories
    return {place if remapped else one.id: one.name for place, one in enumerate(found, 1)}


def label_names(arguments: Mapping[str, Value]) -> dict[int, str]:
    """What the numbers of labels are called, if these are a reader's that has been told so."""
    path = arguments.get("annotations_file")
    try:
        path = str(path) if path else ""
        remapped = not arguments.get("avoid_class_remapping")
        return _names(path, Path(path).stat().st_mtime, remapped) if path else {}
    except (OSError, msgspec.DecodeError):
        return {}


def _classes(revision: Revision, port: PortRef, outputs: Mapping[PortRef, Batch]) -> tuple[Class, ...]:
    """What boxes are of: the nearest whole numbers before them, one for each, by their names if a reader has them."""
    graph, before = revision.active, [port.node]
    count, found = len(outputs[port].samples[0]), cast("list[int] | None", None)
    for key in before:  # which grows meanwhile
        for other in (other for other in revision.validation.metas if other.node == key and found is None):
            sample = outputs[other].samples[0] if other in outputs and other != port else np.zeros(0)
            if sample.dtype.kind in "iu" and sample.shape[:1] == (count,) and sample.size == count:
                found = cast("list[int]", sample.reshape(-1).tolist())
        if found is not None and (names := label_names(graph.node(key).arguments)):
            return tuple(Class(number, names.get(number, str(number))) for number in found)
        before += [source for source in graph.predecessors(key) if source not in before]
    return tuple(Class(number, str(number)) for number in found or ())


def _seconds(revision: Revision, port: PortRef, batch: Batch) -> Sequence[float]:
    """When the frames of the only sample are shown, if they are those of a file, in order, each changed alone."""
    source = batch.sources[0] if len(batch.sources) else ""
    if not isinstance(source, TimedSource) or (source.seconds < 0).any():
        return ()
    graph, registry, key = revision.active, revision.registry, port.node
    while inputs := graph.inputs(key):
        if not registry.has_trait(graph.node(key).operator, PerFrame) or inputs[0] is None:
            return ()
        key = inputs[0].node
    return source.seconds.tolist()


def may_have_backdrop(revision: Revision, port: PortRef) -> bool:
    """Whether an output may be shown over an image: boxes, points, masks, what comes from outside and may be boxes."""
    kind = kind_of(revision, port)
    role = revision.registry.schema(revision.active.node(port.node).operator).role
    return kind in ("boxes", "points", "mask") or (kind == "any" and role == "external_source")


def image_near(revision: Revision, port: PortRef) -> PortRef | None:
    """The image over which an output is shown, if it is; asked once for a revision."""
    known = revision.near
    if port not in known:
        known[port] = _image_near(revision, port) if may_have_backdrop(revision, port) else None
    return known[port]


def _image_near(revision: Revision, port: PortRef) -> PortRef | None:
    """The image that an output belongs to: the one that was moved as boxes or points were, or the nearest before it.

    Where there is none of both, that is the one which depends on most of what the output depends on: on the same
    reader, the same window, the same coin; of several the one in the same branch, then the one that a mask has most
    operators in common with, since masks may have a reader and draws of their own; and of these the one with the least
    done to it otherwise.
    """
    graph, metas, kind = revision.active, revision.validation.metas, kind_of(revision, port)
    pictures = [other for other in metas if metas[other].kind == "image" and other != port]
    pictures = [other for other in pictures if other.node in revision.computable]
    before = [port.node]
    for key in before:  # which grows meanwhile
        before += [source for source in graph.predecessors(key) if source not in before]
    moved = {one: 0 if kind == "mask" else moved_alike(graph, revision.registry, one, port, kind) for one in pictures}
    nearest = next((one for key in before for one in pictures if one.node == key), None)
    if nearest is not None and not any(moved.values()):
        return nearest
    operators = Counter(graph.node(key).operator for key in before if kind == "mask")
    near: tuple[int, bool, int, int, int, PortRef] | None = None
    branches = Branches(graph, revision.registry)
    there = _branch(revision, branches, port)
    for image in pictures:
        own = graph.reachable([image])
        alike = (operators & Counter(graph.node(key).operator for key in own)).total() if kind == "mask" else 0
        shared = len(own.intersection(before))
        rank = moved[image], _branch(revision, branches, image) == there, shared, alike, -len(own)
        if (moved[image] or shared or alike) and (near is None or rank > near[:5]):
            near = *rank, image
    return near[5] if near else None


def _branch(revision: Revision, branches: Branches, port: PortRef) -> dict[PortRef, int]:
    """The conditions under which there is something at a port."""
    way = way_to(revision.active, port, registry=revision.registry)
    return branches.behind(way, len(way) - 1)


def _are_corners(revision: Revision, port: PortRef) -> bool:
    """Whether boxes are given by two corners: as the nearest operator before them says that is asked how."""
    graph, before = revision.active, [port.node]
    for key in before:  # which grows meanwhile
        node = graph.node(key)
        schema = revision.registry.schema(node.operator)
        for name, corners in _CORNERS.items():
            argument = schema.argument(name)
            if argument is not None:
                return node.arguments.get(name, argument.default) == corners
        before += [source for source in graph.predecessors(key) if source not in before]
    return True
