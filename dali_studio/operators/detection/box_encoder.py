"""``fn.box_encoder``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.boxes import anchor_table, encode_boxes
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cuda.anchors import encode_boxes_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
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
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc, Length, Range, Start, Ui
from dali_studio.schema.samples import Case, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample

_ANCHORS = (0.1, 0.1, 0.5, 0.5, 0.4, 0.3, 0.9, 0.8, 0.0, 0.0, 1.0, 1.0)
_MANY = tuple(
    np.concatenate([low := np.random.default_rng(1).uniform(0, 0.7, (300, 2)), low + 0.3], axis=1).ravel().tolist()
)


class BoxEncoder(Operator):
    """Matches boxes with anchors (default boxes), as single-shot detectors (SSD) are trained with.

    Gives a box and a label for each anchor, (anchors, 4) float32 and (anchors,) int32. An anchor gets the box that
    overlaps it most, if intersection over union is more than `criteria`, and each box has at least the anchor that it
    overlaps most; other anchors stay as they are, with the label 0. Boxes are given as centre and size, or with
    `offset` as what a network is to predict: their distance from the anchor, and 0 where there is none.
    """

    category = "detection"
    icon = "boxes"
    keywords = "ssd anchors default boxes match encode bounding"
    inputs = (
        Input("boxes", "boxes", dtypes=(T.FLOAT,), doc="(boxes, 4) float32: left, top, right, bottom."),
        Input("labels", "label", dtypes=(T.INT32,), doc="(boxes,) or (boxes, 1)."),
    )
    outputs = (Output("encoded_boxes"), Output("encoded_labels", "label"))
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    examples = (example(anchors=_ANCHORS), example(anchors=_ANCHORS, offset=True, criteria=0.3))
    tolerance = (Tolerance(relative=2e-7, reason="logarithms are the nearest floats here"),)

    anchors: Annotated[
        list[float], Doc("The anchors: left, top, right and bottom of each."), Start((0.0, 0.0, 1.0, 1.0)), COMMON
    ]
    criteria: Annotated[
        float, Doc("Boxes and anchors match beyond this overlap (intersection over union)."), Range(0, 1),
        Ui("slider", (0, 1)), COMMON,
    ] = 0.5  # fmt: skip
    offset: Annotated[bool, Doc("Give distances from the anchors, and logarithms of sizes."), COMMON] = False
    scale: Annotated[float, Doc("With offset: factor of all coordinates, before distances are taken.")] = 1.0
    means: Annotated[
        list[float], Doc("With offset: what is subtracted, of x, y, width and height."), Length((4,))
    ] = [0.0, 0.0, 0.0, 0.0]  # noqa: RUF012 - declarations, read once
    stds: Annotated[list[float], Doc("With offset: what is divided by after that."), Length((4,))] = [1.0] * 4

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = (boxes(), labels())
        offset = {"offset": True, "means": (0.1, -0.2, 0.05, 0.0), "stds": (0.1, 0.1, 0.2, 0.2), "scale": 300.0}
        return [
            *(Case(given, one.arguments) for one in cls.examples),
            *(Case(given, {"anchors": _MANY, "criteria": criteria, **more}) for criteria in (0.0, 0.2, 0.5)
              for more in ({}, offset)),
            Case((boxes(), labels(column=True)), {"anchors": _MANY}),
            Case((boxes((300, 2)), labels((300, 2))), {"anchors": _MANY, **offset}),
            Case((values(*([[0.1, 0.1, 0.5, 0.5]] * 2, [[0.2, 0.2, 0.2, 0.6]]), label="ties"), labels((2, 1))),
                 {"anchors": _ANCHORS * 2}),
            Case(given, {"anchors": (0.1, 0.2)}, refused="anchors"),
            Case(given, {"anchors": _ANCHORS, "stds": (1.0, 0.0, 1.0, 1.0)}, refused="stds"),
            Case((boxes(), labels((5, 1, 0, 8))), {"anchors": _ANCHORS}, refused=""),
            Case((boxes(axes=3), labels()), {"anchors": _ANCHORS}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_boxes(inputs[0])
        check_labels(inputs[1])
        count = len(args["anchors"] or ())
        if not count or count % 4:
            raise ArgumentError(
                f"{count} numbers are given, which are no anchors.", hint="Give four numbers for each anchor.",
                argument="anchors",
            )  # fmt: skip
        if 0 in (args["stds"] or ()):
            raise ArgumentError("a deviation is 0.", hint="Give numbers that can be divided by.", argument="stds")
        return TensorMeta(T.FLOAT, 2, ""), TensorMeta(T.INT32, 1, "", "label")

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        given, marks = inputs
        check_boxes(given.meta)
        check_labels(marks.meta)
        check_widths(given.shapes)
        check_counts(given.shapes, marks.shapes)
        anchors = args.memory.get(_ANCHOR_TABLE)
        if anchors is None:
            anchors = args.memory[_ANCHOR_TABLE] = anchor_table(args["anchors"])
        count, samples = anchors.shape[1], len(given)
        options = {name: args[name] for name in ("criteria", "offset", "scale")}
        options |= {"means": np.array(args["means"], np.float32), "deviations": np.array(args["stds"], np.float32)}
        shapes = np.tile(np.array([count, 4], np.int64), (samples, 1))
        return Work(shapes, {"anchors": anchors, "options": options}, (shapes[:, :1],))

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        arrays = [np.asarray(array, order="C") for array in inputs]
        given, marks = (Operand.of([array]) for array in arrays)
        _encode(work, given, marks, *(Operand.of([array]) for array in outputs))

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        _encode(work, *(Operand.of_batch(batch) for batch in (*inputs, *outputs)))

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        given, marks, out, out_marks = *inputs, *outputs
        encode_boxes_on_gpu(given, marks, work.params["anchors"], out, out_marks, stream, **work.params["options"])


#: Where the anchors are kept, ordered for the kernel.
_ANCHOR_TABLE = object()


def _encode(work: Work, given: Operand, marks: Operand, out: Operand, out_marks: Operand) -> None:
    anchors: NDArray[np.float32] = work.params["anchors"]
    encode_boxes(given, marks, anchors, out, out_marks, **work.params["options"])
