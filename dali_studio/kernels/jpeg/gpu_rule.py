"""Which JPEG files decoders of a GPU decode to the CPU's pixels; the measurements are in docs/gpu_decoding.md."""

from __future__ import annotations

from dali_studio.kernels.cpu.image_info import ImageInfo

#: Pixels of a side; beyond it the hardware refuses.
MAX_SIDE = 16384
#: Bytes before the coefficients of a picture, and of a block: 64 coefficients, and a bit for each (`progressive.hpp`).
_HEAD, _BLOCK = 1664, 136
#: Of a progressive picture whose scans kernels decode: a warp does one, which takes long where pictures are large.
MAX_PIXELS = 1 << 20
_SAMPLINGS = ("4:4:4", "4:2:2", "4:2:0", "4:4:0")


def takes(info: ImageInfo) -> bool:
    """Whether a GPU decodes such a file, with the CPU's pixels."""
    return info.kind == "baseline" and info.single_scan and _usual(info)


def takes_coefficients(info: ImageInfo) -> bool:
    """Whether kernels make the pixels of such a file, progressive ones, once threads have decoded its coefficients."""
    return info.kind == "progressive" and _usual(info)


def takes_scans(info: ImageInfo) -> bool:
    """Whether kernels decode the scans of such a file, progressive ones that are small enough."""
    return takes_coefficients(info) and info.height * info.width <= MAX_PIXELS


def coefficient_room(info: ImageInfo) -> int:
    """Bytes of host memory that the coefficients of a file take which `takes_coefficients` lets pass."""
    h, v = info.sampling[0]
    units = -(-info.height // (8 * v)) * -(-info.width // (8 * h))
    blocks = units * (1 if info.channels == 1 else h * v + 2)
    return -(-(_HEAD + blocks * _BLOCK) // 128) * 128


def _usual(info: ImageInfo) -> bool:
    if info.format != "jpeg" or info.bit_depth != 8:
        return False
    if info.wide_tables or max(info.height, info.width) > MAX_SIDE:
        return False
    if info.colors == "gray":  # with other factors, which mean nothing for a single component, it reads wrong blocks
        return info.sampling == ((1, 1),)
    # RGB is taken for YCbCr, and chroma planes of different sizes are refused
    return info.colors == "ycc" and info.subsampling in _SAMPLINGS and info.sampling[1] == info.sampling[2]
