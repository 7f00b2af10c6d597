"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.enums import DALIDataType
from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

def max(
    input: _Input,
    /,
    *,
    axes: int | _Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = False,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """The largest of elements.

    What is no number counts as nothing.
    """
    ...

def mean(
    input: _Input,
    /,
    *,
    dtype: DALIDataType | None = ...,
    axes: int | _Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = False,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """The mean of elements."""
    ...

def mean_square(
    input: _Input,
    /,
    *,
    dtype: DALIDataType | None = ...,
    axes: int | _Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = False,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """The mean of the squares of elements."""
    ...

def min(
    input: _Input,
    /,
    *,
    axes: int | _Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = False,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """The smallest of elements.

    What is no number counts as nothing.
    """
    ...

def rms(
    input: _Input,
    /,
    *,
    dtype: DALIDataType | None = ...,
    axes: int | _Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = False,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """The square root of the mean of the squares of elements."""
    ...

def std_dev(
    data: _Input,
    mean: _Input,
    /,
    *,
    ddof: int | None = 0,
    axes: int | _Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = False,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """The standard deviation from a mean that is given."""
    ...

def sum(
    input: _Input,
    /,
    *,
    dtype: DALIDataType | None = ...,
    axes: int | _Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = False,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """Adds up elements.

    Whole numbers are added up in 64 bits unless `dtype` says otherwise.
    """
    ...

def variance(
    data: _Input,
    mean: _Input,
    /,
    *,
    ddof: int | None = 0,
    axes: int | _Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool | None = False,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """The variance around a mean that is given."""
    ...
