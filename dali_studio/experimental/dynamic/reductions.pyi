"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any
from dali_studio.api.dynamic.batch import Batch
from dali_studio.api.dynamic.tensor import Tensor

def max(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    keep_dims: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """The largest of elements."""

def mean(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    keep_dims: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """The mean of elements."""

def mean_square(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    keep_dims: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """The mean of the squares of elements."""

def min(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    keep_dims: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """The smallest of elements."""

def rms(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    keep_dims: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """The square root of the mean of the squares of elements."""

def std_dev(
    data: Any,
    mean: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    ddof: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    keep_dims: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """The standard deviation from a mean that is given."""

def sum(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    keep_dims: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Adds up elements."""

def variance(
    data: Any,
    mean: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    ddof: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    keep_dims: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """The variance around a mean that is given."""
