"""What `brightness`, `contrast` and `brightness_contrast` share: each channel is scaled and shifted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import to_numpy
from dali_studio.kernels.cpu.color import brightness_contrast_coefficients
from dali_studio.operators.common import T
from dali_studio.operators.pixels import PixelOperator
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Functor

_TYPES = (T.UINT8, T.INT16, T.INT32, T.FLOAT)


class Rescaling(PixelOperator, abstract=True):
    """The functor and its types."""

    category = "color"
    icon = "contrast"
    functor = Functor("Scale", "color", _TYPES, _TYPES)


def coefficients(args: Args, image: Batch, brightness: Any, shift: Any, contrast: Any) -> Sequence[NDArray[Any]]:
    """The fields of the functor; the centre is the argument `contrast_center`, where there is one."""
    source = image.meta.dtype or T.UINT8
    centered = args.schema.argument("contrast_center") is not None and args.given("contrast_center")
    center = args.scalars("contrast_center") if centered else None
    return brightness_contrast_coefficients(
        brightness, shift, contrast, center, to_numpy(source), to_numpy(args["dtype"] or source)
    )
