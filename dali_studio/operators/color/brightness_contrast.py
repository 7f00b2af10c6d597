"""``fn.brightness_contrast``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.operators.color.arguments import BrightnessArguments, ContrastArguments, OutputType
from dali_studio.operators.color.rescaling import Rescaling, coefficients
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example


class BrightnessContrast(BrightnessArguments, ContrastArguments, OutputType, Rescaling):
    """Scales and shifts intensities about a centre.

    The result is ``brightness_shift * range + brightness * (contrast_center + contrast * (x - contrast_center))``;
    `range` is 255 for uint8 output, the largest value for other integers and 1 for floats.
    """

    keywords = "brightness contrast colorjitter exposure"
    shown = example(brightness=1.1, contrast=1.7)
    examples = (
        example(brightness=1.2, contrast=0.8),
        example(brightness_shift=0.1, contrast=1.7, contrast_center=100.0),
        example(brightness=0.5, dtype="FLOAT"),
    )

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        return coefficients(
            args, image, args.scalars("brightness"), args.scalars("brightness_shift"), args.scalars("contrast")
        )
