"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

def gaussian(
    input: _Input,
    /,
    *,
    mean: float | DataNode | None = 0.0,
    stddev: float | DataNode | None = 1.0,
    seed: int | None = ...,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """Adds normally distributed numbers to each element.

    The numbers are those of DALI for the same seed, on any device. Integers are rounded, and saturate.
    """
    ...

def salt_and_pepper(
    input: _Input,
    /,
    *,
    prob: float | DataNode | None = 0.05,
    salt_vs_pepper: float | DataNode | None = 0.5,
    per_channel: bool | None = False,
    salt_val: float | DataNode | None = ...,
    pepper_val: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """Replaces some pixels by the largest value (salt) or by the least one (pepper).

    The numbers are those of DALI for the same seed.
    """
    ...

def shot(
    input: _Input,
    /,
    *,
    factor: float | DataNode | None = 12.0,
    seed: int | None = ...,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """Replaces each element by what a sensor counts: the noise grows with the intensity.

    The result is `factor` times a number of events, which has Poisson's distribution with the element divided by
    `factor` as its mean; elements below 0 have no events. Integers are rounded, and saturate. As in DALI, a factor of 0
    gives zeros. The numbers are those of DALI for the same seed.
    """
    ...
