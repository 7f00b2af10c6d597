"""``fn.bb_flip``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.boxes import mirror_boxes
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cuda.points import mirror_boxes_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.operators.detection.common import boxes, check_fours
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc
from dali_studio.schema.samples import Case, tensors, values
from dali_studio.schema.traits import PerSample


class BbFlip(Operator):
    """Mirrors boxes in relative coordinates (0 to 1), along with their images."""

    category = "detection"
    icon = "flip"
    keywords = "bounding boxes mirror bbox"
    inputs = (Input("boxes", "boxes", dtypes=(T.FLOAT,)),)
    outputs = (Output("boxes", "boxes"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    examples = (example(), example(ltrb=True), example(horizontal=0, vertical=1))

    horizontal: Annotated[int, Doc("Mirror left to right, unless it is 0."), PER_SAMPLE, COMMON] = 1
    vertical: Annotated[int, Doc("Mirror top to bottom, unless it is 0."), PER_SAMPLE, COMMON] = 0
    ltrb: Annotated[bool, Doc("Boxes are left, top, right, bottom; otherwise x, y, width, height."), COMMON] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        coins, others = values(0, 1, 1, 0, dtype=T.INT32), values(1, 0, 1, 0, dtype=T.INT32)
        fed = {"horizontal": coins, "vertical": others}
        return [
            *(Case((boxes(corners=one.arguments.get("ltrb", False)),), one.arguments) for one in cls.examples),
            Case((boxes(),), {**fed, "ltrb": True}),
            Case((boxes(corners=False),), fed),
            Case((boxes((1, 200)),), {"ltrb": True, "vertical": 3}),
            Case((tensors(((4,), (8,)), high=1),), {"ltrb": True}),
            Case((tensors(((5, 3), (4, 4)), high=1),), refused=""),
            Case((boxes(),), {"horizontal": values(0.5, 1, 2, 3)}, refused="horizontal"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[0], (T.FLOAT,))
        return inputs[0].with_(layout="", kind="boxes")

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        check_fours(inputs[0])
        flips = {name: args.scalars(name, np.int32) for name in ("horizontal", "vertical")}
        return Work(inputs[0].shapes, {**flips, "ltrb": args["ltrb"]})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        given = np.asarray(inputs[0], order="C")
        _mirror(work, slice(index, index + 1), Operand.of([given]), Operand.of([outputs[0]]))

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        _mirror(work, slice(None), Operand.of_batch(inputs[0]), Operand.of_batch(outputs[0]))

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        flips = params["horizontal"], params["vertical"]
        mirror_boxes_on_gpu(inputs[0], *flips, outputs[0], stream, corners=params["ltrb"])


def _mirror(work: Work, own: slice[Any, Any, Any], given: Operand, out: Operand) -> None:
    params = work.params
    mirror_boxes(given, params["horizontal"][own], params["vertical"][own], out, corners=params["ltrb"])
