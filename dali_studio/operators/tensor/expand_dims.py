"""``fn.expand_dims``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T
from dali_studio.operators.tensor.views import View
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import COMMON, Doc, Layout, Start
from dali_studio.schema.samples import Case, tensors


class ExpandDims(View):
    """Adds axes of extent 1; the data is not copied.

    Without names for the new axes the result has no layout.
    """

    icon = "expand"
    keywords = "add new axis dimension unsqueeze newaxis"

    axes: Annotated[list[int], Doc("Where the new axes stand in the result, counted from 0."), Start((0,)), COMMON]
    new_axis_names: Annotated[Layout | None, Doc("A letter for each of the new axes."), COMMON] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        data = tensors(((4, 3, 2), (1, 5, 2)), T.UINT8, "HWC")
        plain = tensors(((4, 3), (0, 5)), T.FLOAT16)
        return [
            *(Case((data,), {"axes": axes}) for axes in ((0,), (3,), (0, 2), (2, 0), (3, 4), ())),
            *(
                Case((data,), {"axes": axes, "new_axis_names": names})
                for axes, names in (((0,), "N"), ((2, 0), "AB"), ((4, 3), "AB"), ((0,), "H"), ((0,), ""))
            ),
            *(Case((one,), {"axes": (0, 1)}) for one in (plain, tensors(((), ()), T.INT64))),
            Case((tensors(((), ()), T.BOOL),), {"axes": (0,), "new_axis_names": "A"}),
            Case((data,), {"axes": (4,)}, refused="axes"),
            Case((data,), {"axes": (-1,)}, refused="axes"),
            Case((data,), {"axes": (0, 0)}, refused="axes"),
            Case((data,), {"axes": (0, 2), "new_axis_names": "A"}, refused="new_axis_names"),
            *(Case((plain,), {"axes": (0,), "new_axis_names": name}, refused="new_axis_names") for name in ("A", "")),
        ]

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        axes: tuple[int, ...] = args["axes"]
        names: str = args["new_axis_names"] or ""
        _check(axes, names)
        if meta.ndim is None:
            return TensorMeta(meta.dtype)
        ndim = meta.ndim + len(axes)
        if axes and max(axes) >= ndim:
            raise ArgumentError(
                f"the result has {ndim} axes, none of which is {max(axes)}.", hint=f"Give 0 to {ndim - 1}.",
                argument="axes", code="DS203",
            )  # fmt: skip
        if not axes:
            return meta
        if not names and not (args.given("new_axis_names") and meta.layout == "" and meta.ndim):
            return TensorMeta(meta.dtype, ndim, "")
        if meta.layout is None and meta.ndim:
            return TensorMeta(meta.dtype, ndim)
        if len(meta.layout or "") < meta.ndim:
            raise ArgumentError(
                "the data has no layout, so that the new axes alone would have names.",
                hint="Give the data a layout, or unset new_axis_names.", argument="new_axis_names",
            )  # fmt: skip
        named, rest = dict(zip(axes, names, strict=True)), iter(meta.layout or "")
        layout = "".join(named.get(axis) or next(rest) for axis in range(ndim))
        made = TensorMeta(meta.dtype, ndim, layout, meta.kind)
        return made.with_(kind=made.pixels())

    @classmethod
    def shapes(cls, args: Args, *inputs: Batch) -> NDArray[np.int64]:
        shapes = inputs[0].shapes
        for axis in sorted(args["axes"]):
            shapes = np.insert(shapes, axis, 1, axis=1)
        return shapes


def _check(axes: tuple[int, ...], names: str) -> None:
    for axis in axes:
        if axis < 0:
            raise ArgumentError(f"{axis} is negative.", hint="Count axes of the result from 0.", argument="axes")
        if axes.count(axis) > 1:
            raise ArgumentError(f"axis {axis} is named twice.", hint="Name each axis once.", argument="axes")
    if names and len(names) != len(axes):
        raise ArgumentError(
            f"{len(names)} names are given for {len(axes)} new axes.", hint="Give a letter for each, or none.",
            argument="new_axis_names",
        )  # fmt: skip
