"""``fn.decoders.image_crop``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.decoders.common import infer_image
from dali_studio.operators.decoders.windows import WindowDecoder
from dali_studio.operators.geometry.movements import CROP
from dali_studio.operators.geometry.windows import WindowArguments, check_crop_arguments, crop_windows
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import example
from dali_studio.schema.samples import Case, files, values


class ImageCrop(WindowArguments, WindowDecoder):
    """Decodes a window of each image file, which is placed as `crop` does it.

    No more of the file is decoded than needed. The window must lie inside the image. A depth has no effect, as in
    `crop` of pictures.
    """

    path = "decoders.image_crop"
    movement = CROP
    keywords = "jpeg png decode crop centercrop window"
    former = ("image_decoder_crop", "experimental.decoders.image_crop")
    examples = (
        example(crop=(24.0, 31.0)),
        example(crop_h=20.0, crop_w=17.0, crop_pos_x=0.9, crop_pos_y=0.1, rounding="truncate"),
        example(crop=(24.0, 31.0), output_type="GRAY", dtype="FLOAT"),
    )

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given, sizes = files(), values((20, 30), (40, 9), (1, 1), (33, 40))
        places = values(0, 0.3, 1, 0.77)
        return [
            *super().samples(),
            Case((given,)),
            Case((given,), {"crop": sizes, "crop_pos_x": places, "crop_pos_y": 0.2}),
            Case((given,), {"crop_h": values(10, 20, 30, 5), "crop_w": 8.0, "crop_pos_y": places}),
            *(Case((files(form=form),), {"crop": (11.0, 17.0), "crop_pos_x": 0.8})
              for form in ("BMP", "TIFF", "PPM", "JPEG2000")),
            Case((files(form="WEBP", lossless=True),), {"crop": (11.0, 17.0), "crop_pos_x": 0.8}),
            Case((given,), {"crop": (11.0, 17.0), "output_type": "YCbCr"}),
            Case((given,), {"crop": (90.0, 17.0)}, refused="crop"),
            Case((given,), {"crop": (3.0, 9.0, 17.0)}),
            Case((given,), {"crop_h": 9.0, "crop_w": 9.0, "crop_d": 9.0}),
            Case((given,), {"crop_d": 9.0}, refused="crop_d"),
            Case((given,), {"crop_h": 9.0}, refused="crop_w"),
        ]  # fmt: skip

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_crop_arguments(args)
        return infer_image(args, inputs[0])

    @classmethod
    def windows(
        cls, args: Args, shapes: NDArray[np.int64], *positions: Batch
    ) -> tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
        anchors, sizes, _ = crop_windows(args, shapes[:, :2])
        return anchors, sizes
