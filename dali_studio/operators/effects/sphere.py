"""``fn.sphere``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import displace
from dali_studio.kernels.cuda.displace import sphere_part
from dali_studio.kernels.cuda.parts import Part
from dali_studio.operators.common import T
from dali_studio.operators.effects.displacement import BETWEEN_FILLS, TYPES, Displacement
from dali_studio.operators.geometry.movements import SPHERE
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import compiled, example
from dali_studio.schema.samples import Case, images, values


class Sphere(Displacement):
    """Shows images as through a glass ball.

    With ``d`` the distance from the centre, as a part of half the longer side, a point comes from ``d`` times as far
    from the centre in its own direction.
    """

    icon = "sphere"
    movement = SPHERE
    keywords = "ball fisheye bulge distortion displacement"
    kernels = (compiled("sphere", TYPES),)
    shown = example()
    tolerance = (BETWEEN_FILLS,)
    examples = (example(), example(fill_value=77.0), example(interp_type="INTERP_LINEAR", fill_value=128.0))

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 131))
        return [
            *super().samples(),
            *(Case((images(sizes, dtype, channels=channels),), {"interp_type": kind})
              for dtype in TYPES for channels in (1, 2, 4, 5) for kind in ("INTERP_NN", "INTERP_LINEAR")),
            Case((images(sizes),), {"mask": values(0, 1, dtype=T.INT32)}),
            Case((images(sizes, dtype=T.INT16),), {}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def moved(image: Any, out: Any, params: dict[str, Any], index: int) -> None:
        displace.sphere(image, out, params["fill"], linear=params["linear"])

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        params = work.params
        return sphere_part(params["kept"], float(params["fill"][0]), linear=params["linear"])
