"""``fn.lookup_table``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.lookup import KEYS, look_up, table_of
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.pointwise import lookup_part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_output, check_dtype
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, TRUNCATED, Deprecated, Doc, Range
from dali_studio.schema.samples import Case, images, tensors
from dali_studio.schema.traits import PerSample, PixelPart, Pointwise

_TYPES = (T.UINT8, T.INT8, T.UINT16, T.INT16, T.UINT32, T.INT32, T.UINT64, T.INT64)
_TABLE = object()


class LookupTable(Operator):
    """Replaces each element by the value of a table.

    Elements that are none of the keys become `default_value`. Values are rounded half away from zero for integer
    results, and saturate.
    """

    category = "color"
    icon = "table"
    keywords = "lut map replace palette remap levels"
    inputs = (Input("input", dtypes=_TYPES, doc="Of any layout."),)
    outputs = (Output("output"),)
    traits = (PerSample, Pointwise, PixelPart)
    devices = ("cpu", "gpu")
    kernels = (compiled("convert", (T.FLOAT,), NUMERIC),)
    examples = (
        example(keys=(0, 100, 101), values=(7.0, 2.5, -1.0)),
        example(keys=(1, 2, 3, 200), values=(300.0, -3.5, 0.4, 200.0), default_value=17.6, dtype="UINT8"),
    )

    keys: Annotated[
        list[int], Doc("Elements that have a value in the table."), Range(0, KEYS - 1), TRUNCATED, COMMON
    ] = []  # noqa: RUF012 - a declaration, read once
    values: Annotated[list[float], Doc("The value of each key."), COMMON] = []  # noqa: RUF012
    default_value: Annotated[float, Doc("The value of all other elements."), COMMON] = 0.0
    dtype: Annotated[DALIDataType, Doc("Element type of the result."), COMMON] = T.FLOAT
    output_dtype: Annotated[DALIDataType | None, Doc("The same as dtype."), Deprecated("dtype")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        table = {"keys": (0, 1, 5, 90, 127, 128, 255, 60000, 65535), "values": (3, 2.5, -2.5, 300, 1e10, 0.4, 7, 8, 9)}
        wide = {"default_value": -1.0, **table}
        shapes = ((5, 40), (0, 3), (1, 1))
        return [
            *(Case((tensors(shapes, dtype, "", -200, 300),), wide) for dtype in _TYPES),
            *(Case((tensors(shapes, dtype, "", 59990, 70000),), wide) for dtype in _TYPES[4:]),
            *(Case((images(),), {**wide, "dtype": dtype.name}) for dtype in NUMERIC),
            *(Case((images(((20, 17), (9, 31)), layout=layout),), one.arguments)
              for layout, one in zip(("HWC", "CHW", "FHWC", "DHWC"), cls.examples * 2, strict=True)),
            Case((images(((20, 17), (9, 31))),), {}),
            Case((images(((20, 17), (9, 31))),), {"keys": (90, 90), "values": (1.0, 2.0), "output_dtype": "INT16"}),
            Case((images(((20, 17), (9, 31))),), {"keys": (90.9, 91.5), "values": (1.0, 2.0)}),
            Case((tensors(((), ()), T.UINT8),), wide),
            *(Case((images(dtype=dtype),), wide, refused="") for dtype in (T.BOOL, T.FLOAT16, T.FLOAT)),
            Case((images(),), {"keys": (1, 2), "values": (1.0,)}, refused="values"),
            Case((images(),), {"keys": (-1,), "values": (1.0,)}, refused="keys"),
            Case((images(),), {"keys": (65536,), "values": (1.0,)}, refused="keys"),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[0], _TYPES)
        accept_output(_dtype(args), NUMERIC)
        if len(args["keys"]) != len(args["values"]):
            raise ArgumentError(
                f"{len(args['values'])} values are given for {len(args['keys'])} keys.",
                hint="Give one value for each key.", argument="values",
            )  # fmt: skip
        return inputs[0].with_(dtype=_dtype(args))

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        table = args.memory.get(_TABLE)
        if table is None:
            made = table_of(args["keys"], args["values"], args["default_value"], to_numpy(_dtype(args)))
            table = args.memory[_TABLE] = made
        return Work(inputs[0].shapes, {"table": table})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        look_up(np.asarray(inputs[0], order="C"), outputs[0], work.params["table"])

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        rows = inputs[0].flat(), outputs[0].flat()
        if rows[0] is not None and rows[1] is not None:
            look_up(rows[0], rows[1], work.params["table"])
        else:
            for index, pair in enumerate(zip(inputs[0].samples, outputs[0].samples, strict=True)):
                LookupTable.cpu(work, index, pair[:1], pair[1:])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(LookupTable, work, inputs[0], outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        return lookup_part(work.params["table"], image.dtype, len(image))


def _dtype(args: Args) -> DALIDataType:
    if args.given("output_dtype") and args.given("dtype"):
        raise ArgumentError(
            "the element type is given twice: dtype and output_dtype.", hint="Give dtype.", argument="output_dtype"
        )
    return args["output_dtype"] or args["dtype"]
