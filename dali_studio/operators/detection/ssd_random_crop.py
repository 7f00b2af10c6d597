"""``fn.ssd_random_crop``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.box_crops import MAX_WINDOWS, ssd_crops
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.rows import row_samples
from dali_studio.operators.common import T, check_dtype, image_meta
from dali_studio.operators.detection.common import (
    boxes,
    check_boxes,
    check_counts,
    check_labels,
    check_widths,
    labels,
)
from dali_studio.operators.geometry.movements import RANDOM_WINDOW
from dali_studio.operators.random.places import SeedArgument, places
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc, Range
from dali_studio.schema.samples import Case, images
from dali_studio.schema.traits import RandomSource


class SSDRandomCrop(SeedArgument, Operator):
    """Cuts a random window out of each image, which the boxes overlap as much as a threshold that is drawn demands.

    As `random_bbox_crop`, which also gives the window itself, with the settings of the first SSD. Boxes come back
    relative to the window, without those whose centre is outside.
    """

    path = "ssd_random_crop"
    category = "detection"
    icon = "crop"
    keywords = "bounding boxes ssd detection window"
    inputs = (
        Input("images", "image", layouts="HWC", dtypes=(T.UINT8,)),
        Input("boxes", "boxes", dtypes=(T.FLOAT,), doc="(boxes, 4) float32: left, top, right, bottom, from 0 to 1."),
        Input("labels", "label", dtypes=(T.INT32,), doc="Of the boxes."),
    )
    outputs = (Output("images", "image"), Output("boxes", "boxes"), Output("labels", "label"))
    traits = (RandomSource,)
    seeded = True
    stateful = True
    movement = RANDOM_WINDOW
    examples = (example(), example(num_attempts=20))

    num_attempts: Annotated[
        int, Doc("Windows that are drawn for a threshold, until another is drawn."), Range(1), COMMON
    ] = 1

    @classmethod
    def samples(cls) -> Sequence[Case]:
        counts = (5, 1, 3, 9)
        given = (images(), boxes(counts), labels(counts))
        return [
            *(Case(given, one.arguments) for one in cls.examples),
            *(Case((images(), boxes((1, 2, 1, 1), seed=seed), labels((1, 2, 1, 1))), {"seed": seed})
              for seed in range(4)),
            Case((images(channels=1), *given[1:])),
            Case((images(), boxes(counts), labels((5, 1, 3, 8))), refused=""),
            Case((images(dtype=T.FLOAT), *given[1:]), refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        image, given, marks = inputs
        found = image_meta(image)
        check_dtype(found, (T.UINT8,))
        check_boxes(given)
        check_labels(marks)
        numbers = TensorMeta(T.INT32, 1, marks.layout, "label")
        return found.with_(layout=image.layout), given.with_(kind="boxes"), numbers

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        image, given, marks = inputs
        check_boxes(given.meta)
        check_widths(given.shapes)
        check_labels(marks.meta)
        check_counts(given.shapes, marks.shapes)
        context = args.context
        operand = Operand.of_batch(given)
        windows, table, rows = ssd_crops(
            operand, np.ascontiguousarray(image.shapes[:, :2]), args["num_attempts"], context.seed, places(context),
            context.stream_offset,
        )  # fmt: skip
        if (rows.counts < 0).any():
            raise ArgumentError(
                f"none of {MAX_WINDOWS:,} windows meets what is asked for.",
                hint="Take the sample out of the data set.", sample=int(np.argmax(rows.counts < 0)),
            )  # fmt: skip
        shapes = image.shapes.copy()
        shapes[:, :2] = windows[:, 2:] - windows[:, :2]
        cut = [np.empty(tuple(shape), np.uint8) for shape in shapes.tolist()]
        bounds = windows.tolist()

        def copy(position: int) -> None:
            top, left, bottom, right = bounds[position]
            cut[position][...] = image.samples[position][top:bottom, left:right]

        context.map(copy, len(cut))
        made = Batch.of(cut, image.layout, image.sources, dtype=np.dtype(np.uint8), ndim=3)
        left = Batch.of(row_samples(table, rows.starts, rows.counts), given.layout, given.sources)
        return made, left, rows.of(marks, marks.layout)
