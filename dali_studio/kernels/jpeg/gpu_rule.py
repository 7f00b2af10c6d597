"""Which JPEG files decoders of a GPU decode to the CPU's pixels; the measurements are in docs/gpu_decoding.md."""

from __future__ import annotations

from dali_studio.kernels.cpu.image_info import ImageInfo

#: Pixels of a side; beyond it the hardware refuses.
MAX_SIDE = 16384
_SAMPLINGS = ("4:4:4", "4:2:2", "4:2:0", "4:4:0")


def takes(info: ImageInfo) -> bool:
    """Whether a GPU decodes such a file, with the CPU's pixels."""
    if info.format != "jpeg" or info.kind != "baseline" or info.bit_depth != 8 or not info.single_scan:
        return False
    if info.wide_tables or max(info.height, info.width) > MAX_SIDE:
        return False
    if info.colors == "gray":  # with other factors, which mean nothing for a single component, it reads wrong blocks
        return info.sampling == ((1, 1),)
    # RGB is taken for YCbCr, and chroma planes of different sizes are refused
    return info.colors == "ycc" and info.subsampling in _SAMPLINGS and info.sampling[1] == info.sampling[2]
