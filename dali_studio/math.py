"""Functions of the elements of operators' results: ``from dali_studio import math``.

Integers become FLOAT where the result is real; two types meet by the rule of ``+``.
"""

from __future__ import annotations

from typing import Any

from dali_studio.api.tracing import DataNode, arithmetic


def sqrt(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The square root of each element."""
    return arithmetic("sqrt", input)


def rsqrt(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """One over the square root of each element."""
    return arithmetic("rsqrt", input)


def cbrt(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The cubic root of each element."""
    return arithmetic("cbrt", input)


def exp(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The exponential function of each element."""
    return arithmetic("exp", input)


def log(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The natural logarithm of each element."""
    return arithmetic("log", input)


def log2(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The logarithm to base 2 of each element."""
    return arithmetic("log2", input)


def log10(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The logarithm to base 10 of each element."""
    return arithmetic("log10", input)


def abs(input: Any) -> DataNode:  # noqa: A001, A002 - nvidia.dali's names
    """The absolute value, of the same type of each element."""
    return arithmetic("abs", input)


def fabs(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The absolute value, as a real number of each element."""
    return arithmetic("fabs", input)


def floor(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The largest whole number that is not above it, as a real number of each element."""
    return arithmetic("floor", input)


def ceil(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The smallest whole number that is not below it, as a real number of each element."""
    return arithmetic("ceil", input)


def sin(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The sine of each element."""
    return arithmetic("sin", input)


def cos(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The cosine of each element."""
    return arithmetic("cos", input)


def tan(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The tangent of each element."""
    return arithmetic("tan", input)


def asin(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The arc sine of each element."""
    return arithmetic("asin", input)


def acos(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The arc cosine of each element."""
    return arithmetic("acos", input)


def atan(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The arc tangent of each element."""
    return arithmetic("atan", input)


def sinh(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The hyperbolic sine of each element."""
    return arithmetic("sinh", input)


def cosh(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The hyperbolic cosine of each element."""
    return arithmetic("cosh", input)


def tanh(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The hyperbolic tangent of each element."""
    return arithmetic("tanh", input)


def asinh(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The inverse of the hyperbolic sine of each element."""
    return arithmetic("asinh", input)


def acosh(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The inverse of the hyperbolic cosine of each element."""
    return arithmetic("acosh", input)


def atanh(input: Any) -> DataNode:  # noqa: A002 - nvidia.dali's names
    """The inverse of the hyperbolic tangent of each element."""
    return arithmetic("atanh", input)


def min(left: Any, right: Any) -> DataNode:  # noqa: A001 - nvidia.dali's name
    """The smaller of two elements."""
    return arithmetic("min", left, right)


def max(left: Any, right: Any) -> DataNode:  # noqa: A001 - nvidia.dali's name
    """The larger of two elements."""
    return arithmetic("max", left, right)


def pow(base: Any, exponent: Any) -> DataNode:  # noqa: A001 - nvidia.dali's name
    """Powers; of whole numbers, whole numbers."""
    return arithmetic("pow", base, exponent)


def fpow(base: Any, exponent: Any) -> DataNode:
    """Powers as real numbers."""
    return arithmetic("fpow", base, exponent)


def atan2(x: Any, y: Any) -> DataNode:
    """The angle whose tangent is ``x / y``, in the quadrant of both signs."""
    return arithmetic("atan2", x, y)


def clamp(value: Any, lo: Any, hi: Any) -> DataNode:
    """Elements below `lo` become `lo`, those above `hi` become `hi`."""
    return arithmetic("clamp", value, lo, hi)
