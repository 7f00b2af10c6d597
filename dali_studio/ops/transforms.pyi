"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | Sequence[DataNode] | NDArray[Any] | np.generic | float

class Combine:
    """Combines transforms to one that does what they do one after the other, in the order of the inputs."""
    def __init__(
        self,
        *,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        *transform: _Input,
        **arguments: Any,
    ) -> DataNode: ...

class Crop:
    """Makes transforms that take one range of coordinates to another: of images to windows, or back."""
    def __init__(
        self,
        *,
        from_start: float | Sequence[float] | DataNode | None = ...,
        from_end: float | Sequence[float] | DataNode | None = ...,
        to_start: float | Sequence[float] | DataNode | None = ...,
        to_end: float | Sequence[float] | DataNode | None = ...,
        absolute: bool | None = False,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        transform: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Rotation:
    """Makes transforms that turn points about a centre: in the plane, or about an axis in space.

    In the plane x turns towards y, which is clockwise where y points down.
    """
    def __init__(
        self,
        *,
        angle: float | DataNode | None = ...,
        axis: float | Sequence[float] | DataNode | None = ...,
        center: float | Sequence[float] | DataNode | None = ...,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        transform: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Scale:
    """Makes transforms that scale points away from a centre, or towards it."""
    def __init__(
        self,
        *,
        scale: float | Sequence[float] | DataNode | None = ...,
        center: float | Sequence[float] | DataNode | None = ...,
        ndim: int | None = ...,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        transform: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Shear:
    """Makes transforms that move points along an axis, in proportion to where they are along another one.

    In the plane there are two factors: for x in proportion to y, and for y in proportion to x. In space there are six,
    for xy, xz, yx, yz, zx and zy.
    """
    def __init__(
        self,
        *,
        shear: float | Sequence[float] | DataNode | None = ...,
        angles: float | Sequence[float] | DataNode | None = ...,
        center: float | Sequence[float] | DataNode | None = ...,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        transform: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Translation:
    """Makes transforms that move points.

    The result is a float32 matrix (axes, axes + 1), for `warp_affine` and `coord_transform`.
    """
    def __init__(
        self,
        *,
        offset: float | Sequence[float] | DataNode | None = ...,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        transform: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...
