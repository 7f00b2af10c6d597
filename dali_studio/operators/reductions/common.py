"""What reductions have in common."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.reduce import Finish, Taken, reduce_extremes, reduce_sums
from dali_studio.kernels.cuda.reduce import reduce_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.axes import axes_of
from dali_studio.operators.common import accept_output, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output
from dali_studio.schema.marks import COMMON, Doc, Layout
from dali_studio.schema.samples import Case, images, tensors
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample

T = DALIDataType
REDUCED = (T.UINT8, T.INT8, T.UINT16, T.INT16, T.UINT32, T.INT32, T.UINT64, T.INT64, T.FLOAT)
_LONG = {dtype: T.UINT64 if dtype.name[0] == "U" else T.INT64 for dtype in REDUCED[:-1]}


class Reduction(Operator, abstract=True):
    """Base of all reductions. Subclasses say which output types there are, the default first, and `reduce`."""

    category = "math"
    icon = "sigma"
    inputs = (Input("input", dtypes=REDUCED),)
    outputs = (Output("output"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    tolerance = (
        Tolerance(
            relative=1e-6, dtypes=(T.FLOAT,), on="gpu",
            reason="blocks of a GPU add in another order, on which sums of floats depend",
        ),
    )

    axes: Annotated[
        list[int] | None, Doc("The axes that are reduced; unset: all. Negative: from the last."), COMMON
    ] = None
    axis_names: Annotated[Layout | None, Doc("The same by letters of the layout, such as HW."), COMMON] = None
    keep_dims: Annotated[bool, Doc("Keep the reduced axes, with one element.")] = False

    @classmethod
    def types(cls, dtype: DALIDataType) -> tuple[DALIDataType, ...]:
        """The types of the result for an input of type `dtype`, the default first."""
        return (dtype,)

    @classmethod
    def reduce(cls, work: Work, src: Operand, out: Operand, *more: Operand) -> None:
        """Compute all samples."""
        raise NotImplementedError

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = inputs[0]
        check_dtype(meta, REDUCED)
        wanted: DALIDataType | None = args["dtype"] if cls.schema.argument("dtype") else None
        dtype = None
        if meta.dtype is not None:
            possible = cls.types(meta.dtype)
            accept_output(wanted, possible)
            dtype = wanted or possible[0]
        axes = _axes(args, meta)
        if axes is None or meta.ndim is None:
            return TensorMeta(dtype)
        if args["keep_dims"]:
            return TensorMeta(dtype, meta.ndim, meta.layout)
        layout = meta.layout and "".join(name for axis, name in enumerate(meta.layout) if axis not in axes)
        ndim = meta.ndim - len(axes)
        return TensorMeta(dtype, ndim, layout, "any" if ndim else "scalar")

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        shapes = inputs[0].shapes
        axes = _axes(args, inputs[0].meta)
        assert axes is not None
        reduced = np.zeros(shapes.shape[1], bool)
        reduced[list(axes)] = True
        made = np.where(reduced, 1, shapes) if args["keep_dims"] else np.ascontiguousarray(shapes[:, ~reduced])
        return Work(made, {"reduced": reduced})

    @classmethod
    def cpu(cls, work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        src, *more = [np.asarray(array, order="C") for array in inputs]
        cls.reduce(work, Operand.of([src]), Operand.of([outputs[0]]), *(Operand.of([one]) for one in more))

    @classmethod
    def cpu_batch(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        src, *more = [Operand.of_batch(batch) for batch in inputs]
        cls.reduce(work, src, Operand.of_batch(outputs[0]), *more)


def _axes(args: Args, meta: TensorMeta) -> tuple[int, ...] | None:
    if not args.given("axes") and not args.given("axis_names"):
        return None if meta.ndim is None else tuple(range(meta.ndim))
    return axes_of(args, meta)


class Extreme(Reduction, abstract=True):
    """The smallest or the largest element."""

    largest: ClassVar[bool]

    @classmethod
    def reduce(cls, work: Work, src: Operand, out: Operand, *more: Operand) -> None:
        reduce_extremes(src, work.params["reduced"], out, largest=cls.largest)

    @classmethod
    def gpu(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        combine = "Maximum" if cls.largest else "Minimum"
        reduce_on_gpu(inputs[0], work.params["reduced"], outputs[0], stream, combine=combine)


class Sums(Reduction, abstract=True):
    """What follows from a sum."""

    taken: ClassVar[Taken] = "itself"
    finish: ClassVar[Finish] = "sum"

    dtype: Annotated[
        DALIDataType | None, Doc("Type of the result, in which sums are added up: they wrap around."), COMMON
    ] = None

    @classmethod
    def reduce(cls, work: Work, src: Operand, out: Operand, *more: Operand) -> None:
        reduce_sums(src, work.params["reduced"], out, taken=cls.taken, finish=cls.finish)

    @classmethod
    def gpu(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        reduced = work.params["reduced"]
        reduce_on_gpu(inputs[0], reduced, outputs[0], stream, taken=cls.taken, finish=cls.finish)


class Deviation(Reduction, abstract=True):
    """Statistics of the distance from a mean that is given."""

    inputs = (Input("data", dtypes=REDUCED), Input("mean", dtypes=(T.FLOAT,)))
    finish: ClassVar[Finish]

    ddof: Annotated[int, Doc("Is taken off the number of elements: 1 for a sample of a population.")] = 0

    @classmethod
    def samples(cls) -> Sequence[Case]:
        shapes, means = ((4, 6, 3), (2, 5, 3)), ((3,), (3,))
        return [
            *(
                Case((tensors(shapes, dtype), tensors(means)), {"axes": (0, 1), "ddof": ddof})
                for dtype in REDUCED
                for ddof in (0, 1)
            ),
            Case((images(), tensors(((),) * 4)), {}),
            Case((images(), tensors(((1, 1, 3),) * 4)), {"axis_names": "HW", "keep_dims": True}),
            Case((images(), tensors(((3,),) * 4)), {"axes": 7}, refused="axes"),
        ]

    @classmethod
    def types(cls, dtype: DALIDataType) -> tuple[DALIDataType, ...]:
        return (T.FLOAT,)

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[1], (T.FLOAT,))
        return super().infer(args, *inputs)

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        work = super().plan(args, *inputs)
        wrong = inputs[1].counts != work.shapes.prod(axis=1)
        if wrong.any():
            index = int(np.argmax(wrong))
            needed, found = (tuple(shapes[index].tolist()) for shapes in (work.shapes, inputs[1].shapes))
            raise ArgumentError(
                f"the mean has the shape {found}; {needed} is needed, a number for each that results.",
                hint="Give the mean over the same axes.", sample=index, code="DS203",
            )  # fmt: skip
        work.params["ddof"] = args["ddof"]
        return work

    @classmethod
    def reduce(cls, work: Work, src: Operand, out: Operand, *more: Operand) -> None:
        reduce_sums(
            src, work.params["reduced"], out, taken="deviation", finish=cls.finish, means=more[0],
            ddof=work.params["ddof"],
        )  # fmt: skip

    @classmethod
    def gpu(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        reduce_on_gpu(
            inputs[0], work.params["reduced"], outputs[0], stream, taken="deviation", finish=cls.finish,
            means=inputs[1], ddof=work.params["ddof"],
        )  # fmt: skip


def sum_types(dtype: DALIDataType) -> tuple[DALIDataType, ...]:
    """Results of sums: 64 bits, the input's own type, or FLOAT."""
    if dtype == T.FLOAT:
        return (T.FLOAT,)
    return (dtype,) if dtype in (T.UINT64, T.INT64) else (_LONG[dtype], dtype, T.FLOAT)


def mean_types(dtype: DALIDataType) -> tuple[DALIDataType, ...]:
    """Results of means: FLOAT, or the input's own type."""
    return (T.FLOAT,) if dtype == T.FLOAT else (T.FLOAT, dtype)


def square_types(dtype: DALIDataType) -> tuple[DALIDataType, ...]:
    """Results of means of squares: FLOAT, or 64 bits."""
    return (T.FLOAT,) if dtype == T.FLOAT else (T.FLOAT, _LONG[dtype])
