"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.enums import DALIDataType
from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class Max:
    """The largest of elements.

    What is no number counts as nothing.
    """
    def __init__(
        self,
        *,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = False,
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

class Mean:
    """The mean of elements."""
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = False,
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

class MeanSquare:
    """The mean of the squares of elements."""
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = False,
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

class Min:
    """The smallest of elements.

    What is no number counts as nothing.
    """
    def __init__(
        self,
        *,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = False,
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

class RMS:
    """The square root of the mean of the squares of elements."""
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = False,
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

class StdDev:
    """The standard deviation from a mean that is given."""
    def __init__(
        self,
        *,
        ddof: int | None = 0,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        data: _Input,
        mean: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Sum:
    """Adds up elements.

    Whole numbers are added up in 64 bits unless `dtype` says otherwise.
    """
    def __init__(
        self,
        *,
        dtype: DALIDataType | None = ...,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = False,
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

class Variance:
    """The variance around a mean that is given."""
    def __init__(
        self,
        *,
        ddof: int | None = 0,
        axes: int | _Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        data: _Input,
        mean: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...
