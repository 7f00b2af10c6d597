"""``fn.one_hot``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.limits import MAX_ELEMENTS
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.one_hot import one_hot
from dali_studio.kernels.cuda.one_hot import one_hot_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_output, as_written, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output
from dali_studio.schema.marks import COMMON, Doc, Range, Start
from dali_studio.schema.samples import Case, tensors, values
from dali_studio.schema.traits import PerSample

_TYPES = tuple(dtype for dtype in NUMERIC if dtype not in (T.BOOL, T.FLOAT16))


class OneHot(Operator):
    """Makes a row of each class number, with one value at the place of the class and another elsewhere.

    Numbers that are no class give a row without it. A batch of single numbers of any shape gives single rows, unless an
    axis is named.
    """

    category = "tensor"
    icon = "one-hot"
    keywords = "classes labels encode indicator categorical"
    inputs = (Input("input", dtypes=_TYPES),)
    outputs = (Output("output"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")

    num_classes: Annotated[int, Doc("How many classes there are."), Range(0, MAX_ELEMENTS), Start(10), COMMON] = 0
    axis: Annotated[
        int | None, Doc("Where the new axis stands in the result. Unset: last, and single numbers lose theirs.")
    ] = None
    axis_name: Annotated[str | None, Doc("The letter of the new axis in the layout.")] = None
    on_value: Annotated[float, Doc("Stands at the place of the class.")] = 1.0
    off_value: Annotated[float, Doc("Stands elsewhere.")] = 0.0
    dtype: Annotated[DALIDataType, Doc("Element type of the output; values are cut to whole numbers if it is one."),
                     COMMON] = T.FLOAT  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        vector = values((0, 2, 1), (3, 1), (), (5, -1), dtype=T.INT32, layout="W")
        plane = tensors(((2, 3), (1, 4), (0, 2), (1, 2)), T.UINT8, high=6)
        return [
            Case((values(1, 0, 3, 7, dtype=T.INT32),), {"num_classes": 5}),
            Case((values(1, 0, 3, 7, dtype=T.INT32),), {"num_classes": 5, "axis": 0, "axis_name": "C"}),
            *(Case((tensors(((5,), (3,), (2,)), one, high=7),), {"num_classes": 5}) for one in _TYPES),
            *(Case((vector,), {"num_classes": 4, "dtype": dtype.name, "on_value": 5.5}) for dtype in _TYPES),
            *(Case((plane,), {"num_classes": 4, "axis": axis}) for axis in (-1, 0, 1, 2)),
            *(Case((vector,), {"num_classes": 4, "axis": axis, "axis_name": "C"}) for axis in (-1, 0, 1)),
            Case((vector,), {"num_classes": 4, "dtype": "UINT8", "on_value": 300, "off_value": -1.5}),
            Case((vector,), {}),
            Case((vector,), {"num_classes": 4, "axis": 2}, refused="axis"),
            Case((vector,), {"num_classes": 4, "axis": -2}, refused="axis"),
            *(Case((vector,), {"num_classes": 4, "axis_name": name}, refused="axis_name") for name in ("CC", "é")),
            Case((plane,), {"num_classes": 4, "axis_name": "C"}, refused="axis_name"),
            Case((values((0, 2), (1,), dtype=T.INT32),), {"num_classes": 4, "axis_name": "C"}, refused="axis_name"),
            Case((vector,), {"num_classes": -1}, refused="num_classes"),
            Case((vector,), {"num_classes": 4, "dtype": "BOOL"}, refused="dtype"),
        ]

    @staticmethod
    def reference(arguments: Mapping[str, Any], *inputs: NDArray[Any]) -> NDArray[Any]:
        dtype = to_numpy(T[arguments["dtype"]] if isinstance(arguments["dtype"], str) else arguments["dtype"])
        on, off = as_written(np.array([arguments["on_value"], arguments["off_value"]]), dtype)
        numbers = np.trunc(inputs[0].astype(np.float64))[..., None]
        is_class: NDArray[np.bool_] = numbers == np.arange(int(arguments["num_classes"]))
        rows: NDArray[Any] = np.full(numbers.shape[:-1] + is_class.shape[-1:], off)
        rows[is_class] = on
        return np.moveaxis(rows, -1, -1 if arguments["axis"] is None else int(arguments["axis"]))

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        accept_output(args["dtype"], _TYPES)
        name: str | None = args["axis_name"]
        if name is not None and not (len(name) == 1 and name.isascii()):
            raise ArgumentError(f"{name!r} is no single ASCII letter.", hint="Give one letter.", argument="axis_name")
        if meta.ndim is None:
            return TensorMeta(args["dtype"])
        axis: int = -1 if args["axis"] is None else args["axis"]
        if not -1 <= axis <= meta.ndim:
            raise ArgumentError(
                f"the result has no axis {axis}.", hint=f"Give -1 to {meta.ndim}.", argument="axis", code="DS203"
            )
        if meta.kind == "label" and args["axis"] is None:
            return TensorMeta(args["dtype"], 1, name or "")
        layout = ""
        if name is not None and meta.layout == "" and (meta.ndim > 1 or (meta.ndim and args["axis"] is not None)):
            raise _nameless()
        if meta.ndim and args["axis"] is None:
            return TensorMeta(args["dtype"])  # single numbers lose their axes, which only the data tell
        if name is not None:
            at, given = meta.ndim if axis < 0 else axis, meta.layout or ""
            layout = None if meta.layout is None and meta.ndim else given[:at] + name + given[at:]
        return TensorMeta(args["dtype"], meta.ndim + 1, layout)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        (batch,) = inputs
        layout, ndim, axis = None, batch.shapes.shape[1], args["axis"]
        if axis is None and ndim and len(batch) and (batch.shapes == 1).all():  # numbers, whatever their axes
            made, axis = np.full((len(batch), 1), args["num_classes"], np.int64), 0
            layout = args["axis_name"] or ""
        else:
            if args["axis_name"] and ndim and not batch.meta.layout:
                raise _nameless()
            if axis is None and args["axis_name"]:  # what `infer` does not tell
                layout = (batch.meta.layout or "") + args["axis_name"]
            axis = ndim if axis is None or axis < 0 else axis
            made = np.insert(batch.shapes, axis, args["num_classes"], axis=1)
        off_on = as_written(np.array([args["off_value"], args["on_value"]], np.float32), to_numpy(args["dtype"]))
        return Work(made, {"axis": axis, "classes": args["num_classes"], "values": off_on}, layout=layout)

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        numbers = np.asarray(inputs[0], order="C")
        _compute(work, Operand.of([numbers]), Operand.of([outputs[0]]))

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        _compute(work, Operand.of_batch(inputs[0]), Operand.of_batch(outputs[0]))

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        one_hot_on_gpu(inputs[0], params["axis"], params["classes"], params["values"], outputs[0], stream)


def _nameless() -> ArgumentError:
    return ArgumentError(
        "the data has no layout, so that the new axis alone would have a name.",
        hint="Give the data a layout, or unset axis_name.", argument="axis_name",
    )  # fmt: skip


def _compute(work: Work, src: Operand, out: Operand) -> None:
    params = work.params
    one_hot(src, params["axis"], params["classes"], params["values"], out)
