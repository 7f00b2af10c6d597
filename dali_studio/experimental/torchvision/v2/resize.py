"""Sizes of images."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from dali_studio import fn, math, types
from dali_studio.experimental.torchvision.v2.arguments import check_positive, check_whole, pair_of, values_of
from dali_studio.experimental.torchvision.v2.transform import Device, Images, Transform
from dali_studio.pipeline import DataNode


class InterpolationMode(Enum):
    """How pixels between pixels are computed; torchvision's names."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


#: The numbers that Pillow has for them.
_BY_NUMBER = (
    InterpolationMode.NEAREST, InterpolationMode.LANCZOS, InterpolationMode.BILINEAR, InterpolationMode.BICUBIC,
    InterpolationMode.BOX, InterpolationMode.HAMMING,
)  # fmt: skip
_FILTERS = {
    InterpolationMode.NEAREST: types.INTERP_NN,
    InterpolationMode.BILINEAR: types.INTERP_LINEAR,
    InterpolationMode.BICUBIC: types.INTERP_CUBIC,
    InterpolationMode.LANCZOS: types.INTERP_LANCZOS3,
}


def filter_of(interpolation: Any) -> types.DALIInterpType:
    """Our filter for a mode: one of `InterpolationMode`, of torchvision's, or a number of Pillow's.

    Raises
    ------
    ValueError
        For what is no mode.
    NotImplementedError
        For one that is not supported.
    """
    accepted = f"give InterpolationMode.{', '.join(mode.name for mode in _FILTERS)}"
    if isinstance(interpolation, int):
        if interpolation not in range(len(_BY_NUMBER)):
            raise ValueError(f"interpolation is {interpolation}; {accepted}.")
        mode = _BY_NUMBER[interpolation]
    else:
        name = getattr(interpolation, "name", None)
        mode = InterpolationMode.__members__.get(str(name))
        if mode is None:
            raise ValueError(f"interpolation is {interpolation!r}; {accepted}.")
    if mode not in _FILTERS:
        raise NotImplementedError(f"interpolation is {mode}, which is not supported; {accepted}.")
    return _FILTERS[mode]


def check_size(size: Any, max_size: Any) -> None:
    """Refuse what is no size of `Resize`."""
    if size is None and max_size is None:
        raise ValueError("size is None; give max_size then.")
    if max_size is not None and max_size < 0:
        raise ValueError(f"max_size is {max_size}; give a number from 0.")
    if size is None:
        return
    if not isinstance(size, int | list | tuple):
        raise ValueError(f"size is {size!r}; give a whole number, height and width, or None.")
    numbers = values_of(size)
    if len(numbers) not in (1, 2):
        raise ValueError(f"size has {len(numbers)} numbers; give one, or height and width.")
    check_whole(size, "size")
    check_positive(size, "size")
    if max_size is None:
        return
    if len(numbers) == 2:
        raise ValueError("max_size is given, and size is height and width; max_size goes with one number.")
    if numbers[0] > max_size:
        raise ValueError(f"max_size is {max_size}, below the size, {numbers[0]}.")


class Resize(Transform):
    """Change the size of each image.

    Parameters
    ----------
    size : int, (int, int) or None
        Height and width, or what the smaller of them becomes; the ratio is kept then.
    interpolation : InterpolationMode or int
        NEAREST, BILINEAR, BICUBIC or LANCZOS.
    max_size : int, optional
        What the larger extent is at most, or, with ``size=None``, becomes.
    antialias : bool, optional
        Widen the filter where images become smaller.
    device : {"cpu", "gpu"}
    """

    def __init__(
        self, size: int | Sequence[int] | None, interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        max_size: int | None = None, antialias: bool | None = True, device: Device = "cpu",
    ) -> None:  # fmt: skip
        super().__init__(device)
        check_size(size, max_size)
        self.size, self.max_size, self.filter, self.antialias = size, max_size, filter_of(interpolation), antialias

    def operate(self, images: Images) -> DataNode:
        sides = [] if self.size is None else values_of(self.size)
        size: Any = sides
        if len(sides) != 2:
            size = fn.stack(*(fn.cast(one, dtype=types.FLOAT) for one in self._extents(images, *sides)))
        return fn.resize(images.node, size=size, interp_type=self.filter, antialias=self.antialias is not False)

    def _extents(self, images: Images, smaller: int | None = None) -> tuple[DataNode, DataNode]:
        """Height and width as torchvision computes them, in nvidia.dali's single precision."""
        height, width = images.extent("H"), images.extent("W")
        if smaller is None:
            largest = self.max_size
            return (math.min(math.floor(largest * height / width), largest),
                    math.min(math.floor(largest * width / height), largest))  # fmt: skip
        height, width = (
            math.max(math.floor(smaller * height / width), smaller),
            math.max(math.floor(smaller * width / height), smaller),
        )
        if self.max_size is None:
            return height, width
        largest, found = self.max_size, math.max(height, width)

        def limited(extent: DataNode) -> DataNode:
            # the larger extent becomes exactly the largest; where both are below it, nothing changes
            scaled = math.floor(largest * extent / found)
            return math.min(extent, math.max(scaled, (extent == found) * largest))

        return limited(height), limited(width)


def resized(extents: tuple[int, int], size: int | Sequence[int] | None, max_size: int | None) -> tuple[int, int]:
    """The same for one image: its height and width after `Resize`."""
    height, width = extents
    sides = [] if size is None else values_of(size)
    if len(sides) == 2:
        return sides[0], sides[1]
    larger, smaller = max(extents), min(extents)
    if not sides:
        assert max_size is not None
        smaller, larger = int(max_size * smaller / larger), max_size
    else:
        smaller, larger = sides[0], int(sides[0] * larger / smaller)
        if max_size is not None and larger > max_size:
            smaller, larger = int(max_size * smaller / larger), max_size
    return (smaller, larger) if height < width else (larger, smaller)


class RandomResizedCrop(Transform):
    """Cut a window of random size, ratio and place, and resize it.

    Parameters
    ----------
    size : int or (int, int)
        Height and width.
    scale : (float, float)
        Smallest and largest window, as fractions of the area.
    ratio : (float, float)
        Smallest and largest ratio of width to height.
    interpolation : InterpolationMode or int
    antialias : bool, optional
    device : {"cpu", "gpu"}
    """

    def __init__(
        self, size: int | Sequence[int], scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR, antialias: bool | None = True,
        device: Device = "cpu",
    ) -> None:  # fmt: skip
        super().__init__(device)
        self.size = pair_of(size)
        check_whole(size, "size")
        self.scale, self.ratio = _limits(scale, "scale"), _limits(ratio, "ratio")
        self.filter, self.antialias = filter_of(interpolation), antialias

    def operate(self, images: Images) -> DataNode:
        return fn.random_resized_crop(
            images.node, size=self.size, random_area=self.scale, random_aspect_ratio=self.ratio,
            interp_type=self.filter, antialias=self.antialias is not False, num_attempts=10,
        )  # fmt: skip


def _limits(given: Any, name: str) -> tuple[float, float]:
    found = values_of(given)
    if len(found) != 2 or not all(isinstance(one, int | float) for one in found):
        raise TypeError(f"{name} is {given!r}; give the smallest and the largest number.")
    check_positive(found, name)
    if found[0] > found[1]:
        raise ValueError(f"{name} is {given}; give the smaller number first.")
    return found[0], found[1]
