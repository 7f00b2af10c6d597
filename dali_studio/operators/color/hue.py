"""``fn.hue``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.color import color_fields
from dali_studio.operators.color.arguments import ColorSpace, HueArgument, OutputType
from dali_studio.operators.color.twisting import Twisting
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example


class Hue(HueArgument, OutputType, ColorSpace, Twisting):
    """Turns the hue of RGB images: a rotation of the chrominance plane of YIQ, as in `hsv`."""

    keywords = "hue colorjitter color"
    shown = example(hue=90.0)
    examples = (example(hue=60.0), example(hue=-720.5), example(hue=-120.0, dtype="FLOAT"))

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        return [color_fields(args.scalars("hue"), 1.0, 1.0)]
