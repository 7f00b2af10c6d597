"""``fn.cast``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import ENUMERATIONS, NUMERIC
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cuda import pointwise
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import ELEMENTS, T, accept_output, check_cast
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, Choices, Doc
from dali_studio.schema.samples import Case, values
from dali_studio.schema.traits import AnyElement, PerSample, PixelPart, Pointwise


class Cast(Operator):
    """Converts the element type.

    Floats become integers by rounding half away from zero, values beyond the range of the new type saturate,
    not-a-number becomes 0, and anything but 0 becomes true.
    """

    category = "tensor"
    icon = "cast"
    keywords = "convert dtype astype totype"
    inputs = (Input("input"),)
    outputs = (Output("output"),)
    traits = (PerSample, Pointwise, PixelPart, AnyElement)
    devices = ("cpu", "gpu")
    kernels = (compiled("convert", NUMERIC, NUMERIC),)
    examples = (example(dtype="FLOAT"), example(dtype="INT16"), example(dtype="FLOAT16"), example(dtype="BOOL"))

    dtype: Annotated[DALIDataType, Doc("Element type of the output."), Choices(ELEMENTS), COMMON]

    @classmethod
    def samples(cls) -> Sequence[Case]:
        numbers, filters = values(0, 300, -5, 2, dtype=T.INT32), values(0, 1, 3, 2, dtype=T.INTERP_TYPE)
        return [
            *super().samples(),
            *(Case((numbers,), {"dtype": dtype.name}) for dtype in ENUMERATIONS),
            *(Case((filters,), {"dtype": name}) for name in ("UINT8", "BOOL", "DATA_TYPE")),
            Case((filters,), {"dtype": "FLOAT"}, refused=""),
            Case((values(0, 1),), {"dtype": "INTERP_TYPE"}, refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        accept_output(args["dtype"], (*NUMERIC, *ENUMERATIONS))
        check_cast(inputs[0].dtype, args["dtype"])
        return inputs[0].with_(dtype=args["dtype"])

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        return Work(inputs[0].shapes)

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        convert(inputs[0], outputs[0])

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        rows = inputs[0].flat(), outputs[0].flat()
        if rows[0] is not None and rows[1] is not None:
            convert(rows[0], rows[1])
        else:
            for pair in zip(inputs[0].samples, outputs[0].samples, strict=True):
                convert(*pair)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(Cast, work, inputs[0], outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        return pointwise.cast_part()
