"""``fn.decoders.image_random_crop``."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.decoders.common import (
    DecoderArguments,
    decode_parameters,
    decode_sample,
    headers,
    infer_image,
    jpeg_images,
)
from dali_studio.operators.geometry.movements import RANDOM_WINDOW
from dali_studio.operators.geometry.random_windows import RandomWindowArguments, check_window_ranges, random_windows
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import JpegImages, Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import Ignored
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import Allocates, PerSample, RandomSource, ReadsData, WindowSource


class ImageRandomCrop(RandomWindowArguments, DecoderArguments, Operator):
    """Decodes a random window of each image file.

    The window's area and aspect ratio are drawn until it fits, at most `num_attempts` times, then its place. No more
    of the file is decoded than needed.
    """

    path = "decoders.image_random_crop"
    category = "decoders"
    icon = "picture"
    node_name = "decode"
    keywords = "jpeg decode random crop randomresizedcrop"
    inputs = (Input("files", "encoded"),)
    outputs = (Output("images", "image"),)
    traits = (PerSample, ReadsData, WindowSource, Allocates, RandomSource)
    devices = ("cpu", "mixed")
    movement = RANDOM_WINDOW
    seeded = True
    stateful = True
    examples = (example(), example(random_area=(0.5, 0.6), random_aspect_ratio=(0.9, 1.1)), example(output_type="BGR"))
    tolerance = (
        Tolerance(
            2, relative=1e-7,
            reason="nvidia.dali decodes a window of 4:2:0 to other levels than the same pixels of the whole picture",
        ),
    )  # fmt: skip

    preallocate_height_hint: Annotated[int, Ignored("memory is recycled between iterations")] = 0
    preallocate_width_hint: Annotated[int, Ignored("memory is recycled between iterations")] = 0

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_window_ranges(args)
        return infer_image(args, inputs[0])

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        found = headers(args, inputs[0])
        anchors, crops = random_windows(args, found.shapes[:, :2])
        windows = np.concatenate([anchors, crops], axis=1)
        return Work(
            np.concatenate([crops.astype(np.int64), found.shapes[:, 2:]], axis=1),
            {**decode_parameters(args, found), "windows": windows},
        )

    @staticmethod
    def jpeg_images(work: Work) -> JpegImages | None:
        return jpeg_images(work.params, work.params["windows"])

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> NDArray[Any]:
        data, out = inputs[0], outputs[0]
        y, x, height, width = work.params["windows"][index].tolist()
        if "window" in options:
            dy, dx, height, width = options["window"]
            y, x = y + dy, x + dx
        return decode_sample(work.params, index, data, out, (y, x, height, width))
