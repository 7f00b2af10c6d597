"""``fn.reinterpret``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from dali_studio.core.dtypes import ENUMERATIONS, NUMERIC
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import ELEMENTS, T, accept_output
from dali_studio.operators.tensor.shaping import Shaping, infer_shaped
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import COMMON, Choices, Doc
from dali_studio.schema.samples import Case, tensors


class Reinterpret(Shaping):
    """Takes the bytes of the data for elements of another type; the data is not copied.

    Without a shape the last axis becomes longer or shorter. Shapes are given as for reshape, in elements of the new
    type.
    """

    icon = "binary"
    keywords = "view bytes bitcast dtype type"

    dtype: Annotated[
        DALIDataType | None, Doc("Element type of the output; unset: that of the data."), Choices(ELEMENTS), COMMON
    ] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        data = tensors(((2, 4), (1, 4), (3, 4)), T.FLOAT, "HW")
        settings: list[dict[str, Any]] = [
            *({"dtype": dtype.name} for dtype in (*NUMERIC, *ENUMERATIONS) if dtype is not T.BOOL),
            {"dtype": "UINT8", "shape": (-1,)}, {"dtype": "UINT8", "shape": (-1, 2)},
            {"dtype": "UINT8", "rel_shape": (1.0, -1.0)}, {"dtype": "INT16", "rel_shape": (1.0, 2.0)},
            {"dtype": "INT16", "layout": "AB"}, {"shape": (-1,)}, {"layout": "AB"}, {"dtype": "FLOAT16", "layout": ""},
            {"dtype": "UINT8", "src_dims": (1, 0)}, {"dtype": "UINT8", "src_dims": (1, 0), "rel_shape": (4.0, 1.0)},
        ]  # fmt: skip
        return [
            *(Case((data,), one) for one in settings),
            Case((tensors(((), ()), T.FLOAT),), {"dtype": "INT32"}),
            Case((tensors(((), ()), T.FLOAT),), {"dtype": "UINT8", "shape": (4,)}),
            Case((tensors(((2, 0), (0, 3)), T.FLOAT),), {"dtype": "UINT16"}),
            Case((tensors(((), ()), T.FLOAT),), {"dtype": "UINT8"}, refused="dtype", note="ends nvidia.dali"),
            Case((tensors(((2, 3),) * 2, T.FLOAT),), {"dtype": "FLOAT64"}, refused="dtype"),
            Case((data,), {"dtype": "FLOAT64", "shape": (-1, 3)}, refused="shape"),
            Case((data,), {"dtype": "FLOAT64", "shape": (3,)}, refused="shape"),
            Case((data,), {"dtype": "UINT8", "rel_shape": (float("nan"), 1.0)}, refused="rel_shape"),
            Case((data,), {}, refused="dtype"),
        ]

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        accept_output(args["dtype"], (*NUMERIC, *ENUMERATIONS))
        return infer_shaped(args, inputs, args["dtype"] or inputs[0].dtype)
