"""``fn.per_frame``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.samples import Case, tensors


class PerFrame(Operator):
    """Marks the first axis as frames, so that an argument has a value for each frame of a sequence.

    Only the layout changes: its first letter becomes F. Without a layout the further axes are named ``*``.
    """

    category = "tensor"
    icon = "frames"
    keywords = "sequence video layout frames argument"
    inputs = (Input("input"),)
    outputs = (Output("output"),)
    devices = ("cpu", "gpu")
    examples = (example(replace=True),)

    replace: Annotated[
        bool, Doc("Replace the first letter of a layout that does not begin with F; it is refused otherwise."), COMMON
    ] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        return [
            *super().samples(),
            Case((tensors(((3,), (5,))),)),
            Case((tensors(((3, 2), (1, 4))),)),
            Case((tensors(((3, 2), (1, 4)), layout="FX"),)),
            Case((tensors(((3, 2), (1, 4)), layout="HW"),), refused=""),
            Case((tensors(((), ())),), refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        if meta.ndim == 0:
            raise ArgumentError(
                "the input has no axes; the first one counts frames.", hint="Give a vector, one number for each frame.",
                code="DS203",
            )  # fmt: skip
        if meta.layout and not meta.layout.startswith("F") and not args["replace"]:
            raise ArgumentError(
                f"the layout {meta.layout!r} does not begin with F.", hint="Set replace=True to make it do so.",
                code="DS203",
            )  # fmt: skip
        if meta.ndim is None:
            return meta.with_(layout=None)
        return meta.with_(layout=f"F{meta.layout[1:] if meta.layout else '*' * (meta.ndim - 1)}")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        (batch,) = inputs
        return (replace(batch, meta=PerFrame.infer(args, batch.meta)),)

    @staticmethod
    def run_gpu(state: object, args: Args, inputs: Sequence[Batch], stream: GpuStream) -> tuple[Batch, ...]:
        return PerFrame.run(state, args, *inputs)
