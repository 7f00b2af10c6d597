"""``fn.experimental.resize``."""

from __future__ import annotations

from collections.abc import Sequence

from dali_studio.operators.geometry import resize
from dali_studio.schema.declare import named
from dali_studio.schema.samples import Case, images


class Resize(resize.Resize):
    """Resamples images and volumes to another size, as ``resize`` does; nvidia.dali has it on the GPU alone."""

    path = "experimental.resize"
    dialects = (named("nvidia.dali", gpu_only=True),)
    shown = None  # as resize

    @classmethod
    def samples(cls) -> Sequence[Case]:
        note = "nvidia.dali has it on the GPU alone"
        sizes = ((21, 34), (30, 25))
        return [
            *(Case((images(sizes),), one.arguments, peer=False, note=note) for one in cls.examples),
            Case((images(sizes, layout="DHWC"),), {"size": (5.0, 20.0, 41.0)}, peer=False, note=note),
        ]
