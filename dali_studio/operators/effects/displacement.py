"""What operators share that move pixels of an image to other places: arguments, and samples that are left alone."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.enums import DALIInterpType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, as_written, check_dtype, image_meta
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Doc, Ui
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample, SourcePart

TYPES = (T.UINT8, T.FLOAT)
BETWEEN_FILLS = Tolerance(
    relative=3e-7, dtypes=(T.FLOAT,), when={"interp_type": "INTERP_LINEAR"}, on="gpu",
    reason="what lies between four pixels outside may differ from the colour there in the last bit",
)  # fmt: skip


class Displacement(Operator, abstract=True):
    """Base of these operators; a subclass defines ``moved`` for one sample, ``part``, and ``params`` for both."""

    category = "effects"
    inputs = (Input("image", "image", layouts="HWC", dtypes=TYPES),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, SourcePart)
    devices = ("cpu", "gpu")

    interp_type: Annotated[DALIInterpType, Doc("Filter."), Choices(("INTERP_NN", "INTERP_LINEAR")), COMMON] = (
        DALIInterpType.INTERP_NN
    )
    fill_value: Annotated[
        float, Doc("Value outside the image; for integers it is cut to a whole number, and wraps around."),
        Ui("slider", (0, 255)), COMMON,
    ] = 0.0  # fmt: skip
    mask: Annotated[
        int, Doc("A wire brings 0 for each sample that is to stay as it is. A constant has no effect."), PER_SAMPLE
    ] = 1

    @staticmethod
    def params(args: Args, image: Batch) -> dict[str, Any]:
        """What `moved` needs, for the whole batch."""
        del args, image
        return {}

    @staticmethod
    def moved(image: Any, out: Any, params: dict[str, Any], index: int) -> None:
        """Compute sample `index`."""
        raise NotImplementedError

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0])
        check_dtype(meta, TYPES)
        return meta

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        image = inputs[0]
        kept = args.scalars("mask", np.int64) == 0 if args.wired("mask") else np.zeros(len(image), np.bool_)
        return Work(image.shapes, {
            "kept": kept, "linear": args["interp_type"] is DALIInterpType.INTERP_LINEAR,
            "fill": as_written(np.array([args["fill_value"]]), image.dtype), **cls.params(args, image),
        })  # fmt: skip

    @classmethod
    def cpu(cls, work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        if work.params["kept"][index]:
            outputs[0][...] = inputs[0]
        else:
            cls.moved(inputs[0], outputs[0], work.params, index)

    @classmethod
    def gpu(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(cls, work, inputs[0], outputs[0], stream)
