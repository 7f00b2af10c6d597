"""What operators are told of their arguments."""

from __future__ import annotations

import pytest

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
