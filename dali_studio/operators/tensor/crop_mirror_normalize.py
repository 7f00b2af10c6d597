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
from dali_studio.kernels.cpu.normalize import normalize_coefficients, normalize_volume
from dali_studio.kernels.cpu.window_batch import window_shapes
from dali_studio.kernels.cuda import window as windows
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.strided import normalize_windows_on_gpu
from dali_studio.operators.common import (
    PICTURES,
    VOLUME_LAYOUTS,
    T,
    accept_output,
    check_dtype,
    extents,
    image_meta,
    with_extents,
)
from dali_studio.operators.geometry.movements import CROP_AND_MIRROR
from dali_studio.operators.geometry.windows import (
    UNNAMED,
    CropArguments,
    check_crop_arguments,
    crop_layout,
    crop_windows,
    fill_values,
    first_elements,
    image_window,
    keeps_frames,
)
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Deprecated, Doc, Ignored, Layout, Refused, Ui
from dali_studio.schema.samples import FLAT, PARTLY_EMPTY, Case, derived, images, tensors, values
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
    inputs = (Input("image", "image", layouts=VOLUME_LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, WindowSink, PixelPart)
    devices = ("cpu", "gpu")
    movement = CROP_AND_MIRROR
    kernels = (compiled("normalize", _INPUTS, _OUTPUTS),)
    shown = example(crop=(224.0, 224.0), mirror=1, mean=(123.7, 116.3, 103.5), std=(58.4, 57.1, 57.4),
                    out_of_bounds_policy="pad")  # fmt: skip
    examples = (
        example(crop=(24.0, 31.0), mean=(123.7, 116.3, 103.5), std=(58.4, 57.1, 57.4), mirror=1),
        example(mean=(128.0,), std=(64.0,), output_layout="HWC"),
        example(crop=(20.0, 20.0), dtype="UINT8", scale=2.0, shift=3.0, output_layout="HWC"),
        example(crop=(90.0, 20.0), out_of_bounds_policy="pad", fill_values=(1.0, 2.0, 3.0, 4.0), pad_output=True),
        example(crop=(22.0, 20.0), dtype="FLOAT16", mirror=1),
        example(crop=(22.0, 20.0), mean=(99.0,), output_layout="FCHW", mirror=1),
        example(crop=(22.0, 20.0), dtype="UINT8", output_layout="FHWC"),
        example(crop=(2.0, 22.0, 20.0), mean=(99.0,), output_layout="CDHW", mirror=1, pad_output=True),
        example(crop=(22.0, 20.0), output_layout="CFHW", mirror=1),
        example(crop=(22.0, 20.0), output_layout="WCH", mirror=1),
    )
    tolerance = (
        Tolerance(reason="both devices round the same number", dtypes=(T.FLOAT16,), on="gpu"),
        Tolerance(relative=1e-6, reason="the products and sums are contracted in another way"),
    )

    mean: Annotated[list[float], Doc("Subtracted: one value, or one per channel."), PER_SAMPLE, COMMON] = [0.0]  # noqa: RUF012
    std: Annotated[list[float], Doc("Divisor: one value, or one per channel."), PER_SAMPLE, COMMON] = [1.0]  # noqa: RUF012
    mirror: Annotated[int, Doc("1 mirrors left to right."), Ui("switch"), PER_SAMPLE, COMMON] = 0
    dtype: Annotated[DALIDataType, Doc("Element type of the output.")] = DALIDataType.FLOAT
    output_layout: Annotated[
        Layout, Doc("Order of the output's axes: all letters of the input's layout. Empty: as they are."), COMMON
    ] = Layout("CHW")
    pad_output: Annotated[
        bool, Doc('Add channels to a power of two (3 become 4): of fill_values under the policy "pad", otherwise of 0.')
    ] = False
    scale: Annotated[float, Doc("Factor after the normalisation.")] = 1.0
    shift: Annotated[float, Doc("Added at the end.")] = 0.0
    output_dtype: Annotated[DALIDataType | None, Deprecated("dtype"), Refused("renamed to dtype")] = None
    image_type: Annotated[int | None, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        *flat, deep, video, turned = (one.arguments for one in cls.examples)
        sizes = ((41, 53), (33, 40))
        mirror = {"mirror": values(1, 0, dtype=T.INT32)}
        large = {"crop": (5.0, 50.0, 20.0), "out_of_bounds_policy": "pad", "fill_values": (7.0, 8.0, 9.0)}
        volumes = [images(sizes, layout=layout) for layout in ("DHWC", "CDHW")]
        videos = [images(sizes, layout=layout) for layout in ("FHWC", "FCHW", "CFHW")]
        return [
            *derived(cls.schema, flat, FLAT),
            Case((images(PARTLY_EMPTY),), {"mirror": 1, "std": 2.0}),
            *(Case((data,), given) for data in volumes for given in (
                deep, {**deep, **mirror}, {**large, "output_layout": "CDHW"}, {**large, "output_layout": "DHWC"},
                {**deep, "output_layout": "HWDC", "dtype": "INT8"},
                {**large, **mirror, "fill_values": (7.0, 8.0, 9.0, 1.0), "output_layout": "WHDC", "pad_output": True,
                 "std": values((2.0, 3.0, 4.0), (9.0, 8.0, 7.0))},
                {"output_layout": "", "crop": (2.0, 20.0, 16.0), "crop_pos_z": values(0.0, 1.0)})),
            *(Case((images(sizes, dtype, "DHWC"),), {**deep, **mirror, "dtype": made})
              for dtype in _INPUTS for made in ("FLOAT", "UINT8")),
            *(Case((data,), given) for data in videos for given in (
                video, {**video, **mirror}, {**video, "output_layout": ""}, {**video, "pad_output": True})),
            *(Case((data,), {"crop": (2.0, 9.0, 17.0), "output_layout": made, **mirror})
              for data in videos[:2] for made in ("FHWC", "FCHW", "CFHW")),
            *(Case((images(sizes, dtype),), turned) for dtype in (T.UINT8, T.FLOAT16)),
            Case((images(sizes, layout="CHW"),), {**turned, "output_layout": "", **mirror}),
            *(Case((images(sizes, layout=layout),), {"output_layout": "CFDHW", **mirror, "std": (3.0, 4.0, 5.0)})
              for layout in ("FDHWC", "CFDHW")),
            Case((tensors(((4, 5, 6, 3), (3, 7, 8, 3)), T.UINT8),), deep),
            Case((images(sizes),), {"std": values((2.0,), (9.0,)), "pad_output": True}),
            Case((images(sizes),), {"mean": (2.0,), "out_of_bounds_policy": "pad", "fill_values": (1.0, 2.0, 3.0)},
                 peer=False, note="nvidia.dali has no coefficients for the other channels then, and writes 0"),
            Case((images(sizes),), video, refused="output_layout"),
            Case((videos[0],), {}, refused="output_layout"),
            Case((images(sizes),), {"output_layout": "HW"}, refused="output_layout"),
        ]  # fmt: skip

    @staticmethod
    def by_frame(args: Args, *inputs: TensorMeta) -> bool:
        # where frames move among the axes, arguments are those of the sample
        moved = str(args["output_layout"]).find("F") > 0
        return not moved and keeps_frames(args, inputs[0])

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], VOLUME_LAYOUTS, UNNAMED)
        check_dtype(meta, _INPUTS)
        accept_output(args["dtype"], _OUTPUTS)
        check_crop_arguments(args)
        wanted = str(args["output_layout"])
        given = meta.layout and (meta.layout if args.frames is None else f"F{meta.layout}")
        if wanted and given and sorted(wanted) != sorted(given):
            raise ArgumentError(
                f"the layout {wanted!r} is asked for, the input has {given!r}.",
                hint="Give the same letters in any order.", argument="output_layout", code="DS203",
            )  # fmt: skip
        layout = _out_layout(args, meta.layout or "")
        return meta.with_(dtype=args["dtype"], layout=layout or None, ndim=len(layout) or meta.ndim)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        view = inputs[0]
        shapes, params = args.same_for(view.meta, view.shapes, "mirror", lambda: _windows(args, view))
        return Work(shapes, {**params, "mirror": args.scalars("mirror", np.int64)})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params, layout, out_layout = work.params, work.params["layout"], work.params["output_layout"]
        # both as (others ..., D, H, W, C), whatever their order
        axes = "HWC" if "D" not in layout else "DHWC"
        order = [letter for letter in layout if letter not in axes] + list(axes)
        image, out = (
            array.transpose([letters.index(letter) for letter in order])
            for array, letters in ((inputs[0], layout), (outputs[0], out_layout))
        )
        if "D" not in layout:
            image, out = (array[..., None, :, :, :] for array in (image, out))
        channels = image.shape[-1]
        anchor = tuple(params["anchors"][index].tolist())
        for other in np.ndindex(image.shape[:-4]):
            normalize_volume(
                image[other], out[other], anchor if len(anchor) > len("HW") else (0, *anchor),
                bool(params["mirror"][index]), _row(params["mean"], index, channels),
                _row(params["inverse"], index, channels), params["fill"],
            )  # fmt: skip

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params, (layout, out_layout) = work.params, _layouts(work)
        if {layout, out_layout} <= {*PICTURES}:
            run_alone(CropMirrorNormalize, work, inputs[0], outputs[0], stream)
            return
        normalize_windows_on_gpu(
            inputs[0], outputs[0], [layout.index(letter) for letter in out_layout],
            first_elements(params, slice(None)), (layout.index("W"), params["mirror"]), out_layout.index("C"),
            (params["mean"], params["inverse"]), params["fill"], stream,
        )  # fmt: skip

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part | None:
        params, layouts = work.params, _layouts(work)
        if not {*layouts} <= {*PICTURES}:
            return None
        return windows.normalize_part(
            image.shapes, work.shapes, dtype, params["anchors"], params["mirror"], params["mean"], params["inverse"],
            params["fill"], layouts,
        )  # fmt: skip

    @staticmethod
    def window(work: Work) -> NDArray[np.int64] | None:
        return image_window(work.params)

    @staticmethod
    def for_window(work: Work) -> Work:
        return Work(work.shapes, {**work.params, "anchors": np.zeros_like(work.params["anchors"])})


