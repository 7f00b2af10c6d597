"""torchvision's transforms over our operators; same names as ``nvidia.dali.experimental.torchvision``."""

from __future__ import annotations

from dali_studio.experimental.torchvision.v2 import (
    CenterCrop,
    ColorJitter,
    Compose,
    GaussianBlur,
    Grayscale,
    InterpolationMode,
    Normalize,
    Pad,
    PILToTensor,
    RandomApply,
    RandomCrop,
    RandomGrayscale,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
    Resize,
    ToPILImage,
    ToPureTensor,
)

__all__ = [
    "CenterCrop", "ColorJitter", "Compose", "GaussianBlur", "Grayscale", "InterpolationMode", "Normalize",
    "PILToTensor", "Pad", "RandomApply", "RandomCrop", "RandomGrayscale", "RandomHorizontalFlip", "RandomResizedCrop",
    "RandomVerticalFlip", "Resize", "ToPILImage", "ToPureTensor",
]  # fmt: skip
