"""Arguments as programs of earlier versions of nvidia.dali give them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.schema.model import OperatorSchema

#: Frames between a user's call and the warning.
_DEPTH = 6


def as_today(schema: OperatorSchema, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, under the names of today, and without a seed for an operator that draws nothing.

    Raises
    ------
    ArgumentError
        DS103 for an argument that is given under both names.
    """
    made: dict[str, Any] = {}
    for name, value in given.items():
        argument = schema.argument(name)
        now = "" if argument is None else argument.now
        if argument is None and name == "seed":
            _warn(f"fn.{schema.name} draws no random numbers; its seed has no effect.")
        elif not now:
            made[name] = value
        elif value is not None:
            _warn(f"The argument {name} of fn.{schema.name} is deprecated. Use {now} instead.")
            if given.get(now) is not None:
                raise ArgumentError(
                    f"{name} and {now} are both given, which mean the same.", hint=f"Give {now}.", argument=name,
                    code="DS103",
                )  # fmt: skip
            made[now] = value
    return made


def _warn(message: str) -> None:
    warnings.warn(message, DeprecationWarning, stacklevel=_DEPTH)
