"""``fn.bbox_rotate``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.boxes import MODES, rotate_boxes
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.rows import row_samples
from dali_studio.kernels.cpu.warp import rotated_size
from dali_studio.operators.common import T
from dali_studio.operators.detection.common import (
    boxes,
    check_boxes,
    check_counts,
    check_labels,
    check_widths,
    labels,
)
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, example
from dali_studio.schema.marks import ANY_NUMBER, COMMON, PER_SAMPLE, Choices, Doc, Layout, Range, Start, Ui, Unit
from dali_studio.schema.samples import Case, values
from dali_studio.schema.tolerance import Tolerance


class BBoxRotate(Operator):
    """Turns boxes along with their images, and gives the upright boxes that hold them.

    Like `rotate`, it makes the canvas as large as the image needs, unless `keep_size` or `size` says otherwise. Boxes
    are cut to the canvas; those that lose too much are left out, with their labels.
    """

    path = "bbox_rotate"
    category = "detection"
    icon = "rotate"
    keywords = "bounding boxes turn angle bbox"
    inputs = (
        Input("boxes", "boxes", dtypes=(T.FLOAT,)),
        Input("labels", "label", dtypes=(T.INT32,), optional=True, doc="Of the boxes, (boxes,) or (boxes, 1)."),
    )
    outputs = (Output("boxes", "boxes"), Output("labels", "label", of_input="labels"))
    examples = (
        example(angle=30.0, input_shape=(200, 300)),
        example(angle=-110.0, input_shape=(201, 300), keep_size=True, remove_threshold=0.4),
    )
    tolerance = (
        Tolerance(relative=1e-6, reason="sines are the nearest floats here; those of nvidia.dali may be neighbours"),
    )

    angle: Annotated[
        float, Doc("Of the images' rotation, counter-clockwise."), Unit("deg"), Ui("slider", (-180, 180)), Start(0.0),
        PER_SAMPLE, COMMON,
    ]  # fmt: skip
    input_shape: Annotated[
        list[int], Doc("Shapes of the images before they are turned, such as their shapes()."), Start((480, 640)),
        PER_SAMPLE, ANY_NUMBER, COMMON,
    ]  # fmt: skip
    shape_layout: Annotated[Layout, Doc("What the numbers of input_shape are.")] = Layout("HW")
    keep_size: Annotated[bool, Doc("The canvas is as large as the image."), COMMON] = False
    size: Annotated[
        list[float], Doc("Height and width of the canvas, where rotate is given them."), Unit("px"), PER_SAMPLE,
        ANY_NUMBER,
    ] = []  # noqa: RUF012 - a declaration, read once # fmt: skip
    bbox_layout: Annotated[
        Layout, Doc("xyXY: boxes are left, top, right, bottom; xyWH: x, y, width, height."), Choices(("xyXY", "xyWH"))
    ] = Layout("xyXY")
    bbox_normalized: Annotated[bool, Doc("Coordinates are relative (0 to 1); otherwise in pixels.")] = True
    mode: Annotated[
        str, Doc("Whether a box grows so that it holds what it did, keeps its size, or grows by half of that."),
        Choices(MODES), COMMON,
    ] = "expand"  # fmt: skip
    remove_threshold: Annotated[
        float, Doc("Boxes are left out of which a smaller part is inside the canvas."), Range(0, 1),
        Ui("slider", (0, 1)),
    ] = 0.1  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given, sizes = (boxes(), labels()), boxes(corners=False)
        shape = {"input_shape": (200, 301)}
        angles = values(10, -45, 91.5, 180)
        shapes = values((100, 200, 3), (7, 300, 3), (1, 1, 3), (480, 641, 3), dtype=T.INT64)
        return [
            *(Case(given, one.arguments) for one in cls.examples),
            *(Case((data,), {**shape, "angle": 33.0, "mode": mode, "bbox_layout": layout, "keep_size": keep})
              for data, layout in ((boxes(), "xyXY"), (sizes, "xyWH")) for mode in MODES for keep in (False, True)),
            Case((boxes(), labels(column=True)), {**shape, "angle": angles, "keep_size": True}),
            Case(given, {"angle": angles, "input_shape": shapes, "shape_layout": "HWC"}),
            Case(given, {**shape, "angle": 60.0, "size": (150.5, 99.0), "remove_threshold": 0.9}),
            Case(given, {**shape, "angle": 60.0, "remove_threshold": 1.0}, peer=False, note="its check excludes 1"),
            Case(given, {**shape, "angle": 60.0, "size": values((50, 99), (1, 2), (300, 400), (250, 20))}),
            Case((values(*([[10.0, 20, 100, 150], [0, 0, 300, 200]] * 2,) * 2, label="pixels"),),
                 {**shape, "angle": 25.0, "bbox_normalized": False, "keep_size": True}),
            Case((boxes(),), {"angle": 45.0, "input_shape": (301, 200), "shape_layout": "WH", "mode": "halfway"}),
            Case((boxes(), labels((5, 1, 0, 8))), {**shape, "angle": 3.0}, refused=""),
            Case((boxes(axes=3),), {**shape, "angle": 3.0}, refused=""),
            Case((boxes(),), {**shape, "angle": 3.0, "size": (3.0, 4.0), "keep_size": True}, refused="size"),
            Case((boxes(),), {**shape, "angle": 3.0, "size": 3.0}, refused="size"),
            Case((boxes(),), {**shape, "angle": 3.0, "shape_layout": "HC"}, refused="shape_layout"),
            Case((boxes(),), {"angle": 3.0, "input_shape": 5}, refused="input_shape"),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_boxes(inputs[0])
        for meta in inputs[1:]:
            check_labels(meta)
            if meta.ndim not in (None, 1, 2):
                raise _wrong_labels(f"have {meta.ndim} axes", None)
        if not {"H", "W"} <= set(args["shape_layout"]):
            raise ArgumentError(
                f"the layout {args['shape_layout']!r} has no H or no W.", hint="Name both, such as in HWC.",
                argument="shape_layout",
            )  # fmt: skip
        if args["keep_size"] and args.given("size") and (args.wired("size") or args["size"]):
            raise ArgumentError("keep_size and size exclude each other.", hint="Take one away.", argument="size")
        return tuple(meta.with_(layout="", kind=kind) for meta, kind in zip(inputs, ("boxes", "label"), strict=False))

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        given = inputs[0]
        check_boxes(given.meta)
        check_widths(given.shapes)
        for batch in inputs[1:]:
            check_labels(batch.meta)
            wrong = batch.shapes[:, 1:] != 1
            if wrong.any():
                index = int(np.argmax(wrong.any(axis=1)))
                raise _wrong_labels(f"have the shape {tuple(batch.shapes[index].tolist())}", index)
            check_counts(given.shapes, batch.shapes)
        angles, sizes = args.scalars("angle"), _image_sizes(args)
        table, rows = rotate_boxes(
            Operand.of_batch(given), np.deg2rad(angles), sizes.astype(np.float32), _canvases(args, angles, sizes),
            corners=args["bbox_layout"] == "xyXY", relative=args["bbox_normalized"], mode=args["mode"],
            threshold=args["remove_threshold"],
        )  # fmt: skip
        made = Batch.of(row_samples(table, rows.starts, rows.counts), "", given.sources)
        return (made, *(rows.of(batch) for batch in inputs[1:]))


def _image_sizes(args: Args) -> NDArray[np.int64]:
    """(N, 2) widths and heights of the images."""
    order: str = args["shape_layout"]
    places = [order.index("W"), order.index("H")]
    fed = args.samples("input_shape")
    rows = [np.atleast_1d(np.array(args["input_shape"]))] if fed is None else [np.ravel(sample) for sample in fed]
    for index, row in enumerate(rows):
        if row.size <= max(places) or row.dtype.kind not in "iu":
            raise ArgumentError(
                f"the shape {row.tolist()} is not one of whole numbers with the layout {order!r}.",
                hint="Give the shapes of the images.", argument="input_shape", sample=None if fed is None else index,
                code="DS203",
            )  # fmt: skip
    table = np.array([row[places] for row in rows], np.int64).reshape(-1, 2)
    return table if fed is not None else np.repeat(table, args.count, axis=0)


def _canvases(args: Args, angles: NDArray[np.float32], sizes: NDArray[np.int64]) -> NDArray[np.float32]:
    """(N, 2) widths and heights of the canvases."""
    if args["keep_size"]:
        return sizes.astype(np.float32)
    if args.wired("size") or args["size"]:
        if not args.wired("size") and len(args["size"]) != 2:
            raise ArgumentError(
                f"the size {args['size']} is not two numbers.", hint="Give height and width.", argument="size"
            )
        return np.floor(args.vectors("size", 2))[:, ::-1]
    return rotated_size(angles, sizes[:, 1], sizes[:, 0])[:, ::-1].astype(np.float32)


def _wrong_labels(what: str, sample: int | None) -> ArgumentError:
    return ArgumentError(
        f"the labels {what}; (boxes,) and (boxes, 1) are accepted.", hint="Give one label for each box.",
        sample=sample, code="DS203",
    )  # fmt: skip
