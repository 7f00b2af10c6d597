"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.features import Feature
from dali_studio.core.enums import DALIDataType, DALIImageType, DALIInterpType
from dali_studio.api.composed import Compose as Compose
from dali_studio.ops import _conditional as _conditional
from dali_studio.ops import decoders as decoders
from dali_studio.ops import experimental as experimental
from dali_studio.ops import io as io
from dali_studio.ops import noise as noise
from dali_studio.ops import random as random
from dali_studio.ops import readers as readers
from dali_studio.ops import reductions as reductions
from dali_studio.ops import segmentation as segmentation
from dali_studio.ops import transforms as transforms
from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class AudioDecoder:
    """The former name of `decoders.audio`, which is deprecated."""
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

class AudioResample:
    """Changes the rate of a sound, by a sinc in Hann's window.

    How far is said by `in_rate` and `out_rate`, by `scale`, or by `out_length`. The filter is not made wider where the
    rate becomes lower: frequencies above half of it are folded, as in nvidia.dali. Where the type changes, numbers are
    spread over its range, and 0 of signed types becomes the middle of unsigned ones; floats reach from -1 to 1.
    """
    def __init__(
        self,
        *,
        in_rate: float | DataNode | None = ...,
        out_rate: float | DataNode | None = ...,
        scale: float | DataNode | None = ...,
        out_length: int | DataNode | None = ...,
        quality: float | None = 50.0,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        audio: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class BBoxPaste:
    """Moves boxes in relative coordinates along with images that are pasted onto a larger canvas (`paste`)."""
    def __init__(
        self,
        *,
        ratio: float | DataNode | None = ...,
        paste_x: float | DataNode | None = 0.5,
        paste_y: float | DataNode | None = 0.5,
        ltrb: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        boxes: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class BBoxRotate:
    """Turns boxes along with their images, and gives the upright boxes that hold them.

    Like `rotate`, it makes the canvas as large as the image needs, unless `keep_size` or `size` says otherwise. Boxes
    are cut to the canvas; those that lose too much are left out, with their labels.
    """
    def __init__(
        self,
        *,
        angle: float | DataNode | None = ...,
        input_shape: int | _Sequence[int] | DataNode | None = ...,
        shape_layout: str | None = ...,
        keep_size: bool | None = False,
        size: float | _Sequence[float] | DataNode | None = ...,
        bbox_layout: str | None = ...,
        bbox_normalized: bool | None = True,
        mode: str | None = 'expand',
        remove_threshold: float | None = 0.1,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        boxes: _Input,
        labels: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> list[DataNode]: ...

class BatchPermutation:
    """Draws an order of the batch: for each sample the place of another one, for permute_batch."""
    def __init__(
        self,
        *,
        allow_repetitions: bool | None = False,
        no_fixed_points: bool | None = False,
        _scope: bool | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> DataNode: ...

class BbFlip:
    """Mirrors boxes in relative coordinates (0 to 1), along with their images."""
    def __init__(
        self,
        *,
        horizontal: int | DataNode | None = 1,
        vertical: int | DataNode | None = 0,
        ltrb: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        boxes: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class BoxEncoder:
    """Matches boxes with anchors (default boxes), as single-shot detectors (SSD) are trained with.

    Gives a box and a label for each anchor, (anchors, 4) float32 and (anchors,) int32. An anchor gets the box that
    overlaps it most, if intersection over union is more than `criteria`, and each box has at least the anchor that it
    overlaps most; other anchors stay as they are, with the label 0. Boxes are given as centre and size, or with
    `offset` as what a network is to predict: their distance from the anchor, and 0 where there is none.
    """
    def __init__(
        self,
        *,
        anchors: float | _Sequence[float] | None = ...,
        criteria: float | None = 0.5,
        offset: bool | None = False,
        scale: float | None = 1.0,
        means: float | _Sequence[float] | None = ...,
        stds: float | _Sequence[float] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        boxes: _Input,
        labels: _Input,
        /,
        **arguments: Any,
    ) -> list[DataNode]: ...

class Brightness:
    """Scales and shifts intensities.

    The result is ``brightness_shift * range + brightness * x``; `range` is 255 for uint8 output, the largest value for
    other integers and 1 for floats.
    """
    def __init__(
        self,
        *,
        brightness: float | DataNode | None = 1.0,
        brightness_shift: float | DataNode | None = 0.0,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class BrightnessContrast:
    """Scales and shifts intensities about a centre.

    The result is ``brightness_shift * range + brightness * (contrast_center + contrast * (x - contrast_center))``;
    `range` is 255 for uint8 output, the largest value for other integers and 1 for floats.
    """
    def __init__(
        self,
        *,
        brightness: float | DataNode | None = 1.0,
        brightness_shift: float | DataNode | None = 0.0,
        contrast: float | DataNode | None = 1.0,
        contrast_center: float | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class COCOReader:
    """The former name of `readers.coco`, which is deprecated."""
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

class Caffe2Reader:
    """The former name of `readers.caffe2`, which is deprecated."""
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

class CaffeReader:
    """The former name of `readers.caffe`, which is deprecated."""
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

class Cast:
    """Converts the element type.

    Floats become integers by rounding half away from zero, values beyond the range of the new type saturate,
    not-a-number becomes 0, and anything but 0 becomes true.
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
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class CastLike:
    """Converts the element type to that of another input.

    Of the second input only the type counts. Values are converted as by cast.
    """
    def __init__(
        self,
        *,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        data: _Input,
        dtype_like: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Cat:
    """Joins tensors along an axis that they have.

    All other axes must be equal.
    """
    def __init__(
        self,
        *,
        axis: int | None = 0,
        axis_name: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        *input: _Input,
        **arguments: Any,
    ) -> DataNode: ...

class Clahe:
    """Equalises the histograms of tiles of the image, with a limit to how much contrast is raised.

    Between the centres of tiles the results of four tiles are interpolated. Images have one channel, or three (RGB), of
    which by default the lightness alone is changed.
    """
    def __init__(
        self,
        *,
        tiles_x: int | None = ...,
        tiles_y: int | None = ...,
        clip_limit: float | None = ...,
        luma_only: bool | None = True,
        bins: int | None = 256,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class CoinFlip:
    """The former name of `random.coin_flip`, which is deprecated."""
    def __init__(
        self,
        *,
        probability: float | DataNode | None = 0.5,
        dtype: DALIDataType | None = ...,
        shape: int | _Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        shape_like: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class ColorSpaceConversion:
    """Converts images between RGB, BGR, grey and YCbCr.

    YCbCr is the studio range of ITU-R BT.601, luma from 16 to 235; grey has the whole range from 0 to 255.
    """
    def __init__(
        self,
        *,
        image_type: DALIImageType | None = ...,
        output_type: DALIImageType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class ColorTwist:
    """Turns the hue and scales saturation, contrast and brightness of RGB images, in one pass.

    First hue and saturation as in `hsv`, then contrast about the middle of the range (128 for integers, 0.5 for
    floats), then brightness.
    """
    def __init__(
        self,
        *,
        contrast: float | DataNode | None = 1.0,
        brightness: float | DataNode | None = 1.0,
        hue: float | DataNode | None = 0.0,
        saturation: float | DataNode | None = 1.0,
        dtype: DALIDataType | None = ...,
        image_type: DALIImageType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Constant:
    """The same value for every sample; types.Constant takes it as a number, a list or an array.

    One value fills the whole shape.
    """
    def __init__(
        self,
        *,
        fdata: float | _Sequence[float] | None = ...,
        idata: int | _Sequence[int] | None = ...,
        shape: int | _Sequence[int] | None = ...,
        dtype: DALIDataType | None = ...,
        layout: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> DataNode: ...

class Contrast:
    """Moves intensities away from a centre, or towards it.

    The result is ``contrast_center + contrast * (x - contrast_center)``.
    """
    def __init__(
        self,
        *,
        contrast: float | DataNode | None = 1.0,
        contrast_center: float | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class CoordFlip:
    """Mirrors points, (points, components) float32, about a centre, along with their images."""
    def __init__(
        self,
        *,
        flip_x: int | DataNode | None = 1,
        flip_y: int | DataNode | None = 0,
        flip_z: int | DataNode | None = 0,
        center_x: float | DataNode | None = 0.5,
        center_y: float | DataNode | None = 0.5,
        center_z: float | DataNode | None = 0.5,
        layout: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        points: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class CoordTransform:
    """Transforms points or vectors, which lie along the last axis, to ``M v + T``.

    The result has as many components as the matrix has rows. Colours of pixels are vectors, too.
    """
    def __init__(
        self,
        *,
        M: float | _Sequence[float] | DataNode | None = ...,
        T: float | _Sequence[float] | DataNode | None = ...,
        MT: float | _Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        points: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Copy:
    """Gives the data as it is.

    No bytes are copied: nobody writes to results of operators.
    """
    def __init__(
        self,
        *,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Crop:
    """Cuts a window out of each image or volume.

    Without a size the image stays whole. The window's place is given by `crop_pos_y` and `crop_pos_x`, and `crop_pos_z`
    for depth or frames.
    """
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        image_type: int | None = ...,
        crop: float | _Sequence[float] | DataNode | None = ...,
        crop_h: float | DataNode | None = 0.0,
        crop_w: float | DataNode | None = 0.0,
        crop_d: float | DataNode | None = 0.0,
        crop_pos_x: float | DataNode | None = 0.5,
        crop_pos_y: float | DataNode | None = 0.5,
        crop_pos_z: float | DataNode | None = 0.5,
        rounding: str | None = 'round',
        out_of_bounds_policy: str | None = 'error',
        fill_values: float | _Sequence[float] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class CropMirrorNormalize:
    """Cuts a window, mirrors it, subtracts the mean, divides by the deviation and sets the layout.

    The result is ``(x - mean) / std * scale + shift`` per channel, in the layout `output_layout`.
    """
    def __init__(
        self,
        *,
        mean: float | _Sequence[float] | DataNode | None = ...,
        std: float | _Sequence[float] | DataNode | None = ...,
        mirror: int | DataNode | None = 0,
        dtype: DALIDataType | None = ...,
        output_layout: str | None = ...,
        pad_output: bool | None = False,
        scale: float | None = 1.0,
        shift: float | None = 0.0,
        image_type: int | None = ...,
        crop: float | _Sequence[float] | DataNode | None = ...,
        crop_h: float | DataNode | None = 0.0,
        crop_w: float | DataNode | None = 0.0,
        crop_d: float | DataNode | None = 0.0,
        crop_pos_x: float | DataNode | None = 0.5,
        crop_pos_y: float | DataNode | None = 0.5,
        crop_pos_z: float | DataNode | None = 0.5,
        rounding: str | None = 'round',
        out_of_bounds_policy: str | None = 'error',
        fill_values: float | _Sequence[float] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class DLTensorPythonFunction:
    """Calls a Python function with the batch as DLPack capsules, which frameworks take over without a copy."""
    def __init__(
        self,
        *,
        batch_processing: bool | None = True,
        synchronize_stream: bool | None = True,
        function: Any = ...,
        num_outputs: int | None = 1,
        output_layouts: str | _Sequence[str] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        *input: _Input,
        **arguments: Any,
    ) -> Any: ...

class Debayer:
    """Makes colour pictures of those of sensors that see one colour each, in Bayer's pattern.

    The algorithms are OpenCV's: `bilinear_ocv` (the default), `edgeaware_ocv`, which takes green along edges, `vng_ocv`
    (variable number of gradients), and `gray_ocv`, which gives one channel. As in OpenCV, `vng_ocv` mirrors the picture
    at its edges; for the others, the rows and columns at the edges are those beside them.
    """
    def __init__(
        self,
        *,
        blue_position: int | _Sequence[int] | DataNode | None = ...,
        algorithm: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class DumpImage:
    """Writes each image to a file of the working directory, and gives it on as it is.

    The files are texts in the format PPM, or PGM for one channel, called 0-suffix-0.ppm, 1-suffix-0.ppm and so on after
    the place of the image in its batch; the next batch overwrites them. Only programs write: in a document, and in
    the designer, nothing is written.
    """
    def __init__(
        self,
        *,
        suffix: str | None = ...,
        input_layout: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class ElementExtract:
    """Takes single elements of sequences, such as frames of a video, each as an output of its own.

    The data is not copied. Layouts must begin with F, or be unknown.
    """
    def __init__(
        self,
        *,
        element_map: int | _Sequence[int] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> Any: ...

class Equalize:
    """Spreads the histogram of each channel evenly over 0 to 255."""
    def __init__(
        self,
        *,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Erase:
    """Fills boxes of an image, or of any tensor, with a value.

    Element i of an axis is erased where ``int(anchor) <= i < int(anchor + shape)``. Axes that are not named are covered
    whole; without `axis_names` and `axes` all but C are named. Several boxes come one after the other:
    ``anchor=(y0, x0, y1, x1)``.
    """
    def __init__(
        self,
        *,
        anchor: float | _Sequence[float] | DataNode | None = ...,
        shape: float | _Sequence[float] | DataNode | None = ...,
        axis_names: str | None = ...,
        axes: int | _Sequence[int] | None = ...,
        fill_value: float | _Sequence[float] | DataNode | None = ...,
        normalized: bool | None = False,
        normalized_anchor: bool | None = False,
        normalized_shape: bool | None = False,
        centered_anchor: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class ExpandDims:
    """Adds axes of extent 1; the data is not copied.

    Without names for the new axes the result has no layout.
    """
    def __init__(
        self,
        *,
        axes: int | _Sequence[int] | None = ...,
        new_axis_names: str | None = ...,
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

class ExternalSource:
    """Brings data from the program: from a callable, an iterable, or Pipeline.feed_input.

    A batch may have fewer samples than the pipeline's batch size; the iteration then has that size. On a GPU it takes
    arrays of CuPy, tensors of PyTorch, and whatever else exports its memory, and copies them; arrays on the CPU go up.
    """
    def __init__(
        self,
        source: Any = ...,
        num_outputs: int | None = ...,
        *,
        layout: str | _Sequence[str] | None = ...,
        dtype: DALIDataType | None = ...,
        ndim: int | None = ...,
        cycle: str | None = 'no',
        batch: bool | None = True,
        batch_info: bool | None = False,
        repeat_last: bool | None = False,
        no_copy: bool | None = False,
        blocking: bool | None = False,
        parallel: bool | None = False,
        use_copy_kernel: bool | None = False,
        cuda_stream: Any = ...,
        prefetch_queue_depth: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> Any: ...

class FastResizeCropMirror:
    """Resizes without a wider filter where an axis shrinks, cuts a window and mirrors it."""
    def __init__(
        self,
        *,
        antialias: bool | None = False,
        mirror: int | DataNode | None = 0,
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
        crop: float | _Sequence[float] | DataNode | None = ...,
        crop_h: float | DataNode | None = 0.0,
        crop_w: float | DataNode | None = 0.0,
        crop_d: float | DataNode | None = 0.0,
        crop_pos_x: float | DataNode | None = 0.5,
        crop_pos_y: float | DataNode | None = 0.5,
        crop_pos_z: float | DataNode | None = 0.5,
        rounding: str | None = 'round',
        interp_type: DALIInterpType | DataNode | None = ...,
        min_filter: DALIInterpType | DataNode | None = ...,
        mag_filter: DALIInterpType | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        minibatch_size: int | None = 32,
        temp_buffer_hint: int | None = 0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class FileReader:
    """The former name of `readers.file`, which is deprecated."""
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

class Filter:
    """Slides a filter over images, volumes or signals: each result is the sum of products with what lies beneath it.

    The filter is not turned round: this is a correlation. `mode` "valid" leaves out the results for which the filter
    would reach beyond the input.
    """
    def __init__(
        self,
        *,
        anchor: int | _Sequence[int] | DataNode | None = ...,
        border: str | None = 'reflect_101',
        mode: str | None = 'same',
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        data: _Input,
        filter: _Input,
        fill_value: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Flip:
    """Mirrors images left to right and top to bottom, and volumes in depth."""
    def __init__(
        self,
        *,
        horizontal: int | DataNode | None = 1,
        vertical: int | DataNode | None = 0,
        depthwise: int | DataNode | None = 0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Full:
    """Fills tensors of a given shape with a value, which may be a tensor and is then repeated.

    Shapes meet as in arithmetic: from the last axis, where the value has one element or as many as the result. Of a
    value with more axes the first elements are taken.
    """
    def __init__(
        self,
        *,
        shape: int | _Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        fill_value: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class FullLike:
    """Fills tensors, with the shapes, layout and type of others, with a value.

    The value is converted as by cast. It may be a tensor, which is then repeated as by full.
    """
    def __init__(
        self,
        *,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        data_like: _Input,
        fill_value: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class GaussianBlur:
    """Blurs images, volumes and signals with a Gaussian window.

    Each axis but C is filtered; beyond its ends it is mirrored at its first and last pixel. A window that is not given
    reaches three deviations to each side, ``2 * ceil(3 * sigma) + 1`` pixels; a deviation that is not given follows
    from the window, ``((window_size - 1) / 2 - 1) * 0.3 + 0.8``.
    """
    def __init__(
        self,
        *,
        sigma: float | _Sequence[float] | DataNode | None = ...,
        window_size: int | _Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class GetProperty:
    """A text that goes with each sample, as a row of its bytes: the layout, or the file that it came from."""
    def __init__(
        self,
        *,
        key: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class GridMask:
    """Covers images with a grid of black squares.

    The first two axes are rows and columns, whatever the layout says.
    """
    def __init__(
        self,
        *,
        tile: int | DataNode | None = 100,
        ratio: float | DataNode | None = 0.5,
        angle: float | DataNode | None = 0.0,
        shift_x: float | DataNode | None = 0.0,
        shift_y: float | DataNode | None = 0.0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Hsv:
    """Turns the hue and scales saturation and value of RGB images.

    A linear 3x3 transformation in the YIQ space, as DALI defines it, not a conversion to the HSV cone: hue rotates
    the chrominance plane, saturation and value scale chrominance and everything.
    """
    def __init__(
        self,
        *,
        value: float | DataNode | None = 1.0,
        dtype: DALIDataType | None = ...,
        hue: float | DataNode | None = 0.0,
        saturation: float | DataNode | None = 1.0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Hue:
    """Turns the hue of RGB images: a rotation of the chrominance plane of YIQ, as in `hsv`."""
    def __init__(
        self,
        *,
        hue: float | DataNode | None = 0.0,
        dtype: DALIDataType | None = ...,
        image_type: DALIImageType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class ImageDecoder:
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

class ImageDecoderCrop:
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

class ImageDecoderRandomCrop:
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

class ImageDecoderSlice:
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

class Jitter:
    """Replaces each pixel by one of its neighbourhood, drawn at random.

    Rows and columns of the neighbourhood begin ``nDegree // 2`` before the pixel, and are `nDegree` many; those beyond
    the image are the nearest ones inside. Whole pixels are moved.
    """
    def __init__(
        self,
        *,
        nDegree: int | None = 2,
        seed: int | None = ...,
        interp_type: DALIInterpType | None = ...,
        fill_value: float | None = 0.0,
        mask: int | DataNode | None = 1,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class JpegCompressionDistortion:
    """Gives RGB images what JPEG compression does to them: blocks, and colours at half the resolution.

    The pixels are those of a file that libjpeg-turbo has written (4:2:0) and read again; no file is made.
    """
    def __init__(
        self,
        *,
        quality: int | DataNode | None = 50,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Laplacian:
    """Computes the sum of second derivatives: edges and spots stand out.

    The derivative along an axis is a convolution with a window of `window_size` weights along it, and with smoothing
    windows along the others, of `smoothing_size` weights or, without it, as many. Beyond its ends each axis but C is
    mirrored at its first and last pixel.
    """
    def __init__(
        self,
        *,
        window_size: int | _Sequence[int] | DataNode | None = ...,
        smoothing_size: int | _Sequence[int] | DataNode | None = ...,
        scale: float | _Sequence[float] | DataNode | None = ...,
        normalized_kernel: bool | None = False,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class LookupTable:
    """Replaces each element by the value of a table.

    Elements that are none of the keys become `default_value`. Values are rounded half away from zero for integer
    results, and saturate.
    """
    def __init__(
        self,
        *,
        keys: int | _Sequence[int] | None = ...,
        values: float | _Sequence[float] | None = ...,
        default_value: float | None = 0.0,
        dtype: DALIDataType | None = ...,
        output_dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class MFCC:
    """Mel-frequency cepstral coefficients: a discrete cosine transform of mel spectra in decibels."""
    def __init__(
        self,
        *,
        n_mfcc: int | None = 20,
        dct_type: int | None = 2,
        normalize: bool | None = False,
        axis: int | None = 0,
        lifter: float | None = 0.0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        mel: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class MXNetReader:
    """The former name of `readers.mxnet`, which is deprecated."""
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

class MelFilterBank:
    """Spectra on the mel scale: weighted sums of frequencies, by triangular filters that overlap by half.

    The axis of the frequencies is the one that the layout calls ``f``; without a layout it is the last but one, or the
    only one.
    """
    def __init__(
        self,
        *,
        nfilter: int | None = 128,
        sample_rate: float | None = 44100.0,
        freq_low: float | None = 0.0,
        freq_high: float | None = 0.0,
        normalize: bool | None = True,
        mel_formula: str | None = 'slaney',
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        spectrogram: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class MultiPaste:
    """Pastes regions of images onto a canvas, one over the other.

    Each sample is made of those of all inputs or, with `in_ids`, of samples of the one input. Where nothing is pasted
    the canvas is 0. Regions are given by wires.
    """
    def __init__(
        self,
        *,
        in_ids: int | _Sequence[int] | DataNode | None = ...,
        output_size: int | _Sequence[int] | DataNode | None = ...,
        in_anchors: int | DataNode | None = ...,
        in_anchors_rel: float | DataNode | None = ...,
        shapes: int | DataNode | None = ...,
        shapes_rel: float | DataNode | None = ...,
        out_anchors: int | DataNode | None = ...,
        out_anchors_rel: float | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        *image: _Input,
        **arguments: Any,
    ) -> DataNode: ...

class NemoAsrReader:
    """The former name of `readers.nemo_asr`, which is deprecated."""
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

class NonsilentRegion:
    """Finds where a sound begins and ends, for `slice` to cut off the silence around it.

    The power at a place is the mean square of a window of `window_length` samples; silent is what lies more than
    `cutoff_db` below the reference. Gives the first sample and the number of samples, int32; both are 0 for a sound
    that is silent throughout.
    """
    def __init__(
        self,
        *,
        cutoff_db: float | None = -60.0,
        window_length: int | None = 2048,
        reference_power: float | None = ...,
        reset_interval: int | None = 8192,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        audio: _Input,
        /,
        **arguments: Any,
    ) -> list[DataNode]: ...

class NormalDistribution:
    """The former name of `random.normal`, which is deprecated."""
    def __init__(
        self,
        *,
        mean: float | DataNode | None = 0.0,
        stddev: float | DataNode | None = 1.0,
        dtype: DALIDataType | None = ...,
        shape: int | _Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        shape_like: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Normalize:
    """Subtracts the mean and divides by the standard deviation, both of the data itself or given.

    They are taken along axes, all by default, of each sample or of the whole batch. Where nothing deviates the result
    is the shift. What is given for each sample has one element along the axes, and as many as the data along others.
    """
    def __init__(
        self,
        *,
        batch: bool | None = False,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
        mean: float | DataNode | None = ...,
        stddev: float | DataNode | None = ...,
        scale: float | None = 1.0,
        shift: float | None = 0.0,
        epsilon: float | None = 0.0,
        ddof: int | None = 0,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class NumpyReader:
    """The former name of `readers.numpy`, which is deprecated."""
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

class OneHot:
    """Makes a row of each class number, with one value at the place of the class and another elsewhere.

    Numbers that are no class give a row without it. A batch of single numbers of any shape gives single rows, unless an
    axis is named.
    """
    def __init__(
        self,
        *,
        num_classes: int | None = 0,
        axis: int | None = ...,
        axis_name: str | None = ...,
        on_value: float | None = 1.0,
        off_value: float | None = 0.0,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Ones:
    """Makes tensors of ones."""
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        shape: int | _Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> DataNode: ...

class OnesLike:
    """Makes tensors of ones, with the shapes, layout and type of others."""
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
        data_like: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class OpticalFlow:
    """Finds where the pixels of each frame were in the frame before, by the optical flow hardware of NVIDIA's GPUs.

    Of F frames it gives F - 1 fields of vectors (x, y), in pixels of the frames, one for each square of `output_grid`
    pixels. The hardware and the library that drives it come with the GPU and its driver; nothing computes the vectors
    on the CPU. Frames of one size in a row are the fastest.
    """
    def __init__(
        self,
        *,
        preset: float | None = 0.0,
        output_grid: int | None = 4,
        hint_grid: int | None = 4,
        enable_temporal_hints: bool | None = False,
        enable_external_hints: bool | None = False,
        image_type: DALIImageType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        frames: _Input,
        hints: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Pad:
    """Makes tensors larger, by a value behind their last elements.

    The extents become those of `shape` or, where it is 0 or less, the largest of the batch; then they grow to multiples
    of `align`. An extent that is larger already stays. Axes that are not named stay, too; without `axes` and
    `axis_names` all are meant.
    """
    def __init__(
        self,
        *,
        axes: int | _Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        shape: int | _Sequence[int] | DataNode | None = ...,
        align: int | _Sequence[int] | DataNode | None = ...,
        fill_value: float | DataNode | None = 0.0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Paste:
    """Puts images onto larger canvases."""
    def __init__(
        self,
        *,
        fill_value: int | _Sequence[int] | None = ...,
        ratio: float | DataNode | None = ...,
        paste_x: float | DataNode | None = 0.5,
        paste_y: float | DataNode | None = 0.5,
        min_canvas_size: float | DataNode | None = 0.0,
        n_channels: int | None = 3,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class PeekImageShape:
    """Height, width and channels of encoded images, from their headers; no pixel is decoded."""
    def __init__(
        self,
        *,
        image_type: DALIImageType | None = ...,
        adjust_orientation: bool | None = True,
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

class PerFrame:
    """Marks the first axis as frames, so that an argument has a value for each frame of a sequence.

    Only the layout changes: its first letter becomes F. Without a layout the further axes are named ``*``.
    """
    def __init__(
        self,
        *,
        replace: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class PermuteBatch:
    """Puts the samples of a batch into another order.

    A sample may be taken several times, or not at all.
    """
    def __init__(
        self,
        *,
        indices: int | _Sequence[int] | DataNode | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class PowerSpectrum:
    """The spectrum of a signal, or of each of several signals that lie side by side.

    Gives ``nfft // 2 + 1`` numbers in place of the samples. A signal that is shorter than the transform stands in its
    middle, zeros around it; of a longer one the beginning is taken.
    """
    def __init__(
        self,
        *,
        nfft: int | None = ...,
        axis: int | None = -1,
        power: int | None = 2,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        signal: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class PreemphasisFilter:
    """Makes high frequencies of a sound louder: takes from each sample a part of the one before.

    ``out[t] = in[t] - preemph_coeff * in[t - 1]``. Tensors of several axes are taken as one row of samples.
    """
    def __init__(
        self,
        *,
        preemph_coeff: float | DataNode | None = 0.97,
        dtype: DALIDataType | None = ...,
        border: str | None = 'clamp',
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        audio: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class PythonFunction:
    """Calls a Python function with the samples, as arrays of numpy, or of CuPy on a GPU.

    The function is called for one sample after the other, since Python runs one at a time.
    """
    def __init__(
        self,
        *,
        function: Any = ...,
        num_outputs: int | None = 1,
        batch_processing: bool | None = False,
        output_layouts: str | _Sequence[str] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        *input: _Input,
        **arguments: Any,
    ) -> Any: ...

class ROIRandomCrop:
    """Draws where a window of a given size begins, so that it holds a region, or as much of it as it can.

    A window that is smaller than the region lies in it. With the shape of the image, by an input or by `in_shape`, the
    window stays inside. Gives int64 (axes,), for `slice`.
    """
    def __init__(
        self,
        *,
        crop_shape: int | _Sequence[int] | DataNode | None = ...,
        roi_start: int | _Sequence[int] | DataNode | None = ...,
        roi_end: int | _Sequence[int] | DataNode | None = ...,
        roi_shape: int | _Sequence[int] | DataNode | None = ...,
        in_shape: int | _Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class RandomBBoxCrop:
    """Draws a crop window for each image, so that enough of the boxes is in it, and brings the boxes into it.

    Windows are drawn until one has sides of the wanted ratio and the boxes overlap it as one of the `thresholds`, drawn
    anew for each round of `num_attempts`, demands; not to crop is one choice more. Gives where the window begins and
    its size, (x, y) and (width, height), relative to the image, for `slice` and `decoders.image_slice`; boxes in
    relative coordinates of the window, cut to it, without those whose centre is outside; labels, where there are some;
    and numbers of the boxes that are left, with `output_bbox_indices`.
    """
    def __init__(
        self,
        *,
        aspect_ratio: float | _Sequence[float] | None = ...,
        scaling: float | _Sequence[float] | None = ...,
        thresholds: float | _Sequence[float] | None = ...,
        threshold_type: str | None = 'iou',
        all_boxes_above_threshold: bool | None = True,
        allow_no_crop: bool | None = True,
        num_attempts: int | None = 1,
        total_num_attempts: int | None = -1,
        bbox_prune_threshold: float | None = ...,
        bbox_layout: str | None = ...,
        ltrb: bool | None = True,
        crop_shape: int | _Sequence[int] | DataNode | None = ...,
        input_shape: int | _Sequence[int] | DataNode | None = ...,
        shape_layout: str | None = ...,
        output_bbox_indices: bool | None = False,
        quiet: bool | None = False,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        boxes: _Input,
        labels: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> list[DataNode]: ...

class RandomCropGenerator:
    """Draws a window in images of given shapes, as `decoders.image_random_crop` does with the same seed.

    Gives where it begins, (y, x), and its size, (height, width), int32, for `slice` or `decoders.image_slice`.
    """
    def __init__(
        self,
        *,
        random_area: float | _Sequence[float] | None = ...,
        random_aspect_ratio: float | _Sequence[float] | None = ...,
        num_attempts: int | None = 10,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        shapes: _Input,
        /,
        **arguments: Any,
    ) -> list[DataNode]: ...

class RandomResizedCrop:
    """Resizes a random window of each image.

    The window's area and aspect ratio are drawn until it fits, at most `num_attempts` times, then its place. All frames
    of a sequence show the same window. Pixels beside the window are read where the filter reaches them.
    """
    def __init__(
        self,
        *,
        size: int | _Sequence[int] | None = ...,
        random_area: float | _Sequence[float] | None = ...,
        random_aspect_ratio: float | _Sequence[float] | None = ...,
        num_attempts: int | None = 10,
        seed: int | None = ...,
        interp_type: DALIInterpType | DataNode | None = ...,
        min_filter: DALIInterpType | DataNode | None = ...,
        mag_filter: DALIInterpType | DataNode | None = ...,
        antialias: bool | None = True,
        dtype: DALIDataType | None = ...,
        minibatch_size: int | None = 32,
        temp_buffer_hint: int | None = 0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Reinterpret:
    """Takes the bytes of the data for elements of another type; the data is not copied.

    Without a shape the last axis becomes longer or shorter. Shapes are given as for reshape, in elements of the new
    type.
    """
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        shape: int | _Sequence[int] | DataNode | None = ...,
        rel_shape: float | _Sequence[float] | DataNode | None = ...,
        layout: str | None = ...,
        src_dims: int | _Sequence[int] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        data: _Input,
        shape_input: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Reshape:
    """Gives the same elements another shape, or other names to the axes; the data is not copied.

    The shape comes as a list, of which one extent may be -1 and follows from the others; as a fed value for each
    sample; as a second input; or relative to the data's.
    """
    def __init__(
        self,
        *,
        shape: int | _Sequence[int] | DataNode | None = ...,
        rel_shape: float | _Sequence[float] | DataNode | None = ...,
        layout: str | None = ...,
        src_dims: int | _Sequence[int] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        data: _Input,
        shape_input: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Resize:
    """Resamples images and volumes to another size.

    The axes are filtered one after the other. Pixel i has its centre at i + 0.5; beyond the edge the nearest pixel
    counts. When an axis shrinks, `antialias` widens the filter by the scale.
    """
    def __init__(
        self,
        *,
        save_attrs: bool | None = False,
        image_type: int | None = ...,
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
        dtype: DALIDataType | None = ...,
        minibatch_size: int | None = 32,
        temp_buffer_hint: int | None = 0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> Any: ...

class ResizeCropMirror:
    """Resizes images and volumes, cuts a window out of the result and mirrors it; no more is computed than the window.

    A window that leaves the resized image shows its edges, repeated.
    """
    def __init__(
        self,
        *,
        mirror: int | DataNode | None = 0,
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
        crop: float | _Sequence[float] | DataNode | None = ...,
        crop_h: float | DataNode | None = 0.0,
        crop_w: float | DataNode | None = 0.0,
        crop_d: float | DataNode | None = 0.0,
        crop_pos_x: float | DataNode | None = 0.5,
        crop_pos_y: float | DataNode | None = 0.5,
        crop_pos_z: float | DataNode | None = 0.5,
        rounding: str | None = 'round',
        interp_type: DALIInterpType | DataNode | None = ...,
        min_filter: DALIInterpType | DataNode | None = ...,
        mag_filter: DALIInterpType | DataNode | None = ...,
        antialias: bool | None = True,
        dtype: DALIDataType | None = ...,
        minibatch_size: int | None = 32,
        temp_buffer_hint: int | None = 0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Rotate:
    """Rotates images about their centre, and volumes about an axis through it.

    The canvas grows to hold the whole result, unless `keep_size` or `size` is set. Outside the image lies
    `fill_value`, or the nearest edge pixel if it is unset.
    """
    def __init__(
        self,
        *,
        angle: float | DataNode | None = ...,
        keep_size: bool | None = False,
        axis: float | _Sequence[float] | DataNode | None = ...,
        fill_value: float | None = ...,
        interp_type: DALIInterpType | None = ...,
        size: float | _Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class SSDRandomCrop:
    """Cuts a random window out of each image, which the boxes overlap as much as a threshold that is drawn demands.

    As `random_bbox_crop`, which also gives the window itself, with the settings of the first SSD. Boxes come back
    relative to the window, without those whose centre is outside.
    """
    def __init__(
        self,
        *,
        num_attempts: int | None = 1,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        images: _Input,
        boxes: _Input,
        labels: _Input,
        /,
        **arguments: Any,
    ) -> list[DataNode]: ...

class Saturation:
    """Scales the saturation of RGB images: the chrominance plane of YIQ, as in `hsv`."""
    def __init__(
        self,
        *,
        saturation: float | DataNode | None = 1.0,
        dtype: DALIDataType | None = ...,
        image_type: DALIImageType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class SequenceReader:
    """The former name of `readers.sequence`, which is deprecated."""
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

class SequenceRearrange:
    """Puts the elements of sequences, such as frames of a video, into another order.

    An element may be taken several times, or not at all. Layouts must begin with F, or be unknown.
    """
    def __init__(
        self,
        *,
        new_order: int | _Sequence[int] | DataNode | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Shapes:
    """The extents of each sample, as a row of numbers.

    Only the shapes are read, wherever the data lies, and the result is on the CPU.
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
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Slice:
    """Cuts a window out of a tensor of any number of axes.

    The window begins at `start` or `rel_start`, and ends at `end` or `rel_end`, or extends over `shape` or `rel_shape`;
    relative ones are fractions of the input's extents. Or its first element and its extents come by the inputs `anchor`
    and `shape`. There is a number for each of the axes that `axes` or `axis_names` name, or one for all; other axes
    are kept whole. Begin and end are rounded to the nearest element.
    """
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        image_type: int | None = ...,
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
        out_of_bounds_policy: str | None = 'error',
        fill_values: float | _Sequence[float] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        data: _Input,
        anchor: _Input | None = ...,
        shape_input: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Spectrogram:
    """The spectra of windows of a sound, one after the other.

    Gives float32 (frequencies, windows), where frequency ``k`` is that of ``k / nfft`` periods a sample, up to a half.
    A window that is shorter than the transform stands in its middle, zeros around it.
    """
    def __init__(
        self,
        *,
        window_length: int | None = 512,
        window_step: int | None = 256,
        nfft: int | None = ...,
        power: int | None = 2,
        window_fn: float | _Sequence[float] | None = ...,
        center_windows: bool | None = True,
        reflect_padding: bool | None = True,
        layout: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        audio: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Sphere:
    """Shows images as through a glass ball.

    With ``d`` the distance from the centre, as a part of half the longer side, a point comes from ``d`` times as far
    from the centre in its own direction.
    """
    def __init__(
        self,
        *,
        interp_type: DALIInterpType | None = ...,
        fill_value: float | None = 0.0,
        mask: int | DataNode | None = 1,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Squeeze:
    """Takes away axes of extent 1; the data is not copied.

    As in nvidia.dali, axes that are not there are passed over.
    """
    def __init__(
        self,
        *,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
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

class Stack:
    """Joins tensors of one shape along a new axis.

    Without a name for the new axis the result has no layout.
    """
    def __init__(
        self,
        *,
        axis: int | None = 0,
        axis_name: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        *input: _Input,
        **arguments: Any,
    ) -> DataNode: ...

class TFRecordReader:
    """The former name of `readers.tfrecord`, which is deprecated."""
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

class TensorResize:
    """Resamples up to three neighbouring axes of a tensor.

    Without `axes` and `axis_names` all axes are meant; those at either end whose extents stay as they are do not count.
    There is a number for each of the axes, or one for all.
    """
    def __init__(
        self,
        *,
        sizes: float | _Sequence[float] | DataNode | None = ...,
        scales: float | _Sequence[float] | DataNode | None = ...,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
        alignment: float | _Sequence[float] | DataNode | None = ...,
        size_rounding: str | None = 'round',
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
        dtype: DALIDataType | None = ...,
        minibatch_size: int | None = 32,
        temp_buffer_hint: int | None = 0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class ToDecibels:
    """Magnitudes as decibels of a reference.

    ``multiplier * log10(magnitude / reference)``, or `cutoff_db` where that is less.
    """
    def __init__(
        self,
        *,
        multiplier: float | None = 10.0,
        reference: float | None = ...,
        cutoff_db: float | None = -200.0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        magnitudes: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class TransformTranslation:
    """The former name of `transforms.translation`, which is deprecated."""
    def __init__(
        self,
        *,
        offset: float | _Sequence[float] | DataNode | None = ...,
        reverse_order: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        transform: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Transpose:
    """Puts the axes into another order.

    Without an order they are reversed. The letters of the layout go with their axes.
    """
    def __init__(
        self,
        *,
        perm: int | _Sequence[int] | None = ...,
        transpose_layout: bool | None = True,
        output_layout: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Uniform:
    """The former name of `random.uniform`, which is deprecated."""
    def __init__(
        self,
        *,
        range: float | _Sequence[float] | DataNode | None = ...,
        values: float | _Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        shape: int | _Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        shape_like: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class VideoReader:
    """The former name of `readers.video`, which is deprecated."""
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

class VideoReaderResize:
    """The former name of `readers.video_resize`, which is deprecated."""
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

class WarpAffine:
    """Moves, scales, turns and shears images by a matrix.

    The matrix takes the centre of an output pixel, as a point (x, y) whose origin is the corner of the image, or of a
    volume as a point (x, y, z), to the input; with `inverse_map` off it takes input to output. Outside the image lies
    `fill_value`, or the nearest edge pixel if it is unset.
    """
    def __init__(
        self,
        *,
        matrix: float | _Sequence[float] | DataNode | None = ...,
        inverse_map: bool | None = True,
        fill_value: float | None = ...,
        interp_type: DALIInterpType | None = ...,
        size: float | _Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        mtx: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Water:
    """Shows images as if they lay under water: rows and columns are moved by waves.

    The pixel at (x, y) comes from ``x + ampl_x * sin(freq_x * y + phase_x)`` and
    ``y + ampl_y * cos(freq_y * x + phase_y)``, where whole numbers are the corners of pixels.
    """
    def __init__(
        self,
        *,
        ampl_x: float | None = 10.0,
        ampl_y: float | None = 10.0,
        freq_x: float | None = 0.04908738521234052,
        freq_y: float | None = 0.04908738521234052,
        phase_x: float | None = 0.0,
        phase_y: float | None = 0.0,
        interp_type: DALIInterpType | None = ...,
        fill_value: float | None = 0.0,
        mask: int | DataNode | None = 1,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Zeros:
    """Makes tensors of zeros."""
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        shape: int | _Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> DataNode: ...

class ZerosLike:
    """Makes tensors of zeros, with the shapes, layout and type of others."""
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
        data_like: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...
