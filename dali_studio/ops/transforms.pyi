"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class Combine:
    """Combines transforms to one that does what they do one after the other, in the order of the inputs."""
    def __init__(
        self,
        *,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
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
        from_start: float | _Sequence[float] | DataNode | None = ...,
        from_end: float | _Sequence[float] | DataNode | None = ...,
        to_start: float | _Sequence[float] | DataNode | None = ...,
        to_end: float | _Sequence[float] | DataNode | None = ...,
        absolute: bool | None = False,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
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
        axis: float | _Sequence[float] | DataNode | None = ...,
        center: float | _Sequence[float] | DataNode | None = ...,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
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
        scale: float | _Sequence[float] | DataNode | None = ...,
        center: float | _Sequence[float] | DataNode | None = ...,
        ndim: int | None = ...,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
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
        shear: float | _Sequence[float] | DataNode | None = ...,
        angles: float | _Sequence[float] | DataNode | None = ...,
        center: float | _Sequence[float] | DataNode | None = ...,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
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
        offset: float | _Sequence[float] | DataNode | None = ...,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        transform: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...
