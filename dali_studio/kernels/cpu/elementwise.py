"""Arithmetic on the elements of a batch: one compiled call for all samples, broadcast and converted on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.native import kernel

#: Element types in the order of their numbers in ``elementwise.hpp``.
_CODES = {
    np.dtype(name): code
    for code, name in enumerate(
        ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")
    )
}


def _types(*names: DTypeLike) -> tuple[np.dtype[Any], ...]:
    return tuple(np.dtype(name) for name in names)


_REALS = _types("f4", "f8")
_WORDS = _types("u1", "u2", "u4", "u8")
_ORDERED = _types("u1", "i2", "i4", "u4", "i8", "u8", "f4", "f8")
_COMPARED = _types("u1", "i4", "u4", "i8", "u8", "f4", "f8")
_DIVIDED = _types("i4", "u4", "i8", "u8", "f4", "f8")
#: Signed and unsigned integers give the same bits.
_WRAPPING = frozenset(("Add", "Subtract", "Multiply", "Negative", "And", "Or", "Xor", "Complement", "ShiftLeft"))
_COMPARISONS = frozenset(("Equal", "Unequal", "Less", "LessEqual"))
#: The types that each functor is compiled for (`arithmetic.cpp`, `comparisons.cpp`), but the functions of reals.
_COMPILED = {
    **dict.fromkeys(_WRAPPING - {"ShiftLeft"}, _WORDS + _REALS),
    **dict.fromkeys(_COMPARISONS, _COMPARED),
    **dict.fromkeys(("Least", "Most", "Clamp"), _ORDERED),
    **dict.fromkeys(("Divide", "Modulo", "Power", "ShiftRight"), _DIVIDED),
    "ShiftLeft": _types("u4", "u8"), "Absolute": _types("i4", "i8", "u8", "f4", "f8"), "Not": _types("u1"),
}  # fmt: skip


class Operand(NamedTuple):
    """One array a sample, without gaps: (N,) addresses, (N, ndim) shapes, and the type of all."""

    addresses: NDArray[np.int64]
    shapes: NDArray[np.int64]
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, arrays: Sequence[NDArray[Any]]) -> Operand:
        """The operand that consists of these arrays, which must be kept alive."""
        if not all(array.flags.c_contiguous for array in arrays):
            raise ValueError("The arrays must lie in C order without gaps. Copy them by numpy.ascontiguousarray.")
        shapes = np.array([array.shape for array in arrays], np.int64).reshape(len(arrays), arrays[0].ndim)
        return cls(np.array([array.ctypes.data for array in arrays], np.int64), shapes, arrays[0].dtype)

    @classmethod
    def of_batch(cls, batch: Batch) -> Operand:
        """The operand that consists of a batch's samples."""
        return cls(batch.addresses, batch.shapes, batch.dtype)

    @classmethod
    def constant(cls, value: NDArray[Any], samples: int) -> Operand:
        """The same array, which must be kept alive, for each sample."""
        address = np.array([value.ctypes.data], np.int64)
        shape = np.array([value.shape], np.int64).reshape(1, value.ndim)
        return cls(
            np.broadcast_to(address, (samples,)), np.broadcast_to(shape, (samples, value.ndim)), value.dtype
        )


def computed_in(functor: str, common: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which a functor computes what has the type `common` in C++: the first that holds its numbers."""
    wanted = np.dtype(np.uint8) if common == np.bool_ else common
    if functor in _WRAPPING and wanted.kind == "i":
        wanted = np.dtype(f"u{wanted.itemsize}")
    return next(one for one in _COMPILED.get(functor, _REALS) if np.can_cast(wanted, one))


def computed_types(functor: str, operands: Sequence[np.dtype[Any]], common: np.dtype[Any]) -> list[np.dtype[Any]]:
    """The type in which each operand is computed: one for all, but for comparisons of uint64 with signed integers."""
    kinds = {one.kind for one in operands}
    if functor in _COMPARISONS and kinds == {"i", "u"} and any(one == np.uint64 for one in operands):
        return [np.dtype(f"{one.kind}8") for one in operands]
    return [computed_in(functor, common)] * len(operands)


def compute(functor: str, operands: Sequence[Operand], out: Operand, common: np.dtype[Any]) -> None:
    """Apply a functor of ``arithmetic.hpp`` to the elements of all samples.

    Parameters
    ----------
    functor : str
    operands : sequence of Operand
        One to three, of any types but float16; their shapes are broadcast to those of `out` as numpy does it.
    out : Operand
        To be written; what is computed is converted as C++ does it.
    common : dtype
        The type in which the operands meet. For comparisons of uint64 with signed integers it does not matter.

    Raises
    ------
    ValueError
        Where shapes do not fit each other.
    ArgumentError
        Where whole numbers are divided by zero.
    """
    types = computed_types(functor, [one.dtype for one in operands], common)
    given = [word for one in (*operands, out) for word in (one.addresses, one.shapes, _CODES[one.dtype])]
    failed = kernel(functor, *types)(*given)
    if failed:
        raise ArgumentError(
            "whole numbers are divided by zero.", hint="Divide floating-point numbers, or keep zeros out.",
            sample=int(failed) - 1,
        )  # fmt: skip

