"""``fn.filter``."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.correlate import Border, correlate
from dali_studio.kernels.cuda import correlate as correlations
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_output, check_dtype
from dali_studio.operators.filters.common import filtered_axes
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Doc, Range, Unit
from dali_studio.schema.samples import Case, Data, images, tensors, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerFrame, PerSample

_TYPES = (T.UINT8, T.INT8, T.UINT16, T.INT16, T.FLOAT16, T.FLOAT)
#: What nvidia.dali takes on the CPU.
_THERE = (T.UINT8, T.UINT16, T.INT16, T.FLOAT)
_BORDERS = {
    "reflect_101": Border.REFLECT_101, "reflect_1001": Border.REFLECT_1001, "wrap": Border.WRAP, "clamp": Border.CLAMP,
    "constant": Border.CONSTANT,
}  # fmt: skip
#: What nvidia.dali takes as well.
_SPELLINGS = {
    **{name: name for name in _BORDERS}, "101": "reflect_101", "reflect101": "reflect_101", "1001": "reflect_1001",
    "reflect1001": "reflect_1001", "reflect": "reflect_1001", "edge": "clamp", "pad": "constant",
}  # fmt: skip


class Filter(Operator):
    """Slides a filter over images, volumes or signals: each result is the sum of products with what lies beneath it.

    The filter is not turned round: this is a correlation. `mode` "valid" leaves out the results for which the filter
    would reach beyond the input.
    """

    category = "filters"
    former = ("experimental.filter",)
    icon = "grid"
    keywords = "convolution correlation kernel sharpen emboss sobel filter2d"
    inputs = (
        Input("data", doc="Up to three axes, F and C before or C behind them."),
        Input("filter", dtypes=(T.FLOAT,), doc="As many axes as are filtered, or a sequence of filters, one a frame."),
        Input("fill_value", optional=True, doc="What lies beyond the ends for border constant, of the data's type."),
    )
    outputs = (Output("data"),)
    traits = (PerSample, PerFrame)
    devices = ("cpu", "gpu")
    kernels = (
        compiled("correlate_same", _TYPES),
        compiled("correlate_real", tuple(t for t in _TYPES if t is not T.FLOAT)),
    )
    examples = (
        example(),
        example(border="constant", anchor=0),
        example(border="wrap", dtype="FLOAT"),
        example(mode="valid"),
    )
    tolerance = (
        Tolerance(
            1, 0.001, relative=2e-6,
            reason="nvidia.dali adds in another order, by Fourier transforms where filters are large",
        ),
    )  # fmt: skip

    anchor: Annotated[
        list[int], Doc("Which element of the filter lies on the pixel: one for all axes, or each; -1: the middle."),
        Unit("px"), Range(-1), PER_SAMPLE,
    ] = [-1]  # noqa: RUF012
    border: Annotated[
        str, Doc("What lies beyond the ends: the data mirrored at its first and last elements (reflect_101), or "
                 "mirrored so that these come twice (reflect_1001), the data once more (wrap), its first and last "
                 "elements (clamp), or fill_value, 0 without it (constant)."),
        Choices(tuple(_BORDERS), _SPELLINGS), COMMON,
    ] = "reflect_101"  # fmt: skip
    mode: Annotated[
        str, Doc("same: as many results as elements; valid: those for which the filter lies inside."),
        Choices(("same", "valid"), {"same": "same", "valid": "valid"}), COMMON,
    ] = "same"  # fmt: skip
    dtype: Annotated[DALIDataType | None, Doc("Element type of the output: the input's (default) or FLOAT.")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 31))
        three, rough = _filters((3, 3), (3, 3), (3, 3), (3, 3)), _filters((4, 3), (1, 6))
        each = _filters((3, 4, 3), (3, 1, 6), layout="F**")
        thin = ((1, 1), (1, 7), (6, 1), (3, 5))
        return [
            *(Case((images(dtype=dtype), three), example.arguments) for example in cls.examples for dtype in _THERE),
            *(Case((images(dtype=dtype), three), {}, peer=False, note="on the GPU alone there")
              for dtype in (T.INT8, T.FLOAT16)),
            *(Case((images(dtype=dtype), three), {}, refused="") for dtype in (T.BOOL, T.INT32, T.FLOAT64)),
            *(Case((images(sizes, T.UINT8, layout), each if "F" in layout else rough), {"border": border})
              for layout in ("HWC", "CHW", "HW", "FHWC", "FCHW", "FHW") for border in _BORDERS),
            *(Case((images(thin, channels=channels), _filters((3, 5), (9, 9), (2, 2), (7, 1))), {"border": border})
              for border in _BORDERS for channels in (1, 2)),
            *(Case((images(sizes), _filters((7, 5), (9, 9))), {"border": word})
              for word in ("101", "1001", "Reflect", "EDGE", "pad")),
            Case((images(sizes), rough), {"border": "mirror"}, refused="border"),
            Case((images(sizes), rough), {"mode": "Valid"}),
            Case((tensors(((9, 7), (4, 4)), T.INT16, low=-3e4, high=3e4), rough), {"mode": "valid"}),
            Case((images(sizes, layout="FHWC"), each), {"mode": "valid", "dtype": "FLOAT"}),
            Case((images(sizes), rough), {"anchor": (0, 2)}),
            Case((images(sizes), rough), {"anchor": values([3, 0], [0, 5], dtype=T.INT32)}),
            Case((images(sizes, layout="FHWC"), rough), {"anchor": values([[0, 1]] * 3, [[0, 4]] * 3, dtype=T.INT32,
                                                                          layout="F*")}),
            *(Case((images(sizes, dtype), rough, values(7, 200, dtype=dtype)), {"border": "constant"})
              for dtype in _THERE),
            Case((images(sizes, layout="FHWC"), each, values([7, 200, 3], [1, 2, 3], dtype=T.UINT8, layout="F")),
                 {"border": "constant"}),
            Case((images(sizes, channels=4), rough, values(7, 200, dtype=T.UINT8)), {"border": "constant"},
                 peer=False, note="the fourth channel is filled with 0 there"),
            Case((images(((60, 40), (33, 70)), T.FLOAT), _filters((11, 13), (15, 17))), {}),
            Case((images(((60, 40), (33, 70))), _filters((11, 13), (15, 17))), {}),
            *(Case((images(sizes, T.UINT8, layout), _filters((2, 3, 3), (3, 1, 4))), {"border": border}, peer=False,
                   note="volumes, which the GPU alone has there")
              for layout in ("DHWC", "CDHW", "DHW") for border in ("reflect_101", "constant")),
            Case((tensors(((9,), (4,))), _filters((3,), (2,))), {}, peer=False, note="one axis"),
            Case((images(sizes), _filters((21, 3), (3, 3))), {"mode": "valid"}, refused="filter"),
            *(Case((images(sizes), rough), {"anchor": (4, 0), "mode": mode}, refused="anchor")
              for mode in ("same", "valid")),
            Case((images(sizes), _filters((3,), (3,))), {}, refused="filter"),
            Case((images(sizes), _filters((0, 3), (3, 3))), {}, refused="filter"),
            Case((images(sizes), rough, values(7, 200, dtype=T.FLOAT)), {"border": "constant"}, refused="fill_value"),
            Case((images(sizes), rough, values([7, 8], [7, 8], dtype=T.UINT8)), {"border": "constant"},
                 refused="fill_value"),
            Case((images(sizes, layout="CFHW"), rough), {}, refused=""),
            Case((tensors(((2, 3, 4), (1, 2, 1)), T.UINT8, layout="HCW"), rough), {}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        data, window, *fill = inputs
        check_dtype(data, _TYPES)
        if data.layout is not None and data.ndim is not None:
            if "F" in data.layout:
                raise ArgumentError(
                    f"the input has the layout {data.layout!r}; F is accepted as the first axis.",
                    hint="Transpose the input.", code="DS203",
                )  # fmt: skip
            _check_axes(filtered_axes(data.layout, data.ndim)[1], window.ndim)
        if window.dtype not in (None, T.FLOAT):
            raise ArgumentError(
                f"the filters are {window.dtype.name}; FLOAT is accepted.", hint="Insert a cast to FLOAT.",
                argument="filter", code="DS203",
            )  # fmt: skip
        for meta in fill:
            if None not in (meta.dtype, data.dtype) and meta.dtype is not data.dtype:
                assert meta.dtype is not None
                raise ArgumentError(
                    f"fill_value is {meta.dtype.name}, the data {data.dtype.name if data.dtype else ''}.",
                    hint="Insert a cast to the type of the data.", argument="fill_value", code="DS203",
                )  # fmt: skip
        if data.dtype is not None:
            accept_output(args["dtype"], dict.fromkeys((data.dtype, T.FLOAT)))
        return data.with_(dtype=args["dtype"] or data.dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        data, window, *fill = inputs
        first, count = filtered_axes(data.layout, data.shapes.shape[1])
        _check_axes(count, window.shapes.shape[1])
        _check_each(window.shapes < 1, "the filter has the shape {shape}.", "Give a filter with elements.", window)
        for one in fill:
            several = one.counts != 1
            _check_each(several, "fill_value has the shape {shape}.", "Give one number for each sample.", one,
                        "fill_value")  # fmt: skip
        shapes = data.shapes.copy()
        anchors = args.vectors("anchor", count, np.int64)
        if args["mode"] == "valid":
            shapes[:, first : first + count] -= window.shapes - 1
            short = shapes[:, first : first + count] < 1
            _check_each(short, "the filter of shape {shape} is larger than the data.",
                        'Set mode="same", or give a smaller filter.', window)  # fmt: skip
        beyond = anchors >= window.shapes
        if beyond.any():
            index = int(np.argwhere(beyond)[0][0])
            raise ArgumentError(
                f"the anchor {tuple(anchors[index].tolist())} does not lie in the filter of shape "
                f"{tuple(window.shapes[index].tolist())}.", hint="Count from 0, or give -1 for the middle.",
                argument="anchor", sample=index,
            )  # fmt: skip
        if args["mode"] == "valid":
            anchors = np.zeros_like(anchors)
        return Work(shapes, {
            "first": first, "anchors": np.where(anchors < 0, window.shapes // 2, anchors),
            "border": _BORDERS[args["border"]], "fill": np.zeros(1, data.dtype),
        })  # fmt: skip

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        fill = inputs[2].reshape(1) if len(inputs) > 2 else params["fill"]
        correlate(
            inputs[0], outputs[0], params["first"], inputs[1], params["anchors"][index], params["border"], fill
        )  # fmt: skip

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params, (data, window, *fills) = work.params, inputs
        correlations.correlate(
            data, outputs[0], params["first"], window, params["anchors"], params["border"], fills[0] if fills else None,
            stream,
        )  # fmt: skip


def _check_axes(count: int, ndim: int | None) -> None:
    if ndim not in (None, count):
        raise ArgumentError(
            f"the filter has {ndim} axes for {count} of the data.",
            hint="Give a filter with as many axes as are filtered, and the data a layout such as HWC or CHW.",
            argument="filter", code="DS203",
        )  # fmt: skip


def _check_each(wrong: NDArray[np.bool_], message: str, hint: str, batch: Batch, argument: str = "filter") -> None:
    """Refuse the first sample with something wrong."""
    if wrong.any():
        index = int(np.argwhere(wrong)[0][0])
        text = message.format(shape=tuple(batch.shapes[index].tolist()))
        raise ArgumentError(text, hint=hint, argument=argument, sample=index, code="DS203")


def _filters(*shapes: tuple[int, ...], layout: str = "") -> Data:
    """Filters whose weights add up to 1."""

    def make() -> list[NDArray[np.float32]]:
        made: list[NDArray[np.float32]] = []
        for seed, shape in enumerate(shapes):
            drawn = np.random.default_rng([seed, *shape]).normal(0.4, 1, shape)
            drawn *= np.random.default_rng(seed).random(shape) > 0.1
            made.append((drawn / max(abs(drawn.sum()), 1)).astype(np.float32))
        return made

    label = "filters " + ",".join("x".join(map(str, shape)) for shape in shapes)
    return Data(make, T.FLOAT, layout, f"{layout} {label}".strip())
