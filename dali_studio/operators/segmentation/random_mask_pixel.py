"""``fn.segmentation.random_mask_pixel``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu import objects
from dali_studio.operators.common import T, check_dtype
from dali_studio.operators.random.places import SeedArgument, places
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, RangesOperator, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import PerSample, RandomSource

_TYPES = (T.UINT8, T.INT8, T.UINT16, T.INT16, T.UINT32, T.INT32, T.UINT64, T.INT64, T.FLOAT, T.BOOL)


class RandomMaskPixel(SeedArgument, RangesOperator):
    """Draws the place of a pixel in a mask: of any, or of one in the foreground.

    The foreground is what exceeds `threshold`, or equals `value`. Where a mask has none, any pixel is drawn. Gives the
    index along each axis, int64 (axes,).
    """

    path = "segmentation.random_mask_pixel"
    category = "segmentation"
    icon = "dice"
    keywords = "mask foreground point centre sample random crop"
    inputs = (Input("masks", "mask", dtypes=_TYPES),)
    outputs = (Output("position"),)
    traits = (PerSample, RandomSource)
    kernels = (compiled("random_pixels", _TYPES),)
    seeded = True
    stateful = True
    examples = (example(), example(foreground=1, threshold=120.0), example(foreground=1, value=7))

    foreground: Annotated[int, Doc("Draw a pixel of the foreground, unless it is 0."), PER_SAMPLE, COMMON] = 0
    threshold: Annotated[float, Doc("Greater values are foreground."), PER_SAMPLE, COMMON] = 0.0
    value: Annotated[
        int | None, Doc("What equals it is foreground; excludes threshold."), PER_SAMPLE, COMMON
    ] = None  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        small = ((3, 4, 5), (1, 1, 1), (2, 6, 1), (70, 33, 2))
        coins = values(0, 1, 1, 0, dtype=T.INT32)
        return [
            *(Case((tensors(small, dtype, high=9),), {"foreground": 1, "threshold": 4.0}) for dtype in _TYPES),
            *(Case((tensors(small, dtype, high=9),), {"foreground": 1, "value": 3}) for dtype in _TYPES),
            *(Case((images(),), one.arguments) for one in cls.examples),
            Case((tensors(small, T.UINT8, high=9),), {"foreground": 1, "value": 300}),
            Case((tensors(small, T.UINT8, high=9),), {"foreground": 1, "value": -1}),
            Case((tensors(small, T.UINT8, high=9),), {"foreground": coins, "threshold": values(1, 3, 8, 2)}),
            Case((tensors(small, T.INT32, high=9),), {"foreground": 1, "value": values(1, 3, 8, 2, dtype=T.INT32)}),
            Case((tensors(((9,), (30000,)), high=9),), {"foreground": 2, "seed": 5}),
            Case((tensors(small),), {"threshold": 1.0, "value": 1}, refused="value"),
            Case((tensors(((3, 0), (2, 2))),), refused=""),
            Case((tensors(((), ())),), refused=""),
            Case((tensors(small, T.FLOAT16),), refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        if meta.ndim == 0:
            raise ArgumentError("the mask has no axes.", hint="Give a mask of pixels.", code="DS203")
        if args.given("value") and args.given("threshold"):
            raise ArgumentError("value and threshold are both given.", hint="Take one away.", argument="value")
        return TensorMeta(T.INT64, 1, "")

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        (mask,) = inputs
        empty = mask.counts == 0
        if empty.any():
            raise ArgumentError(
                "the mask has no pixels.", hint="Leave such samples out.", sample=int(np.argmax(empty)), code="DS203"
            )
        count, by_value = len(mask), args.given("value")
        params = {
            "foreground": args.scalars("foreground", np.int32),
            "kind": objects.EQUAL if by_value else objects.ABOVE,
            "thresholds": args.scalars("threshold") if not by_value else np.zeros(count, np.float32),
            "values": args.scalars("value", np.int32) if by_value else np.zeros(count, np.int32),
            "seed": args.context.seed, "places": places(args.context), "origin": args.context.stream_offset,
        }  # fmt: skip
        return Work(np.full((count, 1), mask.shapes.shape[1], np.int64), params)

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        own = slice(index, index + 1)
        each = {name: value[own] if name in _EACH else value for name, value in work.params.items()}
        objects.random_pixels(Batch.of([np.ascontiguousarray(inputs[0])]), Batch.of([outputs[0]]), **each)(0, 1)

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        return objects.random_pixels(inputs[0], outputs[0], **work.params)


#: Parameters with a number for each sample.
_EACH = ("foreground", "thresholds", "values", "places")
