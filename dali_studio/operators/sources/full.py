"""``fn.full``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.strided import copy_strided, copy_strided_one, steps_of
from dali_studio.operators.common import T
from dali_studio.operators.sources.filled import ShapeArguments, infer_made, made_shapes
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output
from dali_studio.schema.samples import Case, tensors, values
from dali_studio.schema.traits import PerSample


class Full(ShapeArguments, Operator):
    """Fills tensors of a given shape with a value, which may be a tensor and is then repeated.

    Shapes meet as in arithmetic: from the last axis, where the value has one element or as many as the result. Of a
    value with more axes the first elements are taken.
    """

    category = "sources"
    icon = "number"
    keywords = "fill constant broadcast repeat tile"
    inputs = (Input("fill_value"),)
    outputs = (Output("output"),)
    traits = (PerSample,)

    @classmethod
    def samples(cls) -> Sequence[Case]:
        number = tensors(((), (), ()), T.FLOAT)
        row = tensors(((3,), (3,), (3,)), T.INT16)
        plane = tensors(((2, 3),) * 3, T.UINT8, "HW")
        fed = values((2, 3), (4, 3), (0, 3), dtype=T.INT32)
        return [
            *(Case((number,), {"shape": shape}) for shape in ((2,), (2, 1, 5), (), (0, 3))),
            *(Case((row,), {"shape": shape}) for shape in ((2, 3), (3,), (4, 2, 3), ())),
            *(Case((plane,), {"shape": shape}) for shape in ((4, 2, 3), (2, 3), (3,))),
            *(
                Case((tensors(((4, 1, 2),) * 2, dtype),), {"shape": (4, 3, 2)})
                for dtype in (T.BOOL, T.FLOAT16, T.FLOAT64)
            ),
            Case((number,), {}),
            Case((number,), {"shape": (2, 1), "layout": "AB"}),
            Case((row,), {"shape": fed, "layout": "AB"}),
            Case((row,), {"shape": (3, 2)}, refused="shape"),
            Case((number,), {"shape": (-1,)}, refused="shape"),
            Case((number,), {"shape": (2, 1), "layout": "A"}, refused="layout"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return infer_made(args, inputs[0].dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        return fill_work(inputs[0], made_shapes(args))

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        copy_strided_one(inputs[0], 0, work.shapes, work.params["steps"], index, outputs[0])

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        params = work.params
        copy_strided(inputs[0].addresses, work.shapes, params["steps"], params["size"], outputs[0].addresses)


def fill_work(value: Batch, shapes: NDArray[np.int64]) -> Work:
    """What repeats values over results of these shapes."""
    size, ndim = value.dtype.itemsize, shapes.shape[1]
    more = value.shapes.shape[1] - ndim
    given, steps = value.shapes[:, max(more, 0) :], steps_of(value.shapes, size)[:, max(more, 0) :]
    tail = shapes[:, max(-more, 0) :]
    wrong = ((given != tail) & (given != 1)).any(axis=1) | (value.shapes[:, : max(more, 0)] == 0).any(axis=1)
    if wrong.any():
        sample = int(np.argmax(wrong))
        one, other = (tuple(rows[sample].tolist()) for rows in (value.shapes, shapes))
        raise ArgumentError(
            f"a value of shape {one} cannot be repeated over the shape {other}.",
            hint="Axes must be equal, or have one element in the value, counted from the last.", argument="shape",
            sample=sample, code="DS203",
        )  # fmt: skip
    made = np.zeros(shapes.shape, np.int64)
    made[:, max(-more, 0) :] = np.where(given == 1, 0, steps)
    return Work(shapes, {"steps": made, "size": size})
