"""``fn.random_bbox_crop``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.box_crops import MAX_WINDOWS, NOT_FOUND, OUTSIDE, Rules, random_box_crops
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.rows import row_samples
from dali_studio.operators.common import T
from dali_studio.operators.detection.common import (
    boxes,
    check_boxes,
    check_counts,
    check_labels,
    check_widths,
    labels,
)
from dali_studio.operators.random.places import SeedArgument, places
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Doc, Ignored, Layout, Range, Ui
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.samples import Case, values
from dali_studio.schema.traits import RandomSource

_INDICES = (Output("box_indices", "label"),)
#: Low ends, and high ends or extents, of each axis; axes of sizes.
_LOW, _HIGH, _EXTENT = "xyz", "XYZ", "WHD"


class RandomBBoxCrop(SeedArgument, Operator):
    """Draws a crop window for each image, so that enough of the boxes is in it, and brings the boxes into it.

    Windows are drawn until one has sides of the wanted ratio and the boxes overlap it as one of the `thresholds`, drawn
    anew for each round of `num_attempts`, demands; not to crop is one choice more. Gives where the window begins and
    its size, (x, y) and (width, height), relative to the image, for `slice` and `decoders.image_slice`; boxes in
    relative coordinates of the window, cut to it, without those whose centre is outside; labels, where there are some;
    and numbers of the boxes that are left, with `output_bbox_indices`.
    """

    path = "random_bbox_crop"
    category = "detection"
    icon = "crop"
    keywords = "bounding boxes ssd detection window sample augmentation"
    inputs = (
        Input("boxes", "boxes", dtypes=(T.FLOAT,), doc="(boxes, 4), or (boxes, 6) in space, from 0 to 1."),
        Input("labels", "label", dtypes=(T.INT32,), optional=True, doc="Of the boxes: as many rows."),
    )
    outputs = (
        Output("anchor"), Output("shape"), Output("boxes", "boxes"), Output("labels", "label", of_input="labels"),
    )  # fmt: skip
    traits = (RandomSource,)
    seeded = True
    stateful = True
    examples = (
        example(aspect_ratio=(0.5, 2.0), thresholds=(0.0, 0.1, 0.3, 0.5, 0.7, 0.9), scaling=(0.3, 1.0)),
        example(scaling=(0.4, 0.9), allow_no_crop=False, bbox_layout="xyWH", num_attempts=20),
    )

    aspect_ratio: Annotated[
        list[float],
        Doc("Least and greatest width of the window in terms of its height; in space also of x/z and y/z."),
        Ui("range", (0.25, 4)), COMMON,
    ] = [1.0, 1.0]  # fmt: skip # noqa: RUF012 - declarations, read once
    scaling: Annotated[
        list[float], Doc("Least and greatest length of the window's sides, relative to the image's."),
        Ui("range", (0, 1)), COMMON,
    ] = [1.0, 1.0]  # fmt: skip # noqa: RUF012
    thresholds: Annotated[
        list[float], Doc("What the overlap of boxes and window must reach; one is drawn."), COMMON
    ] = [0.0]  # noqa: RUF012
    threshold_type: Annotated[
        str, Doc('The overlap: "iou" is intersection over union, "overlap" the part of a box inside the window.'),
        Choices(("iou", "overlap")),
    ] = "iou"  # fmt: skip
    all_boxes_above_threshold: Annotated[bool, Doc("All boxes must reach the threshold; otherwise one.")] = True
    allow_no_crop: Annotated[
        bool, Doc("The whole image is one of the choices; windows of a fixed crop_shape exclude it."), COMMON
    ] = True
    num_attempts: Annotated[int, Doc("Windows that are drawn for a threshold, until another is drawn."), Range(1)] = 1
    total_num_attempts: Annotated[
        int,
        Doc("Windows that are drawn in all, until the best so far is taken; -1: as many as needed."),
        Range(-1),
    ] = -1  # fmt: skip
    bbox_prune_threshold: Annotated[
        float | None, Doc("Keep boxes of which this part is inside the window; unset: those whose centre is."),
        Range(0, 1),
    ] = None  # fmt: skip
    bbox_layout: Annotated[
        Layout | None, Doc("Order of the coordinates: xyXY (unset) or xyWH; in space xyzXYZ or xyzWHD.")
    ] = None
    ltrb: Annotated[bool, Doc("Where bbox_layout is unset: boxes are corners; otherwise x, y, width, height.")] = True
    crop_shape: Annotated[
        list[int] | None, Doc("A fixed size of the window in pixels; the window is then given in pixels, too."),
        PER_SAMPLE,
    ] = None  # fmt: skip
    input_shape: Annotated[
        list[int] | None,
        Doc("Sizes of the images in pixels: needed for crop_shape; otherwise ratios of sides are those in pixels."),
        PER_SAMPLE,
    ] = None  # fmt: skip
    shape_layout: Annotated[Layout | None, Doc("Order of these sizes; unset: WH, in space WHD.")] = None
    output_bbox_indices: Annotated[bool, Doc("Give the numbers of the boxes that are left.")] = False
    quiet: Annotated[bool, Ignored("nothing is printed")] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given, sizes = (boxes((5, 1, 3, 9)), labels((5, 1, 3, 9))), boxes((5, 1, 3, 9), corners=False)
        space = boxes((2, 1, 3, 1), axes=3)
        drawn = {"scaling": (0.3, 1.0), "aspect_ratio": (0.5, 2.0), "num_attempts": 7}
        several = {**drawn, "thresholds": (0.0, 0.1, 0.3), "seed": 7}
        shapes = values((300, 200), (100, 400), (50, 50), (640, 480), dtype=T.INT32, label="sizes")
        fixed = {"crop_shape": values((100, 90), (50, 400), (20, 10), (300, 200), dtype=T.INT32), "num_attempts": 3}
        fixed = {**fixed, "input_shape": shapes}
        limited = {"total_num_attempts": 40, "allow_no_crop": False}
        return [
            *(Case((boxes((5, 1, 3, 9), corners="bbox_layout" not in one.arguments),), one.arguments)
              for one in cls.examples),
            Case(given, several),
            Case(given, {**several, "output_bbox_indices": True}),
            Case(given[:1], {**several, "output_bbox_indices": True, "ltrb": True}),
            Case((boxes((5, 1, 3, 9)), labels((5, 1, 3, 9), column=True)), several),
            Case((sizes,), {**several, "ltrb": False}),
            Case((sizes,), {**several, "bbox_layout": "xyWH"}),
            Case(given, {**several, "bbox_layout": "yxYX"}),
            Case(given),
            *(Case(given, {**several, **limited, "threshold_type": kind, "all_boxes_above_threshold": every,
                           "thresholds": (0.2, 0.6)})
              for kind in ("iou", "overlap") for every in (True, False)),
            *(Case(given, {**several, "bbox_prune_threshold": part}) for part in (0.0, 0.3, 1.0)),
            *(Case(given, {**several, "input_shape": shapes, "aspect_ratio": ratio})
              for ratio in ((0.9, 1.4), (1.5, 1.5))),
            *(Case(given, {"scaling": (0.3, 0.9), "aspect_ratio": (ratio, ratio), "num_attempts": 50})
              for ratio in (1.0, 2.0, 0.3)),
            Case(given, fixed),
            Case(given, {**fixed, "shape_layout": "WH", "allow_no_crop": False}),
            Case(given, {"crop_shape": (90, 100), "input_shape": (200, 300), "shape_layout": "HW"}),
            Case((space,), {"scaling": (0.5, 1.0), "aspect_ratio": (0.5, 2.0), "num_attempts": 4}),
            Case((space,), {"scaling": (0.5, 1.0), "aspect_ratio": (2.0, 2.0, 0.1, 9.0, 0.1, 9.0), **limited}),
            Case((space,), {"scaling": (0.5, 1.0), "bbox_layout": "zyxZYX", "aspect_ratio": (0.5, 2.0)}),
            Case((boxes((0, 2, 0, 1)),), {"allow_no_crop": True, "scaling": (0.3, 1.0), "thresholds": (0.0, 0.2)}),
            Case((boxes((5, 1, 3, 9)), labels((5, 1, 3, 8))), several, refused=""),
            Case((values([[0.5, 0.5, 1.5, 1.0]], label="outside"),), several, refused=""),
            Case(given, {"crop_shape": (9, 9)}, refused="input_shape"),
            Case(given, {**fixed, "allow_no_crop": True}, refused="allow_no_crop"),
            Case(given, {**fixed, "scaling": (0.3, 1.0)}, refused="scaling"),
            Case(given, {"crop_shape": (9, 9, 9), "input_shape": (20, 20, 20)}, refused="crop_shape"),
            *(Case(given, {"bbox_layout": layout}, refused="bbox_layout") for layout in ("xyXH", "")),
            Case(given, {"bbox_layout": "xyXY", "ltrb": False}, refused="ltrb"),
            Case(given, {"aspect_ratio": (2.0, 1.0)}, refused="aspect_ratio"),
            Case(given, {"scaling": (0.5,)}, refused="scaling"),
            Case(given, {"thresholds": (0.5, 1.5)}, refused="thresholds"),
            Case(given, {"thresholds": (1.0,), "scaling": (0.1, 0.2), "allow_no_crop": False}, refused="thresholds"),
            Case((boxes((3, 4), axes=4),), refused=""),
        ]  # fmt: skip

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        return (*schema.outputs, *(_INDICES if values.get("output_bbox_indices") else ()))

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_boxes(inputs[0])
        for meta in inputs[1:]:
            check_labels(meta)
        _check_ranges(args)
        _check_sizes(args)
        if args.given("ltrb") and args.given("bbox_layout"):
            raise _refused("ltrb", "ltrb and bbox_layout are both given.", "Give bbox_layout alone.")
        window = TensorMeta(T.FLOAT, 1, "")
        labels_of = [meta.with_(layout="", kind="label") for meta in inputs[1:]]
        metas = [window, window, TensorMeta(T.FLOAT, 2, "", "boxes"), *labels_of]
        if args["output_bbox_indices"]:
            metas.append(TensorMeta(T.INT32, 1, "", "label"))
        return tuple(metas)

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        given, *marks = inputs
        check_boxes(given.meta)
        check_widths(given.shapes, (4, 6))
        for batch in marks:
            check_labels(batch.meta)
            check_counts(given.shapes, batch.shapes)
        if not len(given):
            return _nothing(args, inputs)
        axes = int(given.shapes[0, 1]) // 2
        context = args.context
        made = random_box_crops(
            Operand.of_batch(given), axes, _rules(args, axes), context.seed, places(context),
            crops=_sizes(args, "crop_shape", axes), images=_sizes(args, "input_shape", axes),
            origin=context.stream_offset,
        )  # fmt: skip
        _check_found(made.rows.counts)
        left = Batch.of(row_samples(made.boxes, made.rows.starts, made.rows.counts), "", given.sources)
        results = [Batch.of_array(made.anchors), Batch.of_array(made.sizes), left, *map(made.rows.of, marks)]
        if args["output_bbox_indices"]:
            numbers = made.rows.picked.astype(np.int32)
            results.append(Batch.of(row_samples(numbers, made.rows.starts, made.rows.counts)))
        return tuple(results)


def _nothing(args: Args, inputs: Sequence[Batch]) -> tuple[Batch, ...]:
    """The results for no samples."""
    metas = RandomBBoxCrop.infer(args, *(batch.meta for batch in inputs))
    return tuple(Batch.of([], dtype=to_numpy(meta.dtype or T.FLOAT), ndim=meta.ndim) for meta in metas)


def _check_found(counts: NDArray[np.int64]) -> None:
    if not (counts < 0).any():
        return
    index = int(np.argmax(counts < 0))
    if counts[index] == OUTSIDE:
        raise ArgumentError(
            "a box reaches beyond 0 to 1.",
            hint="Give relative coordinates, such as those of a reader with ratio=True.", sample=index, code="DS203",
        )  # fmt: skip
    assert counts[index] == NOT_FOUND
    raise ArgumentError(
        f"none of {MAX_WINDOWS:,} windows meets what is asked for.",
        hint="Lower the thresholds, widen scaling and aspect_ratio, set allow_no_crop, or give total_num_attempts.",
        argument="thresholds", sample=index,
    )  # fmt: skip


def _refused(argument: str, message: str, hint: str) -> ArgumentError:
    return ArgumentError(message, hint=hint, argument=argument)


def _check_ranges(args: Args) -> None:
    for name, lengths in (("aspect_ratio", (2, 6)), ("scaling", (2,))):
        row: Sequence[float] = args[name]
        pairs = list(zip(row[::2], row[1::2], strict=False))
        if len(row) not in lengths or not all(0 <= low <= high < math.inf for low, high in pairs):
            raise _refused(
                name, f"{list(row)} is no range.", "Give the least and the greatest number, 0 or more; in space one "
                "such pair, or aspect_ratio three.",
            )  # fmt: skip
    thresholds: Sequence[float] = args["thresholds"]
    if not thresholds or not all(0 <= one <= 1 for one in thresholds):
        message = f"the thresholds are {list(thresholds)}."
        raise _refused("thresholds", message, "Give numbers from 0 to 1, at least one.")
    if args["total_num_attempts"] == 0:
        raise _refused("total_num_attempts", "no attempt is allowed.", "Give 1 or more, or -1 for as many as needed.")


def _check_sizes(args: Args) -> None:
    if not args.given("crop_shape"):
        return
    if not args.given("input_shape"):
        raise _refused("input_shape", "crop_shape is given without input_shape.", "Give the sizes of the images.")
    for name in ("aspect_ratio", "scaling"):
        if args.given(name):
            raise _refused(name, f"{name} and crop_shape are both given.", "Take one away: crop_shape fixes the size.")
    if args.given("allow_no_crop") and args["allow_no_crop"]:
        raise _refused("allow_no_crop", "crop_shape fixes the size, so that each image is cropped.", "Take it away.")


def _rules(args: Args, axes: int) -> Rules:
    usual = _LOW[:axes] + (_HIGH if args["ltrb"] else _EXTENT)[:axes]
    layout: str = args["bbox_layout"] if args.given("bbox_layout") else usual
    orders = [_LOW[:axes] + high[:axes] for high in (_HIGH, _EXTENT)]
    names = next((order for order in orders if sorted(order) == sorted(layout)), "")
    if not names:
        raise _refused(
            "bbox_layout", f"{layout!r} does not order the {2 * axes} numbers of the boxes.",
            f"Order the letters of {_LOW[:axes]}{_HIGH[:axes]} or {_LOW[:axes]}{_EXTENT[:axes]}.",
        )  # fmt: skip
    ratios = np.array(args["aspect_ratio"], np.float32)
    if len(ratios) == 6 and axes == 2:
        raise _refused("aspect_ratio", "six numbers are given for boxes in the plane.", "Give two.")
    return Rules(
        layout=tuple(layout.index(letter) for letter in names), corners=names.endswith(_HIGH[:axes]),
        thresholds=np.array(args["thresholds"], np.float32),
        allow_none=args["allow_no_crop"] and not args.given("crop_shape"), ratios=ratios,
        scaling=np.array(args["scaling"], np.float32), attempts=(args["num_attempts"], args["total_num_attempts"]),
        by_overlap=args["threshold_type"] == "overlap", all_boxes=args["all_boxes_above_threshold"],
        prune=args["bbox_prune_threshold"],
    )  # fmt: skip


def _sizes(args: Args, name: str, axes: int) -> NDArray[np.int32] | None:
    """(N, axes) sizes, x first."""
    if not args.given(name):
        return None
    order: str = args["shape_layout"] or _EXTENT[:axes]
    if sorted(order) != sorted(_EXTENT[:axes]):
        raise _refused("shape_layout", f"{order!r} does not name {axes} sizes.", f"Order {', '.join(_EXTENT[:axes])}.")
    fed = args.samples(name)
    rows: Sequence[Any] = [args[name]] if fed is None else fed
    wrong = next((index for index, row in enumerate(rows) if np.size(row) != axes), None)
    if wrong is not None:
        raise ArgumentError(
            f"{np.size(rows[wrong])} numbers are given for {axes} axes.",
            hint=f"Give {axes} numbers.", argument=name, sample=None if fed is None else wrong, code="DS203",
        )  # fmt: skip
    table = args.vectors(name, axes, np.int32)
    if not (table > 0).all():
        index = int(np.argmax((table <= 0).any(axis=1)))
        raise ArgumentError(
            f"the size {table[index].tolist()} has no pixels.", hint="Give 1 or more.", argument=name,
            sample=None if fed is None else index,
        )  # fmt: skip
    return np.ascontiguousarray(table[:, [order.index(letter) for letter in _EXTENT[:axes]]])
