"""The node behind ``types.Constant``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import ENUMERATIONS, NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.convert import convert
from dali_studio.operators.common import ELEMENTS, T, check_shape
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator, Output
from dali_studio.schema.marks import COMMON, Choices, Doc, Layout, Start
from dali_studio.schema.samples import Case
from dali_studio.schema.traits import MadeOnCpu, SpansIterations

#: Those that nvidia.dali takes; FLOAT64 is there for programs here.
_TYPES = tuple(dtype for dtype in NUMERIC if dtype is not T.FLOAT64)


class Constant(Operator):
    """The same value for every sample; types.Constant takes it as a number, a list or an array.

    One value fills the whole shape.
    """

    category = "sources"
    icon = "number"
    keywords = "literal value"
    outputs = (Output("output", "scalar"),)
    traits = (MadeOnCpu, SpansIterations)
    devices = ("cpu", "gpu")
    role = "constant"

    fdata: Annotated[list[float] | None, Doc("The values, as real numbers."), Start((0.0,)), COMMON] = None
    idata: Annotated[list[int] | None, Doc("The values, as whole numbers.")] = None
    shape: Annotated[list[int] | None, Doc("Shape; unset: one axis with the values given. Empty: a scalar.")] = None
    dtype: Annotated[DALIDataType | None, Doc("Element type; unset: FLOAT or INT32."), Choices(ELEMENTS)] = None
    layout: Annotated[Layout, Doc("Layout of the value.")] = Layout("")

    @classmethod
    def samples(cls) -> Sequence[Case]:
        accepted: list[dict[str, Any]] = [
            {"fdata": (1.5, 2.0)}, {"idata": (3,)}, {"idata": (1, 2, 3, 4), "shape": (2, 2), "layout": "HW"},
            {"fdata": (2.0,), "shape": ()}, {"fdata": (), "dtype": T.FLOAT}, {"fdata": (0.3,), "shape": (2, 0, 3)},
            *({"fdata": (-1.5, 2.5, 300.0), "dtype": dtype} for dtype in _TYPES),
            *({"idata": (-70000, 0, 300), "dtype": dtype} for dtype in (*_TYPES, *ENUMERATIONS)),
            {"fdata": (-1.5, 2.5, 3e9), "dtype": T.INTERP_TYPE},
        ]  # fmt: skip
        refused: list[tuple[str, dict[str, Any]]] = [
            ("fdata", {}), ("idata", {"fdata": (1.0,), "idata": (2,)}), ("shape", {"fdata": (1.0, 2.0), "shape": (3,)}),
            ("layout", {"fdata": (1.0, 2.0), "layout": "HW"}),
        ]  # fmt: skip
        return [*(Case((), one) for one in accepted), *(Case((), one, refused=name) for name, one in refused)]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        value = _value(args)
        layout = str(args["layout"])
        if layout and len(layout) != value.ndim:
            raise ArgumentError(
                f"{layout!r} names {len(layout)} axes; the value has {value.ndim}.", hint="Give one letter per axis.",
                argument="layout",
            )  # fmt: skip
        return TensorMeta(_type(args), value.ndim, layout, "scalar" if value.size == 1 else "any")

    @staticmethod
    def open(args: Args) -> NDArray[Any]:
        return _value(args)  # once: it may be a large array

    @staticmethod
    def run(state: NDArray[Any], args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        table = np.broadcast_to(state, (args.count, *state.shape))
        return (Batch.of_array(table, str(args["layout"])).as_members(_type(args)),)


def _type(args: Args) -> DALIDataType:
    return args["dtype"] or (T.FLOAT if args["fdata"] is not None else T.INT32)


def _value(args: Args) -> NDArray[Any]:
    data = args["fdata"] if args["fdata"] is not None else args["idata"]
    if args["fdata"] is not None and args["idata"] is not None:
        raise ArgumentError(
            "fdata and idata are both given.", hint="Give one of the two.", argument="idata", code="DS103"
        )
    if data is None:
        raise ArgumentError("no value is given.", hint="Give fdata or idata.", argument="fdata", code="DS103")
    given = np.array(data, np.float64 if args["fdata"] is not None else np.int64)
    values = np.empty(given.shape, to_numpy(_type(args)))
    convert(given, values)  # rounds and saturates
    shape: list[int] | None = args["shape"]
    if shape is None:
        return values
    check_shape(shape)
    if values.size not in (1, math.prod(shape)):
        raise ArgumentError(
            f"{values.size} values do not fill the shape {tuple(shape)}.",
            hint="Give one value, or as many as the shape holds.",
            argument="shape",
        )  # fmt: skip
    # without gaps: kernels read samples by their addresses
    return np.full(shape, values) if values.size == 1 and len(shape) != 0 else values.reshape(shape)
