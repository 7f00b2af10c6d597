"""``fn.random_resized_crop``."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T, extents, image_meta, spatial_axes, with_extents
from dali_studio.operators.geometry.movements import RANDOM_RESIZED_WINDOW
from dali_studio.operators.geometry.random_windows import RandomWindowArguments, check_window_ranges, random_windows
from dali_studio.operators.geometry.resampling import Resampling, filter_params, output_meta
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Input, Output, example
from dali_studio.schema.marks import COMMON, MAX_PIXELS, Doc, Length, Range, Start, Unit
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import PerSample, RandomSource, SourcePart, WindowSource

_LAYOUTS = "HWC CHW FHWC FCHW CFHW"
_UNNAMED = "HWC FHWC"


class RandomResizedCrop(RandomWindowArguments, Resampling):
    """Resizes a random window of each image.

    The window's area and aspect ratio are drawn until it fits, at most `num_attempts` times, then its place. All frames
    of a sequence show the same window. Pixels beside the window are read where the filter reaches them.
    """

    category = "geometry"
    keywords = "randomresizedcrop inception crop scale training augmentation"
    inputs = (Input("image", "image", layouts=_LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, RandomSource, SourcePart, WindowSource)
    devices = ("cpu", "gpu")
    movement = RANDOM_RESIZED_WINDOW
    seeded = True
    stateful = True
    shown = example(size=(224, 224), random_area=(0.2, 0.4))
    examples = (
        example(size=(24, 31)),
        example(size=(50, 40), random_area=(0.2, 0.3), random_aspect_ratio=(0.9, 1.1), interp_type="INTERP_CUBIC"),
        example(size=30, dtype="FLOAT", antialias=False, num_attempts=2),
        example(size=(24, 31), interp_type="INTERP_NN", seed=12),
    )

    size: Annotated[
        list[int], Doc("Height and width of the result, or one value for both."), Unit("px"), Length((1, 2)),
        Range(1, MAX_PIXELS), Start((224, 224)), COMMON,
    ]  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((21, 34), (30, 25), (3, 90), (1, 1))
        whole = {"size": (9, 12)}
        return [
            *(Case((images(dtype=dtype),), one.arguments) for one in cls.examples
              for dtype in (T.UINT8, T.INT16, T.UINT16, T.FLOAT) if one.arguments.get("dtype") in (None, dtype.name)),
            *(Case((images(sizes, T.FLOAT, layout),), whole) for layout in _LAYOUTS.split()),
            *(Case((images(sizes, T.FLOAT, channels=channels),), whole) for channels in (1, 4, 5)),
            Case((tensors(((4, 5, 6, 3), (3, 7, 8, 1))),), whole),
            Case((images(sizes, T.FLOAT),), {**whole, "interp_type": values(2, 1, 3, 0, dtype=T.INTERP_TYPE)}),
            Case((images(),), {**whole, "random_area": (0, 1)}),
            Case((images(),), {"size": (0, 4)}, refused="size"),
            Case((images(),), {**whole, "random_area": (0.5, 0.2)}, refused="random_area"),
            Case((images(layout="DHWC"),), whole, refused=""),
            Case((images(dtype=T.INT32),), whole, refused=""),
        ]  # fmt: skip

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], _LAYOUTS, _UNNAMED)
        check_window_ranges(args)
        return output_meta(args, meta)

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        layout = image_meta(inputs[0].meta, _LAYOUTS, _UNNAMED).layout or ""
        shapes, axes = inputs[0].shapes, spatial_axes(layout)
        in_sizes = extents(shapes, layout)
        empty = (in_sizes < 1).any(axis=1)
        if empty.any():
            raise ArgumentError(
                "an image without pixels has no window.", hint="Leave it out.", sample=int(np.argmax(empty)),
                code="DS203",
            )  # fmt: skip
        anchors, crops = random_windows(args, in_sizes)
        rois = np.hstack([anchors, anchors + crops]).astype(np.float64)
        sizes = args.vectors("size", len(axes), np.int64)
        params = {"sizes": sizes, "rois": rois, "layout": layout, "first": axes[0], **filter_params(args)}
        return Work(with_extents(shapes, layout, sizes), params)
