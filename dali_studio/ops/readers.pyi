"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.features import Feature
from dali_studio.core.enums import DALIDataType, DALIImageType, DALIInterpType
from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class COCO:
    """Reads images with boxes, labels and masks of the objects in them, in the format of the COCO data set.

    Boxes are float32 (objects, 4), x, y, width and height in pixels; labels are int32 (objects,), the categories
    numbered from 1 in the order of the annotations file. Images come in the order of their ids. With `polygon_masks`
    there are two outputs more, int32 (polygons, 3) with the object, the first vertex and the end of each polygon, and
    float32 (vertices, 2); with `pixelwise_masks` one, int32 (height, width, 1) with the label at each pixel, 0 for
    none; with `image_ids` one at the end, int32 (1,).
    """
    def __init__(
        self,
        *,
        file_root: str | None = ...,
        annotations_file: str | None = ...,
        images: str | _Sequence[str] | None = ...,
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
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> list[DataNode]: ...

class Caffe2:
    """Reads pictures with labels from Caffe2's LMDB databases, each entry of which is a list of tensors.

    The list has the picture, a file or bytes with the axes H, W and perhaps C, the label, the additional inputs and
    the box, as far as they are there. Numbers are int32 or float32, as the entries say.
    """
    def __init__(
        self,
        *,
        image_available: bool | None = True,
        label_type: int | None = 0,
        num_labels: int | None = 1,
        additional_inputs: int | None = 0,
        bbox: bool | None = False,
        path: str | _Sequence[str] | None = ...,
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
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> list[DataNode]: ...

class Caffe:
    """Reads pictures with labels from Caffe's LMDB databases, each entry of which is a Datum.

    Pictures are files, or uint8 with the axes H, W, C where they say that they are not encoded.
    """
    def __init__(
        self,
        *,
        image_available: bool | None = True,
        label_available: bool | None = True,
        path: str | _Sequence[str] | None = ...,
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
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> list[DataNode]: ...

class File:
    """Reads files and their labels from a folder of class folders, a list, or explicit paths.

    The classes of `file_root` are its sub-folders in alphabetical order (labels 0, 1, ...); files come in alphabetical
    order within them.
    """
    def __init__(
        self,
        *,
        file_root: str | None = ...,
        files: str | _Sequence[str] | None = ...,
        labels: int | _Sequence[int] | None = ...,
        file_list: str | None = ...,
        file_filters: str | _Sequence[str] | None = ...,
        case_sensitive_filter: bool | None = False,
        dir_filters: str | _Sequence[str] | None = ...,
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
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> list[DataNode]: ...

class MXNet:
    """Reads images with labels from MXNet's RecordIO files.

    Labels are float32, one or several. The index is that of MXNet's ``im2rec``, a number and a place on each line, or
    what ``dali-studio rec2idx`` writes; of several files it has the places as if they lay one behind the other.
    """
    def __init__(
        self,
        *,
        index_path: str | _Sequence[str] | None = ...,
        path: str | _Sequence[str] | None = ...,
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
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> list[DataNode]: ...

class NemoAsr:
    """Reads and decodes speech with its transcripts, by manifests in the format of NVIDIA NeMo.

    A manifest has a JSON object on each line: ``audio_filepath`` and, optionally, ``text``, and ``offset`` and
    ``duration`` in seconds, of the part that is taken. Gives the sound; the rate of its file, a float32; the text in
    UTF-8, uint8 (bytes,); and with `read_idxs` the number of the line among those that are taken, int64 (1,).
    """
    def __init__(
        self,
        *,
        manifest_filepaths: str | _Sequence[str] | None = ...,
        sample_rate: float | None = -1.0,
        downmix: bool | None = True,
        dtype: DALIDataType | None = ...,
        quality: float | None = 50.0,
        read_sample_rate: bool | None = True,
        read_text: bool | None = True,
        read_idxs: bool | None = False,
        min_duration: float | None = 0.0,
        max_duration: float | None = 0.0,
        normalize_text: bool | None = ...,
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
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> list[DataNode]: ...

class Numpy:
    """Reads arrays from files in numpy's format, or a window of each.

    Files come in alphabetical order, first those of the folder itself, then those of its sub-folders. All arrays of a
    batch must have one element type and one number of axes.
    """
    def __init__(
        self,
        *,
        file_root: str | None = ...,
        file_filter: str | None = '*.npy',
        files: str | _Sequence[str] | None = ...,
        file_list: str | None = ...,
        roi_start: int | _Sequence[int] | DataNode | None = ...,
        rel_roi_start: float | _Sequence[float] | DataNode | None = ...,
        roi_end: int | _Sequence[int] | DataNode | None = ...,
        rel_roi_end: float | _Sequence[float] | DataNode | None = ...,
        roi_shape: int | _Sequence[int] | DataNode | None = ...,
        rel_roi_shape: float | _Sequence[float] | DataNode | None = ...,
        roi_axes: int | _Sequence[int] | None = ...,
        out_of_bounds_policy: str | None = 'error',
        fill_value: float | None = 0.0,
        cache_header_information: bool | None = False,
        register_buffers: bool | None = True,
        use_o_direct: bool | None = False,
        dont_use_mmap: bool | None = False,
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
        tensor_init_bytes: int | None = 1048576,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> DataNode: ...

class Parquet:
    """Reads columns of Parquet files, in which data sets of Hugging Face come: an output for each column.

    A number gives a tensor without axes, a list of numbers one axis (a list of lists two, and so on; the lists of a row
    must be equally long), a text or bytes a row of uint8, and so does a column of pictures or sounds as Hugging Face
    writes it, a struct of `bytes` and `path`: decoders take these bytes. A file is read by row groups. `random_shuffle`
    is fastest where `initial_fill` is not many times the rows of one; `shuffle_after_epoch` shuffles row groups.
    """
    def __init__(
        self,
        *,
        path: str | _Sequence[str] | None = ...,
        columns: str | _Sequence[str] | None = ...,
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
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> Any: ...

class Sequence:
    """Reads and decodes sequences of images that lie in folders, a folder for each video.

    Sequences of `sequence_length` images begin at every `step`-th image of a folder, and take every `stride`-th from
    there on; those that would go beyond the end are left out. Gives uint8 with the layout FHWC.
    """
    def __init__(
        self,
        *,
        file_root: str | None = ...,
        sequence_length: int | None = ...,
        step: int | None = 1,
        stride: int | None = 1,
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
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> DataNode: ...

class TFRecord:
    """Reads features of the records, of the type tf.train.Example, in TensorFlow's TFRecord files.

    Gives a dictionary of outputs, by the names of `features`: of texts their bytes, of numbers a tensor. The indices
    have the first byte and the size of each record on a line; ``dali-studio tfrecord2idx`` writes them. What a record
    lacks has the default of the feature; a feature of variable length has no values then. (nvidia.dali gives
    uninitialised memory there.)
    """
    def __init__(
        self,
        *,
        path: str | _Sequence[str] | None = ...,
        index_path: str | _Sequence[str] | None = ...,
        features: dict[str, Feature] | None = ...,
        use_o_direct: bool | None = False,
        dont_use_mmap: bool | None = False,
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
        tensor_init_bytes: int | None = 1048576,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> dict[str, DataNode]: ...

class Video:
    """Reads sequences of frames from videos: MP4, WebM, Matroska, AVI and what else FFmpeg knows, in any codec.

    Gives frames, (F, H, W, C); labels, int32 (1,), where there are some; then frame numbers and times if they are
    wanted. Sequences begin at every `step`-th frame; those that would go beyond the end are left out, or with
    `pad_sequences` filled with black. `experimental.readers.video` chooses frames in more ways. On a GPU its
    hardware decodes, and colours are other than on the CPU; nvidia.dali has this reader there alone.
    """
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        normalized: bool | None = False,
        pad_sequences: bool | None = False,
        file_list_frame_num: bool | None = False,
        file_list_include_preceding_frame: bool | None = False,
        channels: int | None = 3,
        skip_vfr_check: bool | None = False,
        additional_decode_surfaces: int | None = 2,
        filenames: str | _Sequence[str] | None = ...,
        labels: int | _Sequence[int] | None = ...,
        file_root: str | None = ...,
        file_list: str | None = ...,
        sequence_length: int | None = ...,
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
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> Any: ...

class VideoResize:
    """Reads sequences of frames from videos, and resizes them: `readers.video` and `resize` in one.

    Gives frames, (F, H, W, C); labels, int32 (1,), where there are some; then frame numbers and times if they are
    wanted. One draw of an argument holds for a whole sequence. nvidia.dali has this reader on the GPU alone.
    """
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        normalized: bool | None = False,
        pad_sequences: bool | None = False,
        file_list_frame_num: bool | None = False,
        file_list_include_preceding_frame: bool | None = False,
        channels: int | None = 3,
        skip_vfr_check: bool | None = False,
        additional_decode_surfaces: int | None = 2,
        filenames: str | _Sequence[str] | None = ...,
        labels: int | _Sequence[int] | None = ...,
        file_root: str | None = ...,
        file_list: str | None = ...,
        sequence_length: int | None = ...,
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
        resize_x: float | DataNode | None = 0.0,
        resize_y: float | DataNode | None = 0.0,
        resize_z: float | DataNode | None = 0.0,
        size: float | _Sequence[float] | DataNode | None = ...,
        resize_shorter: float | DataNode | None = 0.0,
        resize_longer: float | DataNode | None = 0.0,
        max_size: float | _Sequence[float] | None = ...,
        mode: str | None = 'default',
        roi_start: float | _Sequence[float] | DataNode | None = ...,
        roi_end: float | _Sequence[float] | DataNode | None = ...,
        roi_relative: bool | None = False,
        subpixel_scale: bool | None = True,
        interp_type: DALIInterpType | DataNode | None = ...,
        min_filter: DALIInterpType | DataNode | None = ...,
        mag_filter: DALIInterpType | DataNode | None = ...,
        antialias: bool | None = True,
        minibatch_size: int | None = 32,
        temp_buffer_hint: int | None = 0,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> Any: ...

class Webdataset:
    """Reads samples from tar archives in the format of WebDataset: neighbouring files whose names begin alike.

    What is behind the first dot of a name is the extension, which says to which output a file goes. Files whose names
    begin with a dot are left out.
    """
    def __init__(
        self,
        *,
        paths: str | _Sequence[str] | None = ...,
        ext: str | _Sequence[str] | None = ...,
        index_paths: str | _Sequence[str] | None = ...,
        dtypes: DALIDataType | _Sequence[DALIDataType] | None = ...,
        case_sensitive_extensions: bool | None = True,
        missing_component_behavior: str | None = ...,
        dont_use_mmap: bool | None = False,
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
        tensor_init_bytes: int | None = 1048576,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> Any: ...
