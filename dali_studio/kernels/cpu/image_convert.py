"""From the numbers that a file holds to the colours and the type that a decoder is asked for.

Rules of nvidia.dali 2.4. Types are converted by range: 255 of uint8 is 65535 of uint16 and 1.0 of float32. YCbCr is the
studio range of ITU-R BT.601, computed from RGB. Grey comes from whatever library decodes the format there, so its
rounding depends on the format: libpng's weights for PNG (of light, where the file states its gamma), OpenCV's 14-bit
ones for BMP and PNM, its 15-bit ones for WebP and JPEG 2000, single precision for TIFF; the gray of a JPEG is its luma
plane as stored. `truncated_gray` has two exceptions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dali_studio.core.random import round_to_dtype
from dali_studio.kernels.cpu.native import kernel

OUTPUT_TYPES = ("RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA")
"""Colours a decoder can be asked for; ANY_DATA keeps those of the file."""
OUTPUT_DTYPES = tuple(np.dtype(t) for t in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32"))
"""Element types a decoder can be asked for."""

_GRAY_WEIGHTS = {
    "jpeg": (9798, 19235, 3735, 15, 1 << 14, 1 << 14),
    # red, green, blue, shift, rounding for 8 bits, rounding for 16 bits
    "png": (9797, 19234, 3737, 15, 0, 1 << 14),
    "bmp": (4899, 9617, 1868, 14, 1 << 13, 1 << 13),
    "pnm": (4899, 9617, 1868, 14, 1 << 13, 1 << 13),
    "webp": (9798, 19235, 3735, 15, 1 << 14, 1 << 14),
    "jpeg2000": (9798, 19235, 3735, 15, 1 << 14, 1 << 14),
}
_YCBCR = np.array(
    [
        [0.25678823529, 0.50412941176, 0.09790588235],
        [-0.14822289945, -0.29099278682, 0.43921568627],
        [0.43921568627, -0.36778831435, -0.07142737192],
    ],
    np.float32,
)
#: White, and RGB of XYZ, of libtiff, and the length of its table.
_D50 = np.array([96.425, 100.0, 82.468], np.float32)
_LIGHT_OF_XYZ = np.array([[3.2410, -1.5374, -0.4986], [-0.9692, 1.8760, 0.0416], [0.0556, -0.2040, 1.0570]], np.float32)
_STEPS = 1500


def output_channels(native: int, output_type: str) -> int:
    """Channels of the decoded image, given those of the file."""
    return native if output_type == "ANY_DATA" else 1 if output_type == "GRAY" else 3


def check_output(output_type: str, dtype: DTypeLike) -> np.dtype[Any]:
    """Refuse colours and types that decoders cannot produce; the type as a numpy dtype.

    Raises
    ------
    ValueError
        Naming what was asked for and what is accepted.
    """
    if output_type not in OUTPUT_TYPES:
        raise ValueError(f"output_type is {output_type!r}; accepted: {', '.join(OUTPUT_TYPES)}")
    target = np.dtype(dtype)
    if target not in OUTPUT_DTYPES:
        names = ", ".join(t.name for t in OUTPUT_DTYPES)
        raise ValueError(f"images cannot be decoded to {target.name}; accepted: {names}. Add a cast after the decoder")
    return target


def full_range(dtype: np.dtype[Any]) -> float:
    """The number that stands for full intensity: the largest one of an integer type, 1.0 of a floating one."""
    return 1.0 if dtype.kind == "f" else float(np.iinfo(dtype).max)


def convert_range(image: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Rescale from the range of one type to that of another, rounding half away from zero and clamping."""
    if image.dtype == dtype:
        return image
    if image.dtype == np.uint8 and dtype == np.uint16:
        return image.astype(np.uint16) * np.uint16(257)
    # Two single-precision steps: a single factor differs in the last bits of 32-bit integers.
    share = image.astype(np.float32) * np.float32(1 / full_range(image.dtype))
    return round_to_dtype(share * np.float32(full_range(dtype)), dtype)


