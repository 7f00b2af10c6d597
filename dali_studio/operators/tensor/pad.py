"""``fn.pad``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.copy_window import copy_window, copying_windows
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.strided import copy_windows_on_gpu
from dali_studio.operators.axes import alike, axes_of_samples, rows_of
from dali_studio.operators.common import T, as_written, check_dtype, check_whole
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, RangesOperator, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Layout
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import MixesSamples, PerSample

_TYPES = tuple(t for t in NUMERIC if t is not T.FLOAT64)


class Pad(RangesOperator):
    """Makes tensors larger, by a value behind their last elements.

    The extents become those of `shape` or, where it is 0 or less, the largest of the batch; then they grow to multiples
    of `align`. An extent that is larger already stays. Axes that are not named stay, too; without `axes` and
    `axis_names` all are meant.
    """

    category = "tensor"
    icon = "layers"
    keywords = "padding border extend align batch uniform"
    inputs = (Input("input"),)
    outputs = (Output("output"),)
    traits = (PerSample, MixesSamples)
    devices = ("cpu", "gpu")
    shown = example(axis_names="HW", shape=(400, 560), fill_value=90.0)
    examples = (
        example(),
        example(fill_value=-3.7, axes=(1,)),
        example(shape=(-1, 70, 5), align=(16, 1, 4), fill_value=300.0),
    )

    axes: Annotated[list[int] | None, Doc("Axes that grow, as numbers; none: all."), PER_SAMPLE, COMMON] = None
    axis_names: Annotated[Layout | None, Doc("The same as letters of the layout."), COMMON] = None
    shape: Annotated[
        list[int] | None, Doc("Extents along these axes; 0 or less for the largest of the batch."), PER_SAMPLE, COMMON
    ] = None
    align: Annotated[
        list[int] | None, Doc("Extents become multiples of these numbers."), PER_SAMPLE, COMMON
    ] = None
    fill_value: Annotated[float, Doc("Value of the elements that are added."), PER_SAMPLE, COMMON] = 0.0

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((21, 34), (30, 25), (1, 1))
        some = images(sizes)
        ragged = tensors(((2, 3), (5, 1), (1, 7)), T.INT32, "HW")
        many = tensors(((2, 3, 1, 2, 2, 1), (1, 2, 2, 1, 1, 2)))
        return [
            *(Case((images(sizes, dtype),), one.arguments) for one in cls.examples for dtype in _TYPES),
            *(Case((images(sizes, layout=layout),), given) for layout in ("CHW", "FHWC", "HW", "DHWC")
              for given in ({}, {"axis_names": "HW", "align": 16, "fill_value": 9.0})),
            *(Case((ragged,), given) for given in (
                {"shape": 5}, {"shape": ()}, {"align": ()}, {"shape": (3, 0)}, {"shape": (1, 1)}, {"align": (2, 3)},
                {"axes": ()}, {"axes": (-1, 0)},
                {"axis_names": "W", "shape": 9}, {"axis_names": ""}, {"fill_value": values(1.0, 2.0, -3.5)},
                {"shape": values((3, -1), (-1, 7), (9, 9), dtype=T.INT32)}, {"shape": values(4, 5, 6, dtype=T.INT32)},
                {"align": values((3, 2), (4, 4), (1, 5), dtype=T.INT32), "shape": (3, 5)},
                {"axes": values((0,), (1,), (1,), dtype=T.INT32)}, {"axes": values((0, 1), (1,), (1,), dtype=T.INT32)},
                {"axes": values((0,), (1,), (1,), dtype=T.INT32), "shape": 9, "align": values(2, 3, 4, dtype=T.INT32)},
                {"fill_value": values(3e9, -1e20, 0.9)})),
            Case((tensors(((5,), (130,), (0,), (1,))),), {"fill_value": 0.3}),
            Case((tensors(((5,), (0,)), T.BOOL),), {"fill_value": 0.3}),
            Case((tensors(((3, 0), (2, 5), (0, 4))),), {}),
            Case((many,), {"align": 2}, peer=False, note="nvidia.dali pads five axes at most"),
            Case((tensors(((), ())),), {}, refused=""),
            Case((images(sizes, T.FLOAT64),), {}, refused=""),
            Case((some,), {"axes": (0,), "axis_names": "H"}, refused="axis_names"),
            Case((some,), {"axes": (3,)}, refused="axes"),
            Case((some,), {"axes": (0, 0)}, refused="axes"),
            Case((some,), {"axis_names": "X"}, refused="axis_names"),
            Case((some,), {"shape": (1, 2)}, refused="shape"),
            Case((ragged,), {"align": (0, 1)}, refused="align"),
            Case((ragged,), {"align": values((1,), (1,), (1,), dtype=T.INT32)}, refused="align"),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        if meta.ndim == 0:
            raise ArgumentError("numbers have no axis that could grow.", hint="Bring vectors, ...", code="DS203")
        if meta.ndim is not None and meta.layout is not None and not args.wired("axes"):
            axes = axes_of_samples(args, meta, 1)
            for name in ("shape", "align"):
                if args[name]:
                    rows_of(args, name, axes)
            _check_align(np.array(args["align"] or (), np.int64), None)
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        (data,) = inputs
        axes = axes_of_samples(args, data.meta, len(data))
        wanted, multiples = (
            rows_of(args, name, axes, np.int64) if args.wired(name) or args[name] else None
            for name in ("shape", "align")
        )
        if wanted is None or any((row <= 0).any() for row in wanted):
            check_whole(args, data)
        made, largest = data.shapes.copy(), data.shapes.max(axis=0, initial=0)
        if alike(axes) and not args.wired("shape") and not args.wired("align"):
            groups = [(slice(None), list(axes[0]), 0)]
        else:
            groups = [(slice(index, index + 1), list(chosen), index) for index, chosen in enumerate(axes)]
        for rows, chosen, index in groups:
            extents = largest[chosen]
            if wanted is not None:
                extents = np.where(wanted[index] > 0, np.maximum(made[rows][:, chosen], wanted[index]), extents)
            if multiples is not None:
                _check_align(multiples[index], index if args.wired("align") else None)
                extents = -(-extents // multiples[index]) * multiples[index]
            made[rows, chosen] = extents
        fills = as_written(args.scalars("fill_value").astype(np.float64), data.dtype)
        return Work(made, {"fills": fills[:, None]})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        copy_window(inputs[0], outputs[0], (0,) * inputs[0].ndim, work.params["fills"][index])

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        return copying_windows(inputs[0], outputs[0], np.zeros(work.shapes.shape, np.int64), work.params["fills"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        firsts = np.zeros(work.shapes.shape, np.int64)
        copy_windows_on_gpu(inputs[0], outputs[0], firsts, work.params["fills"], -1, stream)


def _check_align(given: NDArray[np.int64], sample: int | None) -> None:
    if (given <= 0).any():
        raise ArgumentError(
            f"an extent cannot be a multiple of {given.min()}.", hint="Give 1 or more.", argument="align", sample=sample
        )
