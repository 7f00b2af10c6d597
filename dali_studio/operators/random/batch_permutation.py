"""``fn.batch_permutation``."""

from __future__ import annotations

from typing import Annotated

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.core.random_order import drawn_indices, drawn_order
from dali_studio.kernels.cpu import draws as _  # noqa: F401 - the order is drawn with it
from dali_studio.operators.common import T
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator, Output, example
from dali_studio.schema.marks import ANY_NUMBER, COMMON, PER_SAMPLE, Doc
from dali_studio.schema.traits import RandomSource


class BatchPermutation(Operator):
    """Draws an order of the batch: for each sample the place of another one, for permute_batch."""

    category = "random"
    icon = "shuffle"
    node_name = "order"
    keywords = "shuffle order mixup cutmix indices"
    outputs = (Output("indices", "scalar"),)
    traits = (RandomSource,)
    seeded = True
    stateful = True
    examples = (
        example(), example(allow_repetitions=True), example(no_fixed_points=True),
        example(allow_repetitions=True, no_fixed_points=True),
    )  # fmt: skip

    allow_repetitions: Annotated[bool, Doc("Samples may come several times, or not at all."), COMMON] = False
    no_fixed_points: Annotated[bool, Doc("No sample keeps its place, unless it is alone."), COMMON] = False
    _scope: Annotated[
        bool | None, Doc("Wired in a branch of an `if`: the samples of the branch, which are ordered."), PER_SAMPLE,
        ANY_NUMBER,
    ] = None  # fmt: skip
    seed: Annotated[int | None, Doc("Seed of the stream; unset: the pipeline hands one out.")] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return TensorMeta(T.INT32, 0, "", "scalar")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        context = args.context
        count = len(context.indices) if context.branch else context.batch_size
        draw = drawn_indices if args["allow_repetitions"] else drawn_order
        order = draw(
            context.seed, context.samples_so_far, count, others=args["no_fixed_points"], origin=context.stream_offset
        )
        return (Batch.of_array(order[context.drawn]),)
