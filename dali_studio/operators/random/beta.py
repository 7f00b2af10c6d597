"""``fn.random.beta``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.random import SAMPLE_STRIDE
from dali_studio.kernels.cpu.beta import beta
from dali_studio.operators.common import T, accept_output
from dali_studio.operators.random.streams import RandomArguments, draw_batch, draw_constant, infer_random
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ui
from dali_studio.schema.samples import Case, tensors, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import RandomSource

_TYPES = (T.FLOAT, T.FLOAT64)
_WORD = 0xFFFFFFFFFFFFFFFF


class Beta(RandomArguments, Operator):
    """Draws numbers from 0 to 1 that have the beta distribution.

    The numbers are those of DALI for the same seed, up to their last bits.
    """

    path = "random.beta"
    keywords = "mixup cutmix dirichlet draw float random"
    traits = (RandomSource,)
    examples = (
        example(seed=5),
        example(alpha=0.4, beta=0.4),
        example(alpha=3.0, beta=0.5, dtype="FLOAT64", shape=(3,)),
    )
    tolerance = (
        Tolerance(relative=2e-6, dtypes=(T.FLOAT,), reason="logarithms and powers differ in the last bits of a float"),
        Tolerance(relative=1e-13, reason="logarithms and powers differ in their last bits"),
    )

    alpha: Annotated[float, Doc("First parameter, above 0."), Ui("slider", (0.1, 5)), PER_SAMPLE, COMMON] = 1.0
    beta: Annotated[float, Doc("Second parameter, above 0."), Ui("slider", (0.1, 5)), PER_SAMPLE, COMMON] = 1.0
    dtype: Annotated[DALIDataType | None, Doc("Element type: FLOAT (default) or FLOAT64.")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        pairs = ((1.0, 1.0), (0.5, 0.5), (0.2, 0.9), (0.5, 3.0), (7.0, 0.3), (20.0, 30.0), (1e-3, 1e-3))
        many = {"shape": (40, 50), "seed": 3}
        return [
            *super().samples(),
            *(Case((), {**many, "alpha": a, "beta": b, "dtype": dtype.name}) for a, b in pairs for dtype in _TYPES),
            Case((), {"shape": (263000,), "alpha": 0.7, "beta": 2.0, "seed": 4}),
            Case((tensors(((3, 4), (0, 2), (5, 1))),), {"seed": 3}),
            Case((), {"alpha": values(0.5, 2.0, 1.0), "beta": values(0.3, 0.9, 6.0), "shape": (9,), "seed": -1}),
            *(Case((), {name: number}, refused=name) for name in ("alpha", "beta") for number in (0.0, -2.0, np.inf)),
            *(Case((), {"dtype": dtype}, refused="dtype") for dtype in ("INT32", "FLOAT16")),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        accept_output(args["dtype"], _TYPES)
        for name in ("alpha", "beta"):
            if not args.wired(name):
                _check(name, np.array([args[name]], np.float32))
        return infer_random(args, args["dtype"] or T.FLOAT, inputs)

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        dtype = args["dtype"] or T.FLOAT
        parameters = [args.scalars(name) for name in ("alpha", "beta")]
        for name, given in zip(("alpha", "beta"), parameters, strict=True):
            _check(name, given, fed=True)

        constant = draw_constant(args, dtype, inputs, _drawn, args["alpha"], args["beta"])
        if constant is not None:
            return (constant,)
        origin = args.context.stream_offset

        def draw(seed: int, start: int, samples: int, elements: Any, rows: slice) -> NDArray[Any]:
            made = np.empty((samples, elements), to_numpy(dtype))
            highs = _highs(np.array([start & _WORD], np.uint64), samples)
            alphas, betas = (one[rows] for one in parameters)
            beta(made, seed, highs, alphas, betas, origin)
            return made

        return (draw_batch(args, dtype, inputs, draw),)


def _highs(starts: NDArray[np.uint64], samples: int) -> NDArray[np.uint64]:
    """Upper halves of the counters of some iterations' samples, one after the other."""
    return (starts[:, None] + np.arange(samples, dtype=np.uint64) * np.uint64(SAMPLE_STRIDE)).ravel()


def _drawn(
    seed: int, starts: NDArray[np.uint64], samples: int, elements: int, alpha: float, other: float,
    dtype: np.dtype[Any],
) -> NDArray[Any]:  # fmt: skip
    """Numbers of some iterations of one distribution."""
    highs = _highs(starts, samples)
    made = np.empty((len(highs), elements), dtype)
    alphas, betas = (np.full(len(highs), one, np.float32) for one in (alpha, other))
    beta(made, seed, highs, alphas, betas)
    return made


def _check(name: str, given: NDArray[np.float32], *, fed: bool = False) -> None:
    wrong = ~((given > 0) & np.isfinite(given))
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ArgumentError(
            f"{name} is {given[index]:g}.", hint="Give a number above 0.", argument=name, sample=index if fed else None
        )
