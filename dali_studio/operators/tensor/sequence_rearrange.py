"""``fn.sequence_rearrange``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.strided import copy_rows
from dali_studio.kernels.cuda.ingest import gathered
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T
from dali_studio.operators.tensor.element_extract import check_sequence
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Start
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import PerSample


class SequenceRearrange(Operator):
    """Puts the elements of sequences, such as frames of a video, into another order.

    An element may be taken several times, or not at all. Layouts must begin with F, or be unknown.
    """

    category = "tensor"
    icon = "frames"
    node_name = "rearranged"
    keywords = "frame sequence video reorder permute reverse"
    inputs = (Input("input"),)
    outputs = (Output("output"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")

    new_order: Annotated[
        list[int], Doc("For each element of the result, which one it was, counted from 0."), Start((0,)), PER_SAMPLE,
        COMMON,
    ]  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        frames = images(layout="FHWC")
        plain = tensors(((4, 3, 2), (5, 1, 2), (9, 0, 2)), T.FLOAT)
        orders = values((3, 0, 0), (4,), (8, 7, 6, 5), dtype=T.INT32)
        return [
            *(Case((frames,), {"new_order": order}) for order in ((2, 1, 0), (1,), (0, 0, 2, 2))),
            *(
                Case((tensors(((2, 3), (2, 4)), one, "FX"),), {"new_order": (1, 0)})
                for one in (T.BOOL, T.FLOAT16, T.INT64)
            ),
            Case((plain,), {"new_order": (3, 0, 0)}),
            Case((plain,), {"new_order": orders}),
            Case((plain,), {"new_order": (9,)}, refused="new_order"),
            Case((plain,), {"new_order": (-1,)}, refused="new_order"),
            Case((plain,), {"new_order": ()}, refused="new_order"),
            Case((images(),), {"new_order": (0,)}, refused=""),
            Case((tensors(((3,), (5,))),), {"new_order": (0,)}, refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        if not args.wired("new_order") and not args["new_order"]:
            raise ArgumentError("no element is named.", hint="Name one or more.", argument="new_order")
        check_sequence(inputs[0])
        return inputs[0]

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        (batch,) = inputs
        fed = args.samples("new_order")
        orders = (
            [np.array(args["new_order"], np.int64)] * len(batch)
            if fed is None
            else [np.ravel(order).astype(np.int64) for order in fed]
        )
        for sample, (order, extent) in enumerate(zip(orders, batch.shapes[:, 0].tolist(), strict=True)):
            wrong = (order < 0) | (order >= extent)
            if wrong.any() or not len(order):
                reason = f"there is no element {order[wrong][0]}" if len(order) else "no element is named"
                raise ArgumentError(
                    f"{reason}; the sequence has {extent}.", hint=f"Give 0 to {extent - 1}.", argument="new_order",
                    sample=sample, code="DS203",
                )  # fmt: skip
        shapes = batch.shapes.copy()
        shapes[:, 0] = [len(order) for order in orders]
        return Work(shapes, {"orders": orders})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        copy_rows(inputs[0], work.params["orders"][index], outputs[0])

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        for source, order, out in zip(inputs[0].samples, work.params["orders"], outputs[0].samples, strict=True):
            copy_rows(source, order, out)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        orders, out = work.params["orders"], outputs[0]
        of_sample = np.repeat(np.arange(len(out)), [len(order) for order in orders])
        shapes = out.shapes[of_sample, 1:]
        sizes = shapes.prod(axis=1, dtype=np.int64) * out.dtype.itemsize
        offsets = out.offsets[of_sample] + sizes * np.concatenate([np.arange(len(order)) for order in orders])
        elements = Batch.on_gpu(out.memory, offsets, shapes, out.dtype)
        gathered(inputs[0].addresses[of_sample] + sizes * np.concatenate(orders), elements, stream)
