"""``fn.full_like``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.convert import convert
from dali_studio.operators.common import T
from dali_studio.operators.sources.full import Full, fill_work
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled
from dali_studio.schema.samples import Case, images, tensors
from dali_studio.schema.traits import PerSample


class FullLike(Operator):
    """Fills tensors, with the shapes, layout and type of others, with a value.

    The value is converted as by cast. It may be a tensor, which is then repeated as by full.
    """

    category = "sources"
    icon = "number"
    keywords = "fill constant broadcast repeat same"
    inputs = (Input("data_like", shape_only=True, doc="Only its shape, layout and type count."), Input("fill_value"))
    outputs = (Output("output"),)
    traits = (PerSample,)
    kernels = (compiled("convert", NUMERIC, NUMERIC),)

    @classmethod
    def samples(cls) -> Sequence[Case]:
        pictures, number = images(), tensors(((),) * 4, T.FLOAT)
        row = tensors(((3,),) * 4, T.UINT8)
        return [Case(pair) for pair in ((pictures, number), (pictures, row), (row, number), (number, row), (row, row))]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0].with_(device="cpu")

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        like, value = inputs
        converted = Batch.view(value.meta.with_(dtype=like.meta.dtype), value.shapes)
        work = fill_work(converted, like.shapes)
        work.params["dtype"] = like.dtype
        return work

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        Full.cpu(work, index, [_converted(inputs[1], work)], outputs)

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        value = inputs[1]
        if value.dtype != work.params["dtype"]:
            samples = [_converted(sample, work) for sample in value.samples]
            value = Batch.of(samples, dtype=work.params["dtype"], ndim=value.shapes.shape[1])
        Full.cpu_batch(work, [value], outputs)


def _converted(value: NDArray[Any], work: Work) -> NDArray[Any]:
    """A value in the type of the results."""
    made = np.empty(value.shape, work.params["dtype"])
    convert(value, made)
    return made
