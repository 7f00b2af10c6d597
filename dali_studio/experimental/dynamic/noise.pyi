"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any
from dali_studio.api.dynamic.batch import Batch
from dali_studio.api.dynamic.rng import RNG
from dali_studio.api.dynamic.tensor import Tensor

def gaussian(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    mean: Any = ...,
    stddev: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Adds normally distributed numbers to each element."""

def salt_and_pepper(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    prob: Any = ...,
    salt_vs_pepper: Any = ...,
    per_channel: Any = ...,
    salt_val: Any = ...,
    pepper_val: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Replaces some pixels by the largest value (salt) or by the least one (pepper)."""

def shot(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    factor: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Replaces each element by what a sensor counts: the noise grows with the intensity."""
