"""``fn.decoders.image_slice``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T
from dali_studio.operators.decoders.common import infer_image
from dali_studio.operators.decoders.windows import WindowDecoder
from dali_studio.operators.geometry.movements import SLICE
from dali_studio.operators.geometry.slices import POSITIONS, SliceArguments, check_slice, slice_axes, slice_windows
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, example
from dali_studio.schema.samples import Case, files, values

#: Channels are no axis here, also where axes are counted from the last one.
_PICTURE = TensorMeta(T.UINT8, 2, "HW")


class ImageSlice(SliceArguments, WindowDecoder):
    """Decodes a window of each image file, which is given as of `slice`.

    By default anchor and shape are (x, y) and (width, height), as `random_bbox_crop` gives them. No more of the file
    is decoded than needed. The window must lie inside the image.
    """

    path = "decoders.image_slice"
    movement = SLICE
    keywords = "jpeg png decode crop window roi"
    former = ("image_decoder_slice", "experimental.decoders.image_slice")
    inputs = (
        *WindowDecoder.inputs,
        Input("anchor", optional=True, dtypes=POSITIONS, doc="Where the window begins."),
        Input("shape", optional=True, dtypes=POSITIONS, doc="Its extents."),
    )
    examples = (
        example(start=(3, 5), end=(20, 19)),
        example(rel_start=(0.25,), rel_shape=(0.5,), axis_names="H"),
        example(rel_start=(0.1, 0.2), rel_end=(0.7, 0.9), output_type="BGR"),
    )

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = files()
        anchors = values((0.1, 0.27), (0.52, 0.0), (0.3, 0.3), (0, 0))
        extents = values((0.33, 0.5), (0.45, 1.0), (0.1, 0.7), (1, 1))
        corners = values((3, 5), (0, 2), (1, 1), (9, 0), dtype=T.INT32)
        whole = corners, values((9, 20), (4, 1), (9, 9), (1, 30), dtype=T.INT32)
        reals = values((3.4, 5.5), (0.0, 2.2), (1, 1), (2, 3)), values((9.3, 2.0), (4.5, 1.1), (5, 6), (7, 8))
        return [
            *(Case((given,), one.arguments) for one in cls.examples),
            *(Case((given, *pair), more) for pair in ((anchors, extents), whole)
              for more in ({}, {"axes": (0, 1)}, {"axis_names": "HW"})),
            Case((given, *reals), {"normalized_anchor": False, "normalized_shape": False}),
            Case((given,), {"start": (3,), "shape": (9,), "axes": (0,)}),
            *(Case((given,), {"start": (3, 5)[:len(axes)], "shape": (9, 8)[:len(axes)], "axes": axes})
              for axes in ((-1,), (-2,), (-1, -2))),
            *(Case((given, *whole), {"axes": axes}) for axes in ((-1, 0), (-2, -1))),
            Case((given,), {"start": (0,), "shape": (1,), "axes": (2,)}, refused="axes"),
            Case((given,), {"start": (3,), "shape": (9,), "axes": (-3,)}, refused="axes"),
            Case((given,), {"start": values((3, 4), (1, 2), (0, 0), (9, 9), dtype=T.INT32), "end": (25, 30)}),
            Case((given,), {"end": (25, 30), "axis_names": "HW", "dtype": "FLOAT"}),
            *(Case((files(form=form), anchors, extents)) for form in ("PNG", "BMP", "TIFF", "PPM", "JPEG2000")),
            Case((given,), refused=""),
            Case((given, anchors), refused=""),
            Case((given, anchors, extents), {"start": (1, 2)}, refused="start"),
            Case((given,), {"start": (3, 5), "end": (200, 19)}, refused="start"),
            Case((given,), {"start": (3, 5), "end": (3, 19)}, refused=""),
            Case((given,), {"start": (1,), "end": (2,), "axis_names": "C"}, refused="axis_names"),
            Case((given,), {"start": (1,), "rel_start": (0.5,)}, refused="rel_start"),
        ]  # fmt: skip

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_slice(args, inputs[1:])
        if "C" in args["axis_names"]:
            raise ArgumentError(
                "channels cannot be cut while a picture is decoded.", hint="Use output_type, or slice.",
                argument="axis_names",
            )  # fmt: skip
        return infer_image(args, inputs[0])

    @classmethod
    def windows(
        cls, args: Args, shapes: NDArray[np.int64], *positions: Batch
    ) -> tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
        sizes = shapes[:, :2]
        firsts, extents, _ = slice_windows(args, sizes, slice_axes(args, _PICTURE, len(shapes)), positions)
        empty = (extents < 1).any(axis=1)
        if empty.any():
            index = int(np.argmax(empty))
            raise ArgumentError(
                f"the window has the size {tuple(extents[index].tolist())} of {tuple(sizes[index].tolist())}.",
                hint="Give one of a pixel at least.", sample=index,
            )  # fmt: skip
        return firsts, extents
