"""``fn.roi_random_crop``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.box_crops import region_crops
from dali_studio.operators.common import T
from dali_studio.operators.random.places import SeedArgument, places
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Range, Start
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import RandomSource


class ROIRandomCrop(SeedArgument, Operator):
    """Draws where a window of a given size begins, so that it holds a region, or as much of it as it can.

    A window that is smaller than the region lies in it. With the shape of the image, by an input or by `in_shape`, the
    window stays inside. Gives int64 (axes,), for `slice`.
    """

    path = "roi_random_crop"
    category = "geometry"
    icon = "crop"
    keywords = "region of interest window foreground random crop anchor"
    inputs = (Input("image", optional=True, shape_only=True, doc="Only its shape counts."),)
    outputs = (Output("crop_start"),)
    traits = (RandomSource,)
    seeded = True
    stateful = True
    examples = (
        example(crop_shape=(20, 30), roi_start=(10, 15), roi_end=(15, 60)),
        example(crop_shape=(9, 7), roi_start=(1, 2), roi_shape=(30, 40), in_shape=(50, 60)),
    )

    crop_shape: Annotated[
        list[int], Doc("Size of the window along each axis."), Start((1, 1)), Range(0), PER_SAMPLE, COMMON
    ]
    roi_start: Annotated[list[int], Doc("Where the region begins."), Start((0, 0)), PER_SAMPLE, COMMON]
    roi_end: Annotated[list[int] | None, Doc("Where the region ends; excludes roi_shape."), PER_SAMPLE, COMMON] = None
    roi_shape: Annotated[
        list[int] | None, Doc("Size of the region; excludes roi_end."), Range(0), PER_SAMPLE, COMMON
    ] = None  # fmt: skip
    in_shape: Annotated[
        list[int] | None, Doc("Shape of the image, which the window must not leave."), PER_SAMPLE
    ] = None  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        starts = values((1, 2, 0), (0, 0, 0), (5, 4, 0), (3, 3, 0), dtype=T.INT32, label="starts")
        ends = values((30, 20, 3), (41, 53, 3), (6, 40, 3), (4, 9, 3), dtype=T.INT32, label="ends")
        crops = values((9, 9, 3), (10, 30, 3), (30, 10, 3), (1, 1, 3), dtype=T.INT32, label="crops")
        plain = {"crop_shape": (20, 30), "roi_start": (10, 15)}
        return [
            *(Case(arguments=one.arguments) for one in cls.examples),
            Case((images(),), {"crop_shape": crops, "roi_start": starts, "roi_end": ends}),
            Case((images(),), {"crop_shape": (30, 40, 3), "roi_start": starts, "roi_shape": (3, 2, 3)}),
            Case(arguments={"crop_shape": crops, "roi_start": starts, "roi_shape": ends, "seed": 8}),
            Case(arguments={"crop_shape": 5, "roi_start": 3, "roi_shape": 5}),
            Case(arguments={"crop_shape": 500, "roi_start": -3, "roi_end": 2}),
            Case(arguments={**plain, "roi_end": (30, 40), "roi_shape": (9, 9)}, refused="roi_shape"),
            Case(arguments=plain, refused="roi_end"),
            Case(arguments={**plain, "roi_end": (30,)}, refused="roi_end"),
            Case(arguments={**plain, "roi_end": (30, 40), "in_shape": (10, 100)}, refused="crop_shape"),
            Case(arguments={**plain, "roi_end": (30, 40), "in_shape": (100, 36)}, refused="roi_end"),
            Case((images(),), {**plain, "roi_end": (30, 40), "in_shape": (100, 36)}, refused="in_shape"),
            Case((images(),), {"crop_shape": (5, 7), "roi_start": (2, 1), "roi_shape": (9, 8), "seed": 4}),
            Case((tensors(((30,),)),), {**plain, "roi_end": (30, 40)}, refused="crop_shape"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        if args.given("roi_end") and args.given("roi_shape"):
            raise ArgumentError("roi_end and roi_shape are both given.", hint="Take one away.", argument="roi_shape")
        if not args.given("roi_end") and not args.given("roi_shape"):
            raise ArgumentError(
                "the region has no end.", hint="Give roi_end or roi_shape.", argument="roi_end", code="DS103"
            )
        if inputs and args.given("in_shape"):
            raise ArgumentError(
                "the image's shape is given twice: by in_shape and by the input.", hint="Take one away.",
                argument="in_shape",
            )  # fmt: skip
        return TensorMeta(T.INT64, 1, "")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        if not args.count:
            return (Batch.of([], dtype=np.dtype(np.int64), ndim=1),)
        kept = args.memory.get(_KEPT)
        if inputs or not args.constant or kept is None or len(kept[1][0]) != args.count:
            kept = _tables(args, inputs)
            if not inputs and args.constant:
                args.memory[_KEPT] = kept
        bounds, tables = kept
        context = args.context
        made = region_crops(tables, bounds, context.seed, places(context), context.stream_offset)
        return (Batch.of_array(made),)


#: Where tables of constant arguments are kept.
_KEPT = object()
_Tables = tuple["NDArray[np.int64] | None", tuple["NDArray[np.int32]", "NDArray[np.int32]", "NDArray[np.int32]"]]


def _tables(args: Args, inputs: Sequence[Batch]) -> _Tables:
    """Shapes of the images, if they are known; begins and sizes of the regions, and sizes of the windows."""
    fed = args.samples("crop_shape")
    axes = np.size(args["crop_shape"] if fed is None else fed[0])
    crops, starts = _rows(args, "crop_shape", axes), _rows(args, "roi_start", axes)
    by_end = args.given("roi_end")
    ends = _rows(args, "roi_end", axes) if by_end else starts + _rows(args, "roi_shape", axes)
    bounds: NDArray[np.int64] | None = None
    if inputs:
        bounds = inputs[0].shapes
        if bounds.shape[1] < axes:
            raise ArgumentError(
                f"the window has {axes} axes, the image {bounds.shape[1]}.", hint="Give a size for each axis.",
                argument="crop_shape",
            )  # fmt: skip
        bounds = np.ascontiguousarray(bounds[:, :axes])  # the first ones, as in nvidia.dali
    elif args.given("in_shape"):
        bounds = _rows(args, "in_shape", axes).astype(np.int64)
    if bounds is not None:
        _check(bounds, crops, "crop_shape", "the window {0} is larger than the image {1}.")
        _check(bounds, ends, "roi_end" if by_end else "roi_shape", "the region ends at {0}, the image at {1}.")
        _check(starts, np.zeros_like(starts), "roi_start", "the region begins at {1}.")
    return bounds, (starts, ends - starts, crops)


def _rows(args: Args, name: str, axes: int) -> NDArray[np.int32]:
    """(N, axes) numbers of an argument."""
    fed = args.samples(name)
    rows = [np.array(args[name])] if fed is None else fed
    wrong = next((index for index, row in enumerate(rows) if row.size != axes), None)
    if wrong is not None:
        raise ArgumentError(
            f"{rows[wrong].size} numbers are given for {axes} axes.", hint=f"Give {axes} numbers.", argument=name,
            sample=None if fed is None else wrong, code="DS203",
        )  # fmt: skip
    return np.ascontiguousarray(args.vectors(name, axes, np.int32))


def _check(most: NDArray[np.integer], given: NDArray[np.integer], name: str, message: str) -> None:
    """Refuse numbers beyond others."""
    wrong = (given > most).any(axis=1)
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ArgumentError(
            message.format(given[index].tolist(), most[index].tolist()),
            hint="Keep region and window inside the image.", argument=name, sample=index,
        )  # fmt: skip
