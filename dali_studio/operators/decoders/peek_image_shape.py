"""``fn.peek_image_shape``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType, DALIImageType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.image_codec import DecodeError, output_shape, peek_all
from dali_studio.operators.common import T, accept_output, sentence
from dali_studio.operators.decoders.common import check_encoded
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.samples import Case, files, tensors
from dali_studio.schema.traits import SpansIterations

_TYPES = (T.INT64, T.INT32, T.UINT64, T.UINT32, T.FLOAT, T.FLOAT64)


class PeekImageShape(Operator):
    """Height, width and channels of encoded images, from their headers; no pixel is decoded."""

    category = "decoders"
    icon = "ruler"
    node_name = "peek"
    keywords = "size extent dimensions header shape jpeg png"
    inputs = (Input("files", "encoded"),)
    outputs = (Output("shape"),)
    traits = (SpansIterations,)
    former = ("experimental.peek_image_shape",)
    kernels = (compiled("convert", (T.INT64,), _TYPES),)
    examples = (example(), example(image_type="GRAY", dtype="FLOAT"))

    image_type: Annotated[
        DALIImageType, Doc("Colours that would be decoded; ANY_DATA keeps the file's channels."), COMMON
    ] = DALIImageType.RGB
    adjust_orientation: Annotated[bool, Doc("Pictures would be turned upright as their EXIF tag says."), COMMON] = True
    dtype: Annotated[DALIDataType, Doc("Element type of the result."), COMMON] = T.INT64

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 31))
        kinds = [files(sizes, form) for form in ("JPEG", "PNG", "BMP", "TIFF", "WEBP", "PPM")]
        colors = ("RGB", "GRAY", "YCbCr", "ANY_DATA")
        return [
            *(Case((data,)) for data in kinds),
            *(Case((files(channels=1),), {"image_type": kind}) for kind in colors),
            *(Case((files(sizes, "PNG", channels=4),), {"image_type": kind}) for kind in colors),
            *(Case((files(sizes),), {"dtype": dtype.name}) for dtype in _TYPES),
            Case((files(sizes),), {"adjust_orientation": False}),
            *(Case((files(sizes),), {"dtype": dtype}, refused="dtype") for dtype in ("UINT8", "FLOAT16", "BOOL")),
            Case((tensors(((4, 5), (2, 3)), T.UINT8),), refused=""),
            Case((tensors(((40,), (2,)), T.INT16),), refused=""),
            Case((tensors(((40,), (0,)), T.UINT8),), refused="", note="no files"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_encoded(inputs[0])
        accept_output(args["dtype"], _TYPES)
        return TensorMeta(args["dtype"], 1, "")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        encoded, kind, upright = inputs[0], args["image_type"].name, args["adjust_orientation"]
        shapes = np.zeros((len(encoded), 3), np.int64)
        kinds, which = peek_all(encoded.samples)
        for index, number in enumerate(which.tolist()):
            info = kinds[int(number)]
            if isinstance(info, DecodeError):
                source = encoded.sources[index] if encoded.sources else ""
                hint = "Replace the file, or take it out of the data set."
                error = ArgumentError(sentence(info), hint=hint, sample=index, code="DS301")
                if not args.context.accepts(int(args.context.indices[index]), source, error):
                    raise error from info
            else:
                shapes[index] = output_shape(info, kind, upright)
        table = np.empty(shapes.shape, to_numpy(args["dtype"]))
        convert(shapes, table)
        made = Batch.of_array(table, "", encoded.sources)
        made.indices = encoded.indices
        return (made,)
