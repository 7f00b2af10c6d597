"""Random flips."""

from __future__ import annotations

from dali_studio import fn
from dali_studio.experimental.torchvision.v2.transform import Device, Images, Transform
from dali_studio.pipeline import DataNode


class RandomHorizontalFlip(Transform):
    """Exchange left and right of some images.

    Parameters
    ----------
    p : float
        How often.
    device : {"cpu", "gpu"}
    """

    def __init__(self, p: float = 0.5, device: Device = "cpu") -> None:
        super().__init__(device)
        self.p = p

    def operate(self, images: Images) -> DataNode:
        return fn.flip(images.node, horizontal=fn.random.coin_flip(probability=self.p), vertical=0)


class RandomVerticalFlip(Transform):
    """Exchange top and bottom of some images.

    Parameters
    ----------
    p : float
        How often.
    device : {"cpu", "gpu"}
    """

    def __init__(self, p: float = 0.5, device: Device = "cpu") -> None:
        super().__init__(device)
        self.p = p

    def operate(self, images: Images) -> DataNode:
        return fn.flip(images.node, horizontal=0, vertical=fn.random.coin_flip(probability=self.p))
