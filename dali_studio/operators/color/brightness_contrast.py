"""``fn.brightness_contrast``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.kernels.cpu.color import brightness_contrast_coefficients
from dali_studio.operators.common import T
from dali_studio.operators.pixels import PixelOperator
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Functor, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ui

_TYPES = (T.UINT8, T.INT16, T.INT32, T.FLOAT)


class BrightnessContrast(PixelOperator):
    """Scales and shifts intensities about a centre.

    The result is ``brightness_shift * range + brightness * (contrast_center + contrast * (x - contrast_center))``;
    `range` is 255 for uint8 output, the largest value for other integers and 1 for floats.
    """

    category = "color"
    icon = "contrast"
    keywords = "brightness contrast colorjitter exposure"
    examples = (
        example(brightness=1.2, contrast=0.8),
        example(brightness_shift=0.1, contrast=1.7, contrast_center=100.0),
        example(brightness=0.5, dtype="FLOAT"),
    )
    functor = Functor("Scale", "color", _TYPES, _TYPES)

    brightness: Annotated[float, Doc("Factor of the result."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON] = 1.0
    contrast: Annotated[
        float, Doc("Factor of the distance from the centre; 0 is flat grey."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON
    ] = 1.0
    brightness_shift: Annotated[
        float, Doc("Added, as a fraction of the output's range."), Ui("slider", (-1, 1)), PER_SAMPLE, COMMON
    ] = 0.0
    contrast_center: Annotated[
        float | None,
        Doc("Intensity that contrast leaves alone; unset: the middle of the input's range (128, or 0.5 for floats)."),
        Ui("slider", (0, 255)), PER_SAMPLE,
    ] = None  # fmt: skip
    dtype: Annotated[DALIDataType | None, Doc("Element type of the output; unset keeps the input's.")] = None

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        source = image.meta.dtype or T.UINT8
        center = args.scalars("contrast_center") if args.given("contrast_center") else None
        return brightness_contrast_coefficients(
            args.scalars("brightness"), args.scalars("brightness_shift"), args.scalars("contrast"), center,
            to_numpy(source), to_numpy(args["dtype"] or source),
        )  # fmt: skip
