"""What image decoders share: arguments, header peeking and decoding of a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType, DALIImageType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.image_codec import (
    OUTPUT_DTYPES,
    DecodeError,
    ImageInfo,
    decode,
    decode_view,
    output_shape,
    peek,
)
from dali_studio.operators.common import accept_output, sentence
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import BatchView
from dali_studio.schema.marks import COMMON, Deprecated, Doc, Ignored

_GPU = "it concerns decoding on a GPU"
_TYPES = tuple(from_numpy(dtype) for dtype in OUTPUT_DTYPES)


class DecoderArguments:
    """Colours and type of the result, and settings of GPU decoders that have no effect here."""

    output_type: Annotated[
        DALIImageType, Doc("Colours of the result; ANY_DATA keeps the file's channels."), COMMON
    ] = DALIImageType.RGB
    dtype: Annotated[
        DALIDataType, Doc("Element type: UINT8, other integers over their whole range, or FLOAT from 0 to 1.")
    ] = DALIDataType.UINT8
    adjust_orientation: Annotated[bool, Doc("Turn pictures upright as their EXIF tag says."), COMMON] = True
    use_fast_idct: Annotated[bool, Doc("Decode JPEG with the faster, less exact transform.")] = False
    jpeg_fancy_upsampling: Annotated[
        bool,
        Doc("On the device mixed: interpolate chroma, as the CPU always does, instead of repeating it."),
    ] = False
    affine: Annotated[bool, Ignored("threads are not pinned to cores")] = True
    hw_decoder_load: Annotated[float, Ignored(_GPU)] = 0.65
    hybrid_huffman_threshold: Annotated[int, Ignored(_GPU)] = 1000000
    device_memory_padding: Annotated[int, Ignored(_GPU)] = 16777216
    device_memory_padding_jpeg2k: Annotated[int, Ignored(_GPU)] = 0
    host_memory_padding: Annotated[int, Ignored(_GPU)] = 8388608
    host_memory_padding_jpeg2k: Annotated[int, Ignored(_GPU)] = 0
    memory_stats: Annotated[bool, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = False
    split_stages: Annotated[bool, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = False
    use_chunk_allocator: Annotated[bool, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = False


def infer_image(args: Args, encoded: TensorMeta) -> TensorMeta:
    """Type of a decoded image; refuses an input that is not a batch of bytes."""
    if (encoded.dtype not in (None, DALIDataType.UINT8)) or encoded.ndim not in (None, 1):
        what = f"{encoded.dtype.name if encoded.dtype else 'data'} with {encoded.ndim} axes"
        raise ArgumentError(
            f"the input is {what}; encoded files (UINT8, 1 axis) are accepted.",
            hint="Connect a reader's files.", code="DS203",
        )  # fmt: skip
    accept_output(args["dtype"], _TYPES)
    return TensorMeta(args["dtype"], 3, "HWC", "image")


def peek_all(args: Args, encoded: BatchView) -> tuple[list[ImageInfo], NDArray[np.int64]]:
    """Headers, and (N, 3) shapes of the whole upright images.

    Raises
    ------
    ArgumentError
        DS301 with the sample that is no image.
    """
    infos: list[ImageInfo] = []
    shapes: list[tuple[int, int, int]] = []
    kind, upright = args["output_type"].name, args["adjust_orientation"]
    for index, data in enumerate(encoded.samples or ()):
        try:
            info = peek(data)
            shapes.append(output_shape(info, kind, upright))
        except DecodeError as error:
            raise ArgumentError(
                sentence(error), hint="Replace the file, or take it out of the data set.", sample=index, code="DS301"
            ) from error
        infos.append(info)
    return infos, np.array(shapes, np.int64).reshape(len(infos), 3)


def decode_parameters(args: Args, infos: list[ImageInfo]) -> dict[str, Any]:
    """Parameters that `decode_sample` needs."""
    return {
        "infos": infos, "output_type": args["output_type"].name, "upright": args["adjust_orientation"],
        "fast": args["use_fast_idct"], "dtype": to_numpy(args["dtype"]),
        "repeat_chroma": args.device == "mixed" and not args["jpeg_fancy_upsampling"],
    }  # fmt: skip


def decode_sample(
    params: dict[str, Any], index: int, data: NDArray[np.uint8], out: NDArray[Any] | None, roi: Sequence[int] | None
) -> NDArray[Any]:
    """Decode one sample, or a window of it; without `out` the result may lie in this thread's scratch memory."""
    info: ImageInfo = params["infos"][index]
    options = {
        "output_type": params["output_type"], "adjust_orientation": params["upright"], "use_fast_idct": params["fast"],
        "repeat_chroma": params["repeat_chroma"],
    }  # fmt: skip
    try:
        if out is None and params["dtype"] == np.uint8:
            height, width, _ = output_shape(info, params["output_type"], params["upright"])
            return decode_view(data, info, tuple(roi) if roi is not None else (0, 0, height, width), **options)  # pyright: ignore[reportArgumentType]
        return decode(
            data, info, dtype=params["dtype"], roi=tuple(roi) if roi is not None else None, out=out, **options  # pyright: ignore[reportArgumentType]
        )
    except DecodeError as error:
        raise ArgumentError(
            sentence(error), hint="Replace the file, or take it out of the data set.", code="DS301"
        ) from error
