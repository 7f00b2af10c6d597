"""``fn._conditional.merge``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda.ingest import gathered
from dali_studio.operators.conditional.condition import check_wired, predicate_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.marks import ANY_NUMBER, COMMON, PER_SAMPLE, Doc
from dali_studio.schema.traits import AnyElement, MovesSamples


class Merge(Operator):
    """Puts the samples of two branches together again, in their order before the split.

    Both branches have to give one element type, number of axes and layout.
    """

    path = "_conditional.merge"
    category = "conditional"
    icon = "merge"
    node_name = "merge"
    keywords = "if else branch join combine"
    inputs = (Input("true", doc="Samples for which the condition holds."), Input("false", doc="The others."))
    outputs = (Output("output"),)
    traits = (AnyElement, MovesSamples)
    devices = ("cpu", "gpu")
    role = "merge"

    predicate: Annotated[
        bool, Doc("The condition of the split: where it holds, a sample is from the first input."), PER_SAMPLE,
        ANY_NUMBER, COMMON,
    ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_wired(args)
        one, other = inputs
        for what, name in (("dtype", "element type"), ("ndim", "number of axes")):
            first, second = getattr(one, what), getattr(other, what)
            if first is not None and second is not None and first != second:
                words = [getattr(value, "name", value) for value in (first, second)]
                raise ArgumentError(
                    f"the branches differ in their {name}: {words[0]} and {words[1]}.",
                    hint="Convert one of them before they are merged.", argument="false", code="DS203",
                )  # fmt: skip
        return one.with_(
            dtype=one.dtype or other.dtype, ndim=other.ndim if one.ndim is None else one.ndim,
            layout=one.layout or other.layout,
            # where one branch does not tell, as after arithmetic, the other one does
            kind=one.kind if other.kind in (one.kind, "any") else other.kind if one.kind == "any" else "any",
        )  # fmt: skip

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        meta, places, shapes, sources = _order(args, inputs)
        samples = [inputs[which].samples[position] for which, position in places]
        return (Batch(meta, shapes, samples, sources=sources),)

    @staticmethod
    def run_gpu(state: Any, args: Args, inputs: Sequence[Batch], stream: Any) -> tuple[Batch, ...]:
        meta, places, shapes, sources = _order(args, inputs)
        assert meta.dtype is not None
        made = stream.empty(shapes, to_numpy(meta.dtype), meta.layout or "", sources)
        addresses = [batch.addresses for batch in inputs]
        gathered(np.array([addresses[which][position] for which, position in places], np.int64), made, stream)
        return (made,)


def _order(
    args: Args, inputs: Sequence[Batch]
) -> tuple[TensorMeta, list[tuple[int, int]], NDArray[np.int64], Sequence[str]]:
    """The type of the result, and for each of its samples the input and the position there."""
    holds = predicate_of(args)
    numbers = args.context.indices
    for batch, chosen in zip(inputs, (numbers[holds], numbers[~holds]), strict=True):
        if not np.array_equal(numbers if batch.indices is None else batch.indices, chosen):
            raise ArgumentError(
                f"an input has {len(batch)} samples; by the condition there are {len(chosen)} of them.",
                hint="Merge what was split by the same condition.", argument="predicate", code="DS304",
            )  # fmt: skip
    one, other = inputs
    some = [batch for batch in inputs if len(batch)]
    if len(some) > 1 and (one.meta.dtype, one.meta.ndim) != (other.meta.dtype, other.meta.ndim):
        raise ArgumentError(
            f"the branches give {one.dtype} of {one.meta.ndim} axes and {other.dtype} of {other.meta.ndim}.",
            hint="Convert one of them before they are merged.", argument="false", code="DS203",
        )  # fmt: skip
    known = some[0] if some else one
    meta = known.meta.with_(layout=one.layout or other.layout if len(some) > 1 else known.layout)
    within = np.where(holds, np.cumsum(holds), np.cumsum(~holds)) - 1
    places = [(0 if first else 1, at) for first, at in zip(holds.tolist(), within.tolist(), strict=True)]
    shapes = np.empty((len(places), known.shapes.shape[1]), np.int64)
    for batch, chosen in zip(inputs, (holds, ~holds), strict=True):
        if len(batch):
            shapes[chosen] = batch.shapes
    named = all(len(batch.sources) == len(batch) for batch in some)
    sources = [str(inputs[which].sources[at]) for which, at in places] if named else list[str]()
    return meta, places, shapes, sources
