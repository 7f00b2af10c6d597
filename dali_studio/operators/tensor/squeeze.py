"""``fn.squeeze``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.axes import axes_by_letter
from dali_studio.operators.common import T
from dali_studio.operators.tensor.views import View
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import COMMON, Doc, Layout
from dali_studio.schema.samples import Case, tensors


class Squeeze(View):
    """Takes away axes of extent 1; the data is not copied.

    As in nvidia.dali, axes that are not there are passed over.
    """

    icon = "squeeze"
    keywords = "remove axis dimension singleton"

    axes: Annotated[list[int] | None, Doc("The axes, counted from 0."), COMMON] = None
    axis_names: Annotated[Layout | None, Doc("The same by letters of the layout, such as C."), COMMON] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        data = tensors(((1, 3, 1), (1, 5, 1)), T.INT16, "HWC")
        plain = tensors(((1, 3, 1), (1, 0, 1)), T.FLOAT64)
        given = [(0,), (2,), (0, 2), (2, 0), (-1,), (3,), ()]
        return [
            *(Case((one,), {"axes": axes}) for one in (data, plain) for axes in given),
            *(Case((data,), {"axis_names": names}) for names in ("H", "CH", "")),
            Case((tensors(((1,), (1,)), T.BOOL),), {"axes": 0}),
            Case((data,), {}, refused="axes"),
            Case((data,), {"axes": (0,), "axis_names": "H"}, refused="axis_names"),
            Case((data,), {"axes": (1,)}, refused="axes"),
            Case((data,), {"axes": (0, 0)}, refused="axes"),
            Case((data,), {"axis_names": "W"}, refused="axis_names"),
            Case((data,), {"axis_names": "X"}, refused="axis_names"),
            Case((plain,), {"axis_names": "H"}, refused="axis_names"),
        ]

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        gone = _axes(args, meta)
        if gone is None or meta.ndim is None:
            return TensorMeta(meta.dtype)
        layout = meta.layout and "".join(name for axis, name in enumerate(meta.layout) if axis not in gone)
        made = meta.with_(ndim=meta.ndim - len(gone), layout=layout)
        return made.with_(kind=made.pixels()) if gone else made

    @classmethod
    def shapes(cls, args: Args, *inputs: Batch) -> NDArray[np.int64]:
        (batch,) = inputs
        gone = list(_axes(args, batch.meta) or ())
        wrong = batch.shapes[:, gone] != 1
        if wrong.any():
            sample, position = np.argwhere(wrong)[0].tolist()
            raise ArgumentError(
                f"axis {gone[position]} has {batch.shapes[sample, gone[position]]} elements; only axes of one element "
                "can be taken away.", hint="Name another axis, or take an element of it by an index.",
                argument="axis_names" if args.given("axis_names") else "axes", sample=sample, code="DS203",
            )  # fmt: skip
        return batch.shapes if not gone else np.ascontiguousarray(np.delete(batch.shapes, gone, axis=1))


def _axes(args: Args, meta: TensorMeta) -> tuple[int, ...] | None:
    """The axes that are there; ``None`` as long as it is not known."""
    by_number, by_letter = args.given("axes"), args.given("axis_names")
    if by_number == by_letter:
        given = "are both" if by_number else "are neither"
        raise ArgumentError(
            f"axes and axis_names {given} given.", hint="Give one of them.",
            argument="axis_names" if by_number else "axes",
        )  # fmt: skip
    if by_letter:
        return None if meta.layout is None else axes_by_letter(args["axis_names"], meta, "axis_names")
    axes: tuple[int, ...] = args["axes"]
    twice = next((axis for axis in axes if axes.count(axis) > 1), None)
    if twice is not None:
        raise ArgumentError(f"axis {twice} is named twice.", hint="Name each axis once.", argument="axes")
    return None if meta.ndim is None else tuple(axis for axis in axes if 0 <= axis < meta.ndim)
