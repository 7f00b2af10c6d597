"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.enums import DALIDataType, DALIImageType
from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class Audio:
    """Decodes files of sound: WAV, FLAC, OGG (Vorbis and Opus), and what else libsndfile knows.

    Gives the samples, (samples, channels) or, with `downmix`, (samples,), and the rate in Hz, a float32. Floats reach
    from -1 to 1, integers over the range of their type; a file of floats that is neither mixed nor resampled becomes
    integers by rounding alone, as in nvidia.dali. The rate is `sample_rate` wherever that is given.
    """
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        downmix: bool | None = False,
        sample_rate: float | DataNode | None = 0.0,
        quality: float | None = 50.0,
        on_error: str | None = 'raise',
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
    ) -> list[DataNode]: ...

class Image:
    """Decodes image files: JPEG, PNG, BMP, TIFF, WebP, PNM and JPEG 2000.

    The pixels are those of libjpeg-turbo with the exact transform and interpolated chroma; on the device mixed, those
    of NVIDIA's hardware decoder, which repeats chroma. If a later step of the same
    chain reads only a window, no more of the file is decoded than needed.
    """
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
    """Decodes a window of each image file, which is placed as `crop` does it.

    No more of the file is decoded than needed. The window must lie inside the image. A depth has no effect, as in
    `crop` of pictures.
    """
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
    """Decodes a random window of each image file.

    The window's area and aspect ratio are drawn until it fits, at most `num_attempts` times, then its place. No more
    of the file is decoded than needed.
    """
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
    """Decodes a window of each image file, which is given as of `slice`.

    By default anchor and shape are (x, y) and (width, height), as `random_bbox_crop` gives them. No more of the file
    is decoded than needed. The window must lie inside the image.
    """
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

class Inflate:
    """Decompresses bytes that were compressed by LZ4, as one block or as several chunks, such as the frames of a video.

    Chunks become the first axis of the result. A chunk that is damaged, or that gives another number of bytes than
    `shape` asks for, is an error; on the GPU it is one with `check_output_size` alone, and what such a chunk does not
    give is 0.
    """
    def __init__(
        self,
        *,
        shape: int | _Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        layout: str | None = ...,
        chunk_sizes: int | _Sequence[int] | DataNode | None = ...,
        chunk_offsets: int | _Sequence[int] | DataNode | None = ...,
        sequence_axis_name: str | None = ...,
        algorithm: str | None = 'LZ4',
        check_output_size: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        data: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Numpy:
    """Decodes arrays in NumPy's file format (npy): whole and real numbers of up to 64 bits, and bool.

    All arrays of a batch have one number of axes, and one element type unless `dtype` converts them.
    """
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
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

class Video:
    """Decodes videos: MP4, WebM, Matroska, AVI and what else FFmpeg knows, in any of its codecs.

    Gives frames, uint8 (F, H, W, C), red, green and blue: all of them; those whose numbers `frames` lists, in any
    order; or, from `start_frame`, every `stride`-th up to `end_frame` or as many as `sequence_length` says. nvidia.dali
    decodes VP8, VP9 and MJPEG on the CPU, and refuses the others there.
    """
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
