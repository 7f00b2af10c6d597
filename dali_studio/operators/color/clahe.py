"""``fn.clahe``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.clahe import MAX_TILES, clahe
from dali_studio.kernels.cuda.clahe import clahe_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype, image_meta
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc, Ignored, Range, Start, Ui
from dali_studio.schema.samples import Case, images
from dali_studio.schema.traits import PerSample


class Clahe(Operator):
    """Equalises the histograms of tiles of the image, with a limit to how much contrast is raised.

    Between the centres of tiles the results of four tiles are interpolated. Images have one channel, or three (RGB), of
    which by default the lightness alone is changed.
    """

    category = "color"
    icon = "contrast"
    keywords = "contrast limited adaptive histogram equalization equalize local"
    inputs = (Input("image", "image", layouts="HWC", dtypes=(T.UINT8,)),)
    outputs = (Output("image", "image"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    shown = example(tiles_x=8, tiles_y=8, clip_limit=6.0)
    examples = (
        example(tiles_x=8, tiles_y=8, clip_limit=2.0),
        example(tiles_x=3, tiles_y=5, clip_limit=4.0, luma_only=False),
        example(tiles_x=4, tiles_y=4, clip_limit=0.0),
    )

    tiles_x: Annotated[int, Doc("Tiles across."), Range(1, MAX_TILES), Start(8), Ui("slider", (2, 16)), COMMON]
    tiles_y: Annotated[int, Doc("Tiles down."), Range(1, MAX_TILES), Start(8), Ui("slider", (2, 16)), COMMON]
    clip_limit: Annotated[
        float, Doc("No level counts more in a tile than this times the mean of all; 0 or less: no limit."),
        Start(2.0), Ui("slider", (1, 10)), COMMON,
    ]  # fmt: skip
    luma_only: Annotated[bool, Doc("Change the lightness of RGB images alone; off: each channel."), COMMON] = (
        True
    )
    bins: Annotated[int, Ignored("bytes have 256 levels; nvidia.dali ignores it on the CPU, too")] = 256

    @classmethod
    def samples(cls) -> Sequence[Case]:
        usual = {"tiles_x": 2, "tiles_y": 3, "clip_limit": 1.5}
        sizes = ((20, 17), (9, 31))
        return [
            *super().samples(),
            *(Case((images(sizes, channels=channels),), {**usual, "luma_only": luma})
              for channels in (1, 3) for luma in (True, False)),
            Case((images(((20, 18), (30, 40), (24, 31), (25, 30))),), {"tiles_x": 6, "tiles_y": 4, "clip_limit": 3.0}),
            Case((images(sizes),), {**usual, "clip_limit": -1.0}),
            Case((images(sizes),), {"tiles_x": 40, "tiles_y": 30, "clip_limit": 2.0}),
            Case((images(sizes, channels=2),), usual, refused=""),
            Case((images(sizes, T.FLOAT),), usual, refused=""),
            Case((images(sizes, layout="CHW"),), usual, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0])
        check_dtype(meta, (T.UINT8,))
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        shapes = inputs[0].shapes
        wrong = ~np.isin(shapes[:, 2], (1, 3))
        if wrong.any():
            index = int(np.argmax(wrong))
            raise ArgumentError(
                f"the image has {shapes[index, 2]} channels; 1 or 3 (RGB) are accepted.",
                hint="Decode with output_type RGB or GRAY.", sample=index, code="DS203",
            )  # fmt: skip
        return Work(shapes, {
            "tiles": (args["tiles_x"], args["tiles_y"]), "limit": args["clip_limit"], "luma": args["luma_only"],
        })  # fmt: skip

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params, image = work.params, inputs[0]
        luma = params["luma"] and image.shape[2] == 3
        clahe(image, outputs[0], params["tiles"], params["limit"], luma=luma)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        clahe_on_gpu(inputs[0], outputs[0], stream=stream, **work.params)
