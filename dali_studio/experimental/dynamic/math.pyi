"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any

def abs(input: Any) -> Any:
    """The absolute value, of the same type of each element."""

def acos(input: Any) -> Any:
    """The arc cosine of each element."""

def acosh(input: Any) -> Any:
    """The inverse of the hyperbolic cosine of each element."""

def asin(input: Any) -> Any:
    """The arc sine of each element."""

def asinh(input: Any) -> Any:
    """The inverse of the hyperbolic sine of each element."""

def atan(input: Any) -> Any:
    """The arc tangent of each element."""

def atan2(x: Any, y: Any) -> Any:
    """The angle whose tangent is ``x / y``, in the quadrant of both signs."""

def atanh(input: Any) -> Any:
    """The inverse of the hyperbolic tangent of each element."""

def cbrt(input: Any) -> Any:
    """The cubic root of each element."""

def ceil(input: Any) -> Any:
    """The smallest whole number that is not below it, as a real number of each element."""

def clamp(value: Any, lo: Any, hi: Any) -> Any:
    """Elements below `lo` become `lo`, those above `hi` become `hi`."""

def cos(input: Any) -> Any:
    """The cosine of each element."""

def cosh(input: Any) -> Any:
    """The hyperbolic cosine of each element."""

def exp(input: Any) -> Any:
    """The exponential function of each element."""

def fabs(input: Any) -> Any:
    """The absolute value, as a real number of each element."""

def floor(input: Any) -> Any:
    """The largest whole number that is not above it, as a real number of each element."""

def fpow(base: Any, exponent: Any) -> Any:
    """Powers as real numbers."""

def log(input: Any) -> Any:
    """The natural logarithm of each element."""

def log10(input: Any) -> Any:
    """The logarithm to base 10 of each element."""

def log2(input: Any) -> Any:
    """The logarithm to base 2 of each element."""

def max(left: Any, right: Any) -> Any:
    """The larger of two elements."""

def min(left: Any, right: Any) -> Any:
    """The smaller of two elements."""

def pow(base: Any, exponent: Any) -> Any:
    """Powers; of whole numbers, whole numbers."""

def rsqrt(input: Any) -> Any:
    """One over the square root of each element."""

def sin(input: Any) -> Any:
    """The sine of each element."""

def sinh(input: Any) -> Any:
    """The hyperbolic sine of each element."""

def sqrt(input: Any) -> Any:
    """The square root of each element."""

def tan(input: Any) -> Any:
    """The tangent of each element."""

def tanh(input: Any) -> Any:
    """The hyperbolic tangent of each element."""
