"""``fn.crop``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.copy_window import copy_window, copying_windows
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cuda import window as windows
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.strided import copy_windows_on_gpu
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
from dali_studio.operators.geometry.movements import CROP
from dali_studio.operators.geometry.windows import (
    CONVERTED,
    RULES,
    UNNAMED,
    ContinuedOutOfBounds,
    WindowArguments,
    check_crop_arguments,
    continued,
    crop_layout,
    crop_windows,
    fill_values,
    first_elements,
    image_window,
    keeps_frames,
    policy_of,
)
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, RangesOperator, compiled, example
from dali_studio.schema.marks import Deprecated, Doc, Ignored, Refused
from dali_studio.schema.samples import FLAT, Case, derived, images, tensors, values
from dali_studio.schema.traits import PerFrame, PerSample, PixelPart, WindowSink

_TYPES = tuple(t for t in NUMERIC if t is not T.BOOL)


class Crop(WindowArguments, ContinuedOutOfBounds, RangesOperator):
    """Cuts a window out of each image or volume.

    Without a size the image stays whole. The window's place is given by `crop_pos_y` and `crop_pos_x`, and `crop_pos_z`
    for depth or frames.
    """

    category = "geometry"
    icon = "crop"
    keywords = "center centercrop randomcrop cut window"
    inputs = (Input("image", "image", layouts=VOLUME_LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, WindowSink, PixelPart)
    devices = ("cpu", "gpu")
    movement = CROP
    shown = example(crop=(224.0, 224.0), out_of_bounds_policy="pad")
    kernels = (compiled("cut_windows", _TYPES, CONVERTED),)
    examples = (
        example(crop=(24.0, 31.0)),
        example(crop_h=20.0, crop_w=17.0, crop_pos_x=0.9, crop_pos_y=0.1, rounding="truncate"),
        example(crop=(90.0, 20.0), out_of_bounds_policy="pad", fill_values=(7.0,)),
        example(crop=(90.0, 20.0), out_of_bounds_policy="trim_to_shape"),
        example(crop=(20.0, 20.0), dtype="FLOAT"),
        example(crop=(2.0, 24.0, 31.0), crop_pos_z=0.9),
    )

    dtype: Annotated[DALIDataType | None, Doc("Element type of the output; unset keeps the input's.")] = None
    output_dtype: Annotated[
        DALIDataType | None, Deprecated("dtype"), Refused("renamed to dtype")
    ] = None
    image_type: Annotated[int | None, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        *flat, deep = (one.arguments for one in cls.examples)
        sizes = ((41, 53), (33, 40))
        place = {"crop_d": values(2.0, 1.9), "crop_h": values(3.0, 9.0), "crop_w": 7.0, "crop_pos_z": values(1.0, 0.2)}
        large = {"crop": (5.0, 50.0, 20.0), "out_of_bounds_policy": "pad", "fill_values": (7.0, 8.0, 9.0)}
        volumes = [images(sizes, layout=layout) for layout in ("DHWC", "CDHW", "CFHW")]
        outside, real = {"crop": (50.0, 44.0), "crop_pos_x": 0.3}, {"dtype": "FLOAT"}
        return [
            *derived(cls.schema, flat, FLAT),
            *(Case((data,), given) for data in volumes for given in (deep, place, large, flat[0], *(
                {**large, "out_of_bounds_policy": policy} for policy in ("trim_to_shape", "constant")))),
            Case((images(sizes, T.INT16, "DHWC"),), {**deep, "dtype": "UINT8"}),
            Case((images(sizes, T.FLOAT, "CDHW"),), {**large, "dtype": "UINT8", "crop_pos_x": 0.0}),
            Case((tensors(((4, 5, 6, 3), (3, 7, 8, 1)), T.UINT8),), {"crop": (2.0, 3.0, 4.0)}),
            *(Case((images(sizes, dtype, layout),), {**outside, "out_of_bounds_policy": rule})
              for layout, dtype in (("HWC", T.UINT8), ("CHW", T.FLOAT), ("DHWC", T.INT16), ("FHWC", T.UINT8))
              for rule in RULES),
            *(Case((images(sizes, layout=layout),), {"crop": (9.0, 50.0, 44.0), "out_of_bounds_policy": rule, **real})
              for layout in ("DHWC", "CDHW", "FHWC") for rule in ("edge", "wrap")),
            Case((images(sizes),), {"crop": (50.0, 44.0), "out_of_bounds_policy": "PAD", "fill_values": (4.0,)}),
            Case((images(sizes),), {"crop": (50.0, 44.0), "out_of_bounds_policy": "Error"},
                 refused="out_of_bounds_policy"),
            *(Case((images(sizes, layout=layout),), deep, peer=False, note="nvidia.dali crops four axes at most")
              for layout in ("FDHWC", "FCDHW", "CFDHW")),
            Case((volumes[0],), {"crop": values((2.0, 9.0, 7.0), (3.0, 8.0, 4.0))}),
            Case((images(sizes),), {"crop": values(9.0, 8.0)}, refused="crop"),
            Case((images(sizes),), {"crop": values((9.0,), (8.0,))}, refused="crop"),
            Case((images(sizes),), {"crop_d": 2.0}, refused="crop_d"),
            Case((images(sizes),), {"crop": (9.0,)}, refused="crop"),
        ]  # fmt: skip

    @staticmethod
    def by_frame(args: Args, *inputs: TensorMeta) -> bool:
        return keeps_frames(args, inputs[0])

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], VOLUME_LAYOUTS, UNNAMED)
        check_dtype(meta, _TYPES)
        check_crop_arguments(args)
        if meta.dtype is not None:
            accept_output(args["dtype"], dict.fromkeys((meta.dtype, *CONVERTED)))
        return meta.with_(dtype=args["dtype"] or meta.dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        layout = crop_layout(args, image_meta(inputs[0].meta, VOLUME_LAYOUTS, UNNAMED).layout or "")
        sizes = extents(inputs[0].shapes, layout)
        anchors, crops, outside = crop_windows(args, sizes)
        channels = inputs[0].shapes[:, layout.index("C")]
        # nvidia.dali counts the values under this policy also where nothing lies outside
        counted = outside | (policy_of(args) == "pad")
        dtype = to_numpy(args["dtype"] or inputs[0].meta.dtype or T.UINT8)
        shapes = with_extents(inputs[0].shapes, layout, crops)
        fill = fill_values(args, channels, counted, dtype)
        params = {
            "anchors": anchors, "crops": crops, "sizes": sizes, "fill": fill, "fills": np.array(fill, dtype),
            "layout": layout, "along": layout.index("C") if len(fill) > 1 else -1,
            "border": continued(args, inputs[0].shapes, shapes, outside),
        }  # fmt: skip
        return Work(shapes, params)

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        first = first_elements(params, index)
        copy_window(inputs[0], outputs[0], first, params["fills"], params["along"], params["border"])

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        params = work.params
        windows = first_elements(params, slice(None)), params["fills"][None], params["along"]
        return copying_windows(inputs[0], outputs[0], *windows, params["border"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        if _filled_picture(params):
            run_alone(Crop, work, inputs[0], outputs[0], stream)
            return
        windows = first_elements(params, slice(None)), params["fills"][None], params["along"]
        copy_windows_on_gpu(inputs[0], outputs[0], *windows, stream, params["border"])

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part | None:
        params = work.params
        if not _filled_picture(params):
            return None
        dtypes = (to_numpy(image.meta.dtype or T.UINT8), dtype)
        return windows.crop_part(
            image.shapes, work.shapes, dtypes, params["anchors"], params["fill"], params["layout"]
        )

    @staticmethod
    def window(work: Work) -> NDArray[np.int64] | None:
        return image_window(work.params)

    @staticmethod
    def for_window(work: Work) -> Work:
        return Work(work.shapes, {**work.params, "anchors": np.zeros_like(work.params["anchors"])})


def _filled_picture(params: Mapping[str, Any]) -> bool:
    """Whether the part of generated kernels computes it."""
    return params["layout"] in PICTURES and params["border"] is Border.CONSTANT
