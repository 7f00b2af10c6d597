"""What image decoders share: arguments, header peeking and decoding of a window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType, DALIImageType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.wording import size_words
from dali_studio.kernels.cpu.image_codec import (
    OUTPUT_DTYPES,
    DecodeError,
    ImageInfo,
    decode,
    decode_view,
    output_channels,
    output_shape,
    peek_all,
)
from dali_studio.kernels.cpu.png import is_compiled
from dali_studio.kernels.jpeg import libjpeg
from dali_studio.kernels.jpeg.codec import colors_for, plain
from dali_studio.kernels.jpeg.gpu_rule import coefficient_room, takes, takes_coefficients, takes_scans
from dali_studio.operators.common import ON_ERROR, accept_output, sentence
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import JpegImages
from dali_studio.schema.marks import COMMON, Choices, Deprecated, Doc, Ignored, Range

#: What `Args.memory` keeps of headers: shapes of pictures, and who decodes them; so many of each, at most.
_SHAPES, _DECODERS, _MAX_KEPT = "shapes by header", "decoders by header", 4096
_RECYCLED = "memory is recycled between iterations"
_NO_HYBRID = "kernels decode the Huffman codes of all files, and the CPU what they do not take"
_TYPES = tuple(from_numpy(dtype) for dtype in OUTPUT_DTYPES)


class DecoderArguments:
    """Colours and type of the result, and settings of GPU decoders that have no effect here."""

    output_type: Annotated[DALIImageType, Doc("Colours of the result; ANY_DATA keeps the file's channels."), COMMON] = (
        DALIImageType.RGB
    )
    dtype: Annotated[
        DALIDataType, Doc("Element type: UINT8, other integers over their whole range, or FLOAT from 0 to 1.")
    ] = DALIDataType.UINT8
    adjust_orientation: Annotated[bool, Doc("Turn pictures upright as their EXIF tag says."), COMMON] = True
    use_fast_idct: Annotated[bool, Doc("Decode JPEG with the faster, less exact transform.")] = False
    jpeg_fancy_upsampling: Annotated[
        bool,
        Doc("On the device mixed: interpolate chroma, as the CPU always does, instead of repeating it."),
    ] = False
    max_pixels: Annotated[
        int,
        Doc(
            "Height times width that a file's header may state, whatever part of it is wanted; larger pictures are "
            "refused before memory is taken for them."
        ),
        Range(1, 1 << 40),
    ] = 1 << 28
    affine: Annotated[bool, Ignored("threads are not pinned to cores")] = True
    on_error: Annotated[
        str,
        Doc(
            'What becomes of files that cannot be decoded: "raise" an error, "skip" the sample in all outputs of the '
            'pipeline, or a "placeholder", a black picture.'
        ),
        Choices(ON_ERROR),
    ] = "raise"  # fmt: skip
    hw_decoder_load: Annotated[
        float,
        Doc(
            "On the device mixed: a value above 0 lets the decoding hardware share the files with kernels and threads. "
            "Unset, the hardware is left alone, since kernels are faster."
        ),
        Range(0, 1),
    ] = 0.65
    hybrid_huffman_threshold: Annotated[int, Ignored(_NO_HYBRID)] = 1000000
    device_memory_padding: Annotated[int, Ignored(_RECYCLED)] = 16777216
    device_memory_padding_jpeg2k: Annotated[int, Ignored(_RECYCLED)] = 0
    host_memory_padding: Annotated[int, Ignored(_RECYCLED)] = 8388608
    host_memory_padding_jpeg2k: Annotated[int, Ignored(_RECYCLED)] = 0
    memory_stats: Annotated[bool, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = False
    split_stages: Annotated[bool, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = False
    use_chunk_allocator: Annotated[bool, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = False


def check_encoded(encoded: TensorMeta) -> None:
    """Refuse an input that is not a batch of bytes (DS203)."""
    if (encoded.dtype not in (None, DALIDataType.UINT8)) or encoded.ndim not in (None, 1):
        what = f"{encoded.dtype.name if encoded.dtype else 'data'} with {encoded.ndim} axes"
        raise ArgumentError(
            f"the input is {what}; encoded files (UINT8, 1 axis) are accepted.",
            hint="Connect a reader's files.", code="DS203",
        )  # fmt: skip


def infer_image(args: Args, encoded: TensorMeta) -> TensorMeta:
    """Type of a decoded image; refuses an input that is not a batch of bytes."""
    check_encoded(encoded)
    accept_output(args["dtype"], _TYPES)
    return TensorMeta(args["dtype"], 3, "HWC", "image")


class OversizeError(DecodeError):
    """A picture has more pixels than `max_pixels` allows."""


@dataclass(frozen=True, slots=True)
class Headers:
    """Headers of a batch.

    Attributes
    ----------
    kinds : list of ImageInfo or DecodeError
        The different ones: most images share theirs with others.
    which : ndarray of int
        (N,) index into `kinds`.
    shapes : ndarray
        int64, (N, 3) of the whole upright images.
    """

    kinds: list[ImageInfo | DecodeError]
    which: NDArray[np.intp]
    shapes: NDArray[np.int64]


def headers(args: Args, encoded: Batch) -> Headers:
    """Headers, and shapes of the whole upright images.

    What is no image has its error in place of a header, if the run goes on without it, and the shape of the batch's
    first image, which later operators can cope with.

    Raises
    ------
    ArgumentError
        DS301 with the sample that is no image.
    """
    kind, upright, most = args["output_type"].name, args["adjust_orientation"], args["max_pixels"]
    kinds, which = peek_all(encoded.samples)
    if too_large := list(args.context.too_large):
        which[np.isin(args.context.indices, too_large)] = len(kinds)
        kinds.append(DecodeError("there is not enough memory for the picture"))
    told = _by_header(args.memory, _SHAPES, kinds, lambda info: decoded_shape(info, kind, most, upright=upright))
    wrong = [number for number, one in enumerate(told) if isinstance(one, DecodeError)]
    if not wrong:
        return Headers(kinds, which, np.array(told, np.int64).reshape(-1, 3)[which])
    for index in np.flatnonzero(np.isin(which, wrong)).tolist():
        error = cast("DecodeError", told[int(which[index])])
        finding = _finding(error, index)
        source = encoded.sources[index] if encoded.sources else ""
        if not args.context.accepts(int(args.context.indices[index]), source, finding):
            raise finding from error
    shapes = (one for one in map(told.__getitem__, which.tolist()) if not isinstance(one, DecodeError))
    first = next(shapes, (1, 1, output_channels(3, kind)))
    table = np.array([first if isinstance(one, DecodeError) else one for one in told], np.int64).reshape(-1, 3)
    found = [one if isinstance(one, DecodeError) else info for one, info in zip(told, kinds, strict=True)]
    return Headers(found, which, table[which])


def _by_header(
    memory: dict[Any, Any], name: str, infos: Iterable[ImageInfo | DecodeError],
    find: Callable[[ImageInfo | DecodeError], Any],
) -> list[Any]:  # fmt: skip
    """What follows from headers; of those that come again it is kept."""
    known: dict[int, tuple[ImageInfo | DecodeError, Any]] = memory.setdefault(name, {})
    found: list[Any] = []
    for info in infos:
        one = known.get(id(info))
        if isinstance(info, DecodeError):  # which would keep the file
            one = info, find(info)
        elif one is None or one[0] is not info:
            if len(known) >= _MAX_KEPT:
                known.clear()
            one = known[id(info)] = info, find(info)
        found.append(one[1])
    return found


def decoded_shape(
    info: ImageInfo | DecodeError, kind: str, most: int, *, upright: bool
) -> tuple[int, int, int] | DecodeError:
    """Shape of the decoded image, or why it is refused: more than `most` pixels, or what the header says."""
    if isinstance(info, DecodeError):
        return info
    if info.height * info.width > most:
        return OversizeError(
            f"the header states {size_words(info.height, info.width)}, {info.height * info.width:,} in all; "
            f"max_pixels allows {most:,}"
        )
    try:
        return output_shape(info, kind, upright)
    except DecodeError as error:
        return error


def _finding(error: DecodeError, sample: int | None = None) -> ArgumentError:
    large = isinstance(error, OversizeError)
    remedy = "Give a larger max_pixels if you trust the file" if large else "Replace the file"
    hint = f'{remedy}, or take it out of the data set; on_error="skip" leaves such files out.'
    argument = "max_pixels" if large else ""
    return ArgumentError(sentence(error), hint=hint, argument=argument, sample=sample, code="DS301")


def decode_parameters(args: Args, found: Headers) -> dict[str, Any]:
    """Parameters that `decode_sample` and `jpeg_images` need."""
    return {
        "headers": found, "output_type": args["output_type"].name, "upright": args["adjust_orientation"],
        "fast": args["use_fast_idct"], "dtype": to_numpy(args["dtype"]),
        "repeat_chroma": args.device == "mixed" and not args["jpeg_fancy_upsampling"],
        "memory": args.memory,
        "hardware": args.given("hw_decoder_load") and args["hw_decoder_load"] > 0,
    }  # fmt: skip


def jpeg_images(params: dict[str, Any], windows: NDArray[np.int64] | None) -> JpegImages | None:
    """The images of a batch that are decoded without Python code for each; see `Operator.jpeg_images`.

    Parameters
    ----------
    params : dict
        From `decode_parameters`.
    windows : ndarray of int64, (N, 4), optional
        First row, first column, height and width of the wanted parts; default: whole images.
    """
    if params["dtype"] != np.uint8:
        return None
    found: Headers = params["headers"]
    rows = _by_header(params["memory"], _DECODERS, found.kinds, lambda info: _decoders_of(info, params))
    decoders, sizes = np.array(rows, np.int64).reshape(-1, 4)[found.which], found.shapes[:, :2]
    if len({row[0] for row in rows}) == 1 and rows[0][0] != _PYTHON:  # without a copy of anything
        positions, count = np.arange(len(decoders)), 0 if rows[0][0] == _COMPILED else len(decoders)
    else:  # progressive files behind others, since threads take from the end: at these they are faster
        groups = [np.flatnonzero(decoders[:, 0] == who) for who in (_GPU, _GPU_SCANS, _COMPILED)]
        positions, count = np.concatenate(groups), len(groups[0]) + len(groups[1])
        decoders, sizes = decoders[positions], sizes[positions]
        windows = None if windows is None else windows[positions]
    if not len(positions):
        return None
    requests = np.zeros((len(positions), libjpeg.FIELDS), np.int64)
    requests[:, libjpeg.HEIGHT : libjpeg.WIDTH + 1] = sizes
    requests[:, libjpeg.COLORS : libjpeg.CHANNELS + 1] = decoders[:, 1:3]
    requests[:, libjpeg.FAST_DCT], requests[:, libjpeg.REPEAT_CHROMA] = params["fast"], params["repeat_chroma"]
    if windows is None:
        requests[:, libjpeg.ROWS : libjpeg.COLUMNS + 1] = sizes
    else:
        requests[:, libjpeg.FIRST_ROW : libjpeg.COLUMNS + 1] = windows
    kind = params["output_type"]
    hardware = params["hardware"] and params["repeat_chroma"]
    colors, rooms = "RGB" if kind == "ANY_DATA" else kind, decoders[:, 3]
    return JpegImages(positions, count, hardware, requests, colors, rooms)


def decoding_ranges(
    images: JpegImages | None, encoded: Batch, out: Batch
) -> Callable[[int, int], list[int]] | None:  # fmt: skip
    """What decodes the images from one to before another; it returns those that are left to `decode_sample`."""
    entries = libjpeg.entry_points()
    if images is None or entries is None:
        return None
    at, requests = images.positions, images.requests
    requests[:, libjpeg.DATA], requests[:, libjpeg.SIZE] = encoded.addresses[at], encoded.shapes[at, 0]
    requests[:, libjpeg.TARGET] = out.addresses[at]
    requests[:, libjpeg.PITCH] = requests[:, libjpeg.COLUMNS] * requests[:, libjpeg.CHANNELS]
    rows = np.zeros((len(out), libjpeg.FIELDS), np.int64)
    rows[at] = requests

    def compute(begin: int, end: int) -> list[int]:
        outcomes = libjpeg.decode_some(rows[begin:end], entries)
        return (begin + np.flatnonzero(outcomes != libjpeg.DONE)).tolist()

    return compute


_PYTHON, _COMPILED, _GPU_SCANS, _GPU = range(4)


def _decoders_of(info: ImageInfo | DecodeError, params: dict[str, Any]) -> tuple[int, int, int, int]:
    """Who may decode an image, the colours and channels that are asked of `libjpeg`, and the room for coefficients."""
    kind = params["output_type"]
    if isinstance(info, DecodeError) or (info.orientation != 1 and params["upright"]):
        return _PYTHON, 0, 0, 0
    if info.format == "png" and _plain_png(info, kind):
        return _COMPILED, libjpeg.PNG, output_channels(info.channels, kind), 0
    if info.format != "jpeg":
        return _PYTHON, 0, 0, 0
    if kind == "YCbCr" or (info.channels == 4 and kind != "RGB"):
        return _PYTHON, 0, 0, 0
    colors, _ = colors_for(info, kind)
    whole = not params["fast"] and (kind != "ANY_DATA" or info.channels == 3)
    if whole and takes(info):
        who = _GPU
    elif whole and takes_scans(info) and plain(info, colors) and not params["hardware"]:
        who = _GPU_SCANS
    else:
        who = _COMPILED if plain(info, colors) else _PYTHON
    by_kernels = who in (_COMPILED, _GPU_SCANS) and not params["fast"] and takes_coefficients(info)
    coefficients = coefficient_room(info) if by_kernels else 0
    return who, libjpeg.COLOR_SPACES[colors], output_channels(info.channels, kind), coefficients


def _plain_png(info: ImageInfo, kind: str) -> bool:
    """Whether compiled code decodes such files: no colours are mixed or change places."""
    if info.bit_depth != 8 or info.interlaced or info.animated or not is_compiled():
        return False
    return kind in ("RGB", "ANY_DATA") or (kind == "GRAY" and info.channels <= 2)


def decode_sample(
    params: dict[str, Any], index: int, data: NDArray[np.uint8], out: NDArray[Any] | None, roi: Sequence[int] | None
) -> NDArray[Any]:
    """Decode one sample, or a window of it; without `out` the result may lie in this thread's scratch memory."""
    found: Headers = params["headers"]
    info = found.kinds[int(found.which[index])]
    if isinstance(info, DecodeError):
        raise _finding(info) from info
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
        raise _finding(error) from error
