"""Brightness, contrast and colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dali_studio import fn, types
from dali_studio.api.branches import choose
from dali_studio.experimental.torchvision.v2.arguments import (
    check_non_negative,
    check_probability,
    check_range,
    values_of,
)
from dali_studio.experimental.torchvision.v2.transform import Device, Images, Transform, chance
from dali_studio.pipeline import DataNode

Jitter = float | Sequence[float]


class ColorJitter(Transform):
    """Change brightness, contrast, saturation and hue by factors that are drawn for each image.

    Hues turn linearly (in YIQ), as `fn.color_twist` has it: torchvision's, which turn in HSV, differ by some degrees.
    Tensors are taken, too.

    Parameters
    ----------
    brightness, contrast, saturation : float or (float, float)
        A factor is drawn from 1 ± the number, though not below 0, or from the range.
    hue : float or (float, float)
        How far hues turn, in full turns: from minus to plus the number, at most 0.5, or in the range.
    device : {"cpu", "gpu"}
    """

    def __init__(
        self, brightness: Jitter = 0.0, contrast: Jitter = 0.0, saturation: Jitter = 0.0, hue: Jitter = 0.0,
        device: Device = "cpu",
    ) -> None:  # fmt: skip
        super().__init__(device)
        self.brightness = _factors(brightness, "brightness")
        self.contrast = _factors(contrast, "contrast")
        self.saturation = _factors(saturation, "saturation")
        self.hue = _turns(hue)

    def operate(self, images: Images) -> DataNode:
        brightness, contrast = _drawn(self.brightness), _drawn(self.contrast)
        saturation, hue = _drawn(self.saturation), _drawn((self.hue[0] * 360.0, self.hue[1] * 360.0))
        return _twisted(
            fn, images.node, images.layout, brightness=brightness, contrast=contrast, saturation=saturation, hue=hue
        )


def _drawn(limits: tuple[float, float]) -> float | DataNode:
    return limits[0] if limits[0] == limits[1] else fn.random.uniform(range=limits)


def _pair(given: Any, name: str) -> tuple[float, float]:
    found = values_of(given)
    if len(found) != 2 or not all(isinstance(one, int | float) for one in found):
        raise ValueError(f"{name} is {given!r}; give a number, or the smallest and the largest.")
    check_range(found, name)
    return float(found[0]), float(found[1])


def _factors(given: Any, name: str) -> tuple[float, float]:
    check_non_negative(given, name)
    if isinstance(given, int | float):
        given = (max(0.0, 1.0 - given), 1.0 + given)
    return _pair(given, name)


def _turns(given: Any) -> tuple[float, float]:
    if isinstance(given, int | float):
        check_non_negative(given, "hue")
        given = (-float(given), float(given))
    lowest, highest = _pair(given, "hue")
    if lowest < -0.5 or highest > 0.5:
        raise ValueError(f"hue is {given}; give numbers from -0.5 to 0.5.")
    return lowest, highest


def check_gray_channels(num_output_channels: Any) -> None:
    """Refuse what is no number of channels of a gray image."""
    if num_output_channels not in (1, 3):
        raise ValueError(f"num_output_channels is {num_output_channels}; give 1 or 3.")


class Grayscale(Transform):
    """Take the colours away.

    Parameters
    ----------
    num_output_channels : {1, 3}
    device : {"cpu", "gpu"}
    """

    def __init__(self, num_output_channels: int = 1, device: Device = "cpu") -> None:
        super().__init__(device)
        check_gray_channels(num_output_channels)
        self.num_output_channels = num_output_channels

    def operate(self, images: Images) -> DataNode:
        channels, node, layout = images.extent("C"), images.node, images.layout

        def gray() -> DataNode:
            return desaturated(fn, node, layout)

        if self.num_output_channels == 3:
            return choose(channels == 1, lambda: fn.cat(node, node, node, axis_name="C"), gray)
        return choose(
            channels == 3, lambda: gray_channel(fn, node, layout), lambda: choose(channels == 1, lambda: node, gray)
        )


class RandomGrayscale(Transform):
    """Take the colours of some images away; the number of channels stays.

    Parameters
    ----------
    p : float
        How often.
    device : {"cpu", "gpu"}
    """

    def __init__(self, p: float = 0.1, device: Device = "cpu") -> None:
        super().__init__(device)
        check_probability(p)
        self.p = p

    def operate(self, images: Images) -> DataNode:
        node, is_gray = images.node, images.extent("C") == 1

        def gray() -> DataNode:
            return choose(is_gray, lambda: node, lambda: desaturated(fn, node, images.layout))

        return choose(chance(self.p), gray, lambda: node)


# What follows is the same in pipelines and in dynamic mode: `operators` is `fn`, or the module of that.


def desaturated(operators: Any, images: Any, layout: str) -> Any:
    """Gray images of three channels. Tensors, which nvidia.dali refuses, keep their element type."""
    if layout == "HWC":
        return operators.hsv(images, saturation=0)
    return _twisted(operators, images, layout, saturation=0.0)


def gray_channel(operators: Any, images: Any, layout: str) -> Any:
    """The same as one channel."""
    if layout == "HWC":
        return operators.color_space_conversion(images, image_type=types.RGB, output_type=types.GRAY)
    return operators.slice(desaturated(operators, images, layout), start=[0], end=[1], axes=[0])


def _twisted(operators: Any, images: Any, layout: str, **arguments: Any) -> Any:
    if layout == "HWC":
        return operators.color_twist(images, **arguments)
    twisted = operators.color_twist(operators.transpose(images, perm=[1, 2, 0]), **arguments)
    return operators.transpose(twisted, perm=[2, 0, 1])
