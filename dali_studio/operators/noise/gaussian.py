"""``fn.noise.gaussian``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu import noise
from dali_studio.kernels.cuda.noise import gaussian_part
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.operators.noise.streams import TYPES, NoiseArguments, stream_of
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ui
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample, PixelPart, RandomSource


class Gaussian(NoiseArguments, Operator):
    """Adds normally distributed numbers to each element.

    The numbers are those of DALI for the same seed, on any device. Integers are rounded, and saturate.
    """

    path = "noise.gaussian"
    category = "effects"
    icon = "noise"
    node_name = "noise"
    keywords = "gaussian normal grain random disturb augmentation"
    inputs = (Input("input", doc="Of any layout."),)
    outputs = (Output("output"),)
    traits = (PerSample, PixelPart, RandomSource)
    devices = ("cpu", "gpu")
    seeded = True
    stateful = True
    kernels = (compiled("gaussian_noise", TYPES),)
    shown = example(stddev=40.0)
    examples = (example(stddev=20.0, seed=5), example(mean=-10.5, stddev=0.5, seed=6))
    tolerance = (
        Tolerance(reason="one formula for both devices", on="gpu"),
        Tolerance(
            1, 0.001, relative=3e-7,
            reason="logarithm and cosine differ in their last bits; a rounded number may become its neighbour",
        ),
    )  # fmt: skip

    mean: Annotated[float, Doc("Added on average."), Ui("slider", (-100, 100)), PER_SAMPLE, COMMON] = 0.0
    stddev: Annotated[float, Doc("Standard deviation."), Ui("slider", (0, 100)), PER_SAMPLE, COMMON] = 1.0

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 31))
        noisy = {"stddev": 12.5, "seed": 3}
        return [
            *(Case((images(dtype=dtype),), one.arguments) for one in cls.examples for dtype in TYPES),
            *(Case((images(sizes, layout=layout),), noisy) for layout in ("CHW", "HW", "FHWC", "DHWC")),
            Case((images(((1, 1), (1, 7), (6, 1), (3, 5)), channels=1),), noisy),
            Case((tensors(((7,), (1,), (0,), (130,))),), noisy),
            Case((tensors(((), ())),), noisy),
            Case((images(sizes),), {"mean": values(0.0, 50.0), "stddev": values(30.0, 0.0), "seed": 8}),
            Case((images(sizes),), {"stddev": -5.0, "seed": -1}),
            Case((images(dtype=T.FLOAT16),), noisy, refused=""),
            Case((images(dtype=T.BOOL),), noisy, refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[0], TYPES)
        return inputs[0]

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        given = {"mean": args.scalars("mean"), "stddev": args.scalars("stddev")}
        return Work(inputs[0].shapes, {**stream_of(args), **given})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        noise.gaussian(
            inputs[0], outputs[0], params["key"], int(params["highs"][index]), float(params["mean"][index]),
            float(params["stddev"][index]), params["origin"],
        )  # fmt: skip

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(Gaussian, work, inputs[0], outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        params = work.params
        return gaussian_part(
            image, params["key"], params["highs"], params["mean"], params["stddev"], params["origin"]
        )
