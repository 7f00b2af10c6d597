"""What ``fn.zeros``, ``fn.ones`` and their like have in common: all elements are one number, which is stored once."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed
from dali_studio.operators.common import check_shape, shapes_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Layout
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import SpansIterations

T = DALIDataType


class ShapeArguments:
    """Shape and layout of tensors that are made."""

    shape: Annotated[list[int] | None, Doc("Shape of each sample; unset: a scalar."), PER_SAMPLE, COMMON] = None
    layout: Annotated[Layout | None, Doc("Names of the axes.")] = None


def infer_made(args: Args, dtype: DALIDataType | None) -> TensorMeta:
    """Type of a tensor with `ShapeArguments`."""
    shape: tuple[int, ...] = args["shape"] or ()
    check_shape(shape)
    ndim, layout = None if args.wired("shape") else len(shape), str(args["layout"] or "")
    if layout and ndim is not None and len(layout) != ndim:
        raise ArgumentError(
            f"{layout!r} names {len(layout)} axes; the shape has {ndim}.", hint="Give one letter per axis.",
            argument="layout",
        )  # fmt: skip
    ndim = len(layout) if layout and ndim is None else ndim
    return TensorMeta(dtype, ndim, layout, "scalar" if ndim == 0 else "any")


def made_shapes(args: Args) -> NDArray[np.int64]:
    """(N, ndim) shapes that `ShapeArguments` ask for."""
    fed = args.samples("shape")
    if fed is None:
        return np.tile(np.array(args["shape"] or (), np.int64), (args.count, 1))
    rows = shapes_of(fed)
    for index, row in enumerate(rows):
        check_shape(row, index)
        if len(row) != len(rows[0]) or (args["layout"] and len(row) != len(args["layout"])):
            raise ArgumentError(
                f"the shape has {len(row)} axes; {len(args['layout'] or rows[0])} are needed.",
                hint="Give shapes of one number of axes, that of the layout.", argument="shape", sample=index,
            )  # fmt: skip
    return np.array(rows, np.int64).reshape(len(rows), -1 if rows else len(args["layout"] or ""))


class Filled(Operator, abstract=True):
    """Base of these operators; subclasses give the number."""

    category = "sources"
    icon = "number"
    outputs = (Output("output"),)
    traits = (SpansIterations,)
    value: ClassVar[int]

    @classmethod
    def filled(cls, args: Args, shapes: NDArray[np.int64], meta: TensorMeta) -> Batch:
        """Samples of these shapes, which all look into one piece of memory."""
        assert meta.dtype is not None
        dtype = to_numpy(meta.dtype)
        size = int(shapes.prod(axis=1).max(initial=0)) * dtype.itemsize
        key = "filled", dtype
        slab: NDArray[Any] | None = args.memory.get(key)
        if slab is None or slab.size < size:
            slab = np.zeros(max(size, 1), np.uint8)
            if cls.value:
                slab[: size - size % dtype.itemsize].view(dtype)[...] = cls.value
            slab.flags.writeable = False
            args.memory[key] = slab
        samples = Packed(slab, np.zeros(len(shapes), np.int64), shapes, dtype)
        return Batch.of(samples, meta.layout or "")


class OfShape(ShapeArguments, Filled, abstract=True):
    """Makes samples of a given shape."""

    dtype: Annotated[DALIDataType, Doc("Element type."), COMMON] = T.INT32

    @classmethod
    def samples(cls) -> Sequence[Case]:
        return [
            Case((), {}),
            *(Case((), {"shape": shape}) for shape in ((2, 3), (3,), (), (0, 3), (2, 1, 2))),
            *(Case((), {"shape": (2, 3), "dtype": dtype.name, "layout": "HW"}) for dtype in NUMERIC),
            Case((), {"shape": values((2, 3), (4, 1), (0, 5), dtype=T.INT32), "layout": "AB"}),
            Case((), {"shape": (-1,)}, refused="shape"),
            Case((), {"shape": values([[2, 3]], [[4, 1]], dtype=T.INT32)}, refused="shape"),
            Case((), {"shape": (2,), "layout": "AB"}, refused="layout"),
        ]

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        return infer_made(args, args["dtype"])

    @classmethod
    def run(cls, state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        return (cls.filled(args, made_shapes(args), cls.infer(args)),)


class Like(Filled, abstract=True):
    """Makes samples of the shape of others."""

    inputs = (Input("data_like", shape_only=True, doc="Only its shape, layout and type count."),)

    dtype: Annotated[DALIDataType | None, Doc("Element type; unset: that of the input."), COMMON] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = (images(), tensors(((3,), (0,)), T.INT64), tensors(((), ()), T.FLOAT16))
        return [
            *(Case((one,)) for one in given),
            *(Case((tensors(((2, 3), (1, 1)), dtype, "AB"),)) for dtype in NUMERIC),
            *(Case((given[1],), {"dtype": dtype.name}) for dtype in NUMERIC),
        ]

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0].with_(dtype=args["dtype"] or inputs[0].dtype, device="cpu")

    @classmethod
    def run(cls, state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        made = cls.filled(args, inputs[0].shapes, cls.infer(args, inputs[0].meta))
        made.sources = inputs[0].sources
        return (made,)
