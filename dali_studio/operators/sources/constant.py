"""The node behind ``types.Constant``."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Batch, Layout, Operator, Output
from dali_studio.schema.marks import COMMON, Doc


class Constant(Operator):
    """The same value for every sample."""

    category = "sources"
    icon = "number"
    keywords = "literal value"
    outputs = (Output("output", "scalar"),)
    role = "constant"

    fdata: Annotated[list[float] | None, Doc("The values, as real numbers."), COMMON] = None
    idata: Annotated[list[int] | None, Doc("The values, as whole numbers.")] = None
    shape: Annotated[list[int] | None, Doc("Shape; unset: as many values as given, empty for a scalar.")] = None
    dtype: Annotated[DALIDataType | None, Doc("Element type; unset: FLOAT or INT32.")] = None
    layout: Annotated[Layout, Doc("Layout of the value.")] = Layout("")

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        value = _value(args)
        kind = "scalar" if value.size == 1 else "any"
        return TensorMeta(args["dtype"] or (T.FLOAT if args["fdata"] is not None else T.INT32), value.ndim, args["layout"], kind)

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        return (Batch([_value(args)] * args.count, str(args["layout"])),)


def _value(args: Args) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    data = args["fdata"] if args["fdata"] is not None else args["idata"]
    if data is None:
        raise ArgumentError("no value is given.", hint="Give fdata or idata.", argument="fdata", code="DS103")
    dtype = args["dtype"] or (T.FLOAT if args["fdata"] is not None else T.INT32)
    values = np.array(data, to_numpy(dtype))
    shape = args["shape"]
    if shape is None:
        return values.reshape(()) if values.size == 1 else values
    if values.size not in (1, int(np.prod(shape))):
        raise ArgumentError(f"{values.size} values do not fill the shape {tuple(shape)}.", argument="shape")
    return np.broadcast_to(values if values.size == 1 else values.reshape(shape), shape)
