"""``fn.crop_mirror_normalize``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.layout import crop_mirror_normalize, normalize_coefficients
from dali_studio.kernels.cpu.window_batch import window_shapes
from dali_studio.kernels.cuda import window as windows
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import PLANAR_LAYOUTS, T, accept_output, check_dtype, extents, image_meta
from dali_studio.operators.geometry.movements import CROP_AND_MIRROR
from dali_studio.operators.geometry.windows import (
    CropArguments,
    check_crop_arguments,
    crop_windows,
    fill_values,
    inside,
)
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Layout, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Deprecated, Doc, Refused, Ui
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerFrame, PerSample, PixelPart, WindowSink

_INPUTS = (T.UINT8, T.UINT16, T.INT16, T.INT32, T.FLOAT, T.FLOAT16)
_OUTPUTS = (T.FLOAT, T.FLOAT16, T.UINT8, T.INT8)


class CropMirrorNormalize(CropArguments, Operator):
    """Cuts a window, mirrors it, subtracts the mean, divides by the deviation and sets the layout.

    The result is ``(x - mean) / std * scale + shift`` per channel, in the layout `output_layout`.
    """

    category = "tensor"
    icon = "normalize"
    node_name = "normalize"
    keywords = "normalize standardize totensor mean std"
    inputs = (Input("image", "image", layouts=PLANAR_LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, WindowSink, PixelPart)
    devices = ("cpu", "gpu")
    movement = CROP_AND_MIRROR
    kernels = (compiled("normalize", _INPUTS, _OUTPUTS),)
    examples = (
        example(crop=(24.0, 31.0), mean=(123.7, 116.3, 103.5), std=(58.4, 57.1, 57.4), mirror=1),
        example(mean=(128.0,), std=(64.0,), output_layout="HWC"),
        example(crop=(20.0, 20.0), dtype="UINT8", scale=2.0, shift=3.0, output_layout="HWC"),
        example(crop=(90.0, 20.0), out_of_bounds_policy="pad", fill_values=(1.0, 2.0, 3.0, 4.0), pad_output=True),
        example(crop=(22.0, 20.0), dtype="FLOAT16", mirror=1),
        example(crop=(22.0, 20.0), mean=(99.0,), output_layout="FCHW", mirror=1),
        example(crop=(22.0, 20.0), dtype="UINT8", output_layout="FHWC"),
    )
    tolerance = (
        Tolerance(reason="both devices round the same number", dtypes=(T.FLOAT16,), on="gpu"),
        Tolerance(relative=1e-6, reason="the products and sums are contracted in another way"),
    )

    mean: Annotated[list[float], Doc("Subtracted: one value, or one per channel."), PER_SAMPLE, COMMON] = [0.0]  # noqa: RUF012
    std: Annotated[list[float], Doc("Divisor: one value, or one per channel."), PER_SAMPLE, COMMON] = [1.0]  # noqa: RUF012
    mirror: Annotated[int, Doc("1 mirrors left to right."), Ui("switch"), PER_SAMPLE, COMMON] = 0
    dtype: Annotated[DALIDataType, Doc("Element type of the output.")] = DALIDataType.FLOAT
    output_layout: Annotated[Layout, Doc("Order of the output's axes, with F first for sequences."),
                             Choices(("CHW", "HWC", "FCHW", "FHWC")), COMMON] = Layout("CHW")  # fmt: skip
    pad_output: Annotated[
        bool, Doc('Add channels to a power of two (3 become 4): of fill_values under the policy "pad", otherwise of 0.')
    ] = False
    scale: Annotated[float, Doc("Factor after the normalisation.")] = 1.0
    shift: Annotated[float, Doc("Added at the end.")] = 0.0
    output_dtype: Annotated[DALIDataType | None, Deprecated("dtype"), Refused("renamed to dtype")] = None
    image_type: Annotated[int | None, Deprecated(""), Refused("removed from DALI; it had no effect")] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], PLANAR_LAYOUTS)
        check_dtype(meta, _INPUTS)
        accept_output(args["dtype"], _OUTPUTS)
        check_crop_arguments(args)
        layout = str(args["output_layout"])
        if layout.startswith("F") != (args.frames is not None):
            raise ArgumentError(
                f"the layout {layout!r} is asked for, the input has "
                + ("frames." if args.frames is not None else "no frames."),
                hint=f"Give {_layout(args)!r}, or F{_layout(args)} for sequences.", argument="output_layout",
                code="DS203",
            )  # fmt: skip
        return meta.with_(dtype=args["dtype"], layout=_layout(args))

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        view = inputs[0]
        shapes, params = args.same_for(view.meta, view.shapes, "mirror", lambda: _windows(args, view))
        return Work(shapes, {**params, "mirror": args.scalars("mirror", np.int64)})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        image, out = inputs[0], outputs[0]
        params = work.params
        channels = image.shape[params["layout"].index("C")]
        crop_mirror_normalize(
            image, out, anchor=tuple(params["anchors"][index].tolist()), mirror=bool(params["mirror"][index]),
            mean=_row(params["mean"], index, channels), inv_std=_row(params["inverse"], index, channels),
            out_layout=params["output_layout"], fill_values=params["fill"], src_layout=params["layout"],
        )  # fmt: skip

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(CropMirrorNormalize, work, inputs[0], outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        params = work.params
        return windows.normalize_part(
            image.shapes, work.shapes, dtype, params["anchors"], params["mirror"], params["mean"], params["inverse"],
            params["fill"], (params["layout"], params["output_layout"]),
        )  # fmt: skip

    @staticmethod
    def window(work: Work) -> NDArray[np.int64] | None:
        anchors, crops = work.params["anchors"], work.params["crops"]
        return np.concatenate([anchors, crops], axis=1) if inside(anchors, crops, work.params["sizes"]) else None

    @staticmethod
    def for_window(work: Work) -> Work:
        return Work(work.shapes, {**work.params, "anchors": np.zeros_like(work.params["anchors"])})


def _layout(args: Args) -> str:
    """Order of the axes of an image, or of a frame."""
    return str(args["output_layout"]).removeprefix("F")


def _windows(args: Args, view: Batch) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Shapes of the output and all parameters but `mirror`."""
    layout, out_layout = image_meta(view.meta, PLANAR_LAYOUTS).layout or "", _layout(args)
    shapes = view.shapes
    sizes = extents(shapes, layout)
    anchors, crops, outside = crop_windows(args, sizes)
    made, most = window_shapes(shapes, layout, crops, out_layout, padded=args["pad_output"])
    target = made[:, out_layout.index("C")]
    padded = outside | (target > shapes[:, layout.index("C")]) if args["pad_output"] else outside
    if not len(shapes):  # no image says how many channels the coefficients are for
        most = max([len(args[name]) for name in ("mean", "std") if not args.wired(name)], default=1)
    mean, inverse = _coefficients(args, most)
    fill = fill_values(args, target, padded, to_numpy(args["dtype"]))
    return made, {
        "anchors": anchors, "crops": crops, "sizes": sizes, "mean": mean, "inverse": inverse, "fill": fill,
        "layout": layout, "output_layout": out_layout,
    }  # fmt: skip


