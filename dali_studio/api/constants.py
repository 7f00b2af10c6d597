"""``types.Constant``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType

_INT32 = np.iinfo(np.int32)


class ScalarConstant:
    """A single number with a type, for use as an argument or an output.

    Attributes
    ----------
    value : bool, int or float
        As the type holds it: integers truncate and saturate.
    dtype : DALIDataType
    """

    def __init__(self, value: bool | int | float, dtype: DALIDataType | None = None) -> None:
        self.dtype = dtype or _natural(value)
        self.value = _held(value, self.dtype)

    def __repr__(self) -> str:
        return f"{self.value}:{self.dtype}"


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
    if target.kind not in "iu":
        return target.type(value).item()
    limits = np.iinfo(target)
    return min(max(int(value), limits.min), limits.max)


def constant(
    value: Any, dtype: DALIDataType | None = None, shape: Sequence[int] | int | None = None, layout: str | None = None,
    device: str | None = None, **arguments: Any,
) -> Any:
    """A value that is the same for every sample.

    Parameters
    ----------
    value : bool, int, float, sequence or ndarray
    dtype : DALIDataType, optional
        INT32 for whole numbers, FLOAT for others, BOOL for truth values; the array's own for numpy arrays, but INT32
        for int64, UINT32 for uint64 and FLOAT for float64 (a scalar that stays a Python value keeps its own).
    shape : sequence of int, optional
        Shape to fill or to form. ``[1]`` and ``1`` mean a scalar, as in nvidia.dali.
    layout : str, optional
    device : str, optional
        "cpu" or "gpu".

    Returns
    -------
    ScalarConstant or DataNode
        A scalar without shape, layout and device stays a Python value until it is used; anything else is a node of the
        pipeline that is being defined.

    Raises
    ------
    DaliStudioError
        DS104 for what is not made of numbers, DS105 for values that the type cannot hold.
    """
    scalar_shape = shape is None or shape == 1 or tuple(np.atleast_1d(shape).tolist()) in ((), (1,))
    stays = scalar_shape and not layout and device is None and not arguments
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        scalar = np.asarray(cast(Any, value))
        dtype = dtype or (from_numpy(scalar.dtype) if stays else _array_type(scalar))
        value = scalar.item()
    if isinstance(value, bool | int | float) and scalar_shape:
        shape = None
        if stays:
            return ScalarConstant(value, dtype)
    return constant_node(device or "cpu", value, dtype, shape, layout, **arguments)


def constant_node(
    device: str, value: Any, dtype: DALIDataType | None, shape: Sequence[int] | int | None, layout: str | None,
    **arguments: Any,
) -> Any:
    """The node of a constant, in the pipeline that is being defined; the arguments are those of `constant`."""
    from dali_studio.api.tracing import trace_operator  # noqa: PLC0415 - types must stay importable without tracing

    array = _numbers(value)
    if dtype is None:
        dtype = _array_type(array) if isinstance(value, np.ndarray | np.generic) else _list_type(array)
    flat = array.ravel().tolist()
    given: dict[str, Any] = (
        {"fdata": [float(v) for v in flat]} if array.dtype.kind == "f" else {"idata": [int(v) for v in flat]}
    )
    extents = np.atleast_1d(shape).tolist() if shape is not None else list(array.shape)
    node = trace_operator(
        "constant", (), {**given, "shape": extents, "dtype": dtype, "layout": layout or None, **arguments}
    )
    return node.gpu() if device == "gpu" else node


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


def _array_type(array: np.ndarray[Any, Any]) -> DALIDataType:
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
