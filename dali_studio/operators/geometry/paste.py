"""``fn.paste``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.copy_window import copy_window, copying_windows
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.strided import copy_windows_on_gpu
from dali_studio.operators.common import T, check_dtype, image_meta
from dali_studio.operators.geometry.movements import PASTE
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, RangesOperator, example
from dali_studio.schema.marks import COMMON, MAX_PIXELS, PER_SAMPLE, Doc, Range, Start, Ui, Unit
from dali_studio.schema.samples import Case, images, values
from dali_studio.schema.traits import PerSample


class Paste(RangesOperator):
    """Puts images onto larger canvases."""

    category = "geometry"
    icon = "layers"
    keywords = "canvas zoomout expand border pad"
    inputs = (Input("image", "image", layouts="HWC", dtypes=(T.UINT8,)),)
    outputs = (Output("image", "image"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    movement = PASTE
    shown = example(ratio=1.6, fill_value=(40, 40, 40))
    examples = (
        example(ratio=1.6, fill_value=(10, 200, 30)),
        example(ratio=2.3, fill_value=7, paste_x=0.9, paste_y=0.1),
        example(ratio=1.0, fill_value=(300, -1, 256), min_canvas_size=60.7),
    )

    fill_value: Annotated[
        list[int], Doc("Colour of the canvas: one value, or one for each of n_channels."), Start((0,)), COMMON
    ]
    ratio: Annotated[
        float, Doc("Size of the canvas, in sizes of the image."), Ui("slider", (1, 4)), Range(1, 1e6), Start(1.5),
        PER_SAMPLE, COMMON,
    ]  # fmt: skip
    paste_x: Annotated[
        float, Doc("Place of the image between the left (0) and the right (1) edge."), Ui("slider", (0, 1)),
        Range(0, 1), PER_SAMPLE, COMMON,
    ] = 0.5  # fmt: skip
    paste_y: Annotated[
        float, Doc("Place of the image between the top (0) and the bottom (1) edge."), Ui("slider", (0, 1)),
        Range(0, 1), PER_SAMPLE, COMMON,
    ] = 0.5  # fmt: skip
    min_canvas_size: Annotated[
        float, Doc("Height and width of the canvas, at least."), Unit("px"), Range(0, MAX_PIXELS), PER_SAMPLE
    ] = 0.0
    n_channels: Annotated[int, Doc("Channels of the image, where fill_value has one value for each."), Range(1)] = 3

    @classmethod
    def samples(cls) -> Sequence[Case]:
        some = images()
        return [
            *(Case((data,), one.arguments) for one in cls.examples
              for data in (some, images(((1, 1), (1, 7), (6, 1), (3, 5))))),
            Case((some,), {
                "fill_value": (1, 2, 3), "ratio": values(1.1, 1.7, 2.9, 1.0), "paste_x": values(0.3, 0, 1, 1),
                "paste_y": values(0.1, 0.77, 1, 0), "min_canvas_size": values(0, 99, 64, 41.2)}),
            Case((images(channels=4),), {"fill_value": (1, 2, 3, 4), "ratio": 1.3, "n_channels": 4}),
            Case((images(channels=5),), {"fill_value": 9, "ratio": 1.3, "n_channels": 5}),
            Case((images(channels=1),), {"fill_value": 9, "ratio": 1.3, "n_channels": 1}),
            *(Case((images(channels=channels),), {"fill_value": 9, "ratio": 1.3}, peer=False, note=note)
              for channels, note in ((4, "nvidia.dali fills a part"), (1, "nvidia.dali writes beyond the canvas"))),
            Case((images(channels=1),), {"fill_value": (1, 2, 3), "ratio": 1.3}, refused="fill_value"),
            Case((some,), {"fill_value": (1, 2), "ratio": 1.3}, refused="fill_value"),
            Case((some,), {"fill_value": 1, "ratio": 0.9}, refused="ratio"),
            Case((some,), {"fill_value": 1, "ratio": 1.9, "paste_x": -0.1}, refused="paste_x"),
            Case((images(dtype=T.FLOAT),), {"fill_value": 1, "ratio": 1.9}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0])
        check_dtype(meta, (T.UINT8,))
        if len(args["fill_value"]) not in (1, args["n_channels"]):
            raise _wrong(len(args["fill_value"]), args["n_channels"], None)
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        shapes = inputs[0].shapes
        fill = np.array(args["fill_value"], np.int64).astype(np.uint8)
        wrong = shapes[:, 2] != len(fill)
        if len(fill) > 1 and wrong.any():
            index = int(np.argmax(wrong))
            raise _wrong(len(fill), int(shapes[index, 2]), index)
        sizes = shapes[:, :2].astype(np.float32)
        least = args.scalars("min_canvas_size").astype(np.int64)
        canvases = np.maximum((args.scalars("ratio")[:, None] * sizes).astype(np.int64), least[:, None])
        places = np.stack([args.scalars("paste_y"), args.scalars("paste_x")], axis=1)
        # in single precision, as nvidia.dali
        offsets = (places * (canvases - shapes[:, :2]).astype(np.float32)).astype(np.int64)
        made, firsts = shapes.copy(), np.zeros_like(shapes)
        made[:, :2], firsts[:, :2] = canvases, -offsets
        return Work(made, {"firsts": firsts, "fill": fill, "along": 2 if len(fill) > 1 else -1})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        copy_window(inputs[0], outputs[0], params["firsts"][index], params["fill"], params["along"])

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        params = work.params
        return copying_windows(inputs[0], outputs[0], params["firsts"], params["fill"][None], params["along"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        copy_windows_on_gpu(inputs[0], outputs[0], params["firsts"], params["fill"][None], params["along"], stream)


def _wrong(given: int, channels: int, sample: int | None) -> ArgumentError:
    return ArgumentError(
        f"{given} values are given for {channels} channels.",
        hint="Give one value, or one for each channel, and their number as n_channels.", argument="fill_value",
        sample=sample,
    )  # fmt: skip
