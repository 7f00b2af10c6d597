"""``fn.transpose``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.strided import copy_strided, copy_strided_one, steps_of
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.strided import copy_strided_on_gpu
from dali_studio.operators.common import T
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc, Layout
from dali_studio.schema.samples import Case, images, tensors
from dali_studio.schema.traits import PerSample


class Transpose(Operator):
    """Puts the axes into another order.

    Without an order they are reversed. The letters of the layout go with their axes.
    """

    category = "tensor"
    icon = "transpose"
    keywords = "permute axes order swap channels first last"
    inputs = (Input("input"),)
    outputs = (Output("output"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    examples = (example(perm=(2, 0, 1)), example())

    perm: Annotated[list[int] | None, Doc("For each axis of the result, the axis that it was."), COMMON] = None
    transpose_layout: Annotated[bool, Doc("Letters of the layout go with their axes; otherwise they stay.")] = True
    output_layout: Annotated[Layout | None, Doc("Layout of the result, whatever it was."), COMMON] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        data = images(dtype=T.INT16)
        volume = tensors(((3, 4, 5, 2), (1, 70, 40, 2), (4, 1, 0, 3)), T.FLOAT)
        return [
            *super().samples(),
            *(Case((data,), {"perm": perm}) for perm in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 1, 0))),
            *(Case((volume,), {"perm": perm}) for perm in ((3, 0, 1, 2), (0, 2, 1, 3), (2, 3, 1, 0), (0, 3, 2, 1))),
            Case((data,), {"perm": (2, 0, 1), "transpose_layout": False}),
            Case((data,), {"perm": (2, 0, 1), "output_layout": "ABC"}),
            Case((data,), {"output_layout": "CHW"}),
            Case((data,), {"perm": (2, 0, 1), "output_layout": "ABC", "transpose_layout": False}),
            Case((tensors(((), ()), T.UINT64),), {"perm": ()}),
            Case((data,), {"perm": (0, 1)}, refused="perm"),
            Case((data,), {"perm": (0, 1, 1)}, refused="perm"),
            Case((data,), {"perm": (0, 1, 3)}, refused="perm"),
            Case((data,), {"perm": (-1, 0, 1)}, refused="perm"),
            Case((data,), {"output_layout": "HW"}, refused="output_layout"),
            Case((data,), {"output_layout": ""}, refused="output_layout"),
        ]

    @staticmethod
    def reference(arguments: Mapping[str, Any], *inputs: NDArray[Any]) -> NDArray[Any]:
        return inputs[0].transpose(arguments["perm"])

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        given: str | None = args["output_layout"]
        if given == "":
            raise ArgumentError("the layout is empty.", hint="Unset it, or name the axes.", argument="output_layout")
        perm = _order(args, meta.ndim)
        if given is not None and meta.ndim is not None and len(given) != meta.ndim:
            raise ArgumentError(
                f"{given!r} names {len(given)} axes; the data has {meta.ndim}.", hint="Give one letter per axis.",
                argument="output_layout",
            )  # fmt: skip
        if meta.ndim is None or perm is None:
            return TensorMeta(meta.dtype, meta.ndim, given)
        layout = given or meta.layout
        if given is None and layout and args["transpose_layout"]:
            layout = "".join(layout[axis] for axis in perm)
        return meta.with_(layout=layout)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        (batch,) = inputs
        perm = list(_order(args, batch.shapes.shape[1]) or ())
        steps = np.ascontiguousarray(steps_of(batch.shapes, batch.dtype.itemsize)[:, perm])
        return Work(np.ascontiguousarray(batch.shapes[:, perm]), {"steps": steps, "size": batch.dtype.itemsize})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        copy_strided_one(inputs[0], 0, work.shapes, work.params["steps"], index, outputs[0])

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        params = work.params
        copy_strided(inputs[0].addresses, work.shapes, params["steps"], params["size"], outputs[0].addresses)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        copy_strided_on_gpu(inputs[0], np.zeros(len(work.shapes), np.int64), work.params["steps"], outputs[0], stream)


def _order(args: Args, ndim: int | None) -> tuple[int, ...] | None:
    """For each axis of the result, the axis that it was; ``None`` as long as it is not known."""
    perm: tuple[int, ...] | None = args["perm"]
    if perm is None:
        return None if ndim is None else tuple(reversed(range(ndim)))
    if sorted(perm) != list(range(len(perm))) or (ndim is not None and len(perm) != ndim):
        axes = f"the data has {ndim} axes" if ndim is not None else "it names some axis twice, or leaves one out"
        raise ArgumentError(
            f"{perm} is no order of the axes: {axes}.", hint="Name each axis once, counted from 0.", argument="perm"
        )
    return perm
