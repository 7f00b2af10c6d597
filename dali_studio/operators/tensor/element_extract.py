"""``fn.element_extract``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch, meta_of
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.limits import MAX_OUTPUTS
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed
from dali_studio.operators.common import T
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.marks import COMMON, Doc, Start
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.samples import Case, images, tensors
from dali_studio.schema.traits import SpansIterations


class ElementExtract(Operator):
    """Takes single elements of sequences, such as frames of a video, each as an output of its own.

    The data is not copied. Layouts must begin with F, or be unknown.
    """

    category = "tensor"
    icon = "frames"
    node_name = "element"
    keywords = "frame sequence video pick select split"
    inputs = (Input("input"),)
    outputs = (Output("element"),)
    traits = (SpansIterations,)
    devices = ("cpu", "gpu")

    element_map: Annotated[list[int], Doc("Which elements are taken, counted from 0."), Start((0,)), COMMON]

    @classmethod
    def samples(cls) -> Sequence[Case]:
        frames = images(layout="FHWC")
        plain = tensors(((4, 3, 2), (5, 1, 2)), T.FLOAT)
        return [
            *(Case((data,), {"element_map": given}) for data in (frames, plain) for given in ((0,), (2, 1, 1), 2)),
            *(
                Case((tensors(((2, 3), (2, 0)), one, "FX"),), {"element_map": (1,)})
                for one in (T.BOOL, T.FLOAT16, T.INT64)
            ),
            Case((plain,), {"element_map": (5,)}, refused="element_map"),
            Case((plain,), {"element_map": (-1,)}, refused="element_map"),
            Case((plain,), {"element_map": ()}, refused="element_map"),
            Case((images(),), {"element_map": (0,)}, refused=""),
            Case((tensors(((3,), (5,))),), {"element_map": (0,)}, refused=""),
        ]

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        given = values.get("element_map")
        if not isinstance(given, tuple) or len(given) < 2:
            return schema.outputs
        return tuple(Output(f"element_{number}") for number in range(min(len(given), MAX_OUTPUTS)))

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        (meta,) = inputs
        wanted: tuple[int, ...] = args["element_map"]
        if not wanted or min(wanted) < 0:
            reason = "it is empty" if not wanted else f"{min(wanted)} is negative"
            raise ArgumentError(f"{reason}.", hint="Count elements from 0.", argument="element_map")
        if len(wanted) > MAX_OUTPUTS:
            raise ArgumentError(
                f"{len(wanted)} elements are named; {MAX_OUTPUTS} are accepted.", hint="Use two nodes.",
                argument="element_map",
            )  # fmt: skip
        check_sequence(meta)
        made = TensorMeta(meta.dtype, None if meta.ndim is None else meta.ndim - 1, meta.layout and meta.layout[1:])
        if made.layout in ("HWC", "CHW"):
            made = made.with_(kind="image")
        return (made,) * len(wanted)

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        (batch,) = inputs
        wanted: tuple[int, ...] = args["element_map"]
        short = batch.shapes[:, 0] <= max(wanted)
        if short.any():
            sample = int(np.argmax(short))
            raise ArgumentError(
                f"there is no element {max(wanted)} in a sequence of {batch.shapes[sample, 0]}.",
                hint="Give a smaller number.", argument="element_map", sample=sample, code="DS203",
            )  # fmt: skip
        return tuple(_element(batch, number) for number in wanted)

    @staticmethod
    def run_gpu(state: Any, args: Args, inputs: Sequence[Batch], stream: Any) -> tuple[Batch, ...]:
        return ElementExtract.run(state, args, *inputs)


def check_sequence(meta: TensorMeta) -> None:
    """Refuse what is no sequence of tensors."""
    if meta.layout and not meta.layout.startswith("F"):
        raise ArgumentError(
            f"the layout {meta.layout!r} is not that of a sequence, which begins with F.",
            hint="Bring a video, or name the axes by reshape.", code="DS203",
        )  # fmt: skip
    if meta.ndim is not None and meta.ndim < 2:
        raise ArgumentError(
            f"the data has {meta.ndim} axes; a sequence has two or more.", hint="Take numbers by an index: x[0].",
            code="DS203",
        )  # fmt: skip


def _element(batch: Batch, number: int) -> Batch:
    """The element of each sample, where it lies."""
    shapes = np.ascontiguousarray(batch.shapes[:, 1:])
    meta = meta_of(batch.dtype, shapes.shape[1], batch.layout[1:], batch.device)
    places = number * shapes.prod(axis=1, dtype=np.int64) * batch.dtype.itemsize
    if batch.memory is not None:
        return replace(batch, meta=meta, shapes=shapes, offsets=batch.offsets + places)
    samples = batch.samples
    if isinstance(samples, Packed):
        made = Packed(samples.slab, samples.starts + places, shapes, batch.dtype)
    else:
        made = [sample[number] for sample in samples]
    return replace(batch, meta=meta, shapes=shapes, samples=made)
