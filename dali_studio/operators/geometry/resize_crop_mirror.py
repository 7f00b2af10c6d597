"""``fn.resize_crop_mirror``, and the deprecated ``fn.fast_resize_crop_mirror``."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import VOLUME_LAYOUTS, T, extents, image_meta, spatial_axes, with_extents
from dali_studio.operators.geometry.movements import RESIZE_AND_CROP
from dali_studio.operators.geometry.resampling import TYPES, UNNAMED, Resampling, filter_params, output_meta
from dali_studio.operators.geometry.sizes import SizeArguments, check_size_arguments, output_sizes
from dali_studio.operators.geometry.windows import WindowArguments, check_crop_arguments, crop_windows
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Input, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc
from dali_studio.schema.samples import FLAT, TINY, Case, images, values
from dali_studio.schema.traits import PerFrame, PerSample, SourcePart

_MIRRORS = {"W": 1, "H": 2, "D": 4}


class ResizeCropMirror(SizeArguments, WindowArguments, Resampling):
    """Resizes images and volumes, cuts a window out of the result and mirrors it; no more is computed than the window.

    A window that leaves the resized image shows its edges, repeated.
    """

    category = "geometry"
    keywords = "scale crop flip window training augmentation"
    inputs = (Input("image", "image", layouts=VOLUME_LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, SourcePart)
    devices = ("cpu", "gpu")
    movement = RESIZE_AND_CROP
    shown = example(resize_shorter=256.0, crop=(224.0, 224.0), mirror=1)
    examples = (
        example(resize_shorter=30.0, crop=(24.0, 21.0), mirror=1),
        example(size=(40.0, 50.0), crop=(24.0, 60.0), crop_pos_x=0.1, mirror=3, dtype="FLOAT"),
        example(resize_x=30.5, crop_h=9.0, crop_w=13.0, rounding="truncate", interp_type="INTERP_CUBIC", mirror=2),
        example(size=(39.0, 47.0), interp_type="INTERP_NN", crop=(7.0, 9.0), mirror=1),
    )

    mirror: Annotated[
        int, Doc("1 mirrors left to right, 2 top to bottom, 4 front to back; sums do so at once."), PER_SAMPLE, COMMON
    ] = 0

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((21, 34), (30, 25))
        given = [one.arguments for one in cls.examples]
        region = {"roi_start": (0.1, 0.2), "roi_end": (0.9, 0.7), "roi_relative": True}
        each = {"mirror": values(0, 3, dtype=T.INT32), "crop_pos_y": values(0.0, 1.0)}
        deep: tuple[dict[str, Any], ...] = (
            {"resize_shorter": 12.0, "crop": (2.0, 9.0, 8.0), "mirror": 5},
            {"size": (5.0, 30.0, 15.0), "crop": (9.0, 8.0), "mirror": 6},
            {"size": 14.0, "crop_d": 3.0, "crop_h": 9.0, "crop_w": 8.0, "crop_pos_z": 0.0, "mirror": 4},
        )
        note = "nvidia.dali mirrors another axis where H is not the first one, or D"
        return [
            *(Case((images(dtype=dtype),), given[0]) for dtype in TYPES),
            *(Case((images(layout=layout),), {**given[0], "mirror": 0}) for layout in FLAT[1:]),
            Case((images(TINY, T.FLOAT),), given[0]),
            *(Case((images(sizes, layout=layout),), given[0], peer=False, note=note) for layout in FLAT[1:]),
            *(Case((images(),), one) for one in given[1:]),
            *(Case((images(sizes),), {**one, **region, **each}) for one in given[:3]),
            Case((images(sizes),), {"resize_longer": 20.0}),
            *(Case((images(sizes, layout="DHWC"),), one) for one in deep),
            *(Case((images(sizes, layout=layout),), {**one, "mirror": 0})
              for layout in ("CDHW", "FDHWC") for one in deep),
            Case((images(sizes, layout="CDHW"),), deep[0], peer=False, note=note),
            *(Case((images(sizes, layout=layout),), {"resize_shorter": 12.0, "crop": (2.0, 9.0, 8.0)})
              for layout in ("CFHW", "HWC")),
            Case((images(sizes),), {**given[0], "interp_type": values(2, 1, dtype=T.INTERP_TYPE)}),
            Case((images(sizes),), {"crop": (9.0, 8.0)}, refused="size"),
            Case((images(sizes),), {"size": 9.0, "crop_h": 5.0}, refused="crop_w"),
        ]  # fmt: skip

    @classmethod
    def by_frame(cls, args: Args, *inputs: TensorMeta) -> bool:
        return inputs[0].device == "gpu" or not args.constant

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], VOLUME_LAYOUTS, UNNAMED)
        check_size_arguments(args, len(spatial_axes(meta.layout)) if meta.layout else None)
        check_crop_arguments(args)
        return output_meta(args, meta)

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        layout = image_meta(inputs[0].meta, VOLUME_LAYOUTS, UNNAMED).layout or ""
        shapes, axes = inputs[0].shapes, spatial_axes(layout)
        resized, rois = output_sizes(args, extents(shapes, layout))
        anchors, crops, _ = crop_windows(args, resized, "pad")
        low, high = rois[:, : len(axes)], rois[:, len(axes) :]
        scale = (high - low) / resized
        begin, end = low + anchors * scale, low + (anchors + crops) * scale
        mirror = args.scalars("mirror", np.int64)
        flips = np.stack([mirror & _MIRRORS[layout[axis]] for axis in axes], axis=1) != 0
        rois = np.hstack([np.where(flips, end, begin), np.where(flips, begin, end)])
        params = {"sizes": crops, "rois": rois, "layout": layout, "first": axes[0], **filter_params(args)}
        return Work(with_extents(shapes, layout, crops), params)


class FastResizeCropMirror(ResizeCropMirror):
    """Resizes without a wider filter where an axis shrinks, cuts a window and mirrors it."""

    hidden = True
    deprecated = "resize_crop_mirror"
    examples = (
        example(resize_shorter=30.0, crop=(24.0, 21.0), mirror=1),
        example(resize_shorter=30.0, crop=(24.0, 21.0), antialias=True),
    )

    antialias: Annotated[bool, Doc("Widen the filter where an axis shrinks."), COMMON] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        return [Case((images(),), one.arguments) for one in cls.examples]
