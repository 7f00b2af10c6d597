"""What operators share that turn and scale the colours of a pixel by a matrix."""

from __future__ import annotations

from dali_studio.operators.common import T
from dali_studio.operators.pixels import PixelOperator
from dali_studio.schema.declare import Functor
from dali_studio.schema.tolerance import Tolerance

_TYPES = (T.UINT8, T.INT16, T.INT32, T.FLOAT, T.FLOAT16)


class Twisting(PixelOperator, abstract=True):
    """The functor, its types, and how far results may be."""

    category = "color"
    icon = "drop"
    functor = Functor("ColorMatrix", "color", _TYPES, _TYPES, rgb=True)
    tolerance = (
        Tolerance(reason="one formula for both devices", on="gpu"),
        Tolerance(
            1, 0.002, dtypes=(T.INT16,), reason="integers wider than 8 bits show the last bits of the float32 matrix",
        ),
        Tolerance(
            1024, 0.7, dtypes=(T.INT32,),
            reason="the last bits of the float32 matrix: up to 5e-7 of values that fill 32 bits, 0.2 % of small ones",
        ),
        Tolerance(relative=1e-3, dtypes=(T.FLOAT16,), reason="the last of the eleven bits of a half float"),
        Tolerance(
            1, 0.03, relative=1e-6,
            reason="the last bits of the 3x3 matrix decide ties: 2 % of the pixels where value scales by 2.5",
        ),
    )  # fmt: skip
