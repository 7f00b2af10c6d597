"""``fn.jpeg_compression_distortion``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda.distortion import distort_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.jpeg.distortion import distort
from dali_studio.operators.common import T, check_dtype, image_meta
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, TRUNCATED, Doc, Ui
from dali_studio.schema.samples import Case, images, values
from dali_studio.schema.traits import PerFrame, PerSample


class JpegCompressionDistortion(Operator):
    """Gives RGB images what JPEG compression does to them: blocks, and colours at half the resolution.

    The pixels are those of a file that libjpeg-turbo has written (4:2:0) and read again; no file is made.
    """

    category = "effects"
    icon = "picture"
    node_name = "jpeg_distortion"
    keywords = "jpeg jpg compression artifacts artefacts quality degrade corruption"
    inputs = (Input("image", "image", layouts="HWC", dtypes=(T.UINT8,)),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame)
    devices = ("cpu", "gpu")
    shown = example(quality=4)
    examples = (example(quality=10), example(quality=90))

    quality: Annotated[
        int, Doc("1 (worst) to 100; what is beyond is taken as the nearest of these."), Ui("slider", (1, 100)),
        PER_SAMPLE, TRUNCATED, COMMON,
    ] = 50  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 31))
        small = ((1, 1), (1, 7), (6, 1), (2, 4), (4, 5), (16, 32), (17, 33))
        return [
            *(Case((images(),), {"quality": quality}) for quality in (1, 25, 50, 75, 95, 100)),
            *(Case((images(small),), {"quality": quality}) for quality in (5, 60)),
            *(Case((images(sizes),), {"quality": quality}) for quality in (-3, 0, 1000, 7.9)),
            Case((images(sizes),)),
            Case((images(sizes, layout="FHWC"),), {"quality": 30}),
            Case((images(sizes),), {"quality": values(3, 80, dtype=T.INT32)}),
            Case((images(sizes, layout="FHWC"),), {"quality": values(3, 80, dtype=T.INT32)}),
            Case((images(((0, 4), (3, 0))),), {"quality": 30}, peer=False, note="fails without pixels"),
            *(Case((images(sizes, channels=channels),), refused="") for channels in (1, 4)),
            *(Case((images(sizes, dtype=dtype),), refused="") for dtype in (T.UINT16, T.FLOAT)),
            *(Case((images(sizes, layout=layout),), refused="") for layout in ("CHW", "DHWC")),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[0], (T.UINT8,))
        return image_meta(inputs[0])

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        shapes = inputs[0].shapes
        wrong = shapes[:, 2] != 3
        if wrong.any():
            index = int(np.argmax(wrong))
            raise ArgumentError(
                f"the image has {shapes[index, 2]} channels; 3 (RGB) are needed.",
                hint="Decode with output_type RGB.", sample=index, code="DS203",
            )  # fmt: skip
        return Work(shapes, {"quality": args.scalars("quality", np.int64).clip(1, 100)})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        distort(inputs[0], outputs[0], int(work.params["quality"][index]))

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        distort_on_gpu(inputs[0], outputs[0], work.params["quality"], stream)
