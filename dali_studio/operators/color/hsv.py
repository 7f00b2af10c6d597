"""``fn.hsv``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.enums import DALIDataType
from dali_studio.kernels.cpu.color import color_fields
from dali_studio.operators.color.arguments import HueArgument, SaturationArgument
from dali_studio.operators.color.twisting import Twisting
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ui


class Hsv(HueArgument, SaturationArgument, Twisting):
    """Turns the hue and scales saturation and value of RGB images.

    A linear 3x3 transformation in the YIQ space, as DALI defines it, not a conversion to the HSV cone: hue rotates
    the chrominance plane, saturation and value scale chrominance and everything.
    """

    keywords = "hue saturation value colorjitter color grayscale"
    shown = example(hue=120.0, saturation=1.3)
    examples = (
        example(hue=60.0, saturation=1.3, value=0.9),
        example(saturation=0.0),
        example(hue=-120.0, dtype="FLOAT"),
    )

    value: Annotated[float, Doc("Factor of all channels."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON] = 1.0
    dtype: Annotated[DALIDataType, Doc("Element type of the output, UINT8 even for float images.")] = DALIDataType.UINT8

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        return [color_fields(args.scalars("hue"), args.scalars("saturation"), args.scalars("value"))]
