"""The transforms, and by `functional` the functions, of ``torchvision.transforms.v2`` that nvidia.dali has."""

from __future__ import annotations

from dali_studio.experimental.torchvision.v2 import functional
from dali_studio.experimental.torchvision.v2.color import ColorJitter, Grayscale, RandomGrayscale
from dali_studio.experimental.torchvision.v2.compose import Compose
from dali_studio.experimental.torchvision.v2.filters import GaussianBlur, Normalize
from dali_studio.experimental.torchvision.v2.flips import RandomHorizontalFlip, RandomVerticalFlip
from dali_studio.experimental.torchvision.v2.resize import InterpolationMode, RandomResizedCrop, Resize
from dali_studio.experimental.torchvision.v2.transform import PILToTensor, RandomApply, ToPILImage, ToPureTensor
from dali_studio.experimental.torchvision.v2.windows import CenterCrop, Pad, RandomCrop

__all__ = [
    "CenterCrop", "ColorJitter", "Compose", "GaussianBlur", "Grayscale", "InterpolationMode", "Normalize",
    "PILToTensor", "Pad", "RandomApply", "RandomCrop", "RandomGrayscale", "RandomHorizontalFlip", "RandomResizedCrop",
    "RandomVerticalFlip", "Resize", "ToPILImage", "ToPureTensor", "functional",
]  # fmt: skip
