"""Frames of videos as pixels: as nvidia.dali has those of a GPU's decoder, whoever has decoded them, and as swscale."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel

_FULL_RANGE = 2  # FFmpeg's number
_PLANES, _BITS = 3, 8
#: The fields of ``FrameColors`` (ITU-R BT.601, whatever the file says), for limited and for full range.
_LIMITED = (0.0625, 255 / 219, 1.5960267857, -0.3917622901, -0.8129676472, 2.0172321429)
_FULL = (0.0, 1.0, 1.402, -0.344136285, -0.714136285, 1.772)
_FIELDS = {True: np.array(_FULL, np.float32), False: np.array(_LIMITED, np.float32)}
_NONE = np.empty(0, np.float32)


class Planes(NamedTuple):
    """A frame in host memory.

    Attributes
    ----------
    luma, blue, red : (H, W) arrays of uint8 or uint16
        Luma, and the two kinds of chroma, of which there may be half as many rows and columns.
    unit : float
        What numbers are multiplied by, so that they are from 0 to 255.
    """

    luma: NDArray[Any]
    blue: NDArray[Any]
    red: NDArray[Any]
    unit: float


def planes_of(frame: Any) -> Planes:
    """The planes of a frame of PyAV."""
    if not _is_planar(frame.format):
        frame = frame.reformat(format="yuv444p")
    parts = frame.format.components
    dtype = np.dtype("<u2" if parts[0].bits > _BITS else np.uint8)
    made = [
        np.frombuffer(plane, dtype).reshape(plane.height, -1)[:, : plane.width]
        for plane in frame.planes[: len(parts)]
    ]  # fmt: skip
    grey = np.full((1, 1), 1 << (parts[0].bits - 1), dtype)
    luma, blue, red = (*made, grey, grey)[:_PLANES]
    return Planes(luma, blue, red, 2.0 ** (_BITS - parts[0].bits))


def _is_planar(form: Any) -> bool:
    """Whether luma and chroma lie in planes of their own, chroma with all rows and columns or half of them."""
    parts = form.components
    apart = [part.plane for part in parts] == list(range(len(parts))) and len(parts) in (1, _PLANES)
    if not apart or form.is_rgb or form.is_big_endian or form.has_palette:
        return False
    luma, chroma = parts[0], parts[-1]
    halves = all(
        of_chroma in (of_luma, -(-of_luma // 2))
        for of_luma, of_chroma in ((luma.width, chroma.width), (luma.height, chroma.height))
    )
    return halves and parts[0].bits in (8, 10, 12)


def has_full_range(frame: Any) -> bool:
    """Whether the numbers of a frame of PyAV use all values."""
    return frame.color_range == _FULL_RANGE


def fields(*, full_range: bool, ycbcr: bool) -> NDArray[np.float32]:
    """The fields of ``FrameColors``; none for luma and chroma."""
    return _NONE if ycbcr else _FIELDS[full_range]


def scale(dtype: np.dtype[Any], *, normalized: bool) -> float:
    """What colours of 0 to 1 are multiplied by."""
    return 1.0 if normalized and dtype == np.float32 else 255.0


def frame_pixels(
    planes: Planes, out: NDArray[Any], *, full_range: bool, ycbcr: bool = False, normalized: bool = False
) -> None:  # fmt: skip
    """Make the pixels of a frame.

    Parameters
    ----------
    planes : Planes
    out : (H, W, 3) array of uint8 or float32, C-contiguous
        Red, green and blue, or luma and chroma as they are, chroma in the size of luma. Floats may be below 0 or above
        255.
    full_range : bool
        Whether luma is from 0 to 255, and not from 16 to 235.
    ycbcr : bool
    normalized : bool
        Whether floats are from 0 to 1, and not from 0 to 255.
    """
    luma, blue, red, unit = planes
    down, across = (have < there for have, there in zip(blue.shape, luma.shape, strict=True))
    which = fields(full_range=full_range, ycbcr=ycbcr)
    made = kernel("frame_pixels", luma.dtype, out.dtype)
    made(luma, blue, red, out, which, down, across, unit, scale(out.dtype, normalized=normalized))


#: Of formats of 8 bits with planes, of which swscale makes pixels as `rgb_pixels` does: by how much chroma is smaller
#: than luma, down and across, and whether they use all values.
_PLANAR = {
    f"yuv{full}{name}p": (*sizes, bool(full)) for full in ("", "j")
    for name, sizes in (("420", (2, 2)), ("422", (1, 2)), ("440", (2, 1)), ("444", (1, 1)))
}  # fmt: skip
#: FFmpeg's weights for ITU-R BT.601 of red of red, blue of blue, green of blue and green of red, in 2^16.
_WEIGHTS = (104597, 132201, 25675, 53279)
#: Of the sum of the weights, what swscale leaves out at the begin of taps.
_MIN_WEIGHT = 0.002


def rgb_pixels(frame: Any, out: NDArray[np.uint8]) -> bool:
    """Make the pixels of a frame of PyAV of 8 bits whose chroma lies between luma, which are those of swscale.

    Parameters
    ----------
    frame : av.VideoFrame
    out : (H, W, 3) array of uint8, C-contiguous

    Returns
    -------
    bool
        Whether it has been done: not for other formats and sizes.
    """
    height, width, _ = out.shape
    form = frame.format.name
    if form not in _PLANAR or frame.height != height or frame.width != width:
        return False
    rows, columns, colors, below, beside = _tables(form, height, width, has_full_range(frame))
    luma, blue, red = frame.planes
    kernel("rgb_pixels")(
        np.ndarray((height, width), np.uint8, luma, 0, (luma.line_size, 1)),
        np.ndarray((below, beside), np.uint8, blue, 0, (blue.line_size, 1)),
        np.ndarray((below, beside), np.uint8, red, 0, (red.line_size, 1)),
        out, columns, rows, colors, np.empty((2, 2, width), np.int16),
    )  # fmt: skip
    return True


@lru_cache(16)
def _tables(
    form: str, height: int, width: int, full_range: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int, int]:  # fmt: skip
    """What `rgb_pixels` needs to know of frames of a kind: taps down and across, colours, and the size of chroma."""
    down, across, is_full = _PLANAR[form]
    below, beside = -(-height // down), -(-width // across)
    rows, colors = _taps(below, height, 1 << 12), _colors(full_range=full_range or is_full)
    return rows, _columns(beside, width), colors, below, beside


@cache
def _colors(*, full_range: bool) -> NDArray[np.int32]:
    """Swscale's integers for colours, as its tables round them."""
    weights, luma, offset = _WEIGHTS, (1 << 16) * 255 // 219, 16
    if full_range:
        weights, luma, offset = tuple(weight * 224 // 255 for weight in _WEIGHTS), 1 << 16, 0
    red, blue, green_of_blue, green_of_red = weights
    made = [min((weight + 4) >> 3, (1 << 15) - 1) for weight in (luma, red)]
    made += [(4 - green_of_red) >> 3, (4 - green_of_blue) >> 3, (blue + 4) >> 3]
    return np.array([offset << 9, *made], np.int32)


def _taps(there: int, wanted: int, one: int) -> NDArray[np.int32]:
    """Of `there` samples of chroma, those that each of `wanted` ones lies between, as swscale finds them.

    (wanted, 3): the first, its weight, and that of the next one, where `one` is a weight of 1.
    """
    made = np.zeros((wanted, 3), np.int32)
    step = ((there << 16) + (wanted >> 1)) // wanted
    if abs(step - (1 << 16)) < 10:
        made[:, 0], made[:, 1] = np.arange(wanted), one
        return made
    count = max(min(3, there - 2), 1)
    after = there
    for place in range(wanted - 1, -1, -1):
        middle = step - (1 << 16) + 2 * step * place  # in 2^-17 samples
        offset = middle - (count - 2) * (1 << 16)
        first = abs(offset) // (1 << 17) * (1 if offset >= 0 else -1)
        weights = [max((1 << 30) - (abs((first + i) * (1 << 17) - middle) << 13), 0) for i in range(count)]
        left_out = 0
        while weights and left_out + weights[0] <= _MIN_WEIGHT * (1 << 30) and (place == wanted - 1 or first < after):
            left_out += weights.pop(0)
            first += 1
        after = first
        inside: dict[int, int] = {}
        for i, weight in enumerate(weights[:2]):
            sample = min(max(first + i, 0), there - 1)
            inside[sample] = inside.get(sample, 0) + weight
        total, error = (sum(inside.values()) + one // 2) // one, 0
        made[place, 0] = min(inside)
        for sample in sorted(inside):
            weight = (inside[sample] + error + (total >> 1)) // total
            error += inside[sample] - weight * total
            made[place, 1 + sample - min(inside)] = weight
    return made


def _columns(there: int, wanted: int) -> NDArray[np.int32]:
    """`_taps` across, (4, wanted), in rows.

    The last row says how many pairs follow of which each lies between the same samples, and the next pair between the
    next ones: what a compiled loop does without looking up where samples are.
    """
    made = np.zeros((4, wanted), np.int32)
    made[:3] = _taps(there, wanted, 1 << 14).T
    first, _, _, pairs = made.tolist()
    weights = made[1] + made[2]
    for x in range(wanted - 2, -1, -1):
        if first[x] == first[x + 1] < there - 1 and weights[x : x + 2].max() <= 1 << 14:
            goes_on = x + 3 < wanted and first[x + 2] == first[x] + 1
            pairs[x] = 1 + (pairs[x + 2] if goes_on else 0)
    made[3] = pairs
    return made
