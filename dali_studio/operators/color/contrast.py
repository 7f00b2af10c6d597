"""``fn.contrast``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.operators.color.arguments import ContrastArguments, OutputType
from dali_studio.operators.color.rescaling import Rescaling, coefficients
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example


class Contrast(ContrastArguments, OutputType, Rescaling):
    """Moves intensities away from a centre, or towards it.

    The result is ``contrast_center + contrast * (x - contrast_center)``.
    """

    keywords = "contrast colorjitter"
    shown = example(contrast=1.8)
    examples = (
        example(contrast=1.7),
        example(contrast=0.4, contrast_center=100.0),
        example(contrast=0.5, dtype="FLOAT"),
    )

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        return coefficients(args, image, 1.0, 0.0, args.scalars("contrast"))
