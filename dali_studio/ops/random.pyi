"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.enums import DALIDataType
from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class Beta:
    """Draws numbers from 0 to 1 that have the beta distribution.

    The numbers are those of DALI for the same seed, up to their last bits.
    """
    def __init__(
        self,
        *,
        alpha: float | DataNode | None = 1.0,
        beta: float | DataNode | None = 1.0,
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

class Choice:
    """Draws elements of an array, or whole numbers below a limit.

    The first input is a number n, for draws from 0 to n - 1, or an array, from whose first axis elements are taken.
    """
    def __init__(
        self,
        *,
        p: float | _Sequence[float] | DataNode | None = ...,
        shape: int | _Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        a: _Input,
        shape_like: _Input | None = ...,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class CoinFlip:
    """Draws 1 with a given probability, otherwise 0."""
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

class Normal:
    """Draws normally distributed numbers.

    The numbers are those of DALI for the same seed, up to their last bits, on any device.
    """
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

class Uniform:
    """Draws numbers that are equally likely between two limits, or from a list.

    The numbers are those of DALI for the same seed, on any device and with any number of threads.
    """
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
