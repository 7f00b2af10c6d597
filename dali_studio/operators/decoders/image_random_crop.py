"""``fn.decoders.image_random_crop``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.decoders.common import infer_image
from dali_studio.operators.decoders.windows import WindowDecoder
from dali_studio.operators.geometry.movements import RANDOM_DECODED_WINDOW
from dali_studio.operators.geometry.random_windows import RandomWindowArguments, check_window_ranges, random_windows
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.traits import RandomSource


class ImageRandomCrop(RandomWindowArguments, WindowDecoder):
    """Decodes a random window of each image file.

    The window's area and aspect ratio are drawn until it fits, at most `num_attempts` times, then its place. No more
    of the file is decoded than needed.
    """

    path = "decoders.image_random_crop"
    keywords = "jpeg decode random crop randomresizedcrop"
    former = ("image_decoder_random_crop", "experimental.decoders.image_random_crop")
    traits = (*WindowDecoder.traits, RandomSource)
    movement = RANDOM_DECODED_WINDOW
    seeded = True
    stateful = True
    examples = (example(), example(random_area=(0.5, 0.6), random_aspect_ratio=(0.9, 1.1)), example(output_type="BGR"))

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_window_ranges(args)
        return infer_image(args, inputs[0])

    @classmethod
    def windows(
        cls, args: Args, shapes: NDArray[np.int64], *positions: Batch
    ) -> tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
        return random_windows(args, shapes[:, :2])
