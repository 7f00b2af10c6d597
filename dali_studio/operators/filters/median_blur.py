"""``fn.experimental.median_blur``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.rank import medians
from dali_studio.kernels.cuda import rank
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.operators.filters.common import LAYOUTS, pixel_layout, rows_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example, named
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Range, Unit
from dali_studio.schema.samples import Case, images, on_gpu_alone, values
from dali_studio.schema.traits import PerFrame, PerSample

_TYPES = (T.UINT8, T.UINT16, T.INT32, T.FLOAT)


class MedianBlur(Operator):
    """Replaces each value by the middle one of a window around it: spots vanish, edges stay.

    Each channel is taken by itself. Beyond the edges of the image its edge pixels are repeated.
    """

    path = "experimental.median_blur"
    category = "filters"
    icon = "blur"
    keywords = "median rank smooth denoise despeckle salt pepper filter"
    inputs = (Input("image", "image", layouts=LAYOUTS, dtypes=_TYPES),)
    outputs = (Output("image", "image"),)
    dialects = (named("nvidia.dali", gpu_only=True),)
    traits = (PerSample, PerFrame)
    devices = ("cpu", "gpu")
    kernels = (compiled("box_medians", _TYPES),)
    shown = example(window_size=(9, 9))
    examples = (example(), example(window_size=5), example(window_size=(3, 7)), example(window_size=9))

    window_size: Annotated[
        list[int], Doc("Width and height of the window, odd numbers."), Unit("px"), Range(1, 255), PER_SAMPLE, COMMON
    ] = [3, 3]  # noqa: RUF012

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 31))
        cases = [
            *super().samples(),
            Case((images(((1, 1), (1, 7), (6, 1), (3, 5))),), {"window_size": (5, 3)}),
            Case((images(sizes, T.FLOAT),), {"window_size": 21}),
            Case((images(sizes),), {"window_size": values([3, 5], [1, 1], dtype=T.INT32)}),
            Case((images(sizes, dtype=T.INT16),), {}, refused=""),
            Case((images(sizes),), {"window_size": 4}, refused="window_size"),
            Case((images(sizes),), {"window_size": (3, 3, 3)}, refused="window_size"),
            Case((images(sizes, layout="DHWC"),), {}, refused=""),
        ]
        return on_gpu_alone(cases)

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = pixel_layout(inputs[0])
        check_dtype(meta, _TYPES)
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        sizes = args.vectors("window_size", 2, np.int64)
        even = sizes % 2 == 0
        if even.any():
            index = int(np.argwhere(even)[0][0])
            raise ArgumentError(
                f"the window has {' x '.join(map(str, sizes[index].tolist()))} pixels.", hint="Give odd numbers.",
                argument="window_size", sample=index if args.wired("window_size") else None,
            )  # fmt: skip
        image = inputs[0]
        return Work(image.shapes, {"first": rows_of(image.meta), "windows": sizes[:, ::-1].copy()})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        medians(inputs[0], outputs[0], work.params["first"], work.params["windows"][index])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        rank.medians(inputs[0], outputs[0], work.params["first"], work.params["windows"], stream)

    @staticmethod
    def reference(arguments: Mapping[str, Any], *inputs: NDArray[Any]) -> NDArray[Any]:
        (image,) = inputs
        width, height = np.broadcast_to(arguments["window_size"], 2)
        first = image.ndim - 2 if image.ndim == 2 or image.shape[-1] > 5 else image.ndim - 3
        pads = [(0, 0)] * image.ndim
        pads[first : first + 2] = [(height // 2,) * 2, (width // 2,) * 2]
        padded = np.pad(image, pads, "edge")
        boxes = np.lib.stride_tricks.sliding_window_view(padded, (height, width), axis=(first, first + 1))
        return np.median(boxes, axis=(-2, -1)).astype(image.dtype)
