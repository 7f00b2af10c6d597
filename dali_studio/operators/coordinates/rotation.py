"""``fn.transforms.rotation``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.operators.coordinates.transforms import Transform, deep, exactly, flat, with_centre
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Length, Start, Ui, Unit
from dali_studio.schema.samples import Case, values
from dali_studio.schema.tolerance import Tolerance


class Rotation(Transform):
    """Makes transforms that turn points about a centre: in the plane, or about an axis in space.

    In the plane x turns towards y, which is clockwise where y points down.
    """

    path = "transforms.rotation"
    icon = "rotate"
    keywords = "affine matrix turn angle rotate"
    examples = (
        example(angle=30.0),
        example(angle=-77.5, center=(20.0, 3.0)),
        example(angle=120.0, axis=(1.0, 2.0, 0.5)),
    )
    tolerance = (
        Tolerance(relative=3e-7, reason="sines are the nearest floats here; those of nvidia.dali may be neighbours"),
    )

    angle: Annotated[float, Doc("How far."), Unit("deg"), Ui("slider", (-180, 180)), Start(0.0), PER_SAMPLE, COMMON]
    axis: Annotated[
        list[float] | None, Doc("Axis in space, of any length (x, y, z); unset: the rotation is in the plane."),
        Length((3,)), PER_SAMPLE,
    ] = None  # fmt: skip
    center: Annotated[list[float] | None, Doc("The point that stays where it is; unset: the origin."), PER_SAMPLE] = (
        None
    )

    @classmethod
    def samples(cls) -> Sequence[Case]:
        angles = values(*np.linspace(-400, 500, 40).round(2).tolist(), label="angles")
        few, axes = values(12, -100.5, 0), values((1, 2, 3), (0, 0, 1), (-5, 0.1, 2))
        centres = values((0.3, 20), (1, 1), (-7, 0.1), label="centres")
        frames = values([10, 20], [30], [1, 2, 3], layout="F", label="per frame")
        return [
            *(Case(arguments=one.arguments) for one in cls.examples),
            Case(arguments={"angle": angles}),
            Case(arguments={"angle": angles, "axis": (0.3, -0.4, 1.2), "center": (1.0, 2.0, 3.0)}),
            Case(arguments={"angle": few, "axis": axes}),
            Case(arguments={"angle": few, "center": centres}),
            Case(arguments={"angle": 0.0, "axis": (0.0, 0.0, 0.0)}),
            *(Case((flat(),), {"angle": few, "center": (3.0, 0.7), "reverse_order": reverse})
              for reverse in (False, True)),
            Case((deep(),), {"angle": 35.0, "axis": (1.0, 0.0, 2.0)}),
            Case(arguments={"angle": frames, "center": (0.5, 0.25)}),
            Case((deep(),), {"angle": 35.0}, refused=""),
            Case((flat(),), {"angle": 35.0, "axis": (1.0, 0.0, 2.0)}, refused=""),
            Case(arguments={"angle": 35.0, "center": (1.0, 2.0, 3.0)}, refused="center"),
            Case(arguments={"angle": 35.0, "axis": (0.0, 0.0, 0.0)}, refused="axis"),
        ]  # fmt: skip

    @classmethod
    def axes(cls, args: Args, given: int | None) -> int | None:
        return 3 if args.given("axis") else 2

    @classmethod
    def matrices(cls, args: Args, axes: int) -> NDArray[np.float32]:
        radians = np.deg2rad(args.scalars("angle")).astype(np.float64)
        # the nearest floats: single precision functions are off by some last bits
        cosines, sines = np.cos(radians).astype(np.float32), np.sin(radians).astype(np.float32)
        if axes == 2:
            made = np.stack([cosines, -sines, sines, cosines], axis=1).reshape(-1, 2, 2)
        else:
            made = _in_space(args, radians, cosines, sines)
        return with_centre(args, made)


def _in_space(
    args: Args, radians: NDArray[np.float64], cosines: NDArray[np.float32], sines: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(N, 3, 3) rotations about axes (Rodrigues' formula), in nvidia.dali's order of operations."""
    axes = exactly(args, "axis", 3)
    squares = axes * axes
    lengths = np.sqrt(squares[:, 0] + squares[:, 1] + squares[:, 2])
    wrong = ~(lengths > 0) & (radians != 0)
    if wrong.any():
        raise ArgumentError(
            "the axis has no length.", hint="Give a direction, such as (0, 0, 1).", argument="axis",
            sample=int(np.argmax(wrong)) if args.wired("axis") else None,
        )  # fmt: skip
    with np.errstate(invalid="ignore"):
        u, v, w = (axes / lengths[:, None]).T
    rest = np.float32(1) - cosines
    rows = [
        (u * u + (v * v + w * w) * cosines, u * v * rest - w * sines, u * w * rest + v * sines),
        (u * v * rest + w * sines, v * v + (u * u + w * w) * cosines, v * w * rest - u * sines),
        (u * w * rest - v * sines, v * w * rest + u * sines, w * w + (u * u + v * v) * cosines),
    ]
    made = np.stack([np.stack(row, axis=1) for row in rows], axis=1)
    return np.where((radians == 0)[:, None, None], np.eye(3, dtype=np.float32), made)
