"""Blurring, and normalising."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio import fn
from dali_studio.experimental.torchvision.v2.arguments import check_positive, check_range, values_of
from dali_studio.experimental.torchvision.v2.transform import Device, Images, Transform
from dali_studio.pipeline import DataNode


def check_kernel_size(kernel_size: Any) -> None:
    """Refuse what is no odd size, or list of odd sizes."""
    check_positive(kernel_size, "kernel_size")
    if any(not isinstance(one, int) or one % 2 == 0 for one in values_of(kernel_size)):
        raise ValueError(f"kernel_size is {kernel_size}; give odd whole numbers.")


def sigma_range(sigma: Any) -> tuple[float, float]:
    """The smallest and the largest sigma; equal for one that is given."""
    found = values_of(sigma)
    if not all(isinstance(one, int | float) for one in found) or (isinstance(sigma, list | tuple) and len(found) != 2):
        raise ValueError(f"sigma is {sigma!r}; give a number, or the smallest and the largest.")
    check_positive(sigma, "sigma")
    check_range(sigma, "sigma")
    return found[0], found[-1]


class GaussianBlur(Transform):
    """Blur each image.

    Parameters
    ----------
    kernel_size : int or (int, int)
        Odd. As in nvidia.dali two numbers are height and width; in torchvision they are width and height.
    sigma : float or (float, float)
        Standard deviation in pixels, or the range that it is drawn from.
    device : {"cpu", "gpu"}
    seed : int
        Of these draws; -1: another one in each process.
    """

    def __init__(
        self, kernel_size: int | Sequence[int], sigma: float | Sequence[float] = (0.1, 2.0), device: Device = "cpu",
        seed: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(device)
        check_kernel_size(kernel_size)
        self.kernel_size, self.sigma, self.seed = kernel_size, sigma_range(sigma), seed

    def operate(self, images: Images) -> DataNode:
        lowest, highest = self.sigma
        drawn = lowest if lowest == highest else fn.random.uniform(range=self.sigma, seed=self.seed)
        return fn.gaussian_blur(images.node, window_size=self.kernel_size, sigma=drawn)


def by_channel(values: Any, name: str, layout: str) -> NDArray[Any]:
    """A number for each channel, along the axis of the channels."""
    if isinstance(values, str) or not (isinstance(values, Sequence) or hasattr(values, "__array__")):
        raise TypeError(f"{name} is {values!r}; give a list with a number for each channel.")
    numbers: NDArray[Any] = np.asarray(cast(Any, values))
    if name == "std" and not np.all(numbers):
        raise ValueError(f"std is {values}; give numbers other than 0.")
    return numbers[:, None, None] if layout == "CHW" else numbers[None, None, :]


class Normalize(Transform):
    """Subtract a mean from each channel, and divide by a deviation.

    Parameters
    ----------
    mean, std : sequence of float
        A number for each channel, in units of the images: levels of 0 to 255 where these are such.
    inplace : bool
        Refused.
    device : {"cpu", "gpu"}
    """

    def __init__(
        self, mean: Sequence[float], std: Sequence[float], inplace: bool = False, device: Device = "cpu"
    ) -> None:
        super().__init__(device)
        for values, name in ((mean, "mean"), (std, "std")):
            by_channel(values, name, "CHW")
        refuse_inplace(inplace)
        self.mean, self.std = mean, std

    def operate(self, images: Images) -> DataNode:
        mean, std = (cast(Any, by_channel(*one, images.layout)) for one in ((self.mean, "mean"), (self.std, "std")))
        return fn.normalize(images.node, mean=mean, stddev=std)


def refuse_inplace(inplace: bool) -> None:
    """Refuse to change an image in place."""
    if inplace:
        raise NotImplementedError("inplace=True is not supported; leave it away.")
