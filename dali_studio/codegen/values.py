"""Argument values as expressions."""

from __future__ import annotations

import ast
import math

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.schema.model import ArgumentSchema, Value
from dali_studio.schema.values import ENUMS, canonical


def constant(value: Value) -> ast.expr:
    """A literal; lists for tuples, as nvidia.dali's programs are written."""
    if isinstance(value, tuple):
        return ast.List(elts=[constant(item) for item in value], ctx=ast.Load())
    if isinstance(value, float) and math.isnan(value):
        return ast.Call(func=ast.Name("float", ast.Load()), args=[ast.Constant("nan")], keywords=[])
    return ast.Constant(value)


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
    if alone and isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    if argument.type not in ENUMS:
        return constant(value)
    if isinstance(value, tuple):
        return ast.List(elts=[_member(str(item)) for item in value], ctx=ast.Load())
    return _member(str(value))


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


def _member(name: str) -> ast.expr:
    return dotted(f"types.{name}")
