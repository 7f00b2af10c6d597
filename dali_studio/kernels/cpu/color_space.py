"""Bytes as RGB, BGR, grey and YCbCr (studio range of ITU-R BT.601), by nvidia.dali's formulas."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.strided import address_of

#: Ways to convert, as the kernel numbers them.
_MATRIX, _REVERSED_MATRIX, _SWAP, _REPEAT = range(4)
#: Channels of each space.
CHANNELS = {"RGB": 3, "BGR": 3, "GRAY": 1, "YCbCr": 3}
_NONE = (0.0, 0.0, 0.0)
#: OpenCV's weights of 15 bits, which floats hold as they are.
_GRAY = ((9798 / 32768, 19235 / 32768, 3735 / 32768, 0.0),)
_YCBCR = (
    (0.25678823529, 0.50412941176, 0.09790588235, 16.0),
    (-0.14822289945, -0.29099278682, 0.43921568627, 128.0),
    (0.43921568627, -0.36778831435, -0.07142737192, 128.0),
)
_FULL, _STUDIO = 255 / 219, 219 / 255
#: What is taken from the channels of YCbCr before they are weighed.
_OFFSETS = (16.0, 128.0, 128.0)
_FROM_YCBCR = (
    (_FULL, 0.0, 1.5960267857, 0.0),
    (_FULL, -0.3917622901, -0.8129676472, 0.0),
    (_FULL, 2.0172321429, 0.0, 0.0),
)
_GRAY_TO_YCBCR = ((_STUDIO, 0.0, 0.0, 16.0), (0.0, 0.0, 0.0, 128.0), (0.0, 0.0, 0.0, 128.0))
_ALONE = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
_REPEATED = ((1.0, 0.0, 0.0, 0.0),) * 3
#: What is taken away, and the rows of the matrix, of channels in the order of RGB.
_FORMULAS = {
    ("RGB", "GRAY"): (_NONE, _GRAY),
    ("RGB", "RGB"): (_NONE, _ALONE),
    ("GRAY", "RGB"): (_NONE, _REPEATED),
    ("RGB", "YCbCr"): (_NONE, _YCBCR),
    ("GRAY", "YCbCr"): (_NONE, _GRAY_TO_YCBCR),
    ("YCbCr", "RGB"): (_OFFSETS, _FROM_YCBCR),
    ("YCbCr", "GRAY"): (_OFFSETS, ((_FULL, 0.0, 0.0, 0.0),)),
}


@cache
def fields(source: str, target: str) -> NDArray[np.float32]:
    """The fields of the functor ``ColorSpace``, which takes red, green and blue in this order, or one channel."""
    shift, rows = _FORMULAS[source.replace("BGR", "RGB"), target.replace("BGR", "RGB")]
    matrix = np.zeros((3, 4))
    matrix[: len(rows)] = rows
    if target == "BGR":
        matrix = matrix[::-1]
    return np.concatenate([np.array(shift), matrix.ravel()]).astype(np.float32)


def convert_colors(src: NDArray[np.uint8], out: NDArray[np.uint8], source: str, target: str) -> None:
    """Convert pixels from one space to another.

    Parameters
    ----------
    src, out : (..., channels) arrays of uint8, C-contiguous
        Of as many pixels; results are rounded half away from zero and saturated.
    source, target : str
        Two different ones of `CHANNELS`.
    """
    pixels = np.array([src.size // CHANNELS[source]], np.int64)
    if out.size != pixels[0] * CHANNELS[target]:
        raise ValueError(f"The input has the shape {src.shape}, the output {out.shape}. Give one of as many pixels.")
    _run(address_of(src), address_of(out), pixels, source, target)


def converting_colors(src: Batch, out: Batch, source: str, target: str) -> Callable[[int, int], None]:
    """What does the same for the samples from one to before another."""
    sources, outs, pixels = src.addresses, out.addresses, out.counts // CHANNELS[target]

    def compute(begin: int, end: int) -> None:
        _run(sources[begin:end], outs[begin:end], pixels[begin:end], source, target)

    return compute


def _run(
    src: NDArray[np.int64], out: NDArray[np.int64], pixels: NDArray[np.int64], source: str, target: str
) -> None:  # fmt: skip
    if {source, target} == {"RGB", "BGR"}:
        method = _SWAP
    elif source == "GRAY" and target != "YCbCr":
        method = _REPEAT
    else:
        method = _REVERSED_MATRIX if source == "BGR" else _MATRIX
    channels = CHANNELS[source], CHANNELS[target]
    kernel("convert_colors")(src, out, pixels, *channels, method, fields(source, target))
