"""What ``fn.readers.tfrecord`` takes from each record; same names as ``nvidia.dali.tfrecord``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from dali_studio.core.features import FLOAT32 as float32  # noqa: N811 - nvidia.dali's names
from dali_studio.core.features import INT64 as int64  # noqa: N811
from dali_studio.core.features import STRING as string  # noqa: N811
from dali_studio.core.features import Feature, fixed_length, variable_length

__all__ = ["Feature", "FixedLenFeature", "VarLenFeature", "float32", "int64", "string"]


def FixedLenFeature(shape: Sequence[int], dtype: int, default: float | str) -> Feature:  # noqa: N802 - likewise
    """A feature with the same shape in all records.

    Parameters
    ----------
    shape : sequence of int
        Of the sample; empty for a scalar, and for a string.
    dtype : int
        `int64`, `float32` or `string`.
    default : int, float or str
        What stands for values that a record lacks; as `dtype` says.

    Raises
    ------
    ValueError
        If one of them is not acceptable.
    """
    return fixed_length(shape, dtype, default)


@overload
def VarLenFeature(dtype: int, default: float | str, /) -> Feature: ...
@overload
def VarLenFeature(shape: Sequence[int], dtype: int, default: float | str, /) -> Feature: ...
def VarLenFeature(*arguments: object) -> Feature:  # noqa: N802 - likewise
    """A feature with any number of values.

    Parameters
    ----------
    shape : sequence of int, optional
        Axes behind the first, whose extent follows from the number of values.
    dtype : int
        `int64` or `float32`.
    default : int or float
        As for `FixedLenFeature`; of no effect, since a record that lacks the feature has no values.

    Raises
    ------
    ValueError
        If one of them is not acceptable.
    """
    if len(arguments) not in (2, 3):
        raise ValueError(f"VarLenFeature takes a type and a default, before them a shape; {len(arguments)} are given")
    shape, dtype, default = ((), *arguments) if len(arguments) == 2 else arguments
    return variable_length(shape, dtype, default)  # pyright: ignore[reportArgumentType] - checked there
