"""The numbers of ``types.Constant``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import ENUMERATIONS, from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType

#: Element types by the names of the methods that convert to them.
_TYPES = {
    to_numpy(dtype).name: dtype
    for dtype in (
        DALIDataType.BOOL, DALIDataType.INT8, DALIDataType.INT16, DALIDataType.INT32, DALIDataType.INT64,
        DALIDataType.UINT8, DALIDataType.UINT16, DALIDataType.UINT32, DALIDataType.UINT64, DALIDataType.FLOAT16,
        DALIDataType.FLOAT, DALIDataType.FLOAT64,
    )
}  # fmt: skip
_INT32 = np.iinfo(np.int32)
#: Element types of members by the names of their classes, which are those of nvidia.dali's.
_MEMBERS = {kind.__name__: dtype for dtype, kind in ENUMERATIONS.items()}


class ScalarConstant:
    """A single number with a type, for use as an argument or an output.

    Its methods `bool`, `int8`, ..., `uint64`, `float16`, `float32` and `float64` give it with another type.

    Attributes
    ----------
    value : bool, int or float
        Whole for integers, be it that their type does not hold it: operators saturate it, arithmetic refuses it.
    dtype : DALIDataType
    shape : list of int
        Empty, as of any number.
    """

    def __init__(self, value: bool | int | float, dtype: DALIDataType | None = None) -> None:
        self.shape: list[int] = []
        self.dtype = dtype or _natural(value)
        self.value = _held(value, self.dtype)

    def __getattr__(self, name: str) -> Callable[[], ScalarConstant]:
        dtype = _TYPES.get(name)
        if dtype is None:
            raise AttributeError(f"ScalarConstant has no attribute {name!r}", name=name, obj=self)
        return lambda: ScalarConstant(self.value, dtype)

    def __bool__(self) -> bool:
        return bool(self._whole("bool"))

    def __int__(self) -> int:
        return int(self._whole("int"))

    def __float__(self) -> float:
        if not isinstance(self.value, float):
            raise TypeError(f"{self} is no floating-point number; float() takes one, such as that of float32().")
        return self.value

    def _whole(self, wanted: str) -> bool | int:
        if isinstance(self.value, float):
            raise TypeError(f"{self} is a floating-point number; {wanted}() takes others, such as that of int32().")
        return self.value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ScalarConstant):
            return (self.value, self.dtype) == (other.value, other.dtype)
        return NotImplemented  # a result compares it

    def __hash__(self) -> int:
        return hash((self.value, self.dtype))

    def __str__(self) -> str:
        return f"{self.value}:{self.dtype}"

    def __repr__(self) -> str:
        return str(self.value)


def _natural(value: bool | int | float) -> DALIDataType:
    if isinstance(value, int) and not _INT32.min <= value <= _INT32.max:
        raise _refused(f"{value} does not fit into INT32, the type of whole numbers", "Give dtype=types.INT64.")
    return (
        DALIDataType.BOOL
        if isinstance(value, bool)
        else DALIDataType.INT32
        if isinstance(value, int)
        else DALIDataType.FLOAT
    )


def _held(value: bool | int | float, dtype: DALIDataType) -> bool | int | float:
    target = to_numpy(dtype)
    if target.kind in "iu":
        return int(value)
    with np.errstate(over="ignore"):
        return target.type(value).item()


def is_scalar(value: object) -> bool:
    """Whether it is a single number, a truth value or a member of an enumeration."""
    return isinstance(value, bool | int | float) or type(value).__name__ in _MEMBERS


def numbered(value: Any) -> tuple[Any, DALIDataType | None]:
    """A value with numbers for members of an enumeration, and their type; anything else as it is."""
    several = isinstance(value, list | tuple)
    items = cast("Sequence[Any]", value) if several else [value]
    kinds = {_MEMBERS.get(type(item).__name__) for item in items}
    dtype = kinds.pop() if len(kinds) == 1 else None
    if dtype is not None:
        value = [int(item) for item in items] if several else int(value)
    return value, dtype


def constant_arguments(
    value: Any, dtype: DALIDataType | None, shape: Sequence[int] | int | None, layout: str | None
) -> dict[str, Any]:
    """Arguments of the operator `constant` for a value."""
    array = _numbers(value)
    if dtype is None:
        dtype = array_type(array) if isinstance(value, np.ndarray | np.generic) else _list_type(array)
    flat = array.ravel().tolist()
    given: dict[str, Any] = (
        {"fdata": [float(v) for v in flat]} if array.dtype.kind == "f" else {"idata": [int(v) for v in flat]}
    )
    extents = np.atleast_1d(shape).tolist() if shape is not None else list(array.shape)
    return {**given, "shape": extents, "dtype": dtype, "layout": layout or None}


def _numbers(value: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(value)
    except ValueError:  # ragged lists
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise _refused(
            f"{value!r} ({type(value).__name__}) is no constant",
            "Give a number, a list of numbers or an array.",
            "DS104",
        )
    return array


def array_type(array: np.ndarray[Any, Any]) -> DALIDataType:
    """nvidia.dali's type for an array: 64 bit numbers become 32 bit ones."""
    narrow = {"f": DALIDataType.FLOAT, "i": DALIDataType.INT32, "u": DALIDataType.UINT32}.get(array.dtype.kind)
    if narrow is None or array.dtype.itemsize < 8:
        return from_numpy(array.dtype)
    limits = np.iinfo(to_numpy(narrow)) if array.dtype.kind in "iu" else None
    if limits is not None and array.size and not (limits.min <= array.min() and array.max() <= limits.max):
        raise _refused(f"the values do not fit into {narrow.name}", f"Give dtype=types.{from_numpy(array.dtype).name}.")
    return narrow


def _list_type(array: np.ndarray[Any, Any]) -> DALIDataType:
    if array.dtype.kind in "iu" and array.size and not (_INT32.min <= array.min() and array.max() <= _INT32.max):
        raise _refused("the values do not fit into INT32, the type of whole numbers", "Give dtype=types.INT64.")
    return {"b": DALIDataType.BOOL, "f": DALIDataType.FLOAT}.get(array.dtype.kind, DALIDataType.INT32)


def _refused(what: str, hint: str, code: str = "DS105") -> DaliStudioError:
    return DaliStudioError(Diagnostic(code=code, argument="value", message=f"{what[0].upper()}{what[1:]}.", hint=hint))
