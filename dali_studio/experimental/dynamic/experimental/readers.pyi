"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any
from dali_studio.api.dynamic.reader import Reader

class Video(Reader):
    """Reads sequences of frames from videos: MP4, WebM, Matroska, AVI and what else FFmpeg knows, in any codec."""
    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: Any = ...,
        num_inputs: Any = ...,
        *,
        enable_checkpointing: bool = ...,
        pad_mode: Any = ...,
        uniform_sample: Any = ...,
        file_list_format: Any = ...,
        file_list_rounding: Any = ...,
        file_list_include_end: Any = ...,
        fill_value: Any = ...,
        filenames: Any = ...,
        labels: Any = ...,
        file_root: Any = ...,
        file_list: Any = ...,
        sequence_length: Any,
        step: Any = ...,
        stride: Any = ...,
        enable_frame_num: Any = ...,
        enable_timestamps: Any = ...,
        image_type: Any = ...,
        random_shuffle: Any = ...,
        initial_fill: Any = ...,
        num_shards: Any = ...,
        shard_id: Any = ...,
        stick_to_shard: Any = ...,
        pad_last_batch: Any = ...,
        seed: Any = ...,
        on_error: Any = ...,
        skip_cached_images: Any = ...,
        prefetch_queue_depth: Any = ...,
        lazy_init: Any = ...,
        read_ahead: Any = ...,
        dont_use_mmap: Any = ...,
        tensor_init_bytes: Any = ...,
        preserve: Any = ...,
        bytes_per_sample_hint: Any = ...,
    ) -> None: ...
