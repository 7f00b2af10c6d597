"""``fn.shapes``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.convert import convert
from dali_studio.operators.common import T, accept_output
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, Deprecated, Doc, Refused
from dali_studio.schema.traits import SpansIterations

_TYPES = (T.INT64, T.INT32, T.UINT64, T.UINT32, T.FLOAT, T.FLOAT64)


class Shapes(Operator):
    """The extents of each sample, as a row of numbers.

    Only the shapes are read, wherever the data lies, and the result is on the CPU.
    """

    category = "tensor"
    icon = "ruler"
    keywords = "size extent dimensions shape"
    inputs = (Input("input", shape_only=True),)
    outputs = (Output("shape", on_cpu=True),)
    traits = (SpansIterations,)
    devices = ("cpu", "gpu")
    kernels = (compiled("convert", (T.INT64,), _TYPES),)
    examples = (example(), example(dtype="FLOAT"))

    dtype: Annotated[DALIDataType, Doc("Element type of the result."), COMMON] = T.INT64
    type: Annotated[DALIDataType | None, Refused("it is called dtype today"), Deprecated("dtype")] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        accept_output(args["dtype"], _TYPES)
        return TensorMeta(args["dtype"], 1, "")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        given = inputs[0]
        table = np.empty(given.shapes.shape, to_numpy(args["dtype"]))
        convert(given.shapes, table)
        made = Batch.of_array(table, "", given.sources)
        made.indices = given.indices
        return (made,)

    @staticmethod
    def run_gpu(state: Any, args: Args, inputs: Sequence[Batch], stream: Any) -> tuple[Batch, ...]:
        return Shapes.run(state, args, *inputs)
