"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.enums import DALIDataType, DALIImageType
from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class Image:
    """The former name of `decoders.image`, which is deprecated."""
    def __init__(
        self,
        *,
        cache_size: int | None = 0,
        cache_threshold: int | None = 0,
        cache_type: str | None = ...,
        cache_debug: bool | None = False,
        cache_batch_copy: bool | None = True,
        preallocate_height_hint: int | None = 0,
        preallocate_width_hint: int | None = 0,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | None = ...,
        adjust_orientation: bool | None = True,
        use_fast_idct: bool | None = False,
        jpeg_fancy_upsampling: bool | None = False,
        max_pixels: int | None = 268435456,
        affine: bool | None = True,
        on_error: str | None = 'raise',
        hw_decoder_load: float | None = 0.65,
        hybrid_huffman_threshold: int | None = 1000000,
        device_memory_padding: int | None = 16777216,
        device_memory_padding_jpeg2k: int | None = 0,
        host_memory_padding: int | None = 8388608,
        host_memory_padding_jpeg2k: int | None = 0,
        memory_stats: bool | None = False,
        split_stages: bool | None = False,
        use_chunk_allocator: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        files: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class ImageCrop:
    """The former name of `decoders.image_crop`, which is deprecated."""
    def __init__(
        self,
        *,
        crop: float | _Sequence[float] | DataNode | None = ...,
        crop_h: float | DataNode | None = 0.0,
        crop_w: float | DataNode | None = 0.0,
        crop_d: float | DataNode | None = 0.0,
        crop_pos_x: float | DataNode | None = 0.5,
        crop_pos_y: float | DataNode | None = 0.5,
        crop_pos_z: float | DataNode | None = 0.5,
        rounding: str | None = 'round',
        preallocate_height_hint: int | None = 0,
        preallocate_width_hint: int | None = 0,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | None = ...,
        adjust_orientation: bool | None = True,
        use_fast_idct: bool | None = False,
        jpeg_fancy_upsampling: bool | None = False,
        max_pixels: int | None = 268435456,
        affine: bool | None = True,
        on_error: str | None = 'raise',
        hw_decoder_load: float | None = 0.65,
        hybrid_huffman_threshold: int | None = 1000000,
        device_memory_padding: int | None = 16777216,
        device_memory_padding_jpeg2k: int | None = 0,
        host_memory_padding: int | None = 8388608,
        host_memory_padding_jpeg2k: int | None = 0,
        memory_stats: bool | None = False,
        split_stages: bool | None = False,
        use_chunk_allocator: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        files: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class ImageRandomCrop:
    """The former name of `decoders.image_random_crop`, which is deprecated."""
    def __init__(
        self,
        *,
        random_area: float | _Sequence[float] | None = ...,
        random_aspect_ratio: float | _Sequence[float] | None = ...,
        num_attempts: int | None = 10,
        seed: int | None = ...,
        preallocate_height_hint: int | None = 0,
        preallocate_width_hint: int | None = 0,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | None = ...,
        adjust_orientation: bool | None = True,
        use_fast_idct: bool | None = False,
        jpeg_fancy_upsampling: bool | None = False,
        max_pixels: int | None = 268435456,
        affine: bool | None = True,
        on_error: str | None = 'raise',
        hw_decoder_load: float | None = 0.65,
        hybrid_huffman_threshold: int | None = 1000000,
        device_memory_padding: int | None = 16777216,
        device_memory_padding_jpeg2k: int | None = 0,
        host_memory_padding: int | None = 8388608,
        host_memory_padding_jpeg2k: int | None = 0,
        memory_stats: bool | None = False,
        split_stages: bool | None = False,
        use_chunk_allocator: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        files: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class ImageSlice:
    """The former name of `decoders.image_slice`, which is deprecated."""
    def __init__(
        self,
        *,
        axes: int | _Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        start: int | _Sequence[int] | DataNode | None = ...,
        rel_start: float | _Sequence[float] | DataNode | None = ...,
        end: int | _Sequence[int] | DataNode | None = ...,
        rel_end: float | _Sequence[float] | DataNode | None = ...,
        shape: int | _Sequence[int] | DataNode | None = ...,
        rel_shape: float | _Sequence[float] | DataNode | None = ...,
        normalized_anchor: bool | None = True,
        normalized_shape: bool | None = True,
        preallocate_height_hint: int | None = 0,
        preallocate_width_hint: int | None = 0,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | None = ...,
        adjust_orientation: bool | None = True,
        use_fast_idct: bool | None = False,
        jpeg_fancy_upsampling: bool | None = False,
        max_pixels: int | None = 268435456,
        affine: bool | None = True,
        on_error: str | None = 'raise',
        hw_decoder_load: float | None = 0.65,
        hybrid_huffman_threshold: int | None = 1000000,
        device_memory_padding: int | None = 16777216,
        device_memory_padding_jpeg2k: int | None = 0,
        host_memory_padding: int | None = 8388608,
        host_memory_padding_jpeg2k: int | None = 0,
        memory_stats: bool | None = False,
        split_stages: bool | None = False,
        use_chunk_allocator: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        files: _Input,
        anchor: _Input | None = ...,
        shape_input: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Video:
    """The former name of `decoders.video`, which is deprecated."""
    def __init__(
        self,
        *,
        frames: int | _Sequence[int] | DataNode | None = ...,
        start_frame: int | DataNode | None = ...,
        end_frame: int | DataNode | None = ...,
        sequence_length: int | DataNode | None = ...,
        stride: int | DataNode | None = ...,
        on_error: str | None = 'raise',
        build_index: bool | None = True,
        affine: bool | None = True,
        pad_mode: str | None = 'constant',
        fill_value: int | _Sequence[int] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        encoded: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...
