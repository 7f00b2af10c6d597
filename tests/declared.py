"""Tolerances where operators declare them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dali_studio.api.default import default_registry
from dali_studio.core.dtypes import from_numpy
from dali_studio.schema.tolerance import ComparedOn, Tolerance, tolerance_for

#: Of chains of operators: a level of a resized picture may grow by contrast, saturation or normalisation.
PROGRAM = Tolerance(3, 0.02, relative=1e-2, reason="differences of one step grow in the next")


class Comparison(Protocol):
    """What compares a result with a reference: a tolerance, or those of an operator."""

    def check(self, result: Any, reference: Any, what: object = "") -> None:
        """Raise an ``AssertionError`` that says what is out of bounds."""
        ...


@dataclass(frozen=True)
class Declared:
    """The tolerances that an operator declares, each for the results that it is for."""

    tolerances: tuple[Tolerance, ...]
    on: ComparedOn
    arguments: dict[str, Any]

    def check(self, result: Any, reference: Any, what: object = "") -> None:
        """Compare by the first tolerance that holds."""
        dtype = from_numpy(np.asarray(reference).dtype)
        tolerance_for(self.tolerances, dtype, self.on, self.arguments).check(result, reference, what)


def declared(operator: str, on: ComparedOn = "cpu", **arguments: Any) -> Declared:
    """The tolerances of an operator that is given these arguments."""
    return Declared(default_registry().operator(operator).tolerance, on, arguments)
