"""Windows of images, which may be larger than these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from dali_studio import fn, math, types
from dali_studio.experimental.torchvision.v2.arguments import check_numbers, check_whole, pair_of, sides_of
from dali_studio.experimental.torchvision.v2.transform import Device, Images, Transform
from dali_studio.pipeline import DataNode

#: torchvision's names of what lies outside an image, and ours.
POLICIES = {"constant": "pad", "edge": "edge", "reflect": "reflect_101", "symmetric": "reflect_1001"}
PaddingMode = Literal["constant", "edge", "reflect", "symmetric"]
Fill = float | Sequence[float] | None


def policy_of(padding_mode: Any) -> str:
    """Our name of a padding mode.

    Raises
    ------
    ValueError
        For what is none.
    """
    if padding_mode not in POLICIES:
        raise ValueError(f"padding_mode is {padding_mode!r}; give {', '.join(POLICIES)}.")
    return POLICIES[padding_mode]


def fill_of(fill: Any) -> Any:
    """The values of a constant border.

    Raises
    ------
    TypeError
        For other things than a number, or one for each channel.
    """
    if fill is None:
        return 0
    check_numbers(fill, "fill")
    return fill


class CenterCrop(Transform):
    """Cut the middle out of each image; what is smaller is padded with 0.

    Parameters
    ----------
    size : int or (int, int)
        Height and width.
    device : {"cpu", "gpu"}
    """

    def __init__(self, size: int | Sequence[int], device: Device = "cpu") -> None:
        super().__init__(device)
        self.size = pair_of(size)

    def operate(self, images: Images) -> DataNode:
        height, width = self.size
        return fn.crop(
            images.node, crop=self.size, out_of_bounds_policy="pad",
            crop_pos_y=_middle(images.extent("H"), height), crop_pos_x=_middle(images.extent("W"), width),
        )  # fmt: skip


def _middle(extent: DataNode, size: int) -> DataNode:
    """Where `fn.crop` is to begin: half of what is left over, rounded to even numbers as Python rounds."""
    left = fn.cast(extent, dtype=types.INT32) - size
    half = left // 2 + (left - left // 4 * 4 == 3)
    return math.max(half, 0) / math.max(left, 1) + 0.5 * (left < 0)


class Pad(Transform):
    """Add a border to each image.

    Parameters
    ----------
    padding : int or sequence of int
        Its width: one number; two, of the sides, and of top and bottom; or four, from the left clockwise.
    fill : float or sequence of float
        What a constant border has: one number, or one for each channel.
    padding_mode : {"constant", "edge", "reflect", "symmetric"}
        Others repeat the last pixels, or mirror the image, without or with these. They run on the CPU.
    device : {"cpu", "gpu"}
    """

    def __init__(
        self, padding: int | Sequence[int], fill: Fill = 0, padding_mode: PaddingMode = "constant",
        device: Device = "cpu",
    ) -> None:  # fmt: skip
        super().__init__(device)
        self.policy, self.fill = policy_of(padding_mode), fill_of(fill)
        self.padding = sides_of(padding, (2, 4))

    def operate(self, images: Images) -> DataNode:
        left, top, right, bottom = self.padding
        size = fn.stack(images.extent("W") + (left + right), images.extent("H") + (top + bottom))
        return fn.slice(
            images.node, np.array([-left, -top], np.int32), fn.cast(size, dtype=types.INT32),
            axis_names="WH", out_of_bounds_policy=self.policy, fill_values=self.fill,
        )  # fmt: skip


class RandomCrop(Transform):
    """Cut a window at a random place out of each image.

    Parameters
    ----------
    size : int or (int, int)
        Height and width.
    padding : int or sequence of int, optional
        A border that is added before: as of `Pad`.
    pad_if_needed : bool
        Add as much as images lack of the size, on both sides.
    fill, padding_mode
        As of `Pad`.
    device : {"cpu", "gpu"}
    """

    def __init__(
        self, size: int | Sequence[int], padding: int | Sequence[int] | None = None, pad_if_needed: bool = False,
        fill: Fill = 0, padding_mode: PaddingMode = "constant", device: Device = "cpu",
    ) -> None:  # fmt: skip
        super().__init__(device)
        if not isinstance(pad_if_needed, bool):
            raise TypeError(f"pad_if_needed is {pad_if_needed!r}; give True or False.")
        self.size = pair_of(size)
        check_whole(size, "size")
        self.padding = sides_of(0 if padding is None else padding, (1, 2, 4))
        self.pad_if_needed, self.fill = pad_if_needed, fill_of(fill)
        padded = pad_if_needed or padding is not None
        policy = policy_of(padding_mode) if padded else "error"
        self.policy = policy if pad_if_needed or any(self.padding) else "error"

    def operate(self, images: Images) -> DataNode:
        left, top, right, bottom = self.padding
        height, width = self.size
        # in this order: the seeds of the draws follow from it
        first = fn.stack(
            self._begin(images.extent("W"), width, left, right), self._begin(images.extent("H"), height, top, bottom)
        )
        return fn.slice(
            images.node, first, np.array([width, height], np.int32), axis_names="WH",
            out_of_bounds_policy=self.policy, fill_values=self.fill,
        )  # fmt: skip

    def _begin(self, extent: DataNode, size: int, before: int, behind: int) -> DataNode:
        """Where the window begins along an axis."""
        padded = extent + (before + behind)
        lacking: Any = 0
        if self.pad_if_needed:
            lacking = math.max(size - padded, 0)
            padded = padded + 2 * lacking
        places = math.max(fn.cast(padded, dtype=types.INT32) - size, 0) + 1
        drawn = fn.random.uniform(range=fn.stack(0.0, fn.cast(places, dtype=types.FLOAT)))
        return fn.cast(math.floor(drawn) - before - lacking, dtype=types.INT32)
