"""Operators that nvidia.dali has under ``fn.experimental``, too: ``resize``, and the deprecated ``tensor_resize``."""

from __future__ import annotations

from collections.abc import Sequence

from dali_studio.operators.geometry import resize
from dali_studio.operators.tensor import tensor_resize
from dali_studio.schema.samples import Case, images


class Resize(resize.Resize):
    """Resamples images and volumes to another size, as ``resize`` does; nvidia.dali has it on the GPU alone."""

    path = "experimental.resize"

    @classmethod
    def samples(cls) -> Sequence[Case]:
        note = "nvidia.dali has it on the GPU alone"
        sizes = ((21, 34), (30, 25))
        return [
            *(Case((images(sizes),), one.arguments, peer=False, note=note) for one in cls.examples),
            Case((images(sizes, layout="DHWC"),), {"size": (5.0, 20.0, 41.0)}, peer=False, note=note),
        ]


class TensorResize(tensor_resize.TensorResize):
    """Resamples up to three neighbouring axes of a tensor."""

    path = "experimental.tensor_resize"
    hidden = True
    deprecated = "tensor_resize"
    examples = tensor_resize.TensorResize.examples[:1]

    @classmethod
    def samples(cls) -> Sequence[Case]:
        return [Case((images(),), one.arguments) for one in cls.examples]
