"""``fn.transforms.scale``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.transforms import MAX_AXES
from dali_studio.operators.coordinates.transforms import Transform, deep, exactly, flat, length_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Range, Start
from dali_studio.schema.samples import Case, values


class Scale(Transform):
    """Makes transforms that scale points away from a centre, or towards it."""

    path = "transforms.scale"
    keywords = "affine matrix zoom enlarge shrink"
    examples = (example(scale=(1.25, 0.8)), example(scale=(2.0, 0.5), center=(10.0, 3.3)))

    scale: Annotated[
        list[float], Doc("Factor for each axis (x, y, and z), or one for all."), Start((1.0, 1.0)), PER_SAMPLE, COMMON
    ]
    center: Annotated[list[float] | None, Doc("The point that stays where it is; unset: the origin."), PER_SAMPLE] = (
        None
    )
    ndim: Annotated[
        int | None, Doc("How many axes there are, where one factor is given and there is no input."), Range(1, MAX_AXES)
    ] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        each = values((1.5, -2), (0.1, 1e-3), (3, 0))
        centres = values((0.3, 20), (1, 1), (-7, 0.1), label="centres")
        frames = values([(1, 2), (3, 4.5)], [(5, 6)], [(7, 8)] * 3, layout="F*", label="per frame")
        return [
            *(Case(arguments=one.arguments) for one in cls.examples),
            Case(arguments={"scale": 4.0}),
            Case(arguments={"scale": 4.0, "ndim": 3}),
            Case(arguments={"scale": (1.0, 2.0, 3.0), "center": (0.1, 0.2, 0.3)}),
            Case(arguments={"scale": values(1.5, 3.0), "ndim": 2, "center": (3.0, 0.7)}),
            Case(arguments={"scale": each, "center": centres}),
            *(Case((flat(),), {"scale": given, "center": (1.1, 2.7), "reverse_order": reverse})
              for given in (each, 0.3) for reverse in (False, True)),
            Case((deep(),), {"scale": 1.5}),
            Case(arguments={"scale": frames, "center": (0.5, 0.25)}),
            Case((flat(),), {"scale": (1.0, 2.0, 3.0)}, refused=""),
            Case(arguments={"scale": (1.0, 2.0), "center": (1.0, 2.0, 3.0)}, refused="center"),
            Case(arguments={"scale": (1.0, 2.0), "center": 1.0}, refused="center"),
        ]  # fmt: skip

    @classmethod
    def axes(cls, args: Args, given: int | None) -> int | None:
        length = length_of(args, "scale")
        return length if length != 1 else given or args["ndim"] or 1

    @classmethod
    def matrices(cls, args: Args, axes: int) -> NDArray[np.float32]:
        scales = args.vectors("scale", axes)
        made = np.zeros((args.count, axes, axes + 1), np.float32)
        made[:, range(axes), range(axes)] = scales
        if args.given("center"):
            made[..., -1] = exactly(args, "center", axes) * (np.float32(1) - scales)
        return made
