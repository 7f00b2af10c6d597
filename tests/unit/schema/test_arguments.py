"""What operators are told of their arguments."""

from __future__ import annotations

import numpy as np
import pytest

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator


class Shade(Operator):
    """Has one argument."""

    strength: float = 1.0


def test_an_argument_that_is_not_declared() -> None:
    args = Args(Shade.schema, {}, count=2)
    assert args.scalars("strength").tolist() == [1.0, 1.0]
    with pytest.raises(LookupError, match=r"shade declares no argument strenght. It has .*strength"):
        args.scalars("strenght")


class Shift(Operator):
    """Has a whole number."""

    by: int = 0


def test_a_whole_number_that_its_element_type_does_not_hold_is_refused() -> None:
    assert Args(Shift.schema, {"by": -3}, count=2).scalars("by", np.int32).tolist() == [-3, -3]
    with pytest.raises(ArgumentError, match="-9223372036854775808 is out of range"):
        Args(Shift.schema, {"by": -(2**63)}, count=2).scalars("by", np.int32)
