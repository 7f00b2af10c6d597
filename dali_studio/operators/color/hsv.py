"""``fn.hsv``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.enums import DALIDataType
from dali_studio.kernels.cpu.color import hsv_matrix
from dali_studio.operators.common import T
from dali_studio.operators.pixels import PixelOperator
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Functor, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ui, Unit
from dali_studio.schema.tolerance import Tolerance

_TYPES = (T.UINT8, T.INT16, T.INT32, T.FLOAT, T.FLOAT16)


class Hsv(PixelOperator):
    """Turns the hue and scales saturation and value of RGB images.

    A linear 3x3 transformation in the YIQ space, as DALI defines it, not a conversion to the HSV cone: hue rotates
    the chrominance plane, saturation and value scale chrominance and everything.
    """

    category = "color"
    icon = "drop"
    keywords = "hue saturation value colorjitter color grayscale"
    examples = (
        example(hue=60.0, saturation=1.3, value=0.9),
        example(saturation=0.0),
        example(hue=-120.0, dtype="FLOAT"),
    )
    tolerance = (
        Tolerance(reason="one formula for both devices", on="gpu"),
        Tolerance(
            1, 0.002, dtypes=(T.INT16, T.INT32),
            reason="integers wider than 8 bits show the last bits of the float32 matrix",
        ),
        Tolerance(relative=1e-3, dtypes=(T.FLOAT16,), reason="the last of the eleven bits of a half float"),
        Tolerance(
            1, 0.03, relative=1e-6,
            reason="the last bits of the 3x3 matrix decide ties: 2 % of the pixels where value scales by 2.5",
        ),
    )  # fmt: skip
    functor = Functor("ColorMatrix", "color", _TYPES, _TYPES, rgb=True)

    hue: Annotated[float, Doc("Rotation of the hue."), Unit("deg"), Ui("dial", (-180, 180)), PER_SAMPLE, COMMON] = 0.0
    saturation: Annotated[float, Doc("Factor; 0 is grey."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON] = 1.0
    value: Annotated[float, Doc("Factor of all channels."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON] = 1.0
    dtype: Annotated[DALIDataType, Doc("Element type of the output, UINT8 even for float images.")] = DALIDataType.UINT8

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        matrices = hsv_matrix(args.scalars("hue"), args.scalars("saturation"), args.scalars("value"))
        table = np.zeros((len(matrices), 3, 4), np.float32)
        table[:, :, :3] = matrices
        return [table]
