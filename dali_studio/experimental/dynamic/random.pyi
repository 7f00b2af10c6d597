"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any
from dali_studio.api.dynamic.rng import RNG as RNG
from dali_studio.api.dynamic.rng import get_default_rng as get_default_rng
from dali_studio.api.dynamic.rng import set_seed as set_seed
from dali_studio.api.dynamic.batch import Batch
from dali_studio.api.dynamic.tensor import Tensor

def beta(
    shape_like: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    alpha: Any = ...,
    beta: Any = ...,
    dtype: Any = ...,
    shape: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Draws numbers from 0 to 1 that have the beta distribution."""

def choice(
    a: Any,
    shape_like: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    p: Any = ...,
    shape: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Draws elements of an array, or whole numbers below a limit."""

def coin_flip(
    shape_like: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    probability: Any = ...,
    dtype: Any = ...,
    shape: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Draws 1 with a given probability, otherwise 0."""

def normal(
    shape_like: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    mean: Any = ...,
    stddev: Any = ...,
    dtype: Any = ...,
    shape: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Draws normally distributed numbers."""

def uniform(
    shape_like: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    range: Any = ...,
    values: Any = ...,
    dtype: Any = ...,
    shape: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Draws numbers that are equally likely between two limits, or from a list."""
