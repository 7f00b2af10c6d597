"""``fn.cat``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.axes import axes_by_number, axes_of
from dali_studio.operators.tensor.joins import Join, check_alike
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, Doc


class Cat(Join):
    """Joins tensors along an axis that they have.

    All other axes must be equal.
    """

    keywords = "concatenate concat join append"
    examples = (example(), example(axis=-1))

    axis: Annotated[int, Doc("The axis along which they are joined. Negative: from the last."), COMMON] = 0
    axis_name: Annotated[str | None, Doc("The same by its letter in the layout."), COMMON] = None

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = check_alike(inputs)
        if meta.ndim == 0:
            raise ArgumentError(
                "numbers have no axis to be joined along.", hint="Use stack, which adds one.", code="DS203"
            )
        cls.along(args, meta)
        return meta

    @classmethod
    def along(cls, args: Args, meta: TensorMeta) -> int | None:
        if args.given("axis_name"):
            if len(args["axis_name"]) != 1:
                raise ArgumentError(
                    f"{args['axis_name']!r} is no single letter.", hint="Name one axis.", argument="axis_name"
                )
            named = axes_of(args, meta, "axis", "axis_name")
            return None if named is None else named[0]
        return None if meta.ndim is None else axes_by_number([args["axis"]], meta.ndim, "axis")[0]

    @classmethod
    def joined(cls, axis: int, shapes: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        made = shapes[0].copy()
        made[:, axis] = sum(one[:, axis] for one in shapes)
        return made

    @classmethod
    def needed(cls, axis: int) -> str:
        return f"all axes but axis {axis} must be equal"
