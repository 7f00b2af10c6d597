"""``fn.saturation``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.color import color_fields
from dali_studio.operators.color.arguments import ColorSpace, OutputType, SaturationArgument
from dali_studio.operators.color.twisting import Twisting
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example


class Saturation(SaturationArgument, OutputType, ColorSpace, Twisting):
    """Scales the saturation of RGB images: the chrominance plane of YIQ, as in `hsv`."""

    keywords = "saturation colorjitter color grayscale desaturate"
    shown = example(saturation=2.5)
    examples = (example(saturation=1.6), example(saturation=0.0), example(saturation=0.4, dtype="FLOAT"))

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        return [color_fields(0.0, args.scalars("saturation"), 1.0)]
