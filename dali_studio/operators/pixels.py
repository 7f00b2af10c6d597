"""What operators have in common that compute each pixel from the same pixel: a functor, and its fields per sample."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.pixels import apply
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.pointwise import functor_part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import accept_output, check_dtype, image_meta
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Functor, Input, Operator, Output
from dali_studio.schema.samples import Case
from dali_studio.schema.traits import PerFrame, PerSample, PixelPart, Pointwise

#: Images and volumes.
LAYOUTS = "HWC DHWC"
#: Four axes without names are frames, whose pixels need not be taken apart.
_UNNAMED = "HWC FHWC"


class PixelOperator(Operator, abstract=True):
    """Declares `functor` and defines `fields`; all else follows, on both devices.

    An argument `dtype` chooses the element type of the result; without it, that of the input is kept.
    """

    inputs = (Input("image", "image", layouts=LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, Pointwise, PixelPart)
    devices = ("cpu", "gpu")
    functor: ClassVar[Functor]

    @classmethod
    def samples(cls) -> Sequence[Case]:
        """Those that are derived; nvidia.dali takes no sequences of volumes."""
        cases = super().samples()
        return [
            replace(case, peer=False, note="sequences of volumes") if case.inputs[0].layout == "FDHWC" else case
            for case in cases
        ]

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        """The fields of the functor, in order: arrays of (N,) or, for C arrays, (N, K)."""
        raise NotImplementedError

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], LAYOUTS, _UNNAMED)
        dtype = args["dtype"] if cls.schema.argument("dtype") else None
        check_dtype(meta, cls.functor.inputs)
        accept_output(dtype, cls.functor.outputs)
        return meta.with_(dtype=dtype or meta.dtype)

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        shapes = inputs[0].shapes
        if cls.functor.rgb and (shapes[:, -1] != 3).any():
            index = int(np.argmax(shapes[:, -1] != 3))
            raise ArgumentError(
                f"the image has {shapes[index, -1]} channels; 3 (RGB) are needed.",
                hint="Decode with output_type RGB.", sample=index, code="DS203",
            )  # fmt: skip
        given = [np.asarray(field, np.float32) for field in cls.fields(args, inputs[0])]
        sizes = [math.prod(field.shape[1:]) for field in given]  # a batch may have no sample
        columns = [np.broadcast_to(field.reshape(len(field), size), (len(shapes), size))
                   for field, size in zip(given, sizes, strict=True)]  # fmt: skip
        return Work(shapes, {"fields": np.concatenate(columns, axis=1)})

    @classmethod
    def cpu(cls, work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        image, out = inputs[0], outputs[0]
        apply(cls.functor.name, image, out, work.params["fields"][index], rgb=cls.functor.rgb)

    @classmethod
    def gpu(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(cls, work, inputs[0], outputs[0], stream)

    @classmethod
    def part(cls, work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        return functor_part(cls.functor.name, cls.functor.header, work.params["fields"], rgb=cls.functor.rgb)
