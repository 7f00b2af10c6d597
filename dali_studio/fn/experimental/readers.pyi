"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.enums import DALIDataType, DALIImageType
from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

def fits(
    *,
    file_root: str | None = ...,
    file_filter: str | None = '*.fits',
    files: str | _Sequence[str] | None = ...,
    file_list: str | None = ...,
    hdu_indices: int | _Sequence[int] | None = ...,
    dtypes: DALIDataType | _Sequence[DALIDataType] | None = ...,
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
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> Any:
    """Reads images from FITS files, the format of astronomy: from each file as many units as `hdu_indices` names.

    The element type is what the numbers stand for: that of the file, or, where its header has BSCALE and BZERO, the
    least one of whole numbers that holds all of them, or real numbers. BLANK has no effect. All images of a batch must
    have one element type and one number of axes. Files come in alphabetical order, first those of the folder itself,
    then those of its sub-folders. Images may be compressed by Rice, gzip or PLIO, tile by tile, and files by gzip as a
    whole; unlike in nvidia.dali, those of HCOMPRESS are refused.
    """
    ...

def video(
    *,
    pad_mode: str | None = 'none',
    uniform_sample: bool | None = False,
    file_list_format: str | None = 'timestamps',
    file_list_rounding: str | None = 'start_down_end_up',
    file_list_include_end: bool | None = True,
    fill_value: int | _Sequence[int] | None = ...,
    filenames: str | _Sequence[str] | None = ...,
    labels: int | _Sequence[int] | None = ...,
    file_root: str | None = ...,
    file_list: str | None = ...,
    sequence_length: int,
    step: int | None = -1,
    stride: int | None = 1,
    enable_frame_num: str | None = 'none',
    enable_timestamps: bool | None = False,
    image_type: DALIImageType | None = ...,
    random_shuffle: bool | None = False,
    initial_fill: int | None = 1024,
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
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> Any:
    """Reads sequences of frames from videos: MP4, WebM, Matroska, AVI and what else FFmpeg knows, in any codec.

    Gives frames, uint8 (F, H, W, C); labels, int32 (1,), where there are some; then frame numbers and times if they are
    wanted. Sequences begin at every `step`-th frame; those that would go beyond the end are left out, unless `pad_mode`
    says what stands for missing frames. nvidia.dali decodes VP8, VP9 and MJPEG on the CPU.

    A range in `file_list` ends before its end. One that is empty, which in nvidia.dali also those are that have a begin
    alone or end after the last frame's time, is left out with a warning; so are files that are no videos.
    """
    ...
