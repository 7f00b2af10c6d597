"""``types.Constant``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType


class ScalarConstant:
    """A single number with a type, for use as an argument or an output.

    Attributes
    ----------
    value : bool, int or float
    dtype : DALIDataType
    """

    def __init__(self, value: bool | int | float, dtype: DALIDataType | None = None) -> None:
        self.dtype = dtype or _natural(value)
        self.value = to_numpy(self.dtype).type(value).item()

    def __repr__(self) -> str:
        return f"{self.value}:{self.dtype}"


def _natural(value: bool | int | float) -> DALIDataType:
    return DALIDataType.BOOL if isinstance(value, bool) else DALIDataType.INT32 if isinstance(value, int) else DALIDataType.FLOAT


def constant(
    value: Any, dtype: DALIDataType | None = None, shape: Sequence[int] | None = None, layout: str | None = None,
    device: str | None = None, **arguments: Any,
) -> Any:
    """A value that is the same for every sample.

    Parameters
    ----------
    value : bool, int, float, sequence or ndarray
    dtype : DALIDataType, optional
        INT32 for whole numbers, FLOAT for others, BOOL for truth values, the array's own for numpy arrays.
    shape : sequence of int, optional
        Shape to fill or to form.
    layout : str, optional
    device : str, optional
        "cpu" or "gpu".

    Returns
    -------
    ScalarConstant or DataNode
        A scalar without shape, layout and device stays a Python value until it is used; anything else is a node of the
        pipeline that is being defined.
    """
    plain = isinstance(value, bool | int | float)
    if plain and shape is None and layout is None and device is None and not arguments:
        return ScalarConstant(value, dtype)
    return constant_node(value, dtype, shape, layout, device or "cpu", **arguments)


def constant_node(
    value: Any, dtype: DALIDataType | None = None, shape: Sequence[int] | None = None, layout: str | None = None,
    device: str = "cpu", **arguments: Any,
) -> Any:
    """The node of a constant, in the pipeline that is being defined."""
    from dali_studio.api.tracing import trace_operator  # noqa: PLC0415 - types must stay importable without tracing

    array = np.asarray(value)
    if dtype is None:
        if isinstance(value, np.ndarray | np.generic):
            dtype = from_numpy(array.dtype)
        else:
            dtype = {"b": DALIDataType.BOOL, "i": DALIDataType.INT32, "u": DALIDataType.INT32}.get(array.dtype.kind, DALIDataType.FLOAT)
    real = array.dtype.kind == "f"
    flat = array.ravel().tolist()
    given: dict[str, Any] = {"fdata": [float(v) for v in flat]} if real else {"idata": [int(v) for v in flat]}
    extents = list(shape) if shape is not None else list(array.shape) if array.ndim else None
    node = trace_operator("constant", (), {**given, "shape": extents, "dtype": dtype, "layout": layout or None, **arguments})
    return node.gpu() if device == "gpu" else node
