"""``fn.color_twist``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import to_numpy
from dali_studio.kernels.cpu.color import color_fields
from dali_studio.operators.color.arguments import ColorSpace, HueArgument, OutputType, SaturationArgument
from dali_studio.operators.color.twisting import Twisting
from dali_studio.operators.common import T
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ui


class ColorTwist(HueArgument, SaturationArgument, OutputType, ColorSpace, Twisting):
    """Turns the hue and scales saturation, contrast and brightness of RGB images, in one pass.

    First hue and saturation as in `hsv`, then contrast about the middle of the range (128 for integers, 0.5 for
    floats), then brightness.
    """

    keywords = "colorjitter hue saturation brightness contrast color"
    shown = example(hue=40.0, saturation=1.5, contrast=1.2)
    examples = (
        example(hue=20.0, saturation=1.3, contrast=1.2, brightness=0.9),
        example(contrast=1.7, saturation=0.2),
        example(hue=-120.0, brightness=0.5, dtype="FLOAT"),
    )

    contrast: Annotated[
        float, Doc("Factor of the distance from the middle of the range; 0 is flat grey."), Ui("slider", (0, 2)),
        PER_SAMPLE, COMMON,
    ] = 1.0  # fmt: skip
    brightness: Annotated[float, Doc("Factor of the result."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON] = 1.0

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        brightness, contrast = args.scalars("brightness"), args.scalars("contrast")
        middle = np.float32(0.5 if to_numpy(image.meta.dtype or T.UINT8).kind == "f" else 128)
        offset = (middle - middle * contrast) * brightness
        return [color_fields(args.scalars("hue"), args.scalars("saturation"), brightness * contrast, offset)]
