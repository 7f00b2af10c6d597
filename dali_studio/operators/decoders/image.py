"""``fn.decoders.image``."""

from __future__ import annotations

from typing import Annotated, Any

from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.decoders.common import (
    DecoderArguments,
    decode_parameters,
    decode_sample,
    headers,
    infer_image,
    jpeg_images,
)
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import JpegImages, Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import Ignored
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import Allocates, PerSample, ReadsData, WindowSource

_CACHE = "there is no decoder cache"


class Image(DecoderArguments, Operator):
    """Decodes image files: JPEG, PNG, BMP, TIFF, WebP, PNM and JPEG 2000.

    The pixels are those of libjpeg-turbo with the exact transform and interpolated chroma; on the device mixed, those
    of NVIDIA's hardware decoder, which repeats chroma. If a later step of the same
    chain reads only a window, no more of the file is decoded than needed.
    """

    path = "decoders.image"
    category = "decoders"
    icon = "picture"
    node_name = "decode"
    keywords = "jpeg png decode imread open load"
    former = ("image_decoder", "experimental.decoders.image")
    inputs = (Input("files", "encoded"),)
    outputs = (Output("images", "image"),)
    traits = (PerSample, ReadsData, WindowSource, Allocates)
    devices = ("cpu", "mixed")
    examples = (example(), example(output_type="GRAY"), example(dtype="FLOAT"), example(output_type="YCbCr"))
    tolerance = (Tolerance(relative=1e-7, reason="the factor 1 / 255 is a product here"),)

    cache_size: Annotated[int, Ignored(_CACHE)] = 0
    cache_threshold: Annotated[int, Ignored(_CACHE)] = 0
    cache_type: Annotated[str, Ignored(_CACHE)] = ""
    cache_debug: Annotated[bool, Ignored(_CACHE)] = False
    cache_batch_copy: Annotated[bool, Ignored(_CACHE)] = True
    preallocate_height_hint: Annotated[int, Ignored("memory is recycled between iterations")] = 0
    preallocate_width_hint: Annotated[int, Ignored("memory is recycled between iterations")] = 0

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return infer_image(args, inputs[0])

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        found = headers(args, inputs[0])
        return Work(found.shapes, decode_parameters(args, found))

    @staticmethod
    def jpeg_images(work: Work) -> JpegImages | None:
        return jpeg_images(work.params, None)

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> NDArray[Any]:
        data, out = inputs[0], outputs[0]
        return decode_sample(work.params, index, data, out, options.get("window"))
