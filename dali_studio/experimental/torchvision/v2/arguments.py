"""What arguments of the transforms may be; the classes of errors are nvidia.dali's."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any, cast


def values_of(given: Any) -> list[Any]:
    """The values of a list or tuple; anything else is one value."""
    return list(cast("Sequence[Any]", given)) if isinstance(given, list | tuple) else [given]


def check_positive(given: Any, name: str) -> None:
    """Refuse numbers of 0 and below."""
    if any(isinstance(one, int | float) and one <= 0 for one in values_of(given)):
        raise ValueError(f"{name} is {given}; give positive numbers.")


def check_non_negative(given: Any, name: str) -> None:
    """Refuse numbers below 0."""
    if any(isinstance(one, int | float) and one < 0 for one in values_of(given)):
        raise ValueError(f"{name} is {given}; give numbers from 0.")


def check_range(given: Any, name: str) -> None:
    """Refuse a pair whose first number is the larger one."""
    pair = values_of(given)
    if len(pair) == 2 and pair[0] > pair[1]:
        raise ValueError(f"{name} is {given}; give the smaller number first.")


def check_probability(given: Any) -> None:
    """Refuse what is no number from 0 to 1."""
    if not isinstance(given, int | float) or not 0 <= given <= 1:
        raise ValueError(f"p is {given!r}; give a number from 0 to 1.")


def check_whole(given: Any, name: str) -> None:
    """Refuse a list with something else than whole numbers in it."""
    if any(not isinstance(one, int) for one in values_of(given)):
        raise ValueError(f"{name} is {given}; give whole numbers.")


def check_numbers(given: Any, name: str) -> None:
    """Refuse what is neither a number nor a list of some."""
    found = values_of(given)
    if any(not isinstance(one, Number) for one in found):
        raise TypeError(f"{name} is {given!r}; give a number, or a list of numbers.")
    if not found:
        raise ValueError(f"{name} is empty; give a number, or a list of numbers.")


def pair_of(size: Any) -> tuple[int, int]:
    """Height and width: of one number, a list of one, or of two."""
    if not isinstance(size, int | list | tuple):
        raise TypeError(f"size is a {type(size).__name__}; give a whole number, or height and width.")
    found = values_of(size)
    if len(found) not in (1, 2):
        raise ValueError(f"size has {len(found)} numbers; give one, or height and width.")
    check_positive(size, "size")
    return found[0], found[-1]


def sides_of(padding: Any, lengths: Sequence[int]) -> tuple[int, int, int, int]:
    """What is added on the left, at the top, on the right, and at the bottom.

    Parameters
    ----------
    padding : int or sequence of int
        One number for all sides, two for the sides and for top and bottom, or four.
    lengths : sequence of int
        Which lengths of a list are accepted.
    """
    sides = values_of(padding)
    if isinstance(padding, list | tuple) and len(sides) not in lengths:
        raise ValueError(f"padding has {len(sides)} numbers; give one number, or a list of {lengths}.")
    if any(not isinstance(one, int) for one in sides):
        raise TypeError(f"padding is {padding!r}; give whole numbers.")
    check_non_negative(padding, "padding")
    return tuple((sides * 4)[:4])  # pyright: ignore[reportReturnType] - four of them
