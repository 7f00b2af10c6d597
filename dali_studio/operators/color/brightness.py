"""``fn.brightness``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.operators.color.arguments import BrightnessArguments, OutputType
from dali_studio.operators.color.rescaling import Rescaling, coefficients
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example


class Brightness(BrightnessArguments, OutputType, Rescaling):
    """Scales and shifts intensities.

    The result is ``brightness_shift * range + brightness * x``; `range` is 255 for uint8 output, the largest value for
    other integers and 1 for floats.
    """

    keywords = "brightness colorjitter exposure lighter darker"
    shown = example(brightness=1.5)
    examples = (
        example(brightness=1.2),
        example(brightness=0.7, brightness_shift=0.1),
        example(brightness=0.5, dtype="FLOAT"),
    )

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        return coefficients(args, image, args.scalars("brightness"), args.scalars("brightness_shift"), 1.0)
