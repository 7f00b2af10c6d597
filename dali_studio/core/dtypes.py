"""DALI element types and their numpy twins."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from dali_studio.core.enums import DALIDataType, DALIImageType, DALIInterpType

T = DALIDataType

_NUMPY: dict[DALIDataType, np.dtype[Any]] = {
    T.UINT8: np.dtype(np.uint8),
    T.UINT16: np.dtype(np.uint16),
    T.UINT32: np.dtype(np.uint32),
    T.UINT64: np.dtype(np.uint64),
    T.INT8: np.dtype(np.int8),
    T.INT16: np.dtype(np.int16),
    T.INT32: np.dtype(np.int32),
    T.INT64: np.dtype(np.int64),
    T.FLOAT16: np.dtype(np.float16),
    T.FLOAT: np.dtype(np.float32),
    T.FLOAT64: np.dtype(np.float64),
    T.BOOL: np.dtype(np.bool_),
}
_DALI = {numpy: dali for dali, numpy in _NUMPY.items()}
_SHORT = {
    T.UINT8: "u8", T.UINT16: "u16", T.UINT32: "u32", T.UINT64: "u64",
    T.INT8: "i8", T.INT16: "i16", T.INT32: "i32", T.INT64: "i64",
    T.FLOAT16: "f16", T.FLOAT: "f32", T.FLOAT64: "f64", T.BOOL: "bool",
}  # fmt: skip

NUMERIC: tuple[DALIDataType, ...] = tuple(_NUMPY)
#: Enumerations by the types of their members, which feed arguments: nothing computes with them.
ENUMERATIONS: dict[DALIDataType, type[Enum]] = {
    T.IMAGE_TYPE: DALIImageType, T.DATA_TYPE: DALIDataType, T.INTERP_TYPE: DALIInterpType,
}  # fmt: skip


def to_numpy(dtype: DALIDataType) -> np.dtype[Any]:
    """The numpy dtype of a DALI type, or of the numbers that stand for members of an enumeration.

    Raises
    ------
    TypeError
        If `dtype` has no numeric twin.
    """
    try:
        return _NUMPY[dtype]
    except KeyError:
        if dtype in ENUMERATIONS:  # as in nvidia.dali; NO_TYPE is negative
            return _NUMPY[T.INT32 if dtype is T.DATA_TYPE else T.UINT32]
        raise TypeError(
            f"{dtype} is not a numeric element type; use one of {', '.join(t.name for t in NUMERIC)}"
        ) from None


def from_numpy(dtype: DTypeLike) -> DALIDataType:
    """The DALI type of a numpy dtype.

    Raises
    ------
    TypeError
        If DALI has no such element type (complex, object, text, dates).
    """
    known = _DALI.get(dtype) if isinstance(dtype, np.dtype) else None
    if known is not None:
        return known
    key = np.dtype(dtype).newbyteorder("=")
    try:
        return _DALI[key]
    except KeyError:
        raise TypeError(f"numpy dtype {key} has no DALI twin; use one of {', '.join(str(d) for d in _DALI)}") from None


def short_name(dtype: DALIDataType | None) -> str:
    """``u8``, ``f32`` ...; ``–`` if the type is not known."""
    return "–" if dtype is None else _SHORT.get(dtype, dtype.name.lower())


def is_float(dtype: DALIDataType) -> bool:
    """Whether `dtype` is a floating-point type."""
    return dtype in (T.FLOAT16, T.FLOAT, T.FLOAT64)


def is_signed(dtype: DALIDataType) -> bool:
    """Whether `dtype` is an integer type with negative numbers."""
    return dtype in (T.INT8, T.INT16, T.INT32, T.INT64)


def promoted(first: DALIDataType, *others: DALIDataType) -> DALIDataType:
    """The element type in which numbers of several types meet, by nvidia.dali's rule.

    The larger of two types of one sort; a real type where there is one, whatever the size of the integers; and of a
    signed and an unsigned integer a signed one with room for both, as far as there is one: INT64 otherwise.
    """
    result = first
    for other in others:
        result = _pair(result, other)
    return result


def _pair(one: DALIDataType, other: DALIDataType) -> DALIDataType:
    if other in (one, T.BOOL):
        return one
    if one == T.BOOL:
        return other
    if is_float(one) != is_float(other):
        return one if is_float(one) else other
    small, large = sorted((one, other), key=lambda dtype: to_numpy(dtype).itemsize)
    if is_float(one) or is_signed(one) == is_signed(other):
        return large
    size = to_numpy(large).itemsize
    if is_signed(large) and size > to_numpy(small).itemsize:
        return large
    return {1: T.INT16, 2: T.INT32}.get(size, T.INT64)
