"""Arguments that operators on colours share."""

from __future__ import annotations

from typing import Annotated

from dali_studio.core.enums import DALIDataType, DALIImageType
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ignored, Ui, Unit


class BrightnessArguments:
    """Factor and shift of intensities."""

    brightness: Annotated[float, Doc("Factor of the result."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON] = 1.0
    brightness_shift: Annotated[
        float, Doc("Added, as a fraction of the output's range."), Ui("slider", (-1, 1)), PER_SAMPLE, COMMON
    ] = 0.0


class ContrastArguments:
    """Distance of intensities from a centre."""

    contrast: Annotated[
        float, Doc("Factor of the distance from the centre; 0 is flat grey."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON
    ] = 1.0
    contrast_center: Annotated[
        float | None,
        Doc("Intensity that contrast leaves alone; unset: the middle of the input's range (128, or 0.5 for floats)."),
        Ui("slider", (0, 255)), PER_SAMPLE,
    ] = None  # fmt: skip


class HueArgument:
    """Rotation of the plane of chrominance."""

    hue: Annotated[float, Doc("Rotation of the hue."), Unit("deg"), Ui("dial", (-180, 180)), PER_SAMPLE, COMMON] = 0.0


class SaturationArgument:
    """Factor of chrominance."""

    saturation: Annotated[float, Doc("Factor; 0 is grey."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON] = 1.0


class OutputType:
    """Element type of the result."""

    dtype: Annotated[DALIDataType | None, Doc("Element type of the output; unset keeps the input's.")] = None


class ColorSpace:
    """Channels of the input, which no formula here depends on."""

    image_type: Annotated[DALIImageType, Ignored("images have the channels red, green and blue")] = DALIImageType.RGB
