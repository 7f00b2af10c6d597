"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.enums import DALIDataType, DALIImageType, DALIInterpType
from dali_studio.ops import _conditional as _conditional
from dali_studio.ops import decoders as decoders
from dali_studio.ops import noise as noise
from dali_studio.ops import random as random
from dali_studio.ops import readers as readers
from dali_studio.ops import reductions as reductions
from dali_studio.pipeline import DataNode

_Input = DataNode | Sequence[DataNode] | NDArray[Any] | np.generic | float

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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        *input: _Input,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
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
        crop: float | Sequence[float] | DataNode | None = ...,
        crop_h: float | DataNode | None = 0.0,
        crop_w: float | DataNode | None = 0.0,
        crop_d: float | DataNode | None = 0.0,
        crop_pos_x: float | DataNode | None = 0.5,
        crop_pos_y: float | DataNode | None = 0.5,
        crop_pos_z: float | DataNode | None = 0.5,
        rounding: str | None = 'round',
        out_of_bounds_policy: str | None = 'error',
        fill_values: float | Sequence[float] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        mean: float | Sequence[float] | DataNode | None = ...,
        std: float | Sequence[float] | DataNode | None = ...,
        mirror: int | DataNode | None = 0,
        dtype: DALIDataType | None = ...,
        output_layout: str | None = ...,
        pad_output: bool | None = False,
        scale: float | None = 1.0,
        shift: float | None = 0.0,
        crop: float | Sequence[float] | DataNode | None = ...,
        crop_h: float | DataNode | None = 0.0,
        crop_w: float | DataNode | None = 0.0,
        crop_d: float | DataNode | None = 0.0,
        crop_pos_x: float | DataNode | None = 0.5,
        crop_pos_y: float | DataNode | None = 0.5,
        crop_pos_z: float | DataNode | None = 0.5,
        rounding: str | None = 'round',
        out_of_bounds_policy: str | None = 'error',
        fill_values: float | Sequence[float] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        anchor: float | Sequence[float] | DataNode | None = ...,
        shape: float | Sequence[float] | DataNode | None = ...,
        axis_names: str | None = ...,
        axes: int | Sequence[int] | None = ...,
        fill_value: float | Sequence[float] | DataNode | None = ...,
        normalized: bool | None = False,
        normalized_anchor: bool | None = False,
        normalized_shape: bool | None = False,
        centered_anchor: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
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
        *,
        source: Any = ...,
        num_outputs: int | None = ...,
        layout: str | Sequence[str] | None = ...,
        dtype: DALIDataType | None = ...,
        ndim: int | None = ...,
        cycle: str | None = 'no',
        batch: bool | None = True,
        batch_info: bool | None = False,
        repeat_last: bool | None = False,
        no_copy: bool | None = False,
        use_copy_kernel: bool | None = False,
        cuda_stream: Any = ...,
        prefetch_queue_depth: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        **arguments: Any,
    ) -> Any: ...

class Flip:
    """Mirrors images left to right and top to bottom, and volumes in depth."""
    def __init__(
        self,
        *,
        horizontal: int | DataNode | None = 1,
        vertical: int | DataNode | None = 0,
        depthwise: int | DataNode | None = 0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
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
        sigma: float | Sequence[float] | DataNode | None = ...,
        window_size: int | Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
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
        in_ids: int | Sequence[int] | DataNode | None = ...,
        output_size: int | Sequence[int] | DataNode | None = ...,
        in_anchors: int | DataNode | None = ...,
        in_anchors_rel: float | DataNode | None = ...,
        shapes: int | DataNode | None = ...,
        shapes_rel: float | DataNode | None = ...,
        out_anchors: int | DataNode | None = ...,
        out_anchors_rel: float | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        *image: _Input,
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
        axes: int | Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        shape: int | Sequence[int] | DataNode | None = ...,
        align: int | Sequence[int] | DataNode | None = ...,
        fill_value: float | DataNode | None = 0.0,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        fill_value: int | Sequence[int] | None = ...,
        ratio: float | DataNode | None = ...,
        paste_x: float | DataNode | None = 0.5,
        paste_y: float | DataNode | None = 0.5,
        min_canvas_size: float | DataNode | None = 0.0,
        n_channels: int | None = 3,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        indices: int | Sequence[int] | DataNode | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
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
        output_layouts: str | Sequence[str] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        *input: _Input,
        **arguments: Any,
    ) -> Any: ...

class Resize:
    """Resamples images to another size.

    Rows and columns are filtered one after the other. Pixel i has its centre at i + 0.5; beyond the edge the nearest
    pixel counts. When an axis shrinks, `antialias` widens the filter by the scale.
    """
    def __init__(
        self,
        *,
        interp_type: DALIInterpType | None = ...,
        min_filter: DALIInterpType | None = ...,
        mag_filter: DALIInterpType | None = ...,
        antialias: bool | None = True,
        dtype: DALIDataType | None = ...,
        minibatch_size: int | None = 32,
        temp_buffer_hint: int | None = 0,
        resize_x: float | DataNode | None = 0.0,
        resize_y: float | DataNode | None = 0.0,
        size: float | Sequence[float] | DataNode | None = ...,
        resize_shorter: float | DataNode | None = 0.0,
        resize_longer: float | DataNode | None = 0.0,
        max_size: float | Sequence[float] | None = ...,
        mode: str | None = 'default',
        roi_start: float | Sequence[float] | DataNode | None = ...,
        roi_end: float | Sequence[float] | DataNode | None = ...,
        roi_relative: bool | None = False,
        subpixel_scale: bool | None = True,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        axis: float | Sequence[float] | DataNode | None = ...,
        fill_value: float | None = ...,
        interp_type: DALIInterpType | None = ...,
        size: float | Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Saturation:
    """Scales the saturation of RGB images: the chrominance plane of YIQ, as in `hsv`."""
    def __init__(
        self,
        *,
        saturation: float | DataNode | None = 1.0,
        dtype: DALIDataType | None = ...,
        image_type: DALIImageType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        axes: int | Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        start: int | Sequence[int] | DataNode | None = ...,
        rel_start: float | Sequence[float] | DataNode | None = ...,
        end: int | Sequence[int] | DataNode | None = ...,
        rel_end: float | Sequence[float] | DataNode | None = ...,
        shape: int | Sequence[int] | DataNode | None = ...,
        rel_shape: float | Sequence[float] | DataNode | None = ...,
        normalized_anchor: bool | None = True,
        normalized_shape: bool | None = True,
        dtype: DALIDataType | None = ...,
        out_of_bounds_policy: str | None = 'error',
        fill_values: float | Sequence[float] | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        data: _Input,
        anchor: _Input | None = ...,
        shape: _Input | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        *input: _Input,
        **arguments: Any,
    ) -> DataNode: ...

class WarpAffine:
    """Moves, scales, turns and shears images by a matrix.

    The matrix takes the centre of an output pixel, as a point (x, y) whose origin is the corner of the image, or of a
    volume as a point (x, y, z), to the input; with `inverse_map` off it takes input to output. Outside the image lies
    `fill_value`, or the nearest edge pixel if it is unset.
    """
    def __init__(
        self,
        *,
        matrix: float | Sequence[float] | DataNode | None = ...,
        inverse_map: bool | None = True,
        fill_value: float | None = ...,
        interp_type: DALIInterpType | None = ...,
        size: float | Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
