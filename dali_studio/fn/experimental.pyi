"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | Sequence[DataNode] | NDArray[Any] | np.generic | float

def dilate(
    image: _Input,
    /,
    *,
    mask_size: int | Sequence[int] | DataNode | None = ...,
    anchor: int | Sequence[int] | DataNode | None = ...,
    iterations: int | None = 1,
    border_mode: str | None = 'constant',
    preserve: bool | None = False,
    bytes_per_sample_hint: int | Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """Replaces each value by the largest one under a rectangle: what is bright grows.

    Each channel is taken by itself.
    """
    ...

def erode(
    image: _Input,
    /,
    *,
    mask_size: int | Sequence[int] | DataNode | None = ...,
    anchor: int | Sequence[int] | DataNode | None = ...,
    iterations: int | None = 1,
    border_mode: str | None = 'constant',
    preserve: bool | None = False,
    bytes_per_sample_hint: int | Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """Replaces each value by the smallest one under a rectangle: what is bright shrinks.

    Each channel is taken by itself.
    """
    ...

def median_blur(
    image: _Input,
    /,
    *,
    window_size: int | Sequence[int] | DataNode | None = ...,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """Replaces each value by the middle one of a window around it: spots vanish, edges stay.

    Each channel is taken by itself. Beyond the edges of the image its edge pixels are repeated.
    """
    ...
