"""Expressions of arithmetic nodes, and the programs that show them."""

from __future__ import annotations

import ast

import pytest

from dali_studio.codegen.layout import inline
from dali_studio.codegen.values import number, operation
from dali_studio.core.enums import DALIDataType as T
from dali_studio.core.expressions import Expression, Number, parse

TEXTS = (
    "a + b", "a * 2", "2 - a", "a / 2.5", "a ** -2", "(-2) ** a", "-a", "~a", "a >= b", "sqrt(a)", "clamp(a, 0, b)",
    "a + UINT8(5)", "a * FLOAT64(0.1)", "a * True", "a << 3", "max(a, 1e309)", "a + nan",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_text_and_back(text: str) -> None:
    again = parse(str(parse(text)))
    assert str(again) == str(parse(text)) == text


def test_operands() -> None:
    parsed = parse("clamp(b, 0, a)")
    assert parsed.operands == (1, Number(0, T.INT32), 0)
    assert parsed.inputs == 2
    assert parse("a * 0.5").operands == (0, Number(0.5, T.FLOAT))
    assert isinstance(parse("a + a"), Expression)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no expression"), ("a +", "is no expression"), ("a", "holds no operation"), ("2 + 3", "has no input"),
        ("b * 2", "leaves out input 'a'"), ("a * 2 + b", "a node holds one operation"), ("sqr(a)", "Did you mean 'sqrt'"),
        ("sqrt(a, b)", "takes 1 operands, not 2"), ("a @ b", "There is no such operator"), ("a + UINT8(300)", "does not fit"),
        ("a + 2**40", "is no operand"), ("a + 1099511627776", "INT64"), ("a + 'x'", "is no operand"),
        ("a + UINT8(0.5)", "no whole number"), ("a * FLOAT16(3.5)", "FLOAT16; take FLOAT"), ("a < b < c", "holds no operation"), ("a.b + 1", "is no operand"),
        ("__import__('os')", "There is no function"), ("a + " + "1" * 300, "characters"), ("(" * 150 + "a", "is no expression"),
    ],
)  # fmt: skip
def test_what_is_no_expression(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse(text)


@pytest.mark.parametrize(
    ("sign", "operands", "written"),
    [
        ("*", ("x", 2), "x * 2"), ("**", ("x", 2), "x**2"), ("**", (-2, "x"), "(-2) ** x"), ("-", ("x",), "-x"), ("~", ("x",), "~x"),
        ("<=", (0.5, "x"), "0.5 <= x"), ("//", ("x", "y"), "x // y"),
    ],
)  # fmt: skip
def test_how_programs_write_operations(sign: str, operands: tuple[str | float, ...], written: str) -> None:
    parts = [ast.Name(one) if isinstance(one, str) else number(parse(f"a + {one}").operands[1]) for one in operands]  # pyright: ignore[reportArgumentType]
    assert inline(operation(sign, parts)) == written
