"""``fn.bbox_paste``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.boxes import paste_boxes
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.operators.common import T, check_dtype
from dali_studio.operators.detection.common import boxes, check_fours
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Start, Ui
from dali_studio.schema.samples import Case, tensors, values
from dali_studio.schema.traits import PerSample


class BBoxPaste(Operator):
    """Moves boxes in relative coordinates along with images that are pasted onto a larger canvas (`paste`)."""

    path = "bbox_paste"
    category = "detection"
    icon = "boxes"
    keywords = "bounding boxes canvas zoom out expand"
    inputs = (Input("boxes", "boxes", dtypes=(T.FLOAT,)),)
    outputs = (Output("boxes", "boxes"),)
    traits = (PerSample,)
    examples = (example(ratio=2.5), example(ratio=1.3, paste_x=0.1, paste_y=0.9, ltrb=True))

    ratio: Annotated[
        float, Doc("Width of the canvas in terms of the image's; 1 or more."), Ui("slider", (1, 4)), Start(1.0),
        PER_SAMPLE, COMMON,
    ]  # fmt: skip
    paste_x: Annotated[
        float, Doc("Where the image lies: 0 at the left, 1 at the right."), Ui("slider", (0, 1)), PER_SAMPLE, COMMON
    ] = 0.5
    paste_y: Annotated[
        float, Doc("Where the image lies: 0 at the top, 1 at the bottom."), Ui("slider", (0, 1)), PER_SAMPLE, COMMON
    ] = 0.5
    ltrb: Annotated[bool, Doc("Boxes are left, top, right, bottom; otherwise x, y, width, height."), COMMON] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        ratios, places = values(1, 1.7, 2, 3.3), values(1, 0.3, 0, 1)
        return [
            *(Case((boxes(corners=one.arguments.get("ltrb", False)),), one.arguments) for one in cls.examples),
            Case((boxes(),), {"ratio": ratios, "paste_x": places, "paste_y": values(0, 1, 1, 0.2), "ltrb": True}),
            Case((boxes(corners=False),), {"ratio": ratios, "paste_x": places}),
            Case((boxes((1, 200)),), {"ltrb": True, "ratio": 1.0, "paste_x": 1.0, "paste_y": 1.0}),
            Case((tensors(((4,), (8,)), high=1),), {"ratio": 2.0}),
            Case((tensors(((5, 3), (4, 4)), high=1),), {"ratio": 2.0}, refused=""),
            Case((boxes(),), {"ratio": values(1, 2, 0, 3)}, refused="ratio"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[0], (T.FLOAT,))
        return inputs[0].with_(layout="", kind="boxes")

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        check_fours(inputs[0])
        ratios = args.scalars("ratio")
        small = ~(ratios > 0)
        if small.any():
            index = int(np.argmax(small))
            raise ArgumentError(
                f"the ratio is {ratios[index]:g}.", hint="Give 1 or more.", argument="ratio",
                sample=index if args.wired("ratio") else None,
            )  # fmt: skip
        places = {name: args.scalars(name) for name in ("paste_x", "paste_y")}
        return Work(inputs[0].shapes, {"ratio": ratios, **places, "ltrb": args["ltrb"]})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        given = np.asarray(inputs[0], order="C")
        _paste(work, slice(index, index + 1), Operand.of([given]), Operand.of([outputs[0]]))

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        _paste(work, slice(None), Operand.of_batch(inputs[0]), Operand.of_batch(outputs[0]))


def _paste(work: Work, own: slice[Any, Any, Any], given: Operand, out: Operand) -> None:
    params = work.params
    places = params["paste_x"][own], params["paste_y"][own]
    paste_boxes(given, params["ratio"][own], places, out, corners=params["ltrb"])
