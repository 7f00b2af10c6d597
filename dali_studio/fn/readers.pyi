"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | Sequence[DataNode] | NDArray[Any] | np.generic | float

def coco(
    *,
    file_root: str,
    annotations_file: str | None = ...,
    images: str | Sequence[str] | None = ...,
    ltrb: bool | None = False,
    ratio: bool | None = False,
    polygon_masks: bool | None = False,
    pixelwise_masks: bool | None = False,
    image_ids: bool | None = False,
    size_threshold: float | None = 0.1,
    skip_empty: bool | None = False,
    include_iscrowd: bool | None = True,
    avoid_class_remapping: bool | None = False,
    preprocessed_annotations: str | None = ...,
    save_preprocessed_annotations: bool | None = False,
    save_preprocessed_annotations_dir: str | None = ...,
    masks: bool | None = False,
    random_shuffle: bool | None = False,
    initial_fill: int | None = 1024,
    shuffle_after_epoch: bool | None = False,
    shuffle_after_epoch_seed: int | None = ...,
    num_shards: int | None = 1,
    shard_id: int | None = 0,
    stick_to_shard: bool | None = False,
    pad_last_batch: bool | None = False,
    seed: int | None = ...,
    on_error: str | None = 'raise',
    prefetch_queue_depth: int | None = 1,
    lazy_init: bool | None = False,
    read_ahead: bool | None = False,
    dont_use_mmap: bool | None = False,
    tensor_init_bytes: int | None = 1048576,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> list[DataNode]:
    """Reads images with boxes, labels and masks of the objects in them, in the format of the COCO data set.

    Boxes are float32 (objects, 4), x, y, width and height in pixels; labels are int32 (objects,), the categories
    numbered from 1 in the order of the annotations file. Images come in the order of their ids. With `polygon_masks`
    there are two outputs more, int32 (polygons, 3) with the object, the first vertex and the end of each polygon, and
    float32 (vertices, 2); with `pixelwise_masks` one, int32 (height, width, 1) with the label at each pixel, 0 for
    none; with `image_ids` one at the end, int32 (1,).
    """
    ...

def file(
    *,
    file_root: str | None = ...,
    files: str | Sequence[str] | None = ...,
    labels: int | Sequence[int] | None = ...,
    file_list: str | None = ...,
    file_filters: str | Sequence[str] | None = ...,
    case_sensitive_filter: bool | None = False,
    dir_filters: str | Sequence[str] | None = ...,
    random_shuffle: bool | None = False,
    initial_fill: int | None = 1024,
    shuffle_after_epoch: bool | None = False,
    shuffle_after_epoch_seed: int | None = ...,
    num_shards: int | None = 1,
    shard_id: int | None = 0,
    stick_to_shard: bool | None = False,
    pad_last_batch: bool | None = False,
    seed: int | None = ...,
    on_error: str | None = 'raise',
    skip_cached_images: bool | None = False,
    prefetch_queue_depth: int | None = 1,
    lazy_init: bool | None = False,
    read_ahead: bool | None = False,
    dont_use_mmap: bool | None = False,
    tensor_init_bytes: int | None = 1048576,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> list[DataNode]:
    """Reads files and their labels from a folder of class folders, a list, or explicit paths.

    The classes of `file_root` are its sub-folders in alphabetical order (labels 0, 1, ...); files come in alphabetical
    order within them.
    """
    ...
