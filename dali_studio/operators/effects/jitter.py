"""``fn.jitter``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import displace
from dali_studio.kernels.cuda.displace import jitter_part
from dali_studio.kernels.cuda.parts import Part
from dali_studio.operators.common import T
from dali_studio.operators.effects.displacement import TYPES, Displacement
from dali_studio.operators.geometry.movements import RANDOM_WINDOW
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import compiled, example, named
from dali_studio.schema.marks import COMMON, Doc, Range, Ui, Unit
from dali_studio.schema.samples import Case, images, on_gpu_alone, values
from dali_studio.schema.traits import PerSample, RandomSource, SourcePart


class Jitter(Displacement):
    """Replaces each pixel by one of its neighbourhood, drawn at random.

    Rows and columns of the neighbourhood begin ``nDegree // 2`` before the pixel, and are `nDegree` many; those beyond
    the image are the nearest ones inside. Whole pixels are moved.
    """

    icon = "noise"
    movement = RANDOM_WINDOW
    keywords = "scatter frosted glass random displacement"
    traits = (PerSample, RandomSource, SourcePart)
    dialects = (named("nvidia.dali", gpu_only=True),)
    seeded = True
    stateful = True
    kernels = (compiled("jitter", TYPES),)
    shown = example(nDegree=8)
    examples = (example(seed=5), example(nDegree=7, seed=6), example(nDegree=4, interp_type="INTERP_LINEAR", seed=7))

    nDegree: Annotated[int, Doc("Width of the neighbourhood."), Unit("px"), Range(1, 65536), Ui("slider", (1, 20)),  # noqa: N815
                       COMMON] = 2  # fmt: skip
    seed: Annotated[int | None, Doc("Seed of the stream; unset: the pipeline hands one out.")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 131))
        cases = [
            *super().samples(),
            *(Case((images(sizes, dtype, channels=channels),), {"nDegree": 5, "seed": 3})
              for dtype in TYPES for channels in (1, 4)),
            Case((images(sizes),), {"nDegree": 6, "mask": values(0, 1, dtype=T.INT32), "seed": 3}),
            Case((images(sizes, dtype=T.INT16),), {}, refused=""),
            Case((images(sizes),), {"nDegree": 0}, refused="nDegree"),
        ]  # fmt: skip
        return on_gpu_alone(cases)

    @staticmethod
    def params(args: Args, image: Batch) -> dict[str, Any]:
        context = args.context
        key, origin = context.seed & 0xFFFFFFFFFFFFFFFF, context.stream_offset
        return {"key": key, "highs": context.highs, "degree": args["nDegree"], "origin": origin}

    @staticmethod
    def moved(image: Any, out: Any, params: dict[str, Any], index: int) -> None:
        displace.jitter(image, out, params["key"], int(params["highs"][index]), params["degree"], params["origin"])

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        params = work.params
        return jitter_part(params["kept"], params["key"], params["highs"], params["degree"], params["origin"])
