"""``fn.random.choice``."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.limits import MAX_ELEMENTS
from dali_studio.core.meta import TensorMeta
from dali_studio.core.random_choice import choice
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import draws as _  # noqa: F401 - the numbers are drawn with it
from dali_studio.kernels.cpu.rows import PickedRows
from dali_studio.operators.common import T
from dali_studio.operators.random.streams import LIKE, RandomArguments, draw_batch, infer_random
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc
from dali_studio.schema.traits import AnyElement, RandomSource

_WHOLE = tuple(dtype for dtype in NUMERIC if dtype.name[0] in "UI")
#: How far a sum of probabilities may be from 1, as in nvidia.dali.
_SUM_TOLERANCE = 1e-4


class Choice(RandomArguments, Operator):
    """Draws elements of an array, or whole numbers below a limit.

    The first input is a number n, for draws from 0 to n - 1, or an array, from whose first axis elements are taken.
    """

    path = "random.choice"
    keywords = "pick select sample draw discrete random"
    inputs = (
        Input("a", doc="A whole number, or the elements along the first axis."),
        LIKE,
    )
    traits = (RandomSource, AnyElement)
    examples = (example(), example(shape=(5,)), example(shape=(2, 3)))

    p: Annotated[
        list[float] | None, Doc("Chance of each element; unset: all are equally likely."), PER_SAMPLE, COMMON
    ] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        given, *like = inputs
        drawn = infer_random(args, T.INT32, like)
        if given.ndim == 0 and given.dtype is not None and given.dtype not in _WHOLE:
            raise ArgumentError(
                f"the limit is {given.dtype.name}; a whole number is accepted.",
                hint="Insert a cast to INT32, or give an array of the values to choose from.", argument="a",
                code="DS203",
            )  # fmt: skip
        if given.ndim is None or drawn.ndim is None:
            return TensorMeta(given.dtype)
        ndim = drawn.ndim + max(given.ndim - 1, 0)
        return TensorMeta(
            given.dtype, ndim, _layout(given.layout, given.ndim, ndim), drawn.kind if ndim == 0 else "any"
        )

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        given, *like = inputs
        limits = _limits(given)
        chances = _chances(args, limits)
        arrays = given.shapes.shape[1] > 1
        largest = int(given.shapes[:, 1:].prod(axis=1).max(initial=1))

        origin = args.context.stream_offset

        def draw(seed: int, start: int, samples: int, elements: int, rows: slice) -> NDArray[Any]:
            if elements * largest > MAX_ELEMENTS:  # before there is an index for each
                raise ArgumentError(
                    f"{elements:,} arrays of {largest:,} elements are chosen for a sample.",
                    hint=f"Give a shape with which a sample has {MAX_ELEMENTS:,} elements at most.", argument="shape",
                )  # fmt: skip
            weights = None if chances is None else chances[rows]
            return choice(seed, start, samples, elements, limits[rows], weights, consecutive=arrays, origin=origin)

        drawn = draw_batch(args, T.INT64, like, draw)
        chosen = _rows(given, drawn)
        if chosen is not None:
            return (chosen.as_members(given.meta.dtype),)
        pairs = zip(given.samples, drawn.samples, strict=True)
        made = [a[index] if a.ndim else index.astype(a.dtype) for a, index in pairs]
        ndims = (given.samples[0].ndim, made[0].ndim) if made else (0, 0)
        dtype = given.dtype
        layout = _layout(given.layout, *ndims) or ""
        chosen = Batch.of([np.asarray(sample) for sample in made], layout, given.sources, dtype=dtype)
        return (chosen.as_members(given.meta.dtype),)


def _layout(layout: str | None, ndim: int, drawn: int) -> str | None:
    """The elements' layout: without its first letter for one element, whole for a row of them, lost for more."""
    if not layout or drawn > ndim:
        return layout and ""
    return layout[ndim - drawn :]


def _limits(given: Batch) -> NDArray[np.int64]:
    """(N,) how many there are to choose from."""
    if given.shapes.shape[1]:
        limits = given.shapes[:, 0]
    else:
        if given.dtype.kind not in "iu":
            raise ArgumentError(
                f"the limit is {given.dtype}; a whole number is accepted.", hint="Give a whole number, or an array.",
                argument="a", sample=0, code="DS203",
            )  # fmt: skip
        limits = np.array([int(sample) for sample in given.samples], np.int64)
    if (limits < 1).any():
        index = int(np.argmax(limits < 1))
        raise ArgumentError(
            f"there are {limits[index]} elements to choose from.", hint="Give 1 or more.", argument="a", sample=index
        )
    return limits


def _rows(given: Batch, drawn: Batch) -> Batch | None:
    """The elements at the drawn places, by one compiled call; ``None`` where places or elements do not allow it."""
    places = drawn.dense()
    if places is None or not given.shapes.shape[1] or not len(given):
        return None
    count, picked = len(given), np.ascontiguousarray(places).reshape(-1)
    each = picked.size // count
    shape = np.broadcast_to(np.array(places.shape[1:], np.int64), (count, places.ndim - 1))
    shapes = np.concatenate([shape, given.shapes[:, 1:]], axis=1)
    rows = PickedRows(picked, np.arange(count) * each, np.full(count, each)).of(given)
    assert isinstance(rows.samples, Packed)
    layout = _layout(given.layout, given.shapes.shape[1], shapes.shape[1]) or ""
    return Batch.of(Packed(rows.samples.slab, rows.samples.starts, shapes, given.dtype), layout, given.sources)


def _chances(args: Args, limits: NDArray[np.int64]) -> list[NDArray[np.float32]] | None:
    """The probabilities of every sample, checked."""
    if not args.given("p"):
        return None
    fed = args.samples("p")
    rows = [np.array(args["p"], np.float32)] * len(limits) if fed is None else [np.ravel(row) for row in fed]
    for index, (row, limit) in enumerate(zip(rows, limits.tolist(), strict=True)):
        if fed is None and index and limit == limits[index - 1]:
            continue  # the same as before
        sample = None if fed is None else index
        if row.size != limit:
            raise _wrong(f"{row.size} chances are given for {limit} elements.", "Give one for each element.", sample)
        inside = (row >= 0) & (row <= 1)
        if not inside.all():
            raise _wrong(f"a chance is {row[~inside][0]:g}.", "Give numbers from 0 to 1.", sample)
        total = float(row.sum(dtype=np.float64))
        if not abs(total - 1) < _SUM_TOLERANCE:
            raise _wrong(f"the chances add up to {total:g}.", "Give chances whose sum is 1.", sample)
    return rows


def _wrong(message: str, hint: str, sample: int | None) -> ArgumentError:
    return ArgumentError(message, hint=hint, argument="p", sample=sample)
