"""``fn.decoders.image_random_crop``."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.limits import MAX_ATTEMPTS
from dali_studio.core.meta import TensorMeta
from dali_studio.core.random import SAMPLE_STRIDE
from dali_studio.kernels.cpu.crop_window import random_crop_windows
from dali_studio.operators.decoders.common import (
    DecoderArguments,
    decode_parameters,
    decode_sample,
    headers,
    infer_image,
    jpeg_images,
)
from dali_studio.operators.geometry.movements import RANDOM_WINDOW
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import JpegImages, Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc, Ignored, Length, Range, Ui
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import Allocates, PerSample, RandomSource, ReadsData, WindowSource


class ImageRandomCrop(DecoderArguments, Operator):
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

    random_area: Annotated[
        list[float], Doc("Smallest and largest area of the window, as a fraction of the image's."), Length((2,)),
        Ui("range", (0, 1)),
        Range(0, 1), COMMON,
    ] = [0.08, 1.0]  # fmt: skip # noqa: RUF012
    random_aspect_ratio: Annotated[
        list[float], Doc("Smallest and largest ratio of the window's width to its height."), Length((2,)),
        Ui("range", (0.25, 4)), Range(0), COMMON,
    ] = [3 / 4, 4 / 3]  # fmt: skip # noqa: RUF012
    num_attempts: Annotated[
        int, Doc("How often area and ratio are drawn before a fallback is taken."), Range(1, MAX_ATTEMPTS)
    ] = 10
    seed: Annotated[int | None, Doc("Seed of the windows; unset: the pipeline hands one out.")] = None
    preallocate_height_hint: Annotated[int, Ignored("memory is recycled between iterations")] = 0
    preallocate_width_hint: Annotated[int, Ignored("memory is recycled between iterations")] = 0

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        for name in ("random_area", "random_aspect_ratio"):
            low, high = args[name]
            if not 0 < low <= high:
                raise ArgumentError(
                    f"[{low:g}, {high:g}] is not an interval above 0.", hint="Give the smaller number first, above 0.",
                    argument=name,
                )  # fmt: skip
        return infer_image(args, inputs[0])

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        found = headers(args, inputs[0])
        anchors, crops = _windows(args, found.shapes[:, :2])
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


def _windows(args: Args, sizes: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    context = args.context
    options = (args["random_area"], args["random_aspect_ratio"], args["num_attempts"])
    if np.array_equal(context.drawn, np.arange(len(sizes))):
        return random_crop_windows(context.seed, context.samples_so_far, sizes, *options)
    anchors, crops = np.empty((2, len(sizes), 2), np.int32)
    for i, index in enumerate(context.drawn.tolist()):
        start = context.samples_so_far + SAMPLE_STRIDE * index
        anchors[i : i + 1], crops[i : i + 1] = random_crop_windows(context.seed, start, sizes[i : i + 1], *options)
    return anchors, crops
