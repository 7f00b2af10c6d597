"""``fn.random.coin_flip``."""

from __future__ import annotations

from typing import Annotated, Any

from numpy.typing import NDArray

from dali_studio.core import random
from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T, accept_output
from dali_studio.operators.random.streams import RandomArguments, draw_batch, draw_constant, infer_random
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Range, Ui
from dali_studio.schema.traits import MadeOnCpu, RandomSource, SpansIterations

_TYPES = tuple(from_numpy(dtype) for dtype in random.COIN_FLIP_DTYPES)


class CoinFlip(RandomArguments, Operator):
    """Draws 1 with a given probability, otherwise 0."""

    path = "random.coin_flip"
    node_name = "coin_flip"
    keywords = "bernoulli probability bool mirror random"
    former = ("coin_flip",)
    traits = (RandomSource, MadeOnCpu, SpansIterations)
    devices = ("cpu", "gpu")
    examples = (example(), example(probability=0.25), example(probability=0.9, dtype="BOOL", shape=(4,)))

    probability: Annotated[float, Doc("Chance of a 1."), Ui("slider", (0, 1)), Range(0, 1), PER_SAMPLE, COMMON] = 0.5
    dtype: Annotated[DALIDataType | None, Doc("Element type: INT32 (default), UINT8 or BOOL.")] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        accept_output(args["dtype"], _TYPES)
        return infer_random(args, args["dtype"] or T.INT32, inputs)

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        dtype = args["dtype"] or T.INT32
        made = draw_constant(args, dtype, inputs, random.coin_flip, args["probability"])
        if made is not None:
            return (made,)
        chances = args.scalars("probability")

        origin = args.context.stream_offset

        def draw(seed: int, start: int, samples: int, elements: Any, rows: slice) -> NDArray[Any]:
            return random.coin_flip(seed, start, samples, elements, chances[rows], to_numpy(dtype), origin)

        return (draw_batch(args, dtype, inputs, draw),)
