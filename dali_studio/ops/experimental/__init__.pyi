"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.enums import DALIDataType, DALIImageType, DALIInterpType
from dali_studio.ops.experimental import decoders as decoders
from dali_studio.ops.experimental import inputs as inputs
from dali_studio.ops.experimental import readers as readers
from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class AudioResample:
    """The former name of `audio_resample`, which is deprecated."""
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

class Debayer:
    """The former name of `debayer`, which is deprecated."""
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

class Dilate:
    """Replaces each value by the largest one under a rectangle: what is bright grows.

    Each channel is taken by itself.
    """
    def __init__(
        self,
        *,
        mask_size: int | _Sequence[int] | DataNode | None = ...,
        anchor: int | _Sequence[int] | DataNode | None = ...,
        iterations: int | None = 1,
        border_mode: str | None = 'constant',
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

class Equalize:
    """The former name of `equalize`, which is deprecated."""
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

class Erode:
    """Replaces each value by the smallest one under a rectangle: what is bright shrinks.

    Each channel is taken by itself.
    """
    def __init__(
        self,
        *,
        mask_size: int | _Sequence[int] | DataNode | None = ...,
        anchor: int | _Sequence[int] | DataNode | None = ...,
        iterations: int | None = 1,
        border_mode: str | None = 'constant',
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

class Filter:
    """The former name of `filter`, which is deprecated."""
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

class Inflate:
    """The former name of `decoders.inflate`, which is deprecated."""
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

class MedianBlur:
    """Replaces each value by the middle one of a window around it: spots vanish, edges stay.

    Each channel is taken by itself. Beyond the edges of the image its edge pixels are repeated.
    """
    def __init__(
        self,
        *,
        window_size: int | _Sequence[int] | DataNode | None = ...,
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
    """The former name of `peek_image_shape`, which is deprecated."""
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

class Remap:
    """Fetches each pixel from the point of the image that two maps give; outside the image lies 0.

    The pixel at (x, y) of the result comes from ``(mapx[y, x], mapy[y, x])``.
    """
    def __init__(
        self,
        *,
        interp: DALIInterpType | None = ...,
        pixel_origin: str | None = 'corner',
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        mapx: _Input,
        mapy: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Resize:
    """Resamples images and volumes to another size, as ``resize`` does; nvidia.dali has it on the GPU alone."""
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

class TensorResize:
    """The former name of `tensor_resize`, which is deprecated."""
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

class WarpPerspective:
    """Shows images as if they were seen from another place: straight lines stay straight.

    The matrix takes a point (x, y, 1) of the output to (x, y, w) of the input, whose point is (x / w, y / w); with
    `inverse_map` off it takes input to output.
    """
    def __init__(
        self,
        *,
        matrix: float | _Sequence[float] | DataNode | None = ...,
        size: float | _Sequence[float] | DataNode | None = ...,
        inverse_map: bool | None = True,
        interp_type: DALIInterpType | None = ...,
        border_mode: str | None = 'constant',
        fill_value: float | _Sequence[float] | None = ...,
        pixel_origin: str | None = 'corner',
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        image: _Input,
        matrix_input: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...
