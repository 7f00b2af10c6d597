"""``fn.random.normal``."""

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
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ui
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import MadeOnCpu, RandomSource, SpansIterations

_TYPES = tuple(from_numpy(dtype) for dtype in random.UNIFORM_DTYPES)


class Normal(RandomArguments, Operator):
    """Draws normally distributed numbers.

    The numbers are those of DALI for the same seed, up to their last bits, on any device.
    """

    path = "random.normal"
    keywords = "gauss gaussian bell noise draw float random randn"
    former = ("normal_distribution",)
    traits = (RandomSource, MadeOnCpu, SpansIterations)
    devices = ("cpu", "gpu")
    examples = (
        example(),
        example(mean=5.0, stddev=0.5),
        example(stddev=40.0, dtype="INT16", shape=(3, 2)),
    )
    tolerance = (
        Tolerance(
            1, 0.001, relative=3e-7,
            reason="logarithm and cosine differ in their last bits; a rounded number may become its neighbour",
        ),
    )  # fmt: skip

    mean: Annotated[float, Doc("Centre of the distribution."), Ui("slider", (-10, 10)), PER_SAMPLE, COMMON] = 0.0
    stddev: Annotated[float, Doc("Standard deviation."), Ui("slider", (0, 10)), PER_SAMPLE, COMMON] = 1.0
    dtype: Annotated[
        DALIDataType | None, Doc("Element type; unset: FLOAT. Whole numbers are drawn real and rounded.")
    ] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        accept_output(args["dtype"], _TYPES)
        return infer_random(args, args["dtype"] or T.FLOAT, inputs)

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        dtype = args["dtype"] or T.FLOAT
        made = draw_constant(args, dtype, inputs, random.normal, args["mean"], args["stddev"])
        if made is not None:
            return (made,)
        means, widths = args.scalars("mean"), args.scalars("stddev")

        origin = args.context.stream_offset

        def draw(seed: int, start: int, samples: int, elements: Any, rows: slice) -> NDArray[Any]:
            return random.normal(seed, start, samples, elements, means[rows], widths[rows], to_numpy(dtype), origin)

        return (draw_batch(args, dtype, inputs, draw),)
