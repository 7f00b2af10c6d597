"""DALI element types and their numpy twins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from dali_studio.core.enums import DALIDataType

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


def to_numpy(dtype: DALIDataType) -> np.dtype[Any]:
    """The numpy dtype of a DALI type.

    Raises
    ------
    TypeError
        If `dtype` has no numeric twin.
    """
    try:
        return _NUMPY[dtype]
    except KeyError:
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
    key = np.dtype(dtype).newbyteorder("=")
    try:
        return _DALI[key]
    except KeyError:
        raise TypeError(f"numpy dtype {key} has no DALI twin; use one of {', '.join(str(d) for d in _DALI)}") from None


def short_name(dtype: DALIDataType | None) -> str:
    """``u8``, ``f32`` ...; ``–`` if the type is not known."""
    return "–" if dtype is None else _SHORT.get(dtype, dtype.name)


def is_float(dtype: DALIDataType) -> bool:
    """Whether `dtype` is a floating-point type."""
    return dtype in (T.FLOAT16, T.FLOAT, T.FLOAT64)
