"""Expressions of one operation, as an arithmetic node holds them: ``a * 2``, ``sqrt(a)``, ``clamp(a, 0, b)``.

Letters stand for the node's inputs, in order. Numbers are constants of nvidia.dali's types, INT32, FLOAT or BOOL, or of
a type that is named: ``a + UINT8(5)``.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dali_studio.core.arithmetic import OPERATIONS, Operation
from dali_studio.core.dtypes import ENUMERATIONS, is_float, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.wording import nearest, shortened

T = DALIDataType
#: Names of inputs.
LETTERS = "abc"
_LONGEST = 200
_TYPES = {dtype.name: dtype for dtype in (
    T.BOOL, T.INT8, T.INT16, T.INT32, T.INT64, T.UINT8, T.UINT16, T.UINT32, T.UINT64, T.FLOAT, T.FLOAT64,
)}  # fmt: skip
_FUNCTIONS = {name: one for name, one in OPERATIONS.items() if not one.sign}
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.Eq: "==",
    ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.USub: "-", ast.Invert: "~",
}  # fmt: skip
_BY_SIGN = {(one.sign, one.arity): one for one in OPERATIONS.values() if one.sign}


@dataclass(frozen=True)
class Number:
    """A constant with its type, which holds the value."""

    value: bool | int | float
    dtype: DALIDataType

    def __str__(self) -> str:
        text = repr(self.value)
        if isinstance(self.value, float) and not math.isfinite(self.value):
            text = {math.inf: "1e309", -math.inf: "-1e309"}.get(self.value, "nan")
        return text if self.dtype == natural_type(self.value) else f"{self.dtype.name}({text})"


@dataclass(frozen=True)
class Expression:
    """An operation, and for each operand the number of an input or a constant."""

    operation: Operation
    operands: tuple[int | Number, ...]

    @property
    def inputs(self) -> int:
        """How many inputs it has."""
        return 1 + max(operand for operand in self.operands if isinstance(operand, int))

    def __str__(self) -> str:
        words = [LETTERS[one] if isinstance(one, int) else str(one) for one in self.operands]
        sign = self.operation.sign
        if not sign:
            return f"{self.operation.name}({', '.join(words)})"
        if len(words) == 1:
            return f"{sign}{words[0]}"
        left = f"({words[0]})" if words[0].startswith("-") and sign == "**" else words[0]
        return f"{left} {sign} {words[1]}"


def natural_type(value: bool | int | float) -> DALIDataType:
    """The type of a number without one."""
    return T.BOOL if isinstance(value, bool) else T.INT32 if isinstance(value, int) else T.FLOAT


def number(value: bool | int | float, dtype: DALIDataType | None = None) -> Number:
    """A constant.

    Raises
    ------
    ValueError
        For a value that the type does not hold.
    """
    kind = dtype or natural_type(value)
    if kind == T.BOOL:
        return Number(bool(value), kind)
    if is_float(kind):
        return Number(float(value), kind)
    if kind in ENUMERATIONS:
        raise ValueError(f"nothing is computed with {kind.name}; cast it to INT32 first.")
    limits = np.iinfo(to_numpy(kind))
    if isinstance(value, float) and not value.is_integer():
        raise ValueError(f"{value!r} is no whole number, as {kind.name} holds them.")
    if not limits.min <= value <= limits.max:
        wider = "" if dtype else " Name a wider type, such as INT64(...) or types.Constant(..., dtype=types.INT64)."
        raise ValueError(f"{shortened(value)} does not fit into {kind.name}.{wider}")
    return Number(int(value), kind)


@lru_cache(maxsize=1024)
def parse(text: str) -> Expression:
    """The expression that a text stands for.

    Raises
    ------
    ValueError
        Says what is wrong with it.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"The expression has {len(text)} characters; {_LONGEST} are accepted.")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{shortened(text)!r} is no expression such as 'a * 2' or 'sqrt(a)'.") from None
    match tree:
        case ast.BinOp(left=left, op=sign, right=right):
            operation, operands = _signed(sign, 2), [left, right]
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            operation, operands = _signed(sign, 2), [left, right]
        case ast.UnaryOp(op=sign, operand=operand):
            operation, operands = _signed(sign, 1), [operand]
        case ast.Call(func=ast.Name(id=name), args=operands, keywords=[]):
            operation = _function(name, len(operands))
        case _:
            raise ValueError(f"{shortened(text)!r} holds no operation, such as 'a * 2' or 'sqrt(a)'.")
    made = Expression(operation, tuple(map(_operand, operands)))
    letters = {one for one in made.operands if isinstance(one, int)}
    if not letters:
        raise ValueError(f"{shortened(text)!r} has no input: name them {', '.join(LETTERS)}.")
    missing = next((one for one in range(max(letters)) if one not in letters), None)
    if missing is not None:
        raise ValueError(f"{shortened(text)!r} leaves out input {LETTERS[missing]!r}: name inputs in order.")
    return made


def _signed(sign: ast.AST, arity: int) -> Operation:
    operation = _BY_SIGN.get((_SIGNS.get(type(sign), ""), arity))
    if operation is None:
        raise ValueError(f"There is no such operator; there are {', '.join(sorted({one for one, _ in _BY_SIGN}))}.")
    return operation


def _function(name: str, given: int) -> Operation:
    operation = _FUNCTIONS.get(name)
    if operation is None:
        near = nearest(name, _FUNCTIONS)
        hint = f" Did you mean {near!r}?" if near else f" There are {', '.join(sorted(_FUNCTIONS))}."
        raise ValueError(f"There is no function {shortened(name)!r}.{hint}")
    if given != operation.arity:
        raise ValueError(f"{name} takes {operation.arity} operands, not {given}.")
    return operation


def _operand(tree: ast.expr) -> int | Number:
    match tree:
        case ast.Name(id=letter) if letter in LETTERS and len(letter) == 1:
            return LETTERS.index(letter)
        case ast.Call(func=ast.Name(id=kind), args=[value], keywords=[]) if kind in _TYPES:
            return number(_value(value), _TYPES[kind])
        case ast.Call(func=ast.Name(id="FLOAT16")):
            raise ValueError("nothing is computed with FLOAT16; take FLOAT.")
        case _:
            return number(_value(tree))


def _value(tree: ast.expr) -> bool | int | float:
    match tree:
        case ast.Constant(value=bool() | int() | float() as value):
            return value
        case ast.Name(id="nan"):
            return math.nan
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if value is not True:
            return -value
        case _:
            raise ValueError(
                f"{shortened(ast.unparse(tree))!r} is no operand: one is an input ({', '.join(LETTERS)}) or a number, "
                "and a node holds one operation."
            )


def combine(operation: Operation, operands: Sequence[int | Number]) -> str:
    """The text of an expression."""
    return str(Expression(operation, tuple(operands)))
