"""``fn.random.uniform``."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core import random
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T, accept_output
from dali_studio.operators.random.streams import RandomArguments, draw_batch, draw_constant, infer_random
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Length, Ui
from dali_studio.schema.traits import MadeOnCpu, RandomSource, SpansIterations

_TYPES = tuple(from_numpy(dtype) for dtype in random.UNIFORM_DTYPES)


class Uniform(RandomArguments, Operator):
    """Draws numbers that are equally likely between two limits, or from a list.

    The numbers are those of DALI for the same seed, on any device and with any number of threads.
    """

    path = "random.uniform"
    keywords = "noise draw float random"
    former = ("uniform",)
    traits = (RandomSource, MadeOnCpu, SpansIterations)
    devices = ("cpu", "gpu")
    examples = (
        example(),
        example(range=(-30.0, 30.0)),
        example(range=(0.0, 5.0), dtype="INT32", shape=(3, 2)),
        example(values=(1.0, 2.0, 4.0)),
    )

    range: Annotated[
        list[float], Doc("Lower (inclusive) and upper (exclusive) limit."), Length((2,)),
        Ui("range", (-180, 180)), PER_SAMPLE,
        COMMON,
    ] = [-1.0, 1.0]  # fmt: skip # noqa: RUF012
    values: Annotated[
        list[float] | None, Doc("Draw from these values instead; excludes range."), PER_SAMPLE
    ] = None
    dtype: Annotated[
        DALIDataType | None, Doc("Element type; unset: FLOAT. Whole numbers are drawn real and rounded.")
    ] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        accept_output(args["dtype"], _TYPES)
        if args.given("range") and args.given("values"):
            raise ArgumentError("range and values exclude each other.", hint="Take one away.", argument="values")
        limits = args["range"]
        if limits is not None and not limits[0] < limits[1]:
            raise ArgumentError(
                f"the range [{limits[0]:g}, {limits[1]:g}) is empty.",
                hint="Give the smaller number first.",
                argument="range",
            )
        return infer_random(args, args["dtype"] or T.FLOAT, inputs)

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        dtype = args["dtype"] or T.FLOAT
        target, origin = to_numpy(dtype), args.context.stream_offset
        listed = args["values"]
        function, numbers = (_between, args["range"] or ()) if listed is None else (random.uniform_values, (listed,))
        made = draw_constant(args, dtype, inputs, function, *numbers)
        if made is not None:
            return (made,)
        if args.given("values"):
            lists = args.samples("values")

            def draw(seed: int, start: int, samples: int, elements: Any, rows: slice) -> NDArray[Any]:
                chosen = np.asarray(args["values"], np.float32) if lists is None else [np.ravel(v) for v in lists[rows]]
                return random.uniform_values(seed, start, samples, elements, chosen, target, origin)
        else:
            limits = args.vectors("range", 2)
            _check(limits)

            def draw(seed: int, start: int, samples: int, elements: Any, rows: slice) -> NDArray[Any]:
                low, high = limits[rows, 0], limits[rows, 1]
                return random.uniform(seed, start, samples, elements, low, high, target, origin)

        return (draw_batch(args, dtype, inputs, draw),)


def _between(
    seed: int, start: NDArray[np.uint64], samples: int, elements: int, low: float, high: float, dtype: np.dtype[Any]
) -> NDArray[Any]:
    _check(np.array([[low, high]], np.float32))
    return random.uniform(seed, start, samples, elements, low, high, dtype)


def _check(limits: NDArray[np.float32]) -> None:
    empty = ~(limits[:, 0] < limits[:, 1])
    if empty.any():
        index = int(np.argmax(empty))
        raise ArgumentError(
            f"the range [{limits[index, 0]:g}, {limits[index, 1]:g}) is empty.", hint="Give the smaller number first.",
            argument="range", sample=index,
        )  # fmt: skip
