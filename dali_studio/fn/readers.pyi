"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | Sequence[DataNode] | NDArray[Any] | np.generic | float

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