def _layouts(work: Work) -> tuple[str, str]:
    """Order of the axes of input and result."""
    return work.params["layout"], work.params["output_layout"]


def _out_layout(args: Args, layout: str) -> str:
    """Order of the axes of the result, or of a frame of it."""
    wanted = str(args["output_layout"])
    return (wanted if args.frames is None else wanted[1:]) or layout


def _windows(args: Args, view: Batch) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Shapes of the output and all parameters but `mirror`."""
    given = image_meta(view.meta, VOLUME_LAYOUTS, UNNAMED).layout or ""
    layout, out_layout = (crop_layout(args, letters) for letters in (given, _out_layout(args, given)))
    shapes = view.shapes
    sizes = extents(shapes, layout)
    anchors, crops, outside = crop_windows(args, sizes)
    if len(layout) == len("HWC"):
        made, most = window_shapes(shapes, layout, crops, out_layout, padded=args["pad_output"])
    else:
        made, most = _shapes(shapes, layout, crops, out_layout, padded=args["pad_output"])
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


def _shapes(
    shapes: NDArray[np.int64], layout: str, crops: NDArray[np.int64], out_layout: str, *, padded: bool
) -> tuple[NDArray[np.int64], int]:
    """`window_shapes` of any number of axes."""
    made = with_extents(shapes, layout, crops)
    channels = made[:, layout.index("C")]
    most = int(channels.max(initial=1))
    if padded:
        made[:, layout.index("C")] = 2 ** np.ceil(np.log2(np.maximum(channels, 1))).astype(np.int64)
    return made[:, [layout.index(letter) for letter in out_layout]], most


def _coefficients(args: Args, channels: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(N, C) arrays with which the kernel's (x - a) * b is the whole formula."""
    if not args.wired("mean") and not args.wired("std"):
        numbers = tuple(args["mean"]), tuple(args["std"])
        if len(numbers[0]) in (1, channels) and len(numbers[1]) in (1, channels):
            return _constant_coefficients(*numbers, args["scale"], args["shift"], args.count, channels)
    mean, std = args.vectors("mean", channels), args.vectors("std", channels)
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
