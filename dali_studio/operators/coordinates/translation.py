"""``fn.transforms.translation``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.operators.coordinates.transforms import Transform, deep, exactly, flat, length_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Start
from dali_studio.schema.samples import Case, values


class Translation(Transform):
    """Makes transforms that move points.

    The result is a float32 matrix (axes, axes + 1), for `warp_affine` and `coord_transform`.
    """

    path = "transforms.translation"
    keywords = "affine matrix move shift offset translate"
    former = ("transform_translation",)
    examples = (example(offset=(12.0, -7.5)), example(offset=(1.0, 2.0, 3.0)))

    offset: Annotated[
        list[float], Doc("How far along each axis (x, y, and z); says how many axes there are."), Start((0.0, 0.0)),
        PER_SAMPLE, COMMON,
    ]  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        each = values((1.5, -2), (0.1, 1e-3), (3e5, 0))
        frames = values([(1, 2), (3, 4.5)], [(5, 6)], [(7, 8)] * 3, layout="F*", label="per frame")
        return [
            *(Case(arguments=one.arguments) for one in cls.examples),
            Case(arguments={"offset": 4.0}),
            Case(arguments={"offset": (1.0,) * 6}),
            Case(arguments={"offset": each}),
            *(Case((flat(),), {"offset": given, "reverse_order": reverse}) for given in (each, (3.0, 1.7))
              for reverse in (False, True)),
            Case((deep(),), {"offset": (1.0, 2.0, 0.3)}),
            Case(arguments={"offset": frames}),
            Case((flat(),), {"offset": frames}),
            Case((flat(),), {"offset": (1.0, 2.0, 3.0)}, refused=""),
            Case((flat(),), {"offset": 1.0}, refused=""),
            Case(arguments={"offset": (1.0,) * 7}, refused=""),
            Case(arguments={"offset": values((1.0, 2.0), (1.0,))}, refused="offset"),
            Case((values(*([[1.0, 2.0]] * 2), label="no transforms"),), {"offset": (1.0, 2.0)}, refused=""),
        ]  # fmt: skip

    @classmethod
    def axes(cls, args: Args, given: int | None) -> int | None:
        return length_of(args, "offset")

    @classmethod
    def matrices(cls, args: Args, axes: int) -> NDArray[np.float32]:
        made = np.zeros((args.count, axes, axes + 1), np.float32)
        made[:, range(axes), range(axes)] = 1
        made[..., -1] = exactly(args, "offset", axes)
        return made
