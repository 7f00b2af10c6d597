"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any
from dali_studio.api.dynamic.batch import Batch
from dali_studio.api.dynamic.tensor import Tensor

def combine(
    *transform: Any,
    batch_size: int | None = ...,
    device: Any = ...,
    reverse_order: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Combines transforms to one that does what they do one after the other, in the order of the inputs."""

def crop(
    transform: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    from_start: Any = ...,
    from_end: Any = ...,
    to_start: Any = ...,
    to_end: Any = ...,
    absolute: Any = ...,
    reverse_order: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes transforms that take one range of coordinates to another: of images to windows, or back."""

def rotation(
    transform: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    angle: Any,
    axis: Any = ...,
    center: Any = ...,
    reverse_order: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes transforms that turn points about a centre: in the plane, or about an axis in space."""

def scale(
    transform: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    scale: Any,
    center: Any = ...,
    ndim: Any = ...,
    reverse_order: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes transforms that scale points away from a centre, or towards it."""

def shear(
    transform: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    shear: Any = ...,
    angles: Any = ...,
    center: Any = ...,
    reverse_order: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes transforms that move points along an axis, in proportion to where they are along another one."""

def translation(
    transform: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    offset: Any,
    reverse_order: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes transforms that move points."""
