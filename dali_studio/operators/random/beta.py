"""``fn.random.beta``."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.beta import beta
from dali_studio.operators.common import T, accept_output
from dali_studio.operators.random.streams import RandomArguments, draw_batch, infer_random
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ui
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import RandomSource

_TYPES = (T.FLOAT, T.FLOAT64)


class Beta(RandomArguments, Operator):
    """Draws numbers between 0 and 1 with a beta distribution, as mixup takes them.

    Both parameters at 1: all are equally likely. Larger ones draw numbers to the middle, smaller ones to the ends. The
    numbers are those of DALI for the same seed, up to their last bits.
    """

    path = "random.beta"
    category = "random"
    icon = "dice"
    keywords = "mixup cutmix draw float random distribution"
    inputs = (Input("shape_like", optional=True, shape_only=True, doc="Only its shape counts."),)
    outputs = (Output("output", "scalar"),)
    traits = (RandomSource,)
    seeded = True
    stateful = True
    examples = (
        example(), example(alpha=2.0, beta=3.0, shape=(5,)), example(alpha=0.2, beta=0.2, shape=(3, 2)),
        example(alpha=0.4, beta=5.0, dtype="FLOAT64", shape=(4,)), example(alpha=0.1, beta=0.7, dtype="FLOAT64"),
    )  # fmt: skip
    tolerance = (Tolerance(relative=1e-5, reason="logarithms and powers differ in their last bits"),)

    alpha: Annotated[
        float, Doc("The first shape: the larger, the nearer to 1."), Ui("slider", (0.1, 5)), PER_SAMPLE, COMMON
    ] = 1.0
    beta: Annotated[
        float, Doc("The second shape: the larger, the nearer to 0."), Ui("slider", (0.1, 5)), PER_SAMPLE, COMMON
    ] = 1.0
    dtype: Annotated[DALIDataType | None, Doc("Element type: FLOAT (default) or FLOAT64.")] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        accept_output(args["dtype"], _TYPES)
        return infer_random(args, args["dtype"] or T.FLOAT, inputs)

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        dtype = args["dtype"] or T.FLOAT
        alphas, betas = _shapes(args, "alpha"), _shapes(args, "beta")

        def draw(seed: int, start: int, samples: int, elements: Any, rows: slice) -> NDArray[Any]:
            return beta(seed, start, samples, int(elements), alphas[rows], betas[rows], to_numpy(dtype))

        return (draw_batch(args, dtype, inputs, draw),)


def _shapes(args: Args, name: str) -> NDArray[np.float32]:
    """A parameter of each sample, checked."""
    found: NDArray[np.float32] = args.scalars(name)
    wrong = ~((found > 0) & np.isfinite(found))
    if wrong.any():
        sample = int(np.argmax(wrong))
        raise ArgumentError(
            f"{found[sample]:g} is no shape of a distribution.", hint="Give a number above 0.", argument=name,
            sample=sample if args.wired(name) else None,
        )  # fmt: skip
    return found
