"""From what programs have to arrays: numbers and lists by nvidia.dali's types, and whatever exports its memory."""

from __future__ import annotations

from enum import Enum
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.api.dynamic.dtype import storable
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.tensors import TensorCPU
from dali_studio.core.tensors_gpu import TensorGPU


def exports_memory(data: Any) -> bool:
    """Whether an object is an array of some library."""
    return hasattr(data, "__array__") or hasattr(data, "__dlpack__") or hasattr(data, "__cuda_array_interface__")


def lies_on_gpu(data: Any) -> bool:
    """Whether an object that exports its memory lies on a GPU."""
    if isinstance(data, TensorGPU):
        return True
    lies = data.__dlpack_device__()[0] if hasattr(data, "__dlpack_device__") else 1
    return int(lies) == 2 or (hasattr(data, "__cuda_array_interface__") and not hasattr(data, "__array__"))


def from_memory(data: Any) -> NDArray[Any]:
    """An array that shares the memory of `data`, which lies in host memory, where it is contiguous.

    Raises
    ------
    TypeError
        For elements that no tensor holds.
    """
    # read-only arrays export no DLPack
    given = cast(Any, np.asarray(data) if _is_array(data) else data)
    array = np.asarray(TensorCPU(given))
    return array if array.flags.c_contiguous else array.copy()


def _is_array(data: Any) -> bool:
    try:
        return hasattr(data, "__array__") and isinstance(data.__array__(), np.ndarray)
    except (TypeError, RuntimeError):  # a tensor that requires a gradient
        return False


def from_python(data: Any, dtype: Any = None) -> NDArray[Any]:
    """An array of Python's numbers: INT32 for whole ones, or UINT32 if that alone holds them, FLOAT for real ones.

    Raises
    ------
    OverflowError
        For whole numbers that neither holds.
    TypeError, ValueError
        For what is not made of numbers.
    """
    if dtype is not None:
        return np.array(_plain(data), to_numpy(storable(dtype)))
    array: NDArray[Any] = np.array(_plain(data))
    if array.dtype == np.float64:
        return array.astype(np.float32)
    whole = (array.dtype.kind in "iu" and array.dtype.itemsize == 8) or (
        array.dtype == object and array.size and all(type(one) is int for one in array.flat)
    )
    if whole:
        return _whole(array)
    if array.dtype.kind in "biuf":
        return array
    raise TypeError(f"{data!r} is not made of numbers; give numbers, lists of numbers or arrays.")


def _plain(data: Any) -> Any:
    """Lists with the numbers that tensors in them hold."""
    if isinstance(data, Enum):
        raise TypeError(f"{data} is no number; no tensor here holds it. Give it as an argument.")
    if isinstance(data, list | tuple):
        return [_plain(one) for one in cast("list[Any]", data)]
    return np.asarray(data) if exports_memory(data) else data


def _whole(array: NDArray[Any]) -> NDArray[Any]:
    least, most = (int(array.min()), int(array.max())) if array.size else (0, 0)
    target = np.uint32 if least >= 0 and most > np.iinfo(np.int32).max else np.int32
    limits = np.iinfo(target)
    if least < limits.min or most > limits.max:
        wrong = least if least < limits.min else most
        raise OverflowError(f"{wrong} does not fit into {limits.dtype}; give dtype, or an array of NumPy.")
    return array.astype(target)


def converted(array: NDArray[Any], dtype: DALIDataType) -> NDArray[Any] | None:
    """The numbers in another type that holds all of them; ``None`` where they must be rounded or cut."""
    target = to_numpy(dtype)
    if array.dtype == target:
        return array
    return array.astype(target) if np.can_cast(array.dtype, target, "safe") else None
