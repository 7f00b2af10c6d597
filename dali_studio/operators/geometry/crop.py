"""``fn.crop``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.layout import crop_pad
from dali_studio.kernels.cuda import window as windows
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import (
    PLANAR_LAYOUTS,
    T,
    accept_output,
    check_dtype,
    extents,
    image_meta,
    with_extents,
)
from dali_studio.operators.geometry.movements import CROP
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
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import Deprecated, Doc, Refused
from dali_studio.schema.traits import PerFrame, PerSample, PixelPart, WindowSink

_TYPES = tuple(t for t in NUMERIC if t is not T.BOOL)
_CONVERTED = (T.UINT8, T.FLOAT16, T.FLOAT)


class Crop(CropArguments, Operator):
    """Cuts a window out of each image.

    Without a size the image stays whole. The window's place is given by `crop_pos_y` and `crop_pos_x`.
    """

    category = "geometry"
    icon = "crop"
    keywords = "center centercrop randomcrop cut window"
    inputs = (Input("image", "image", layouts=PLANAR_LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, WindowSink, PixelPart)
    devices = ("cpu", "gpu")
    movement = CROP
    examples = (
        example(crop=(24.0, 31.0)),
        example(crop_h=20.0, crop_w=17.0, crop_pos_x=0.9, crop_pos_y=0.1, rounding="truncate"),
        example(crop=(90.0, 20.0), out_of_bounds_policy="pad", fill_values=(7.0,)),
        example(crop=(90.0, 20.0), out_of_bounds_policy="trim_to_shape"),
        example(crop=(20.0, 20.0), dtype="FLOAT"),
    )

    dtype: Annotated[DALIDataType | None, Doc("Element type of the output; unset keeps the input's.")] = None
    output_dtype: Annotated[
        DALIDataType | None, Deprecated("dtype"), Refused("renamed to dtype")
    ] = None
    image_type: Annotated[int | None, Deprecated(""), Refused("removed from DALI; it had no effect")] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], PLANAR_LAYOUTS)
        check_dtype(meta, _TYPES)
        check_crop_arguments(args)
        if meta.dtype is not None:
            accept_output(args["dtype"], dict.fromkeys((meta.dtype, *_CONVERTED)))
        return meta.with_(dtype=args["dtype"] or meta.dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        layout = image_meta(inputs[0].meta, PLANAR_LAYOUTS).layout or ""
        sizes = extents(inputs[0].shapes, layout)
        anchors, crops, outside = crop_windows(args, sizes)
        channels = inputs[0].shapes[:, layout.index("C")]
        # nvidia.dali counts the values under this policy also where nothing lies outside
        counted = outside | (args["out_of_bounds_policy"] == "pad")
        fill = fill_values(args, channels, counted, to_numpy(args["dtype"] or inputs[0].meta.dtype or T.UINT8))
        params = {"anchors": anchors, "crops": crops, "sizes": sizes, "fill": fill, "layout": layout}
        return Work(with_extents(inputs[0].shapes, layout, crops), params)

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        image, out = inputs[0], outputs[0]
        y, x = work.params["anchors"][index].tolist()
        if image.dtype != out.dtype:
            image = _clamped(image, out.dtype)
        crop_pad(image, out, (y, x), work.params["fill"], work.params["layout"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(Crop, work, inputs[0], outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        params = work.params
        dtypes = (to_numpy(image.meta.dtype or T.UINT8), dtype)
        return windows.crop_part(
            image.shapes, work.shapes, dtypes, params["anchors"], params["fill"], params["layout"]
        )

    @staticmethod
    def window(work: Work) -> NDArray[np.int64] | None:
        anchors, crops = work.params["anchors"], work.params["crops"]
        return np.concatenate([anchors, crops], axis=1) if inside(anchors, crops, work.params["sizes"]) else None

    @staticmethod
    def for_window(work: Work) -> Work:
        return Work(work.shapes, {**work.params, "anchors": np.zeros_like(work.params["anchors"])})


def _clamped(image: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The image in another type, saturated and cut towards zero: nvidia.dali's crop does not round as cast does."""
    made = np.empty(image.shape, dtype)
    if dtype.kind in "iu" and image.dtype.kind == "f":
        image = np.trunc(np.nan_to_num(image, nan=0.0))
    elif dtype == np.float16:
        image = np.clip(image.astype(np.float32), np.finfo(dtype).min, np.finfo(dtype).max)
    convert(image, made)
    return made
