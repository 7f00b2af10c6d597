"""How far a result may be from the one that it is compared with, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.enums import DALIDataType

#: What is compared: on the CPU with nvidia.dali's result or the declared reference, on a GPU with the CPU's.
ComparedOn = Literal["cpu", "gpu"]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Bounds on |result - reference|, and where they hold.

    Attributes
    ----------
    max_difference : float
        Of the elements of integer results, in their units. Infinite where another pixel is another value (nearest
        neighbour): then `fraction` alone is the bound, of floating-point results, too.
    fraction : float
        How many of the elements of an integer result may differ at all; at least one pixel of four channels may.
    relative : float
        Of floating-point results: the largest difference, as a part of the reference's largest magnitude.
    reason : str
        Why results differ at all. Required for any tolerance but the exact one.
    dtypes : tuple
        Element types of results that it is for; empty: all.
    when : mapping
        Arguments that the operator must have for it.
    on : {"cpu", "gpu"} or None
        "cpu": compared with nvidia.dali, or the declared reference. "gpu": a GPU's result, compared with the CPU's.
        ``None``: both.
    """

    max_difference: float = 0.0
    fraction: float = 1.0
    relative: float = 0.0
    reason: str = ""
    dtypes: tuple[DALIDataType, ...] = ()
    when: Mapping[str, Any] = field(default_factory=dict[str, Any])
    on: ComparedOn | None = None

    def __post_init__(self) -> None:
        if (self.max_difference or self.relative) and not self.reason:
            raise ValueError("a tolerance needs a reason: say why results differ")

    def holds(self, dtype: DALIDataType, on: ComparedOn, arguments: Mapping[str, Any]) -> bool:
        """Whether it is for results of this type, compared there, under these arguments."""
        return (
            (not self.dtypes or dtype in self.dtypes)
            and self.on in (None, on)
            and all(arguments.get(name) == value for name, value in self.when.items())
        )

    def exceeded(self, result: NDArray[Any], reference: NDArray[Any]) -> str:
        """What is out of bounds, with the measured numbers, or an empty text.

        Shapes and element types must be equal, as must the places of infinities and of what is not a number.
        """
        if (result.dtype, result.shape) != (reference.dtype, reference.shape):
            return f"{result.dtype} {result.shape} in place of {reference.dtype} {reference.shape}"
        if np.array_equal(result, reference, equal_nan=result.dtype.kind == "f"):
            return ""
        if result.dtype.kind == "f":
            special = ~np.isfinite(reference)
            if not np.array_equal(result[special], reference[special], equal_nan=True):
                return "infinities or NaN differ"
            result, reference = np.where(special, 0, result), np.where(special, 0, reference)
        difference = np.abs(result.astype(np.float64) - reference.astype(np.float64))
        largest = float(difference.max())
        if not largest <= math.inf:  # an infinity, or NaN, where the reference has a number
            return "the result has infinities or NaN, the reference has numbers"
        if result.dtype.kind == "f" and self.max_difference < math.inf:
            part = largest / max(float(np.abs(reference.astype(np.float64)).max()), 1e-30)
            return f"relative difference {part:.3g} > {self.relative:.3g}" if part > self.relative else ""
        if largest > self.max_difference:
            return f"difference {largest:g} > {self.max_difference:g}"
        count = int(np.count_nonzero(difference))
        if count > max(self.fraction * difference.size, _PIXEL):
            return f"{count / difference.size:.3g} of the elements differ > {self.fraction:.3g}"
        return ""

    def check(self, result: NDArray[Any], reference: NDArray[Any], what: object = "") -> None:
        """Raise an ``AssertionError`` that says what is out of bounds."""
        if found := self.exceeded(result, reference):
            raise AssertionError(f"{what}: {found}")


#: How many elements may differ in any result, so that pictures of a few pixels can be compared at all.
_PIXEL = 4
EXACT = Tolerance()


def tolerance_for(
    declared: Sequence[Tolerance], dtype: DALIDataType, on: ComparedOn, arguments: Mapping[str, Any]
) -> Tolerance:
    """The first of the declared tolerances that holds; exact if none does."""
    return next((one for one in declared if one.holds(dtype, on, arguments)), EXACT)
