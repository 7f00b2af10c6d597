"""``fn.gaussian_blur``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.separable import convolve, gaussian_windows
from dali_studio.kernels.cuda import separable
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_output, check_dtype
from dali_studio.operators.filters.common import filtered_axes
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Range, Start, Ui, Unit
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerFrame, PerSample

_TYPES = tuple(t for t in NUMERIC if t is not T.BOOL)
#: Pixels of a window: more is a mistake, and would take minutes.
_MAX_TAPS = 16383


class GaussianBlur(Operator):
    """Blurs images, volumes and signals with a Gaussian window.

    Each axis but C is filtered; beyond its ends it is mirrored at its first and last pixel. A window that is not given
    reaches three deviations to each side, ``2 * ceil(3 * sigma) + 1`` pixels; a deviation that is not given follows
    from the window, ``((window_size - 1) / 2 - 1) * 0.3 + 0.8``.
    """

    category = "filters"
    icon = "blur"
    keywords = "gaussian smooth lowpass denoise convolution filter"
    inputs = (Input("image", doc="Up to three axes, C before or behind them, and F."),)
    outputs = (Output("image"),)
    traits = (PerSample, PerFrame)
    devices = ("cpu", "gpu")
    kernels = (compiled("separable", _TYPES),)
    shown = example(sigma=3.0)
    examples = (
        example(sigma=1.5),
        example(window_size=5),
        example(sigma=(0.7, 3.0), window_size=(0, 7)),
        example(sigma=2.0, dtype="FLOAT"),
    )
    tolerance = (
        Tolerance(relative=2e-3, dtypes=(T.FLOAT16,), reason="nvidia.dali rounds products of half floats", on="cpu"),
    )

    sigma: Annotated[
        list[float], Doc("Standard deviation: one, or one for each axis, the outermost first. 0: from window_size."),
        Unit("px"), Ui("numbers", (0, 10)), Range(0), Start((1.5,)), PER_SAMPLE, COMMON,
    ] = [0.0]  # noqa: RUF012
    window_size: Annotated[
        list[int], Doc("Pixels of the window, an odd number: one, or one for each axis. 0: from sigma."), Unit("px"),
        Range(0, _MAX_TAPS), PER_SAMPLE, COMMON,
    ] = [0]  # noqa: RUF012
    dtype: Annotated[DALIDataType | None, Doc("Element type of the output: the input's (default) or FLOAT.")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        blur = {"sigma": 1.3}
        layouts = ("HWC", "CHW", "HW", "DHWC", "CDHW", "DHW", "FHWC", "FCHW", "FHW", "FDHWC", "FCDHW", "CFHW")
        sizes = ((20, 17), (9, 31))
        return [
            *(Case((images(dtype=dtype),), one.arguments) for one in cls.examples for dtype in _TYPES
              if dtype is not T.FLOAT16 or "dtype" not in one.arguments),
            Case((images(dtype=T.FLOAT16),), {"sigma": 2.0, "dtype": "FLOAT"}, peer=False, note="halves there"),
            Case((images(dtype=T.BOOL),), blur, refused=""),
            *(Case((images(sizes, T.UINT8 if layout != "CHW" else T.FLOAT, layout),), blur) for layout in layouts),
            Case((images(((1, 1), (1, 7), (6, 1), (3, 5))),), {"sigma": 2.5}),
            Case((images(sizes, T.INT16, "FHWC"),), {"sigma": (0.5, 2.0), "dtype": "FLOAT"}),
            Case((tensors(((40,), (1,), (7,))),), blur),
            Case((tensors(((40,), (1,), (7,)), layout="W"),), blur),
            Case((tensors(((5, 6, 7), (1, 2, 3))),), {"sigma": (0.5, 1.0, 2.0)}),
            Case((tensors(((5, 3), (4, 3)), layout="WC"),), blur, peer=False, note="it fails with C behind one axis"),
            Case((images(sizes),), {"sigma": values(0.5, 3.0), "window_size": values([3, 5], [7, 0], dtype=T.INT32)}),
            Case((images(sizes, layout="FHWC"),), {"sigma": values([0.5, 1.0, 3.0], [2.0], layout="F")}),
            Case((images(sizes, layout="FCHW"),), {"sigma": values([[0.5, 2.0]] * 3, [[3.0, 1.0]] * 3, layout="F*")}),
            Case((images(sizes, channels=1),), {"sigma": 0.01}),
            Case((images(sizes),), {}, refused="sigma"),
            Case((images(sizes),), {"window_size": (3, 0)}, refused="sigma"),
            Case((images(sizes),), {"window_size": 4}, refused="window_size"),
            Case((images(sizes),), {"sigma": 1e5}, refused="sigma"),
            Case((images(sizes),), {"sigma": (1.0, 2.0, 3.0)}, refused="sigma"),
            Case((tensors(((2, 3, 4), (1, 2, 1)), layout="HCW"),), blur, refused=""),
            Case((tensors(((2, 2, 2, 2), (1, 1, 1, 1)), layout="XYZW"),), blur, refused=""),
            Case((tensors(((2,), (1,)), layout="C"),), blur, refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        if meta.layout is not None and meta.ndim is not None:
            filtered_axes(meta.layout, meta.ndim, "blurred")
        if meta.dtype is not None:
            accept_output(args["dtype"], dict.fromkeys((meta.dtype, T.FLOAT)))
        return meta.with_(dtype=args["dtype"] or meta.dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        image = inputs[0]
        first, count = filtered_axes(image.layout, image.shapes.shape[1])
        sigmas, taps = _windows(args.vectors("sigma", count), args.vectors("window_size", count, np.int64), args)
        weights = gaussian_windows(sigmas.ravel(), taps.ravel() // 2)
        ends = np.cumsum(taps.sum(axis=1))
        return Work(image.shapes, {"first": first, "taps": taps, "weights": weights, "ends": ends})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        taps, end = params["taps"][index], params["ends"][index]
        convolve(inputs[0], outputs[0], params["first"], params["weights"][end - taps.sum() : end], taps)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        separable.convolve(inputs[0], outputs[0], params["first"], params["weights"], params["taps"], stream)


def _windows(
    sigmas: NDArray[np.float32], taps: NDArray[np.int64], args: Args
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """(N, A) deviations and sizes of windows, where 0 has been replaced by what follows from the other.

    Raises
    ------
    ArgumentError
        DS105 with the sample.
    """
    def refuse(wrong: NDArray[np.bool_], argument: str, message: str, hint: str) -> None:
        if wrong.any():
            sample, axis = np.argwhere(wrong)[0]
            text = message.format(sigma=sigmas[sample, axis], taps=taps[sample, axis])
            fed = args.wired("sigma") or args.wired("window_size")
            raise ArgumentError(text, hint=hint, argument=argument, sample=int(sample) if fed else None)

    refuse((sigmas == 0) & (taps == 0), "sigma", "neither sigma nor window_size is given.", "Give one of them above 0.")
    refuse((taps > 0) & (taps % 2 == 0), "window_size", "the window has {taps} pixels.", "Give an odd number.")
    refuse(
        ~(sigmas <= _MAX_TAPS // 6) & (taps == 0), "sigma",
        f"the window of {{sigma:g}} has more than {_MAX_TAPS} pixels.", "Give a smaller sigma, or a window_size.",
    )  # fmt: skip
    least = np.maximum(sigmas, np.float32(0))
    wide = np.where(taps == 0, 2 * np.ceil(3 * least).astype(np.int64) + 1, taps)
    from_window = (wide // 2 - 1).astype(np.float32) * np.float32(0.3) + np.float32(0.8)
    return np.where(sigmas == 0, from_window, sigmas), wide
