"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | Sequence[DataNode] | NDArray[Any] | np.generic | float

def gaussian(
    input: _Input,
    /,
    *,
    mean: float | DataNode | None = 0.0,
    stddev: float | DataNode | None = 1.0,
    seed: int | None = ...,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """Adds normally distributed numbers to each element.

    The numbers are those of DALI for the same seed, on any device. Integers are rounded, and saturate.
    """
    ...