def _coefficients(args: Args, channels: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(N, C) arrays with which the kernel's (x - a) * b is the whole formula."""
    if not args.wired("mean") and not args.wired("std"):
        numbers = tuple(args["mean"]), tuple(args["std"])
        if len(numbers[0]) in (1, channels) and len(numbers[1]) in (1, channels) and 0 not in numbers[1]:
            return _constant_coefficients(*numbers, args["scale"], args["shift"], args.count, channels)
    mean, std = args.vectors("mean", channels), args.vectors("std", channels)
    if (std == 0).any():
        raise ArgumentError("the deviation is 0.", hint="Give values other than 0.", argument="std")
    return normalize_coefficients(mean, std, args["scale"], args["shift"])


@lru_cache(maxsize=64)
def _constant_coefficients(
    mean: tuple[float, ...], std: tuple[float, ...], scale: float, shift: float, count: int, channels: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """`_coefficients` of numbers that are the same in every iteration; nobody may write to them."""
    size = count, channels
    means, deviations = (np.broadcast_to(np.array(numbers, np.float32), size) for numbers in (mean, std))
    return normalize_coefficients(means, deviations, scale, shift)


def _row(table: NDArray[np.float32], index: int, channels: int) -> NDArray[np.float32]:
    return table[index, :channels]
