"""``fn.random_crop_generator``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T, check_dtype
from dali_studio.operators.geometry.random_windows import RandomWindowArguments, check_window_ranges, random_windows
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, example
from dali_studio.schema.samples import Case, tensors, values
from dali_studio.schema.traits import RandomSource

_TYPES = (T.INT64, T.INT32, T.UINT32, T.INT16, T.UINT16, T.INT8, T.UINT8)


class RandomCropGenerator(RandomWindowArguments, Operator):
    """Draws a window in images of given shapes, as `decoders.image_random_crop` does with the same seed.

    Gives where it begins, (y, x), and its size, (height, width), int32, for `slice` or `decoders.image_slice`.
    """

    path = "random_crop_generator"
    category = "geometry"
    icon = "dice"
    keywords = "random crop window anchor randomresizedcrop"
    inputs = (Input("shapes", dtypes=_TYPES, doc="Height and width of each image, which more may follow (shapes())."),)
    outputs = (Output("anchor"), Output("shape"))
    traits = (RandomSource,)
    seeded = True
    stateful = True
    examples = (example(), example(random_area=(0.5, 0.6), random_aspect_ratio=(0.9, 1.1), num_attempts=3))

    @classmethod
    def samples(cls) -> Sequence[Case]:
        shapes = values((480, 640, 3), (20, 1000, 3), (1, 1, 1), (375, 500, 3), dtype=T.INT64, label="shapes")
        return [
            *(Case((shapes,), one.arguments) for one in cls.examples),
            Case((values((480, 640), (20, 1000), dtype=T.INT32),), {"seed": 3}),
            *(Case((values((30, 40), (20, 100), dtype=dtype),)) for dtype in (T.UINT8, T.UINT16, T.INT16, T.UINT32)),
            Case((shapes,), {"random_area": (0.5, 0.4)}, refused="random_area"),
            Case((values(480, 640, dtype=T.INT64),), refused=""),
            Case((values((480, 0), (1, 2), dtype=T.INT64),), refused=""),
            *(Case((tensors(((2,), (2,)), dtype),), refused="") for dtype in (T.FLOAT, T.UINT64)),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_window_ranges(args)
        check_dtype(inputs[0], _TYPES)
        if inputs[0].ndim not in (None, 1):
            raise ArgumentError(
                f"the shapes have {inputs[0].ndim} axes; a row of numbers is accepted.", hint="Feed images.shape().",
                code="DS203",
            )  # fmt: skip
        pair = TensorMeta(T.INT32, 1, "")
        return pair, pair

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        RandomCropGenerator.infer(args, inputs[0].meta)
        together = inputs[0].dense()
        if together is None or together.shape[1] < 2:
            together = np.array([(*row[:2].tolist(), 0, 0)[:2] for row in inputs[0].samples], np.int64).reshape(-1, 2)
        sizes = together[:, :2].astype(np.int64)
        wrong = (sizes < 1).any(axis=1)
        if wrong.any():
            index = int(np.argmax(wrong))
            raise ArgumentError(
                f"{inputs[0].samples[index].tolist()} is no height and width.", hint="Feed images.shape().",
                sample=index, code="DS203",
            )  # fmt: skip
        return tuple(Batch.of_array(table) for table in random_windows(args, sizes))
