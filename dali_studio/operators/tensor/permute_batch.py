"""``fn.permute_batch``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda.join import join_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_whole
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import AnyElement, Enqueues, MixesSamples, MovesSamples


class PermuteBatch(Operator):
    """Puts the samples of a batch into another order.

    A sample may be taken several times, or not at all.
    """

    category = "tensor"
    icon = "shuffle"
    keywords = "reorder shuffle mixup index gather batch"
    inputs = (Input("input"),)
    traits = (MixesSamples, Enqueues, AnyElement, MovesSamples)
    outputs = (Output("output"),)
    devices = ("cpu", "gpu")

    indices: Annotated[
        list[int], Doc("Which sample each one becomes: a number per sample, or a list as long as the batch."),
        PER_SAMPLE, COMMON,
    ]  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        fed = values(1, 0, 1, 0, dtype=T.INT32)
        return [
            Case((images(),), {"indices": fed}),
            Case((tensors(((), (), (), ())),), {"indices": fed}),
            Case((tensors(((3,), (0,), (5,), (1,)), T.INT64),), {"indices": fed}),
            Case((values(0, 1, 2, 3, dtype=T.INTERP_TYPE),), {"indices": fed}),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0]

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        (given,) = inputs
        return (replace(given.select(_positions(args, given)), indices=given.indices),)

    @staticmethod
    def run_gpu(state: Any, args: Args, inputs: Sequence[Batch], stream: GpuStream) -> tuple[Batch, ...]:
        (given,) = inputs
        chosen = given.select(_positions(args, given))
        made = stream.empty(chosen.shapes, chosen.dtype, chosen.layout, chosen.sources)
        join_on_gpu([chosen], 0, made, stream)
        made.indices = given.indices
        return (made,)


def _positions(args: Args, batch: Batch) -> NDArray[np.int64]:
    count = len(batch)
    check_whole(args, batch)
    if args.wired("indices"):
        found = args.scalars("indices", np.int64)
    else:
        found = np.array(args["indices"], np.int64)
        if not count:  # a branch that no sample takes
            return found[:0]
        if len(found) != count:
            raise ArgumentError(
                f"{len(found)} numbers are given; the batch has {count} samples.",
                hint="Give a number for each sample, or wire them.", argument="indices",
            )  # fmt: skip
    wrong = (found < 0) | (found >= count)
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ArgumentError(
            f"there is no sample {found[index]}; the batch has {count}.", hint=f"Give 0 to {count - 1}.",
            argument="indices", sample=index,
        )  # fmt: skip
    return found
