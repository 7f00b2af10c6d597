"""``fn.color_space_conversion``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch, meta_of
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIImageType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.color_space import CHANNELS, convert_colors, converting_colors, fields
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.pointwise import functor_part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype, image_meta
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, RangesOperator, example
from dali_studio.schema.marks import COMMON, Doc, Start
from dali_studio.schema.samples import Case, images
from dali_studio.schema.traits import PerFrame, PerSample, PixelPart

_LAYOUTS = "HWC DHWC"


class ColorSpaceConversion(RangesOperator):
    """Converts images between RGB, BGR, grey and YCbCr.

    YCbCr is the studio range of ITU-R BT.601, luma from 16 to 235; grey has the whole range from 0 to 255.
    """

    category = "color"
    icon = "drop"
    keywords = "rgb bgr gray grayscale ycbcr yuv cvtcolor"
    inputs = (Input("image", "image", layouts=_LAYOUTS, dtypes=(T.UINT8,)),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, PixelPart)
    devices = ("cpu", "gpu")
    shown = example(image_type="RGB", output_type="GRAY")
    examples = (
        example(image_type="RGB", output_type="GRAY"),
        example(image_type="RGB", output_type="YCbCr"),
        example(image_type="RGB", output_type="BGR"),
    )

    image_type: Annotated[DALIImageType, Doc("Channels of the input: RGB, BGR, GRAY or YCbCr."), Start("RGB"), COMMON]
    output_type: Annotated[DALIImageType, Doc("Channels of the result: another one of them."), Start("GRAY"), COMMON]

    @classmethod
    def samples(cls) -> Sequence[Case]:
        pairs = [(a, b) for a in CHANNELS for b in CHANNELS if a != b]
        plain = {"image_type": "RGB", "output_type": "YCbCr"}
        return [
            *(Case((images(channels=CHANNELS[a]),), {"image_type": a, "output_type": b}) for a, b in pairs),
            *(Case((images(((20, 17), (9, 31)), layout=layout),), plain) for layout in ("FHWC", "DHWC", "FDHWC")),
            Case((images(((1, 1), (1, 7), (6, 1), (3, 5))),), plain),
            Case((images(((0, 4), (3, 0))),), plain),
            *(Case((images(dtype=dtype),), plain, refused="") for dtype in (T.UINT16, T.FLOAT)),
            *(Case((images(layout=layout),), plain, refused="") for layout in ("CHW", "HW")),
            Case((images(),), {"image_type": "RGB", "output_type": "RGB"}, refused="output_type"),
            Case((images(),), {"image_type": "RGB", "output_type": "ANY_DATA"}, refused="output_type"),
            Case((images(),), {"image_type": "ANY_DATA", "output_type": "RGB"}, refused="image_type"),
            Case((images(channels=4),), plain, refused=""),
            Case((images(),), {"image_type": "GRAY", "output_type": "RGB"}, refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], _LAYOUTS)
        check_dtype(meta, (T.UINT8,))
        for name in ("image_type", "output_type"):
            if args[name].name not in CHANNELS:
                raise ArgumentError(
                    f"{args[name].name} is given; {', '.join(CHANNELS)} are accepted.",
                    hint="Say which channels there are.", argument=name,
                )  # fmt: skip
        if args["image_type"] is args["output_type"]:
            raise ArgumentError(
                f"input and result are both to be {args['output_type'].name}.",
                hint="Take this step away, or choose another result.", argument="output_type",
            )  # fmt: skip
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        source, target = args["image_type"].name, args["output_type"].name
        shapes = inputs[0].shapes.copy()
        wrong = shapes[:, -1] != CHANNELS[source]
        if wrong.any():
            index = int(np.argmax(wrong))
            raise ArgumentError(
                f"the image has {shapes[index, -1]} channels; {source} has {CHANNELS[source]}.",
                hint="Say by image_type which channels there are.", sample=index, code="DS203",
            )  # fmt: skip
        shapes[:, -1] = CHANNELS[target]
        return Work(shapes, {"source": source, "target": target})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        convert_colors(np.asarray(inputs[0], order="C"), outputs[0], work.params["source"], work.params["target"])

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        return converting_colors(inputs[0], outputs[0], work.params["source"], work.params["target"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        image, out = (_as_images(batch) for batch in (inputs[0], outputs[0]))
        run_alone(ColorSpaceConversion, work, image, out, stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part | None:
        source, target = work.params["source"], work.params["target"]
        given, made = CHANNELS[source], CHANNELS[target]
        if given != made and image.shapes.shape[1] != len("HWC"):
            return None
        numbers = np.tile(fields(source, target), (len(image), 1))
        functor = "ReversedColorSpace" if source == "BGR" else "ColorSpace"
        if given == made:
            return functor_part(functor, "color", numbers, rgb=True)
        return functor_part(functor, "color", numbers, channels=(given, made))


def _as_images(batch: Batch) -> Batch:
    """Volumes as images whose rows are those of all slices."""
    depths = batch.shapes[:, :-3].prod(axis=1)
    shapes = np.column_stack([depths * batch.shapes[:, -3], batch.shapes[:, -2:]])
    return replace(batch, meta=meta_of(batch.dtype, 3, "HWC", "gpu"), shapes=shapes)
