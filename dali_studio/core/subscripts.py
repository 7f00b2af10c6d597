"""Indices of tensors, as a subscript node holds them: ``0, :, ::2``, ``a, b:``.

Letters stand for whole numbers that wires bring, one for each sample.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dali_studio.core.limits import MAX_AXES
from dali_studio.core.wording import shortened

#: Names of wired numbers, those of arguments of the operator.
LETTERS = "abcdefgh"
_LONGEST = 1000
#: Numbers beyond these reach no element.
_LIMIT = 2**62
#: A whole number or a letter.
Bound = int | str


@dataclass(frozen=True, slots=True)
class Subscript:
    """What is taken of one axis: the element `at`, which takes the axis away, or a range, as Python has it."""

    at: Bound | None = None
    begin: Bound | None = None
    end: Bound | None = None
    step: Bound | None = None

    @property
    def whole(self) -> bool:
        """Whether all of the axis is taken, in order."""
        return self == _WHOLE

    def __str__(self) -> str:
        if self.at is not None:
            return str(self.at)
        begin, end, step = ("" if one is None else str(one) for one in (self.begin, self.end, self.step))
        return f"{begin}:{end}" + (f":{step}" if step else "")


_WHOLE = Subscript()


def written(subscripts: Sequence[Subscript]) -> str:
    """The text of an index."""
    return ", ".join(map(str, subscripts))


@lru_cache(maxsize=1024)
def parse(text: str) -> tuple[Subscript, ...]:
    """The index that a text stands for.

    Raises
    ------
    ValueError
        Says what is wrong with it.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"The index has {len(text)} characters; {_LONGEST} are accepted.")
    try:
        tree = ast.parse(f"x[{text}]", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{shortened(text)!r} is no index such as '0' or ':, ::2'.") from None
    match tree:
        case ast.Subscript(value=ast.Name("x"), slice=ast.Tuple(elts=items)):
            pass
        case ast.Subscript(value=ast.Name("x"), slice=item):
            items = [item]
        case _:
            raise ValueError(f"{shortened(text)!r} is no index such as '0' or ':, ::2'.")
    if len(items) > MAX_AXES:
        raise ValueError(f"The index names {len(items)} axes; {MAX_AXES} are accepted.")
    return tuple(map(_subscript, items))


def _subscript(tree: ast.expr) -> Subscript:
    match tree:
        case ast.Slice(lower=lower, upper=upper, step=step):
            begin, end, by = (None if one is None else _bound(one) for one in (lower, upper, step))
            if by == 0:
                raise ValueError("A step is 0; one forward or backward is needed.")
            return Subscript(None, begin, end, by)
        case _:
            return Subscript(_bound(tree))


def _bound(tree: ast.expr) -> Bound:
    match tree:
        case ast.Name(id=letter) if letter in LETTERS and len(letter) == 1:
            return letter
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return min(value, _LIMIT)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)) if not isinstance(value, bool):
            return max(-value, -_LIMIT)
        case _:
            raise ValueError(
                f"{shortened(ast.unparse(tree))!r} is no position: one is a whole number or a letter from "
                f"{LETTERS[0]} to {LETTERS[-1]}, and a range has colons between them."
            )


def letters_of(subscripts: Sequence[Subscript]) -> set[str]:
    """The letters of an index."""
    bounds = (bound for one in subscripts for bound in (one.at, one.begin, one.end, one.step))
    return {bound for bound in bounds if isinstance(bound, str)}


def ordered(bounds: Mapping[tuple[str, int], object]) -> list[tuple[str, int]]:
    """The places of wired numbers in the order in which they get letters.

    Random operators behind them take their seeds in this order: nvidia.dali's, of the names of its arguments.
    """
    return sorted(bounds, key=lambda place: f"{place[0]}_{place[1]}")
