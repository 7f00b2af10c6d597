"""Which cases a run of the conformance tests is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Case = TypeVar("Case")

#: The operators, as ``--operator`` names them; all if there are none.
OPERATORS: list[str] = []
#: Cases of an operator that `some` takes.
MAX_CASES = 5


class Grid:
    """Whether all cases are asked for (``--grid``)."""

    whole = False


def _operator_of(case: Any) -> str:
    return case.operator


def some(cases: Iterable[Case], operator: Callable[[Case], str] = _operator_of) -> list[Case]:
    """Of each operator's cases `MAX_CASES`, evenly chosen; all of them if that is asked for.

    What is left out is not even made into tests: all of them are 60,000.
    """
    if Grid.whole:
        return list(cases)
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(operator(case), []).append(case)
    return [one for of_one in found.values() for one in _evenly(of_one)]


def _evenly(cases: list[Case]) -> list[Case]:
    if len(cases) <= MAX_CASES:
        return cases
    return [cases[round(at * (len(cases) - 1) / (MAX_CASES - 1))] for at in range(MAX_CASES)]