def convert(image: NDArray[Any], fmt: str, output_type: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Bring a decoded image to the wanted colours and type.

    Parameters
    ----------
    image : ndarray of uint8, uint16 or float32, shape (height, width, channels)
        Gray, gray + alpha, RGB or RGB + alpha, as the file holds it.
    fmt : str
        Format of the file; decides the rounding of gray.
    output_type : str
        One of `OUTPUT_TYPES`.
    dtype : dtype
        One of `OUTPUT_DTYPES`.

    Returns
    -------
    ndarray of dtype, shape (height, width, channels)
        A view of ``image`` where nothing had to be computed.
    """
    if output_type == "ANY_DATA":
        return convert_range(image, dtype)
    color = image[..., :3] if image.shape[2] >= 3 else image[..., :1]
    if output_type == "GRAY":
        return convert_range(color if color.shape[2] == 1 else to_gray(color, fmt), dtype)
    if color.shape[2] == 1:
        color = np.repeat(color, 3, axis=2)
    if output_type == "YCbCr":
        return to_ycbcr(color, dtype)
    return convert_range(color if output_type == "RGB" else color[..., ::-1], dtype)


def to_gray(rgb: NDArray[Any], fmt: str) -> NDArray[Any]:
    """Gray of RGB, in the type of the input, with the fixed-point weights of the format (see the module)."""
    if fmt == "tiff":
        return round_to_dtype(
            _mixed(rgb, np.array([[0.299, 0.587, 0.114, 0]], np.float32), np.dtype(np.float32)), rgb.dtype
        )
    red, green, blue, shift, round8, round16 = _GRAY_WEIGHTS[fmt]
    out = np.empty((*rgb.shape[:2], 1), rgb.dtype)
    kernel("weigh", rgb.dtype)(_colors(rgb), out, red, green, blue, shift, round8 if rgb.dtype == np.uint8 else round16)
    return out


def states_gamma(gamma: int) -> bool:
    """Whether a PNG file's gamma, in 100,000ths, makes a difference, by libpng's rule; 0 stands for none."""
    return gamma > 0 and abs(gamma - 100_000) > 5_000


def to_gray_by_light(rgb: NDArray[Any], gamma: int) -> NDArray[Any]:
    """Gray of RGB as libpng makes it of files with a gamma: numbers become light, are weighed, and numbers again.

    Parameters
    ----------
    rgb : ndarray of uint8 or uint16, shape (height, width, 3 or 4)
    gamma : int
        In 100,000ths, as the file states it.

    Returns
    -------
    ndarray of the same type, shape (height, width, 1)
        Pixels without colour keep their number.
    """
    red, green, blue, shift, *_ = _GRAY_WEIGHTS["png"]
    top = np.iinfo(rgb.dtype).max
    inverse = int(1e10 / gamma + 0.5)
    to_light, from_light = (_powers(top, power) for power in (inverse, int(1e10 / inverse + 0.5)))
    out = np.empty((*rgb.shape[:2], 1), rgb.dtype)
    kernel("weigh_light", rgb.dtype)(_colors(rgb), out, red, green, blue, shift, to_light, from_light)
    return out


def inks_to_rgb(inks: NDArray[np.uint8], inverted: bool) -> NDArray[np.uint8]:
    """RGB of CMYK: light * light of black / 255, cut to whole numbers. With an Adobe marker 255 stands for no ink."""
    out = np.empty((*inks.shape[:2], 3), np.uint8)
    kernel("rgb_of_inks")(np.ascontiguousarray(inks), out, inverted)
    return out


def lab_to_rgb(lab: NDArray[np.uint8], white: tuple[Any, Any] | None = None) -> NDArray[np.uint8]:
    """RGB of CIELAB as libtiff makes it, by a table of brightness; `white` is the white point, D50 without one."""
    single = np.float32
    given: Any = white or _D50[:2] / _D50.sum()
    x, y = single(given[0]), single(given[1])
    white_x, white_z = x / y * single(100), (single(1) - x - y) / y * single(100)
    table = np.floor(single(255) * (np.arange(_STEPS + 1) / _STEPS) ** (1 / 2.4) + 0.5).astype(np.uint8)
    rgb = np.empty(lab.shape, np.uint8)
    for row, out in zip(lab, rgb, strict=True):
        lightness: NDArray[np.float32] = (row[:, 0] * np.uint32(257)).astype(single) * single(100) / single(65535)
        red_green: NDArray[np.float32] = row[:, 1].view(np.int8).astype(single)
        blue_yellow: NDArray[np.float32] = row[:, 2].view(np.int8).astype(single)
        low = lightness < single(8.856)
        dark = lightness * single(100) / single(903.292)
        root: NDArray[np.float32] = np.where(
            low, single(7.787) * (dark / single(100)) + single(16) / single(116), (lightness + single(16)) / single(116)
        )
        x_root, z_root = red_green / single(500) + root, root - blue_yellow / single(200)
        xyz = (
            _cubed(x_root, white_x),
            np.where(low, dark, single(100) * root * root * root),
            _cubed(z_root, white_z),
        )
        for channel, (a, b, c) in enumerate(_LIGHT_OF_XYZ):
            light = (a * xyz[0] + b * xyz[1] + c * xyz[2]).clip(single(1), single(100)) - single(1)
            out[:, channel] = table[np.minimum((light / single(99 / _STEPS)).astype(np.int32), _STEPS)]
    return rgb


def _cubed(root: NDArray[Any], white: np.float32) -> NDArray[np.float32]:
    low = white * (root - np.float32(0.13793)) / np.float32(7.787)
    return np.where(root < np.float32(0.2069), low, white * root * root * root)


def truncated_gray(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Gray in single precision, cut instead of rounded: of JPEG files with four inks, and of BMP files with masks."""
    red, green, blue = (rgb[..., i : i + 1].astype(np.float32) for i in range(3))
    return (np.float32(0.299) * red + np.float32(0.587) * green + np.float32(0.114) * blue).astype(np.uint8)


def _powers(top: int, power: int) -> NDArray[np.uint32]:
    """Every number to a power in 100,000ths, where the largest one is 1; as it is if that makes little difference."""
    if not states_gamma(power):
        return np.arange(top + 1, dtype=np.uint32)
    return np.floor(top * (np.arange(top + 1) / top) ** (power * 1e-5) + 0.5).astype(np.uint32)


def to_ycbcr(rgb: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Studio-range YCbCr (ITU-R BT.601) of RGB.

    The offsets are 1/16 and 1/2 of the range: 16 and 128 for uint8, 4096 and 32768 for uint16, 1/16 and 1/2 for float.
    """
    top = full_range(dtype)
    steps = top if dtype.kind == "f" else top + 1
    offsets = np.array([steps / 16, steps / 2, steps / 2], np.float32)
    matrix = np.column_stack([_YCBCR * np.float32(top / full_range(rgb.dtype)), offsets])
    if dtype == np.uint8:
        return _mixed(rgb, matrix, dtype)
    return round_to_dtype(_mixed(rgb, matrix, np.dtype(np.float32)), dtype)


def _mixed(rgb: NDArray[Any], matrix: NDArray[np.float32], dtype: np.dtype[Any]) -> NDArray[Any]:
    """A channel for each row of the matrix, whose last column is added; bytes are rounded and saturated."""
    out = np.empty((*rgb.shape[:2], len(matrix)), dtype)
    kernel("mix", rgb.dtype, dtype)(_colors(rgb), out, matrix)
    return out


def _colors(image: NDArray[Any]) -> NDArray[Any]:
    if image.shape[2] < 3:
        raise ValueError(f"the image has {image.shape[2]} channels; colours need 3")
    return image
