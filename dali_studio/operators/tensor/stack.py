"""``fn.stack``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.axes import axes_by_number
from dali_studio.operators.tensor.joins import Join, check_alike
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, Doc


class Stack(Join):
    """Joins tensors of one shape along a new axis.

    Without a name for the new axis the result has no layout.
    """

    keywords = "join pile new axis"
    examples = (example(), example(axis=-1))

    axis: Annotated[int, Doc("Where the new axis stands in the result. Negative: from the last."), COMMON] = 0
    axis_name: Annotated[str | None, Doc("The letter of the new axis in the layout."), COMMON] = None

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = check_alike(inputs)
        name: str | None = args["axis_name"]
        if name is not None and not (len(name) == 1 and name.isascii()):
            raise ArgumentError(f"{name!r} is no single ASCII letter.", hint="Give one letter.", argument="axis_name")
        axis = cls.along(args, meta)
        if meta.ndim is None or axis is None:
            return TensorMeta(meta.dtype)
        if name is None:
            return TensorMeta(meta.dtype, meta.ndim + 1, "")
        if meta.ndim and meta.layout == "":
            raise ArgumentError(
                "the inputs have no layout, so that the new axis alone would have a name.",
                hint="Give the inputs a layout, or unset axis_name.", argument="axis_name",
            )  # fmt: skip
        layout = meta.layout or ""
        known = meta.layout is not None or meta.ndim == 0
        return TensorMeta(meta.dtype, meta.ndim + 1, layout[:axis] + name + layout[axis:] if known else None)

    @classmethod
    def along(cls, args: Args, meta: TensorMeta) -> int | None:
        axis: int = args["axis"]
        if meta.ndim is None:
            return None
        if axis < -meta.ndim:  # as in nvidia.dali, the first axis has no negative number
            axes_by_number([axis], meta.ndim, "axis")
        return axes_by_number([axis], meta.ndim + 1, "axis")[0]

    @classmethod
    def joined(cls, axis: int, shapes: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        return np.insert(shapes[0], axis, len(shapes), axis=1)

    @classmethod
    def needed(cls, axis: int) -> str:
        return "all shapes must be equal"
