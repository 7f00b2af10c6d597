"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any
from dali_studio.api.dynamic.batch import Batch
from dali_studio.api.dynamic.rng import RNG
from dali_studio.api.dynamic.tensor import Tensor

def random_mask_pixel(
    masks: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    foreground: Any = ...,
    threshold: Any = ...,
    value: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Draws the place of a pixel in a mask: of any, or of one in the foreground."""

def random_object_bbox(
    masks: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    format: Any = ...,
    foreground_prob: Any = ...,
    classes: Any = ...,
    class_weights: Any = ...,
    background: Any = ...,
    threshold: Any = ...,
    k_largest: Any = ...,
    ignore_class: Any = ...,
    output_class: Any = ...,
    cache_objects: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Any:
    """Draws an object in a labelled mask, and gives its bounding box."""

def select_masks(
    mask_ids: Any,
    polygons: Any,
    vertices: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    reindex_masks: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Any:
    """Keeps the polygons of some masks, as `readers.coco` gives them, in the order of `mask_ids`."""
