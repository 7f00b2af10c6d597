"""What random operators share: shapes of the samples, and the place of a sample in its stream."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.random import SAMPLE_STRIDE
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Batch
from dali_studio.schema.marks import PER_SAMPLE, Doc

#: ``draw(seed, start, samples, elements, rows)``: numbers of the samples whose argument rows are `rows`.
Draw = Callable[[int, int, int, Any, "slice[int, int, None]"], NDArray[Any]]


class RandomArguments:
    """Shape, type and seed of random tensors."""

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
        shape = args["shape"]
        ndim = None if args.wired("shape") else len(shape or ())
    return TensorMeta(dtype, ndim, "", "scalar" if ndim == 0 else "any")


def draw_batch(args: Args, dtype: DALIDataType, inputs: Sequence[Batch], draw: Draw) -> Batch:
    """Draw the samples of an iteration, all at once where the whole batch is wanted.

    A sample's place in the stream depends on its index alone, so that a preview of sample k draws what the run draws.
    """
    context = args.context
    shapes = _shapes(args, inputs)
    uniform = not inputs and not args.wired("shape")
    counts = [math.prod(shapes[0])] * len(shapes) if uniform and shapes else [math.prod(shape) for shape in shapes]
    sizes = np.array(counts, np.int64)
    if not len(sizes):
        return Batch([])
    if np.array_equal(context.indices, np.arange(context.batch_size)) and (sizes == sizes[0]).all():
        table = draw(context.seed, context.samples_so_far, len(sizes), int(sizes[0]), slice(0, len(sizes)))
        if uniform and shapes[0]:
            return Batch(list(table.reshape(len(sizes), *shapes[0])))
        return Batch([row.reshape(shape) for row, shape in zip(table, shapes, strict=True)])
    samples: list[NDArray[Any]] = []
    for position, index in enumerate(context.indices.tolist()):
        start = context.samples_so_far + SAMPLE_STRIDE * index
        row = draw(context.seed, start, 1, int(sizes[position]), slice(position, position + 1))
        samples.append(row.reshape(shapes[position]).astype(to_numpy(dtype), copy=False))
    return Batch(samples)


def _shapes(args: Args, inputs: Sequence[Batch]) -> list[tuple[int, ...]]:
    if inputs:
        return [sample.shape for sample in inputs[0].samples]
    wired = args.samples("shape")
    rows = (
        [tuple(args["shape"] or ())] * args.count
        if wired is None
        else [tuple(np.atleast_1d(s).tolist()) for s in wired]
    )
    for index, row in enumerate(rows if wired is not None else rows[:1]):
        if any(extent < 0 for extent in row):
            raise ArgumentError(
                f"the shape {row} has a negative extent.", hint="Give 0 or more.", argument="shape",
                sample=None if wired is None else index,
            )  # fmt: skip
    return rows
