"""``fn.transforms.shear``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.coordinates.transforms import Transform, deep, flat, length_of, with_centre
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Length, Range, Unit
from dali_studio.schema.samples import Case, values
from dali_studio.schema.tolerance import Tolerance

_AXES = {2: 2, 6: 3}
#: What is fed is a row in the plane, or has a row for each axis.
_FED = ((2,), (2, 1), (3, 2))


class Shear(Transform):
    """Makes transforms that move points along an axis, in proportion to where they are along another one.

    In the plane there are two factors: for x in proportion to y, and for y in proportion to x. In space there are six,
    for xy, xz, yx, yz, zx and zy.
    """

    path = "transforms.shear"
    keywords = "affine matrix skew slant"
    examples = (
        example(shear=(0.25, -0.1)),
        example(angles=(20.0, -35.0), center=(5.0, 3.0)),
        example(shear=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    )
    tolerance = (
        Tolerance(relative=2e-7, reason="tangents are the nearest floats here, and may be their neighbours there"),
    )

    shear: Annotated[
        list[float] | None, Doc("Two factors, or six in space; excludes angles."), Length((2, 6)), PER_SAMPLE, COMMON
    ] = None
    angles: Annotated[
        list[float] | None, Doc("Angles whose tangents are the factors."), Unit("deg"), Length((2, 6)), Range(-90, 90),
        PER_SAMPLE, COMMON,
    ] = None  # fmt: skip
    center: Annotated[list[float] | None, Doc("The point that stays where it is; unset: the origin."), PER_SAMPLE] = (
        None
    )

    @classmethod
    def samples(cls) -> Sequence[Case]:
        each, angles = values((1.5, -2), (0.1, 1e-3), (3, 0)), values((10, -20), (60, 45), (0, 89))
        space = values(*np.arange(18).reshape(3, 3, 2) / 7, label="3x2")
        frames = values([(1, 2), (3, 4.5)], [(5, 6)], [(7, 8)] * 3, layout="F*", label="per frame")
        return [
            *(Case(arguments=one.arguments) for one in cls.examples),
            Case(arguments={"shear": each, "center": (1.5, 0.3)}),
            Case(arguments={"shear": space, "center": (1.5, 0.3, 0.1)}),
            Case(arguments={"angles": angles}),
            Case(arguments={"angles": (10.0, 20.0, 30.0, 40.0, 50.0, -60.0)}),
            *(Case((flat(),), {"shear": each, "reverse_order": reverse}) for reverse in (False, True)),
            Case((deep(),), {"shear": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)}),
            Case(arguments={"shear": values([[1], [2.5]], [[3], [4]], [[0], [1]], label="2x1")}),
            *(Case(arguments={"shear": values(*np.zeros((3, *shape)), label=str(shape))}, refused="shear")
              for shape in ((6,), (2, 3), (1, 2), (1, 6), (6, 1))),
            Case(arguments={"shear": frames, "center": (0.5, 0.25)}),
            Case((flat(),), {"shear": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)}, refused=""),
            Case(refused="shear", note="nothing"),
            Case(arguments={"shear": (1.0, 2.0), "angles": (1.0, 2.0)}, refused="angles"),
            Case(arguments={"angles": values((10, -20), (91, 45))}, refused="angles"),
            Case(arguments={"shear": values((1, 2, 3), (1, 2, 3))}, refused="shear"),
            Case(arguments={"shear": (1.0, 2.0), "center": 1.0}, refused="center"),
        ]  # fmt: skip

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        if args.given("shear") and args.given("angles"):
            raise ArgumentError("shear and angles are both given.", hint="Take one away.", argument="angles")
        if not args.given("shear") and not args.given("angles"):
            raise ArgumentError(
                "neither shear nor angles are given.", hint="Give two numbers, or six in space.", argument="shear",
                code="DS103",
            )  # fmt: skip
        return super().infer(args, *inputs)

    @classmethod
    def axes(cls, args: Args, given: int | None) -> int | None:
        name = "shear" if args.given("shear") else "angles"
        for index, sample in enumerate(args.samples(name) or ()):
            if sample.shape not in _FED:
                raise ArgumentError(
                    f"the wired value has shape {sample.shape}; {name} takes (2,), or (3, 2) in space.",
                    hint="Reshape it to (2,) or (3, 2).", argument=name, sample=index, code="DS203",
                )  # fmt: skip
        length = length_of(args, name)
        if length is not None and length not in _AXES:
            raise ArgumentError(
                f"{length} numbers are given; {name} takes 2, or 6 in space.", hint="Give 2 or 6 numbers.",
                argument=name, code="DS203",
            )  # fmt: skip
        return None if length is None else _AXES[length]

    @classmethod
    def matrices(cls, args: Args, axes: int) -> NDArray[np.float32]:
        count = axes * (axes - 1)
        if args.given("shear"):
            factors = args.vectors("shear", count)
        else:
            factors = np.tan(np.deg2rad(args.vectors("angles", count)).astype(np.float64)).astype(np.float32)
        made = np.empty((args.count, axes, axes), np.float32)
        made[:, range(axes), range(axes)] = 1
        made[:, ~np.eye(axes, dtype=np.bool_)] = factors
        return with_centre(args, made)
