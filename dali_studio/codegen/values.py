"""Argument values as expressions."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence

import numpy as np

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import ENUMERATIONS
from dali_studio.core.expressions import Number, natural_type
from dali_studio.core.features import FLOAT32, TYPE_NAMES, Feature, features_of
from dali_studio.core.subscripts import Subscript
from dali_studio.schema.model import ArgumentSchema, Value
from dali_studio.schema.values import ENUMS, canonical


def constant(value: Value) -> ast.expr:
    """A literal; lists for tuples, as nvidia.dali's programs are written."""
    if isinstance(value, tuple):
        return ast.List(elts=[constant(item) for item in value], ctx=ast.Load())
    if isinstance(value, float) and math.isnan(value):
        return ast.Call(func=ast.Name("float", ast.Load()), args=[ast.Constant("nan")], keywords=[])
    return ast.Constant(value)


def number(given: Number) -> ast.expr:
    """An operand of arithmetic: a literal where its type is the one that goes without saying."""
    value = constant(given.value)
    if given.dtype == natural_type(given.value):
        return value
    kind = ast.keyword("dtype", _member(given.dtype.name))
    return ast.Call(func=dotted("types.Constant"), args=[value], keywords=[kind])


def members(value: Value, dtype: Value) -> ast.expr | None:
    """Numbers as the members of an enumeration that they are, if `dtype` is one's and all are."""
    numbers = value if isinstance(value, tuple) else (value,)
    kind = next((kind for element, kind in ENUMERATIONS.items() if element.name == dtype), None)
    made = [_member(member.name) for one in numbers for member in kind or () if member.value == one]
    if not made or len(made) != len(numbers):
        return None
    return ast.List(elts=[*made], ctx=ast.Load()) if isinstance(value, tuple) else made[0]


def operation(sign: str, operands: Sequence[ast.expr]) -> ast.expr:
    """Operands with a sign of Python between them, or before the only one."""
    if len(operands) == 1:
        return ast.UnaryOp(op=_UNARY[sign](), operand=operands[0])
    left, right = operands
    if sign in COMPARED:
        return ast.Compare(left=left, ops=[COMPARED[sign]()], comparators=[right])
    return ast.BinOp(left=left, op=SIGNS[sign](), right=right)


def subscript(one: Subscript, letters: Mapping[str, ast.expr]) -> ast.expr:
    """An item of an index, with expressions for its letters."""

    def bound(given: int | str | None) -> ast.expr | None:
        return letters[given] if isinstance(given, str) else None if given is None else constant(given)

    return bound(one.at) or ast.Slice(lower=bound(one.begin), upper=bound(one.end), step=bound(one.step))


#: Python's operators of two operands, by how they are written.
SIGNS: dict[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "//": ast.FloorDiv, "%": ast.Mod, "**": ast.Pow,
    "&": ast.BitAnd, "|": ast.BitOr, "^": ast.BitXor, "<<": ast.LShift, ">>": ast.RShift,
}  # fmt: skip
_UNARY: dict[str, type[ast.unaryop]] = {"-": ast.USub, "~": ast.Invert}
COMPARED: dict[str, type[ast.cmpop]] = {
    "==": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE,
}  # fmt: skip


def argument_value(argument: ArgumentSchema, value: Value, *, alone: bool = False) -> ast.expr:
    """The expression of an argument; members of enumerations become ``types.NAME``.

    With `alone`, a list of one is written as its item: for external sources a list means one item per output, an item
    means all outputs.
    A value that the argument does not accept is written as it is: validation has a finding on it already.
    """
    try:
        value = canonical(argument, value)
    except ArgumentError:
        return constant(value)
    if argument.type == "features":
        found = features_of(value)
        return ast.Dict(keys=[ast.Constant(name) for name in found], values=[_feature(one) for one in found.values()])
    if alone and isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    if argument.type not in ENUMS:
        return _floats(value) if argument.type in ("float", "float_list") else constant(value)
    if isinstance(value, tuple):
        return ast.List(elts=[constant(None) if item is None else _member(str(item)) for item in value], ctx=ast.Load())
    return _member(str(value))


#: Whole numbers below it are written without a point; those beyond the other do not fit into 32 bits.
_MAX_WHOLE, _MAX_FLOAT = 1e9, 1e38
#: Figures of a number that a person typed, at most, and those that the noise of binary fractions begins behind.
_TYPED, _EXACT = 12, 15


def _floats(value: Value) -> ast.expr:
    if isinstance(value, tuple):
        return ast.List(elts=[constant(_plain(item)) for item in value], ctx=ast.Load())
    return constant(_plain(value))


def _plain(value: Value) -> Value:
    """A number as people write it, where floats are meant anyway: 224 for 224.0, 57.12 for 57.120000000000005."""
    if not isinstance(value, float) or not abs(value) < _MAX_FLOAT:
        return value
    if value.is_integer() and abs(value) < _MAX_WHOLE and str(value) != "-0.0":
        return int(value)
    tidy = float(f"{value:.{_EXACT}g}")
    # both must be the same number for operators, which take 32 bits
    return tidy if tidy == float(f"{value:.{_TYPED}g}") and np.float32(tidy) == np.float32(value) else value


def is_default(argument: ArgumentSchema, value: Value) -> bool:
    """Whether leaving the argument out means the same."""
    try:
        return not argument.required and canonical(argument, value) == argument.default
    except ArgumentError:
        return False


def dotted(path: str) -> ast.expr:
    """``fn.readers.file`` as an expression."""
    first, *rest = path.split(".")
    result: ast.expr = ast.Name(first, ast.Load())
    for name in rest:
        result = ast.Attribute(result, name, ast.Load())
    return result


def hole() -> ast.expr:
    """The placeholder ``...`` for what is missing in an unfinished graph."""
    return ast.Constant(...)


def _feature(feature: Feature) -> ast.expr:
    """``tfrecord.FixedLenFeature([1], tfrecord.int64, -1)``."""
    shape = [constant(feature.shape)] if feature.fixed or feature.shape else []
    default = float(feature.default) if feature.dtype == FLOAT32 else feature.default
    args = [*shape, dotted(f"tfrecord.{TYPE_NAMES[feature.dtype]}"), constant(default)]
    kind = "FixedLenFeature" if feature.fixed else "VarLenFeature"
    return ast.Call(func=dotted(f"tfrecord.{kind}"), args=args, keywords=[])


def _member(name: str) -> ast.expr:
    return dotted(f"types.{name}")
