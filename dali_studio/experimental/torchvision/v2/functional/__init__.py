"""Functions of ``torchvision.transforms.v2.functional`` that are called at once, in dynamic mode (on the CPU)."""

from __future__ import annotations

from dali_studio.experimental.torchvision.v2.functional.images import (
    get_dimensions,
    get_image_size,
    get_size,
    pil_to_tensor,
    to_pil_image,
    to_tensor,
)
from dali_studio.experimental.torchvision.v2.functional.operations import (
    center_crop,
    crop,
    gaussian_blur,
    horizontal_flip,
    normalize,
    pad,
    resize,
    resized_crop,
    rgb_to_grayscale,
    to_grayscale,
    vertical_flip,
)

__all__ = [
    "center_crop", "crop", "gaussian_blur", "get_dimensions", "get_image_size", "get_size", "horizontal_flip",
    "normalize", "pad", "pil_to_tensor", "resize", "resized_crop", "rgb_to_grayscale", "to_grayscale", "to_pil_image",
    "to_tensor", "vertical_flip",
]  # fmt: skip
