"""Number formats of the random operators: which real type is drawn in, and how it becomes the output type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def real_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Type in which numbers for ``dtype`` are drawn: float64 for 32- and 64-bit integers and float64, else float32."""
    kind = np.dtype(dtype)
    wide = kind.itemsize > 4 or (kind.kind in "iu" and kind.itemsize == 4)
    return np.dtype(np.float64 if wide else np.float32)


def round_to_dtype(values: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    """Convert real numbers to an output type: round half away from zero, clamp to the type, NaN to 0.

    Floating types are converted without rounding to whole numbers.
    """
    target = np.dtype(dtype)
    if target.kind == "f":
        return values.astype(target, copy=False)
    whole = np.trunc(values + np.copysign(values.dtype.type(0.5), values))
    # Adding a half can carry a number just below .5 over the edge, and does nothing for huge ones.
    small = np.abs(values - np.trunc(values)) < 0.5
    whole = np.where(small | (np.abs(values) >= 2.0**52), np.trunc(values), whole).astype(np.float64)
    info = np.iinfo(target.name)
    result = np.zeros(whole.shape, target)
    inside = (whole > float(info.min)) & (whole < float(info.max))
    result[inside] = whole[inside].astype(target)
    result[whole <= float(info.min)] = info.min
    result[whole >= float(info.max)] = info.max
    return result


def fused_multiply_add(a: NDArray[Any], b: NDArray[Any], c: NDArray[Any]) -> NDArray[Any]:
    """``a * b + c`` rounded once, in the type of ``a`` (float32 or float64)."""
    if a.dtype == np.float32:
        return _single(a, b, c)
    product = a * b
    error = _product_error(a, np.broadcast_to(b, a.shape), product)
    total, rest = _two_sum(product, np.broadcast_to(c, product.shape))
    return total + (rest + error)


def _single_of_arrays(
    a: NDArray[np.float32], b: NDArray[np.float32], c: NDArray[np.float32]
) -> NDArray[np.float32]:
    product = a.astype(np.float64) * b.astype(np.float64)  # exact: 24 + 24 bits
    addend = np.broadcast_to(c.astype(np.float64), product.shape)
    total, error = _two_sum(product, addend)
    # Rounding twice (to 53, then 24 bits) is only wrong at ties; "round to odd" in the first step cures that.
    even = (np.ascontiguousarray(total).view(np.int64) & 1) == 0
    odd = np.nextafter(total, np.copysign(np.inf, error))
    return np.where((error != 0) & even, odd, total).astype(np.float32)


_single = _single_of_arrays


def use_compiled(function: Callable[..., NDArray[np.float32]]) -> None:
    """Let `fused_multiply_add` of single precision be a compiled function with the same results."""
    global _single  # noqa: PLW0603 - this package does without a compiler: one above it brings the function
    _single = function


def _two_sum(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Knuth's exact sum: ``a + b == total + error``."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _product_error(a: NDArray[np.float64], b: NDArray[np.float64], product: NDArray[np.float64]) -> NDArray[np.float64]:
    """Dekker's exact product: ``a * b == product + error``."""
    a_high, b_high = ((v * 134217729.0) - ((v * 134217729.0) - v) for v in (a, b))
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def wrap_to_dtype(value: NDArray[Any], target: np.dtype[Any]) -> NDArray[Any]:
    """Cut to a whole number and wrap around, as casts to narrow integers do on x86-64."""
    whole = np.clip(np.trunc(value.astype(np.float64)), -(2.0**63), 2.0**63 - 1024)
    if target == np.uint64:
        big = value.astype(np.float64) >= 2.0**63
        wrapped = whole.astype(np.int64).astype(np.uint64)
        return np.where(big, np.clip(value, 0, 2.0**64 - 2.0**40).astype(np.uint64), wrapped)
    return whole.astype(np.int64).astype(target)
