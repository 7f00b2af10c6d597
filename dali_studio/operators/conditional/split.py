"""``fn._conditional.split``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.conditional.condition import check_wired, predicate_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.marks import ANY_NUMBER, COMMON, PER_SAMPLE, Doc
from dali_studio.schema.traits import AnyElement, SharesMemory


class Split(Operator):
    """Divides a batch into the samples for which a condition holds and the others.

    What follows works on these samples alone, until they are merged. An ``if`` statement in a pipeline function that
    is traced with conditionals becomes a pair of these.
    """

    path = "_conditional.split"
    category = "conditional"
    icon = "split"
    node_name = "split"
    keywords = "if branch condition where select"
    inputs = (Input("input"),)
    outputs = (Output("true"), Output("false"))
    traits = (AnyElement, SharesMemory)
    devices = ("cpu", "gpu")
    role = "split"

    predicate: Annotated[
        bool, Doc("Whether a sample goes to the first output: any number but 0."), PER_SAMPLE, ANY_NUMBER, COMMON
    ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_wired(args)
        return inputs[0], inputs[0]

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        return _split(args, inputs[0])

    @staticmethod
    def run_gpu(state: Any, args: Args, inputs: Sequence[Batch], stream: Any) -> tuple[Batch, ...]:
        return _split(args, inputs[0])


def _split(args: Args, batch: Batch) -> tuple[Batch, ...]:
    holds = predicate_of(args)
    made: list[Batch] = []
    for chosen in (np.flatnonzero(holds), np.flatnonzero(~holds)):
        part = batch.select(chosen)
        part.indices = args.context.indices[chosen]
        made.append(part)
    return tuple(made)
