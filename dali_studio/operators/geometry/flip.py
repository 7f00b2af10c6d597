"""``fn.flip``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.layout import flip
from dali_studio.kernels.cpu.strided import steps_of
from dali_studio.kernels.cuda import warp
from dali_studio.kernels.cuda import window as windows
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.strided import copy_strided_on_gpu
from dali_studio.operators.common import PICTURES, T, check_dtype, image_meta
from dali_studio.operators.geometry.movements import FLIP
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ui
from dali_studio.schema.samples import FLAT, PARTLY_EMPTY, Case, derived, images, tensors, values
from dali_studio.schema.traits import Affine, PerFrame, PerSample, PixelPart

_LAYOUTS = "HWC CHW DHWC CDHW"
_UNNAMED = "HWC FHWC FDHWC"
_TYPES = tuple(t for t in NUMERIC if t not in (T.BOOL, T.FLOAT16))
_TURNED = {"W": "horizontal", "H": "vertical", "D": "depthwise"}


class Flip(Operator):
    """Mirrors images left to right and top to bottom, and volumes in depth."""

    category = "geometry"
    icon = "flip"
    keywords = "mirror horizontalflip verticalflip randomhorizontalflip"
    inputs = (Input("image", "image", layouts=_LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, PixelPart, Affine)
    devices = ("cpu", "gpu")
    movement = FLIP
    shown = example()
    examples = (
        example(), example(horizontal=0, vertical=1), example(vertical=1), example(horizontal=0, depthwise=1),
    )  # fmt: skip

    horizontal: Annotated[int, Doc("1 mirrors left to right."), Ui("switch"), PER_SAMPLE, COMMON] = 1
    vertical: Annotated[int, Doc("1 mirrors top to bottom."), Ui("switch"), PER_SAMPLE, COMMON] = 0
    depthwise: Annotated[int, Doc("1 mirrors volumes front to back."), Ui("switch"), PER_SAMPLE] = 0

    @classmethod
    def samples(cls) -> Sequence[Case]:
        *flat, deep = (one.arguments for one in cls.examples)
        sizes = ((9, 21), (12, 7))
        whole = {name: values(1, 0, dtype=T.INT32) for name in ("horizontal", "vertical", "depthwise")}
        return [
            *derived(cls.schema, flat, FLAT),
            Case((images(PARTLY_EMPTY),), {"vertical": 1}),
            *(Case((images(sizes, layout=layout),), given) for layout in ("DHWC", "CDHW", "FDHWC", "FCDHW")
              for given in (deep, {**deep, "horizontal": 1}, {**deep, "vertical": 1}, whole)),
            *(Case((images(sizes, dtype, "DHWC", channels),), {"depthwise": 1})
              for dtype, channels in ((T.FLOAT64, 1), (T.INT16, 2), (T.INT32, 5))),
            Case((tensors(((4, 5, 6, 3), (3, 7, 8, 1)), T.UINT8),), deep),
            Case((tensors(((2, 4, 5, 6, 3), (1, 3, 7, 8, 1)), T.UINT8),), deep),
        ]  # fmt: skip

    @staticmethod
    def by_frame(args: Args, *inputs: TensorMeta) -> bool:
        return inputs[0].device == "gpu" or not args.constant

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], _LAYOUTS, _UNNAMED)
        check_dtype(meta, _TYPES)
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        layout = image_meta(inputs[0].meta, _LAYOUTS, _UNNAMED).layout
        params = {name: args.scalars(name, np.int64) for name in ("horizontal", "vertical", "depthwise")}
        return Work(inputs[0].shapes, {**params, "layout": layout})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        image, out = inputs[0], outputs[0]
        horizontal, vertical, depthwise = (
            bool(work.params[name][index]) for name in ("horizontal", "vertical", "depthwise")
        )
        flip(image, out, horizontal, vertical, depthwise, work.params["layout"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        if work.params["layout"] in PICTURES:
            run_alone(Flip, work, inputs[0], outputs[0], stream)
            return
        extents, steps = inputs[0].shapes, steps_of(inputs[0].shapes, inputs[0].dtype.itemsize)
        offsets = np.zeros(len(extents), np.int64)
        for axis, letter in enumerate(work.params["layout"]):
            if letter in _TURNED:
                turned = work.params[_TURNED[letter]] != 0
                offsets += np.where(turned, (extents[:, axis] - 1) * steps[:, axis], 0)
                steps[:, axis] *= np.where(turned, -1, 1)
        copy_strided_on_gpu(inputs[0], offsets, steps, outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part | None:
        params = work.params
        if params["layout"] not in PICTURES:
            return None
        return windows.flip_part(image.shapes, dtype, params["horizontal"], params["vertical"], params["layout"])

    @staticmethod
    def affine(work: Work, image: Batch) -> warp.Affine | None:
        params = work.params
        if params["layout"] != "HWC":
            return None
        flips = np.stack([params["vertical"], params["horizontal"]], axis=1) != 0
        return warp.Affine(warp.scaling(np.where(flips, image.shapes[:, :2], 0), np.where(flips, -1, 1)))
