"""What augmentations and their policies are made of."""

from __future__ import annotations

from dali_studio.auto_aug.core.augmentation import Augmentation as _Augmentation
from dali_studio.auto_aug.core.augmentation import augmentation
from dali_studio.auto_aug.core.policy import Policy
from dali_studio.auto_aug.core.select import select
from dali_studio.auto_aug.core.signs import signed_bin

__all__ = ("Policy", "_Augmentation", "augmentation", "select", "signed_bin")
