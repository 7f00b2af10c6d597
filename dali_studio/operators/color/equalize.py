"""``fn.equalize``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.lookup import equalize
from dali_studio.kernels.cuda import equalize as on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype, image_meta
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.samples import Case, images, tensors
from dali_studio.schema.traits import PerFrame, PerSample

_LAYOUTS = "HWC CHW HW"


class Equalize(Operator):
    """Spreads the histogram of each channel evenly over 0 to 255."""

    category = "color"
    shown = example()
    icon = "contrast"
    keywords = "histogram equalization equalise contrast autocontrast"
    inputs = (Input("image", "image", layouts=_LAYOUTS, dtypes=(T.UINT8,)),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame)
    devices = ("cpu", "gpu")
    former = ("experimental.equalize",)

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 31))
        return [
            *(Case((images(channels=channels),)) for channels in (1, 2, 3, 7)),
            *(Case((images(sizes, layout=layout),)) for layout in ("CHW", "HW", "FHW", "FHWC", "FCHW")),
            Case((images(((1, 1), (1, 7), (6, 1), (3, 5))),)),
            Case((tensors(((7, 9, 3), (300, 200, 3)), T.UINT8, "HWC", 40, 43),), note="few levels"),
            Case((tensors(((7, 9), (4, 3)), T.UINT8, "", 100, 200),), note="without names"),
            *(Case((images(dtype=dtype),), refused="") for dtype in (T.INT8, T.UINT16, T.FLOAT)),
            *(Case((images(sizes, layout=layout),), refused="") for layout in ("DHWC", "HCW")),
            Case((tensors(((7,), (4,)), T.UINT8),), refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = inputs[0]
        check_dtype(meta, (T.UINT8,))
        return meta.with_(layout="HW") if not meta.layout and meta.ndim == 2 else image_meta(meta, _LAYOUTS)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        return Work(inputs[0].shapes, {"planar": inputs[0].layout == "CHW"})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        image, out = np.asarray(inputs[0], order="C"), outputs[0]
        if work.params["planar"]:
            for plane, made in zip(image, out, strict=True):
                equalize(plane, made, 1)
        else:
            equalize(image, out, image.shape[2] if image.ndim == 3 else 1)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        on_gpu.equalize(inputs[0], outputs[0], stream)
