"""``fn.transforms.combine``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu import transforms
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.operators.common import T
from dali_studio.operators.coordinates.transforms import (
    check_shapes,
    check_transform,
    deep,
    flat,
    transform_meta,
    transform_shapes,
)
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.samples import Case, values
from dali_studio.schema.traits import PerFrame, PerSample

#: As many as nvidia.dali takes.
_MAX_INPUTS = 99


class Combine(Operator):
    """Combines transforms to one that does what they do one after the other, in the order of the inputs."""

    path = "transforms.combine"
    category = "coordinates"
    icon = "affine"
    keywords = "affine matrix multiply product chain concatenate"
    inputs = (Input("transform", repeated=(2, _MAX_INPUTS), dtypes=(T.FLOAT,)),)
    outputs = (Output("transform"),)
    traits = (PerSample, PerFrame)
    examples = (example(), example(reverse_order=True))

    reverse_order: Annotated[bool, Doc("Do the last one first."), COMMON] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        other = values(*(np.array([[0.3, i, 5], [2, -1, i]]) for i in range(3)), label="others")
        frames = values(*(np.ones((count, 2, 3)) * 0.7 for count in (2, 1, 4)), layout="F**", label="frames")
        return [
            *(Case((flat(), *more), one.arguments) for more in ((other,), (other, flat(), other))
              for one in cls.examples),
            Case((deep(), deep())),
            Case((frames, frames)),
            Case((flat(), deep()), refused=""),
            Case((values(*([[1.0, 2.0]] * 2), label="no transforms"),) * 2, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        for meta in inputs:
            check_transform(meta)
        return transform_meta()

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        for number, batch in enumerate(inputs):
            check_transform(batch.meta)
            check_shapes(batch.shapes)
            different = (batch.shapes != inputs[0].shapes).any(axis=1)
            if different.any():
                index = int(np.argmax(different))
                shape, first = (tuple(one.shapes[index].tolist()) for one in (batch, inputs[0]))
                raise ArgumentError(
                    f"input {number + 1} has the shape {shape}, input 1 {first}; one shape is needed.",
                    hint="Combine transforms of as many axes.", sample=index, code="DS203",
                )  # fmt: skip
        axes = int(inputs[0].shapes[0, 0]) if len(inputs[0]) else 1
        return Work(transform_shapes(len(inputs[0]), axes), {"reverse": args["reverse_order"]})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        packed = [np.asarray(array, order="C") for array in inputs]
        given = [Operand.of([array]) for array in packed]
        transforms.combine(given, Operand.of([outputs[0]]), reverse=work.params["reverse"])

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        given = [Operand.of_batch(batch) for batch in inputs]
        transforms.combine(given, Operand.of_batch(outputs[0]), reverse=work.params["reverse"])
