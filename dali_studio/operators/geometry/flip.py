"""``fn.flip``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.layout import flip
from dali_studio.kernels.cuda import warp
from dali_studio.kernels.cuda import window as windows
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import PLANAR_LAYOUTS, T, check_dtype, image_meta
from dali_studio.operators.geometry.movements import FLIP
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ignored, Ui
from dali_studio.schema.traits import Affine, PerFrame, PerSample, PixelPart

_TYPES = tuple(t for t in NUMERIC if t not in (T.BOOL, T.FLOAT16))


class Flip(Operator):
    """Mirrors images left to right, top to bottom, or both."""

    category = "geometry"
    icon = "flip"
    keywords = "mirror horizontalflip verticalflip randomhorizontalflip"
    inputs = (Input("image", "image", layouts=PLANAR_LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, PixelPart, Affine)
    devices = ("cpu", "gpu")
    movement = FLIP
    examples = (example(), example(horizontal=0, vertical=1), example(vertical=1))

    horizontal: Annotated[int, Doc("1 mirrors left to right."), Ui("switch"), PER_SAMPLE, COMMON] = 1
    vertical: Annotated[int, Doc("1 mirrors top to bottom."), Ui("switch"), PER_SAMPLE, COMMON] = 0
    depthwise: Annotated[int, Doc("1 mirrors in depth."), Ui("switch"), PER_SAMPLE, Ignored("images have no depth")] = 0

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], PLANAR_LAYOUTS)
        check_dtype(meta, _TYPES)
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        layout = image_meta(inputs[0].meta, PLANAR_LAYOUTS).layout
        params = {name: args.scalars(name, np.int64) for name in ("horizontal", "vertical")}
        return Work(inputs[0].shapes, {**params, "layout": layout})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        image, out = inputs[0], outputs[0]
        params = work.params
        flip(image, out, bool(params["horizontal"][index]), bool(params["vertical"][index]), layout=params["layout"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(Flip, work, inputs[0], outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        params = work.params
        return windows.flip_part(image.shapes, dtype, params["horizontal"], params["vertical"], params["layout"])

    @staticmethod
    def affine(work: Work, image: Batch) -> warp.Affine | None:
        params = work.params
        if params["layout"] != "HWC":
            return None
        flips = np.stack([params["vertical"], params["horizontal"]], axis=1) != 0
        return warp.Affine(warp.scaling(np.where(flips, image.shapes[:, :2], 0), np.where(flips, -1, 1)))
