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


def some(cases: Iterable[Case], operator: Callable[[Case], str] = _operator_of, most: int = MAX_CASES) -> list[Case]:
    """Of each operator's cases `most`, evenly chosen; all of them if that is asked for.

    What is left out is not even made into tests: all of them are 60,000.
    """
    if Grid.whole:
        return list(cases)
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(operator(case), []).append(case)
    return [one for of_one in found.values() for one in _evenly(of_one, most)]


def few(cases: Iterable[Case], most: int) -> list[Case]:
    """Of cases that are of no operator `most`, likewise."""
    return some(cases, lambda _: "", most)


def _evenly(cases: list[Case], most: int) -> list[Case]:
    if len(cases) <= most:
        return cases
    return [cases[round(at * (len(cases) - 1) / (most - 1))] for at in range(most)]
