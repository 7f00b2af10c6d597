"""``fn.erase``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda import erase as boxes_of
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.axes import axes_by_letter, axes_by_number
from dali_studio.operators.common import T, as_written, check_dtype
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Layout
from dali_studio.schema.samples import PARTLY_EMPTY, Case, images, tensors, values
from dali_studio.schema.traits import PerSample, PixelPart

_TYPES = tuple(t for t in NUMERIC if t not in (T.BOOL, T.FLOAT64))


class Erase(Operator):
    """Fills boxes of an image, or of any tensor, with a value.

    Element i of an axis is erased where ``int(anchor) <= i < int(anchor + shape)``. Axes that are not named are covered
    whole; without `axis_names` and `axes` all but C are named. Several boxes come one after the other:
    ``anchor=(y0, x0, y1, x1)``.
    """

    category = "effects"
    icon = "cut"
    keywords = "cutout randomerasing mask box hole occlude"
    inputs = (Input("input", doc="Of any layout."),)
    outputs = (Output("output"),)
    traits = (PerSample, PixelPart)
    devices = ("cpu", "gpu")
    shown = example(anchor=(0.25, 0.3), shape=(0.4, 0.35), axis_names="HW", normalized=True)
    examples = (
        example(anchor=(10.0, 12.0), shape=(20.0, 15.0), axis_names="HW", fill_value=(10.0, 250.0, 120.0)),
        example(anchor=(0.5, 0.25), shape=(0.4, 0.3), axis_names="WH", normalized=True, centered_anchor=True),
        example(anchor=(1.0, 8.5), shape=(3.0, 4.6), axes=(1,), fill_value=7.0),
    )

    anchor: Annotated[
        list[float], Doc("Where each box begins, one number for each named axis, box after box."), PER_SAMPLE, COMMON
    ] = []  # noqa: RUF012 - a declaration, read once
    shape: Annotated[list[float], Doc("Extents of each box, in the same order."), PER_SAMPLE, COMMON] = []  # noqa: RUF012
    axis_names: Annotated[
        Layout | None, Doc("Axes of anchor and shape, as letters of the layout. It goes before axes."), COMMON
    ] = None
    axes: Annotated[list[int] | None, Doc("Axes of anchor and shape, as numbers.")] = None
    fill_value: Annotated[list[float], Doc("What boxes are filled with: one value, or one for each channel."),
                          PER_SAMPLE, COMMON] = [0.0]  # noqa: RUF012  # fmt: skip
    normalized: Annotated[bool, Doc("anchor and shape count in extents of the input.")] = False
    normalized_anchor: Annotated[bool, Doc("anchor counts in extents of the input.")] = False
    normalized_shape: Annotated[bool, Doc("shape counts in extents of the input.")] = False
    centered_anchor: Annotated[bool, Doc("anchor is the centre of a box.")] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        box = {"anchor": (2.0, 3.0), "shape": (4.0, 5.0)}
        named = {**box, "axis_names": "HW"}
        sizes = ((20, 17), (9, 31))
        some = images(sizes)
        return [
            Case((images(PARTLY_EMPTY),), box),
            *(Case((images(dtype=dtype),), one.arguments) for one in cls.examples for dtype in _TYPES),
            *(Case((images(sizes, layout=layout),), named)
              for layout in ("CHW", "HW", "DHWC", "FHWC", "FCHW", "CDHW", "FDHWC")),
            Case((some,), {**box, "shape": (-1.0, 5.0)}),
            Case((some,), {"anchor": (-2.5, -3.0, 4.7, 10.3, 70.0, 2.0), "shape": (4.0, 5.0, 9.6, 90.0, 1.0, 1.0)}),
            Case((some,), {**box, "fill_value": -3.7}),
            Case((images(sizes, T.FLOAT16),), {**box, "fill_value": 1e6}),
            Case((some,), {"anchor": (0.15, 0.3), "shape": (3.3, 4.9), "normalized_anchor": True}),
            Case((some,), {"anchor": (5.4, 6.6), "shape": (0.3, 0.2), "normalized_shape": True,
                           "centered_anchor": True}),
            Case((some,), {"shape": (4.0, 5.0)}),
            Case((some,), {}),
            Case((images(((1, 1), (1, 7), (6, 1), (3, 5))),), {"anchor": (0.0, 2.0), "shape": (1.0, 2.0)}),
            Case((images(sizes, channels=5),), {"anchor": (1.0,), "shape": (2.0,), "axis_names": "C"}),
            Case((images(sizes, layout="FHWC"),), {"anchor": (1.0, 2.0), "shape": (1.0, 4.0), "axis_names": "FW"}),
            Case((tensors(((7,), (1,), (0,), (130,)), layout="X"),), {"anchor": (1.0,), "shape": (2.0,)}),
            Case((tensors(((4, 5), (2, 3))),), {**box, "axes": (1, 0)}),
            Case((tensors(((4, 5), (2, 3))),), {"anchor": (1.0, 1.0), "shape": (2.0, 1.0)}, peer=False, note="crashes"),
            Case((some,), {
                "anchor": values([2.0, 3.0], [0.0, 1.0, 5.0, 6.5]), "shape": values([4.0, 5.0], [3.0, 3.0, 2.0, 2.0]),
                "fill_value": values([4.0, 5.0, 6.0], [1.0, 2.0, 3.0]),
            }),
            Case((some,), {**box, "fill_value": values([1.0], [1.0, 2.0, 3.0])}, peer=False, note="ragged"),
            Case((images(dtype=T.BOOL),), box, refused=""),
            Case((some,), {"shape": values([4.0, 5.0], [3.0, 3.0])}, refused="anchor", note="no anchor for fed boxes"),
            Case((some,), {"anchor": (2.0,), "shape": (4.0, 5.0)}, refused="anchor"),
            Case((some,), {"anchor": (2.0, 1.0, 3.0), "shape": (4.0, 5.0, 3.0)}, refused="anchor"),
            Case((some,), {**box, "axis_names": "HX"}, refused="axis_names"),
            Case((some,), {"anchor": (1.0,), "shape": (2.0,), "axes": (-2,)}, peer=False,
                 note="nvidia.dali writes beyond its tables"),
            Case((some,), {**box, "axes": (0, 3)}, refused="axes"),
            Case((some,), {**box, "axes": (0, 0)}, refused="axes"),
            Case((some,), {**box, "fill_value": (1.0, 2.0)}, refused="fill_value"),
            Case((images(sizes, layout="HW"),), {**box, "fill_value": (1.0, 2.0, 3.0)}, refused="fill_value"),
            Case((some,), {**box, "normalized": True, "normalized_shape": True}, refused="normalized"),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        if args.given("normalized") and (args.given("normalized_anchor") or args.given("normalized_shape")):
            raise ArgumentError(
                "normalized is given beside normalized_anchor or normalized_shape.", hint="Give it, or the others.",
                argument="normalized",
            )  # fmt: skip
        if meta.layout is not None and meta.ndim is not None:
            axes = _axes(args, meta)
            if not args.wired("anchor") and not args.wired("shape"):
                _check_lengths(len(args["anchor"]), len(args["shape"]), len(axes), None)
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        (data,) = inputs
        axes = _axes(args, data.meta)
        channels = data.layout.find("C")
        fills = _fills(args, data, channels)
        boxes, firsts = _boxes(args, data.shapes, axes)
        return Work(data.shapes, {
            "boxes": boxes, "firsts": firsts, "fills": fills, "channels": channels if fills.shape[1] > 1 else -1,
            "axis": channels,
        })  # fmt: skip

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params, out = work.params, outputs[0]
        out[...] = inputs[0]
        fill, axis = params["fills"][index], params["channels"]
        if axis >= 0:
            fill = fill[: out.shape[axis]].reshape(-1, *(1,) * (out.ndim - 1 - axis))
        first, end = params["firsts"][index : index + 2].tolist()
        for box in params["boxes"][first:end].tolist():
            chosen = tuple(slice(begin, end) for begin, end in box)
            out[chosen] = fill[chosen[axis]] if axis >= 0 else fill[0]

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params, (data,), (out,) = work.params, inputs, outputs
        if data.layout in ("HWC", "CHW"):
            run_alone(Erase, work, data, out, stream)
        else:
            boxes_of.erase(data, out, params["boxes"], params["firsts"], params["fills"], params["channels"], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part | None:
        params = work.params
        if image.layout not in ("HWC", "CHW"):
            return None
        count = int(image.shapes[:, params["axis"]].max(initial=1))
        fills = params["fills"] if params["channels"] >= 0 else np.repeat(params["fills"], count, axis=1)
        return boxes_of.erase_part(params["boxes"], params["firsts"], fills, image.layout)


def _axes(args: Args, meta: TensorMeta) -> tuple[int, ...]:
    """The axes that `anchor` and `shape` have numbers for."""
    ndim, layout = meta.ndim or 0, meta.layout or ""
    if args.given("axis_names"):
        return axes_by_letter(args["axis_names"], meta, "axis_names")
    if args.given("axes"):
        return axes_by_number(args["axes"], ndim, "axes")
    return tuple(axis for axis in range(ndim) if layout[axis : axis + 1] != "C")


def _check_lengths(anchors: int, extents: int, axes: int, sample: int | None) -> None:
    """Refuse what does not fit together; without an anchor, boxes of a constant shape begin at 0."""
    if ((anchors or sample is not None) and anchors != extents) or (extents % axes if axes else extents):
        raise ArgumentError(
            f"anchor has {anchors} numbers and shape {extents}, for {axes} axes.",
            hint="Give as many of each: one number for each axis, or for each axis of each box; or name the axes.",
            argument="anchor", sample=sample,
        )  # fmt: skip


def _lists(args: Args, name: str) -> list[NDArray[np.float32]]:
    """The numbers of a list argument for each sample."""
    fed = args.samples(name)
    if fed is None:
        return [np.asarray(args[name], np.float32)] * args.count
    return [np.atleast_1d(sample).ravel().astype(np.float32) for sample in fed]


def _boxes(
    args: Args, shapes: NDArray[np.int64], axes: tuple[int, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Begin and end of each axis of all boxes, (K, ndim, 2), inside the data, and the first box of each sample."""
    anchors, extents = _lists(args, "anchor"), _lists(args, "shape")
    fed = args.wired("anchor") or args.wired("shape")
    lengths = np.array([len(one) for one in extents], np.int64)
    for index, (anchor, extent) in enumerate(zip(anchors, extents, strict=True)):
        _check_lengths(len(anchor), len(extent), len(axes), index if fed else None)
        if not len(anchor):
            anchors[index] = np.zeros_like(extent)
    counts = lengths // max(len(axes), 1)
    of_sample = np.repeat(np.arange(len(shapes)), counts)
    boxes = np.zeros((len(of_sample), shapes.shape[1], 2), np.int64)
    boxes[:, :, 1] = shapes[of_sample]
    if len(of_sample):
        sizes = shapes[of_sample][:, axes].astype(np.float32)
        begin, size = (np.concatenate(rows).reshape(-1, len(axes)) for rows in (anchors, extents))
        if args["normalized"] or args["normalized_anchor"]:
            begin = begin * sizes
        if args["normalized"] or args["normalized_shape"]:
            size = size * sizes
        if args["centered_anchor"]:
            begin = begin - size / np.float32(2)
        ends = np.stack([begin, begin + size], axis=2)
        # what is no number erases nothing
        whole = np.trunc(np.clip(np.nan_to_num(ends, nan=0.0), 0, sizes[:, :, None])).astype(np.int64)
        boxes[:, list(axes)] = np.where(np.isnan(ends).any(axis=2, keepdims=True), 0, whole)
    return boxes, np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def _fills(args: Args, data: Batch, channels: int) -> NDArray[Any]:
    """(N, 1) values of the data's type, or (N, C) where a sample has one for each channel."""
    rows = _lists(args, "fill_value")
    fed = args.wired("fill_value")
    for index, row in enumerate(rows):
        wanted = int(data.shapes[index, channels]) if channels >= 0 else 1
        if len(row) not in (1, wanted):
            raise ArgumentError(
                f"{len(row)} values are given for "
                + (f"{wanted} channels." if channels >= 0 else "data without an axis C."),
                hint="Give one value, or one for each channel.", argument="fill_value", sample=index if fed else None,
            )  # fmt: skip
    width = max((len(row) for row in rows), default=1)
    if width > 1:
        width = int(data.shapes[:, channels].max(initial=1))
    table = np.zeros((len(rows), width))
    for made, row in zip(table, rows, strict=True):
        made[: len(row) if len(row) > 1 else width] = row
    return as_written(table, data.dtype)
