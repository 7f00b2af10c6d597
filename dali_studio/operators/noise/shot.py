"""``fn.noise.shot``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu import noise
from dali_studio.kernels.cuda.noise import shot_part
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
from dali_studio.schema.traits import PerSample, PixelPart, RandomSource


class Shot(NoiseArguments, Operator):
    """Replaces each element by what a sensor counts: the noise grows with the intensity.

    The result is `factor` times a number of events, which has Poisson's distribution with the element divided by
    `factor` as its mean; elements below 0 have no events. Integers are rounded, and saturate. As in DALI, a factor of 0
    gives zeros. The numbers are those of DALI for the same seed.
    """

    path = "noise.shot"
    category = "effects"
    icon = "noise"
    node_name = "shot_noise"
    keywords = "poisson photon sensor grain random disturb augmentation"
    inputs = (Input("input", dtypes=TYPES, doc="Of any layout."),)
    outputs = (Output("output"),)
    traits = (PerSample, PixelPart, RandomSource)
    devices = ("cpu", "gpu")
    seeded = True
    stateful = True
    kernels = (compiled("shot_noise", TYPES),)
    shown = example(factor=40.0)
    examples = (example(seed=5), example(factor=2.5, seed=6))

    # nvidia.dali's reference says 20, and 12 is what it takes
    factor: Annotated[float, Doc("What one event adds; the larger, the more noise."), Ui("slider", (0, 100)),
                      PER_SAMPLE, COMMON] = 12.0  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 31))
        noisy = {"factor": 7.5, "seed": 3}
        return [
            *(Case((images(dtype=dtype),), one.arguments) for one in cls.examples for dtype in TYPES),
            *(Case((images(sizes, layout=layout),), noisy) for layout in ("CHW", "HW", "FHWC", "FCHW")),
            Case((images(sizes, T.FLOAT),), {"factor": 0.01, "seed": 3}),
            Case((tensors(((40, 50), (7, 8)), T.FLOAT, "", -1000, 1e6),), {"factor": 0.3, "seed": 4}),
            Case((tensors(((40, 50), (7, 8)), T.INT64, "", 0, 3e9),), {"factor": 1.0, "seed": 4}),
            *(Case((images(sizes),), {"factor": factor, "seed": 3}) for factor in (0.0, 0.05, 1.0, -3.0)),
            Case((images(sizes, T.INT16),), {"factor": -3.0, "seed": 3}),
            Case((tensors(((7,), (1,), (0,), (130,))),), noisy),
            Case((tensors(((), ())),), noisy),
            Case((images(sizes),), {"factor": values(0.5, 40.0), "seed": -1}),
            Case((tensors(((9,), (4,)), T.FLOAT, "", 1e11, 1e12),), {"factor": 1.0}, peer=False, note="never returns"),
            Case((values(1e20, 1e30, np.inf),), {"factor": 1.0}, peer=False, note="never returns"),
            *(Case((images(dtype=dtype),), noisy, refused="") for dtype in (T.FLOAT16, T.BOOL)),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[0], TYPES)
        return inputs[0]

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        return Work(inputs[0].shapes, {**stream_of(args), "factor": args.scalars("factor")})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params, image = work.params, np.asarray(inputs[0], order="C")
        noise.shot(
            image, outputs[0], params["key"], int(params["highs"][index]), float(params["factor"][index]),
            params["origin"],
        )  # fmt: skip

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(Shot, work, inputs[0], outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        params = work.params
        return shot_part(image, params["key"], params["highs"], params["factor"], params["origin"])
