"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any
from dali_studio.experimental.dynamic.experimental import readers as readers
from dali_studio.api.dynamic.batch import Batch
from dali_studio.api.dynamic.tensor import Tensor

def dilate(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    mask_size: Any = ...,
    anchor: Any = ...,
    iterations: Any = ...,
    border_mode: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Replaces each value by the largest one under a rectangle: what is bright grows."""

def erode(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    mask_size: Any = ...,
    anchor: Any = ...,
    iterations: Any = ...,
    border_mode: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Replaces each value by the smallest one under a rectangle: what is bright shrinks."""

def median_blur(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    window_size: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Replaces each value by the middle one of a window around it: spots vanish, edges stay."""

def remap(
    image: Any,
    mapx: Any,
    mapy: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    interp: Any = ...,
    pixel_origin: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Fetches each pixel from the point of the image that two maps give; outside the image lies 0."""

def resize(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    save_attrs: Any = ...,
    image_type: Any = ...,
    resize_x: Any = ...,
    resize_y: Any = ...,
    resize_z: Any = ...,
    size: Any = ...,
    resize_shorter: Any = ...,
    resize_longer: Any = ...,
    max_size: Any = ...,
    mode: Any = ...,
    roi_start: Any = ...,
    roi_end: Any = ...,
    roi_relative: Any = ...,
    subpixel_scale: Any = ...,
    interp_type: Any = ...,
    min_filter: Any = ...,
    mag_filter: Any = ...,
    antialias: Any = ...,
    dtype: Any = ...,
    minibatch_size: Any = ...,
    temp_buffer_hint: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Resamples images and volumes to another size, as ``resize`` does; nvidia.dali has it on the GPU alone."""

def warp_perspective(
    image: Any,
    matrix_input: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    matrix: Any = ...,
    size: Any = ...,
    inverse_map: Any = ...,
    interp_type: Any = ...,
    border_mode: Any = ...,
    fill_value: Any = ...,
    pixel_origin: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Shows images as if they were seen from another place: straight lines stay straight."""
