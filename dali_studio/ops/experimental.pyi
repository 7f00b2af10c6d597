"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | Sequence[DataNode] | NDArray[Any] | np.generic | float

class Dilate:
    """Replaces each value by the largest one under a rectangle: what is bright grows.

    Each channel is taken by itself.
    """
    def __init__(
        self,
        *,
        mask_size: int | Sequence[int] | DataNode | None = ...,
        anchor: int | Sequence[int] | DataNode | None = ...,
        iterations: int | None = 1,
        border_mode: str | None = 'constant',
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Erode:
    """Replaces each value by the smallest one under a rectangle: what is bright shrinks.

    Each channel is taken by itself.
    """
    def __init__(
        self,
        *,
        mask_size: int | Sequence[int] | DataNode | None = ...,
        anchor: int | Sequence[int] | DataNode | None = ...,
        iterations: int | None = 1,
        border_mode: str | None = 'constant',
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class MedianBlur:
    """Replaces each value by the middle one of a window around it: spots vanish, edges stay.

    Each channel is taken by itself. Beyond the edges of the image its edge pixels are repeated.
    """
    def __init__(
        self,
        *,
        window_size: int | Sequence[int] | DataNode | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...
