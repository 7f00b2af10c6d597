"""What random operators share: shapes of the samples, and the place of a sample in its stream."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.random_stream import AHEAD, ahead, starts_of
from dali_studio.kernels.cpu import philox as _  # noqa: F401 - `core.random` draws with it from now on
from dali_studio.operators.common import check_shape, shapes_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Output
from dali_studio.schema.marks import PER_SAMPLE, Doc
from dali_studio.schema.model import InputSchema, OutputSchema

LIKE = Input("shape_like", optional=True, shape_only=True, doc="Only its shape counts.")
#: Where the numbers of a block of iterations are kept.
_DRAWN = object()
#: ``draw(seed, start, samples, elements, rows)``: numbers of the samples whose argument rows are `rows`.
Draw = Callable[[int, int, int, Any, "slice[int, int, None]"], NDArray[Any]]


class RandomArguments:
    """Shape and seed of random tensors, and what else their operators have alike."""

    category: ClassVar[str] = "random"
    icon: ClassVar[str] = "dice"
    inputs: ClassVar[tuple[InputSchema, ...]] = (LIKE,)
    outputs: ClassVar[tuple[OutputSchema, ...]] = (Output("output", "scalar"),)
    seeded: ClassVar[bool] = True
    stateful: ClassVar[bool] = True

    shape: Annotated[
        list[int] | None, Doc("Shape of each sample; unset: a scalar, or the shape of the input."), PER_SAMPLE
    ] = None
    seed: Annotated[int | None, Doc("Seed of the stream; unset: the pipeline hands one out.")] = None


def infer_random(args: Args, dtype: DALIDataType, inputs: Sequence[TensorMeta]) -> TensorMeta:
    """Type of a random tensor."""
    if inputs and args.given("shape"):
        raise ArgumentError(
            "the shape is given twice: by the argument and by the input.", hint="Take one away.", argument="shape"
        )
    if inputs:
        ndim = inputs[0].ndim
    else:
        shape: tuple[int, ...] = args["shape"] or ()
        check_shape(shape)
        ndim = None if args.wired("shape") else len(shape)
    return TensorMeta(dtype, ndim, "", "scalar" if ndim == 0 else "any")


def draw_constant(
    args: Args, dtype: DALIDataType, inputs: Sequence[Batch], function: Callable[..., NDArray[Any]], *numbers: Any
) -> Batch | None:
    """The samples of an iteration, of draws for some iterations at once; ``None`` where that is not possible.

    Parameters
    ----------
    function : callable
        ``function(seed, starts, samples, elements, *numbers, dtype)``, as those of `core.random`.
    *numbers
        The distribution.
    """
    context = args.context
    if inputs or not args.constant or not context.whole or context.stream_offset:
        return None
    shape, count = tuple(args["shape"] or ()), args.count // context.iterations
    elements = math.prod(shape)
    if context.iterations > 1 and all(extent >= 0 for extent in shape):
        made = function(context.seed, context.starts, count, elements, *numbers, to_numpy(dtype))
        return Batch.of_array(made.reshape(args.count, *shape))
    place = ahead(context.samples_so_far, count, elements)
    if place is None or any(extent < 0 for extent in shape):
        return None
    block, row = place
    drawn: tuple[int, int, NDArray[Any]] | None = args.memory.get(_DRAWN)
    if drawn is None or drawn[:2] != (block, count):
        made = function(context.seed, starts_of(block, count), count, elements, *numbers, to_numpy(dtype))
        drawn = args.memory[_DRAWN] = block, count, made.reshape(AHEAD, count, *shape)
    return Batch.of_array(drawn[2][row].copy())


def draw_batch(args: Args, dtype: DALIDataType, inputs: Sequence[Batch], draw: Draw) -> Batch:
    """Draw the samples of an iteration, all at once where the whole batch is wanted.

    A sample's place in the stream depends on its index alone, so that a preview of sample k draws what the run draws.
    """
    context = args.context
    shapes = _shapes(args, inputs)
    if not shapes:
        return Batch.of([], dtype=to_numpy(dtype), ndim=len(args["shape"] or ()))
    different = set(shapes)
    counts = {math.prod(shape) for shape in different}
    in_order = context.iterations > 1 or context.whole or np.array_equal(context.drawn, np.arange(len(shapes)))
    if len(counts) == 1 and in_order:
        starts = [context.samples_so_far] if context.iterations == 1 else context.starts.tolist()
        size, elements = len(shapes) // len(starts), counts.pop()
        tables = [
            draw(context.seed, start, size, elements, slice(number * size, (number + 1) * size))
            for number, start in enumerate(starts)
        ]
        table = tables[0] if len(tables) == 1 else np.concatenate(tables)
        if len(different) == 1:
            return Batch.of_array(table.reshape(len(shapes), *shapes[0]))
        return Batch.of([row.reshape(shape) for row, shape in zip(table, shapes, strict=True)])
    samples: list[NDArray[Any]] = []
    for position, start in enumerate(context.highs.tolist()):
        row = draw(context.seed, start, 1, math.prod(shapes[position]), slice(position, position + 1))
        samples.append(row.reshape(shapes[position]).astype(to_numpy(dtype), copy=False))
    return Batch.of(samples)


def _shapes(args: Args, inputs: Sequence[Batch]) -> list[tuple[int, ...]]:
    if inputs:
        return [tuple(shape) for shape in inputs[0].shapes.tolist()]
    wired = args.samples("shape")
    rows = (
        [tuple(args["shape"] or ())] * args.count
        if wired is None
        else shapes_of(wired)
    )
    for index, row in enumerate(rows if wired is not None else rows[:1]):
        check_shape(row, None if wired is None else index)
    return rows
