"""``fn.hsv``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.color import hsv_matrix, linear_color
from dali_studio.kernels.cuda import pointwise
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_input, accept_output, image_meta
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import BatchView, Work
from dali_studio.schema.declare import Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ui, Unit
from dali_studio.schema.traits import PerSample, PixelPart, Pointwise

_TYPES = (T.UINT8, T.INT16, T.INT32, T.FLOAT, T.FLOAT16)


class Hsv(Operator):
    """Turns the hue and scales saturation and value of RGB images.

    A linear 3x3 transformation in the YIQ space, as DALI defines it, not a conversion to the HSV cone: hue rotates
    the chrominance plane, saturation and value scale chrominance and everything.
    """

    category = "color"
    icon = "drop"
    keywords = "hue saturation value colorjitter color grayscale"
    inputs = (Input("image", "image", layouts="HWC"),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, Pointwise, PixelPart)
    devices = ("cpu", "gpu")
    examples = (
        example(hue=60.0, saturation=1.3, value=0.9),
        example(saturation=0.0),
        example(hue=-120.0, dtype="FLOAT"),
    )
    kernels = (compiled("linear_color", _TYPES, _TYPES),)

    hue: Annotated[float, Doc("Rotation of the hue."), Unit("deg"), Ui("dial", (-180, 180)), PER_SAMPLE, COMMON] = 0.0
    saturation: Annotated[float, Doc("Factor; 0 is grey."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON] = 1.0
    value: Annotated[float, Doc("Factor of all channels."), Ui("slider", (0, 2)), PER_SAMPLE, COMMON] = 1.0
    dtype: Annotated[DALIDataType, Doc("Element type of the output, UINT8 even for float images.")] = DALIDataType.UINT8

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0])
        accept_input(meta, _TYPES)
        accept_output(args["dtype"], _TYPES)
        return meta.with_(dtype=args["dtype"])

    @staticmethod
    def plan(args: Args, *inputs: BatchView) -> Work:
        channels = inputs[0].shapes[:, 2]
        if (channels != 3).any():
            index = int(np.argmax(channels != 3))
            raise ArgumentError(
                f"the image has {channels[index]} channels; 3 (RGB) are needed.", hint="Decode with output_type RGB.",
                sample=index, code="DS203",
            )  # fmt: skip
        matrices = hsv_matrix(args.scalars("hue"), args.scalars("saturation"), args.scalars("value"))
        table = np.zeros((len(matrices), 3, 4), np.float32)
        table[:, :, :3] = matrices
        return Work(inputs[0].shapes, {"matrices": table})

    @staticmethod
    def cpu(work: Work, index: int, *arrays: NDArray[Any], **options: Any) -> None:
        image, out = arrays
        linear_color(image, out, work.params["matrices"][index])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[DeviceBatch], output: DeviceBatch, stream: GpuStream) -> None:
        run_alone(Hsv, work, inputs[0], output, stream)

    @staticmethod
    def part(work: Work, image: BatchView, dtype: np.dtype[Any]) -> Part:
        return pointwise.matrix_part(work.params["matrices"])
