"""``fn.transforms.crop``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.operators.coordinates.transforms import Transform, deep, flat, length_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc
from dali_studio.schema.samples import Case, values

_CORNERS = ("from_start", "from_end", "to_start", "to_end")


class Crop(Transform):
    """Makes transforms that take one range of coordinates to another: of images to windows, or back."""

    path = "transforms.crop"
    icon = "crop"
    keywords = "affine matrix window range coordinates"
    examples = (
        example(from_start=(0.1, 0.2), from_end=(0.6, 0.9)),
        example(from_start=(50.0, 20.0), from_end=(10.0, 70.0), to_end=(200.0, 100.0), absolute=True),
    )

    from_start: Annotated[list[float], Doc("Where the range begins, along each axis."), PER_SAMPLE, COMMON] = [0.0]  # noqa: RUF012 - declarations, read once
    from_end: Annotated[list[float], Doc("Where it ends."), PER_SAMPLE, COMMON] = [1.0]  # noqa: RUF012
    to_start: Annotated[list[float], Doc("Where the beginning goes to."), PER_SAMPLE, COMMON] = [0.0]  # noqa: RUF012
    to_end: Annotated[list[float], Doc("Where the end goes to."), PER_SAMPLE, COMMON] = [1.0]  # noqa: RUF012
    absolute: Annotated[bool, Doc("Take the smaller of begin and end for the begin.")] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        starts, ends = values((0.1, 0.5), (0, 0), (3, 7)), values((0.9, 0.2), (1, 2), (4, 70))
        return [
            *(Case(arguments=one.arguments) for one in cls.examples),
            Case(),
            Case(arguments={"from_start": starts, "to_end": ends}),
            Case(arguments={"from_start": starts, "from_end": ends, "to_start": 2.5, "absolute": True}),
            Case(arguments={"from_end": (2.0, 3.0, 7.0)}),
            *(Case((flat(),), {"from_start": starts, "from_end": ends, "reverse_order": reverse})
              for reverse in (False, True)),
            Case((deep(),), {"to_end": (2.0, 3.0, 7.0)}),
            Case(arguments={"from_start": (1.0, 2.0), "to_end": (2.0, 3.0, 7.0)}, refused="to_end"),
            Case((flat(),), {"to_end": (2.0, 3.0, 7.0)}, refused=""),
        ]  # fmt: skip

    @classmethod
    def axes(cls, args: Args, given: int | None) -> int | None:
        lengths = {name: length_of(args, name) for name in _CORNERS}
        known = [length for length in lengths.values() if length is not None]
        found = max(known, default=None)
        for name, length in lengths.items():
            other = next((one for one in known if one != 1), length)
            if length not in (None, 1, other):
                raise ArgumentError(
                    f"{length} numbers are given, {other} for another corner.",
                    hint="Give as many for each corner, or one for all axes.", argument=name, code="DS203",
                )  # fmt: skip
        return found if len(known) == len(_CORNERS) else None

    @classmethod
    def matrices(cls, args: Args, axes: int) -> NDArray[np.float32]:
        start, end, to_start, to_end = (args.vectors(name, axes) for name in _CORNERS)
        if args["absolute"]:
            start, end = np.minimum(start, end), np.maximum(start, end)
            to_start, to_end = np.minimum(to_start, to_end), np.maximum(to_start, to_end)
        with np.errstate(divide="ignore", invalid="ignore"):
            scales = (to_end - to_start) / (end - start)
            made = np.zeros((args.count, axes, axes + 1), np.float32)
            made[:, range(axes), range(axes)] = scales
            made[..., -1] = to_start - scales * start
        return made
