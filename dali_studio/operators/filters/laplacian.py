"""``fn.laplacian``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.separable import convolve
from dali_studio.kernels.cuda import separable
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_output, check_dtype
from dali_studio.operators.filters.common import filtered_axes
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Range, Unit
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerFrame, PerSample

_TYPES = tuple(t for t in NUMERIC if t not in (T.BOOL, T.FLOAT64))
#: Longest windows: weights of longer ones are no floats.
_MAX_TAPS = 23


class Laplacian(Operator):
    """Computes the sum of second derivatives: edges and spots stand out.

    The derivative along an axis is a convolution with a window of `window_size` weights along it, and with smoothing
    windows along the others, of `smoothing_size` weights or, without it, as many. Beyond its ends each axis but C is
    mirrored at its first and last pixel.
    """

    category = "filters"
    icon = "edges"
    keywords = "edge detection second derivative gradient sharpness convolution filter"
    inputs = (Input("image", doc="Up to three axes, C before or behind them, and F."),)
    outputs = (Output("image"),)
    traits = (PerSample, PerFrame)
    devices = ("cpu", "gpu")
    kernels = (compiled("separable", _TYPES),)
    shown = example(window_size=5)
    examples = (
        example(),
        example(window_size=5, normalized_kernel=True),
        example(window_size=(3, 7), smoothing_size=1, scale=(0.5, 0.25)),
        example(smoothing_size=(5, 3), dtype="FLOAT"),
    )
    tolerance = (
        Tolerance(relative=6e-3, dtypes=(T.FLOAT16,), reason="nvidia.dali rounds products of half floats", on="cpu"),
    )

    window_size: Annotated[
        list[int], Doc("Weights of the derivative's window, an odd number: one, or one for each axis."), Unit("px"),
        Range(3, _MAX_TAPS), PER_SAMPLE, COMMON,
    ] = [3]  # noqa: RUF012
    smoothing_size: Annotated[
        list[int] | None, Doc("Weights of the windows along the other axes, an odd number: one, or one for each axis. "
                              "1: no smoothing; unset: as many as the derivative has."), Unit("px"),
        Range(1, _MAX_TAPS), PER_SAMPLE, COMMON,
    ] = None  # fmt: skip
    scale: Annotated[list[float], Doc("Factor of each derivative: one, or one for each axis."), PER_SAMPLE] = [1.0]  # noqa: RUF012
    normalized_kernel: Annotated[
        bool, Doc("Choose factors so that results are as large as those of the smallest windows without smoothing.")
    ] = False
    dtype: Annotated[DALIDataType | None, Doc("Element type of the output: the input's (default) or FLOAT.")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        layouts = ("HWC", "CHW", "HW", "DHWC", "CDHW", "DHW", "FHWC", "FCHW", "FHW", "FDHWC", "FCDHW", "CFHW")
        sizes = ((20, 17), (9, 31))
        return [
            *(Case((images(dtype=dtype),), one.arguments) for one in cls.examples for dtype in _TYPES
              if dtype is not T.FLOAT16 or "dtype" not in one.arguments),
            Case((images(dtype=T.FLOAT16),), {"dtype": "FLOAT"}, peer=False, note="halves there"),
            *(Case((images(dtype=dtype),), {}, refused="") for dtype in (T.BOOL, T.FLOAT64)),
            *(Case((images(sizes, T.UINT8 if layout != "CHW" else T.FLOAT, layout),), {"scale": 0.3})
              for layout in layouts),
            Case((images(sizes, layout="DHWC"),), {"window_size": (3, 5, 7), "smoothing_size": (1, 3, 1),
                                                   "scale": (1.0, 0.5, -0.25), "dtype": "FLOAT"}),
            Case((images(sizes, layout="DHWC"),), {"window_size": (3, 5, 7), "smoothing_size": 1}),
            Case((images(sizes, layout="DHWC"),), {"window_size": (3, 5, 7), "normalized_kernel": True}),
            Case((images(((1, 1), (1, 7), (6, 1), (3, 5))),), {"window_size": 9, "normalized_kernel": True}),
            Case((images(sizes),), {"window_size": 23, "normalized_kernel": True, "dtype": "FLOAT"}),
            Case((images(sizes, T.INT32),), {"window_size": 23, "smoothing_size": 21}),
            Case((tensors(((40,), (1,), (7,))),), {"window_size": 5}),
            Case((tensors(((40,), (1,), (7,)), layout="W"),), {}),
            Case((tensors(((5, 6, 7), (1, 2, 3))),), {"scale": (0.5, 1.0, 2.0)}),
            Case((images(sizes),), {"window_size": values([3, 5], [7, 3], dtype=T.INT32),
                                    "smoothing_size": values([3], [1], dtype=T.INT32)}),
            Case((images(sizes),), {"scale": values([0.5, 3.0], [1.0, 2.0])}),
            Case((images(sizes),), {"window_size": values([3], [5], dtype=T.INT32), "normalized_kernel": True}),
            Case((images(sizes, layout="FHWC"),), {"window_size": values([3, 5, 7], [3], dtype=T.INT32, layout="F")}),
            Case((images(sizes),), {"window_size": 4}, refused="window_size"),
            Case((images(sizes),), {"smoothing_size": 2}, refused="smoothing_size"),
            Case((images(sizes),), {"scale": 2.0, "normalized_kernel": True}, refused="scale"),
            Case((images(sizes),), {"window_size": (3, 5, 7)}, refused="window_size"),
            Case((tensors(((2, 3, 4), (1, 2, 1)), layout="HCW"),), {}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        if meta.layout is not None and meta.ndim is not None:
            filtered_axes(meta.layout, meta.ndim)
        if meta.dtype is not None:
            accept_output(args["dtype"], dict.fromkeys((meta.dtype, T.FLOAT)))
        if args["normalized_kernel"] and args.given("scale"):
            raise ArgumentError(
                "scale is given, and normalized_kernel, which chooses it.", hint="Take one away.", argument="scale"
            )
        return meta.with_(dtype=args["dtype"] or meta.dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        (image,) = inputs
        first, count = filtered_axes(image.layout, image.shapes.shape[1])
        derived = _odd(args, "window_size", count)
        smooth = _odd(args, "smoothing_size", count) if args.given("smoothing_size") else None
        taps = np.repeat(derived[:, :, None] if smooth is None else smooth[:, None, :], count, axis=2 if smooth is None
                         else 1)  # fmt: skip
        taps[:, np.arange(count), np.arange(count)] = derived
        if args["normalized_kernel"]:
            scales = np.exp2((count + 2 - taps.sum(axis=2)).astype(np.float32))
        else:
            scales = args.vectors("scale", count)
        windows: dict[bytes, NDArray[np.float32]] = {}
        rows = [windows.setdefault(one.tobytes(), _windows(one)) for one in taps]
        # a smoothing window of one weight leaves its axis alone
        return Work(image.shapes, {"first": first, "taps": np.where(taps == 1, 0, taps), "windows": rows,
                                   "scales": np.ascontiguousarray(scales)})  # fmt: skip

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        taps, windows, scales = (params[name][index] for name in ("taps", "windows", "scales"))
        convolve(inputs[0], outputs[0], params["first"], windows, taps, scales)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params, (image,), (out,) = work.params, inputs, outputs
        windows = np.concatenate(params["windows"])
        separable.convolve(image, out, params["first"], windows, params["taps"], stream, params["scales"])


def _odd(args: Args, name: str, count: int) -> NDArray[np.int64]:
    """(N, A) sizes of windows.

    Raises
    ------
    ArgumentError
        DS105 for an even one.
    """
    sizes = args.vectors(name, count, np.int64)
    even = sizes % 2 == 0
    if even.any():
        sample, axis = np.argwhere(even)[0]
        raise ArgumentError(
            f"a window has {sizes[sample, axis]} weights.", hint="Give an odd number.", argument=name,
            sample=int(sample) if args.wired(name) else None,
        )  # fmt: skip
    return sizes


def _windows(taps: NDArray[np.int64]) -> NDArray[np.float32]:
    """The weights of all terms, (A, A) sizes: derivatives on the diagonal, smoothing elsewhere."""
    made = [_window(int(size), row == column) for row, sizes in enumerate(taps) for column, size in enumerate(sizes)
            if size > 1]  # fmt: skip
    return np.concatenate(made)


@cache
def _window(size: int, derived: bool) -> NDArray[np.float32]:
    """Weights of a binomial window, or of its second derivative: whole numbers."""
    made = np.ones(1)
    for _ in range(size - 3 if derived else size - 1):
        made = np.convolve(made, [1, 1])
    return (np.convolve(made, [1, -2, 1]) if derived else made).astype(np.float32)
