"""``fn.cast``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cuda import pointwise
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import accept_output
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import BatchView, Work
from dali_studio.schema.declare import Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.traits import PerSample, PixelPart, Pointwise


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
    traits = (PerSample, Pointwise, PixelPart)
    devices = ("cpu", "gpu")
    kernels = (compiled("convert", NUMERIC, NUMERIC),)
    examples = (example(dtype="FLOAT"), example(dtype="INT16"), example(dtype="FLOAT16"), example(dtype="BOOL"))

    dtype: Annotated[DALIDataType, Doc("Element type of the output."), COMMON]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        accept_output(args["dtype"], NUMERIC)
        return inputs[0].with_(dtype=args["dtype"])

    @staticmethod
    def plan(args: Args, *inputs: BatchView) -> Work:
        return Work(inputs[0].shapes)

    @staticmethod
    def cpu(work: Work, index: int, *arrays: NDArray[Any], **options: Any) -> None:
        convert(*arrays)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[DeviceBatch], output: DeviceBatch, stream: GpuStream) -> None:
        run_alone(Cast, work, inputs[0], output, stream)

    @staticmethod
    def part(work: Work, image: BatchView, dtype: np.dtype[Any]) -> Part:
        return pointwise.cast_part()
