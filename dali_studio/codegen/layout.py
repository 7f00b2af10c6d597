"""Statements as text, in the layout of black.

black itself takes milliseconds for a statement, and seconds for thousands of them. Programs have few forms of
expressions, so that its rules are short: a line that is too long is opened at its last bracket; what was inside goes to
one line of its own if it is of a call and fits, and else to one line for each item, by the same rule. Tests compare
with black.
"""

from __future__ import annotations

import ast
import math
import unicodedata
from collections.abc import Mapping, Sequence

from dali_studio.codegen.values import COMPARED, SIGNS

#: black's default, which most programs follow.
LINE_LENGTH = 88
_STEP = 4


def statement(node: ast.stmt, indent: int = _STEP) -> list[str]:
    """The lines of an assignment, a call, an ``if``, a ``return`` or a ``raise``.

    Raises
    ------
    TypeError
        For any other statement or expression: what was not thought of is not written.
    """
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)]):
            return _assignment([inline(target) for target in targets], node.value, indent, listed=True)
        case ast.Assign(targets=[target]):
            return _assignment([inline(target)], node.value, indent, listed=False)
        case ast.Return(value=ast.Tuple(elts=[_, _, *_] as items)):
            line = f"{' ' * indent}return {', '.join(map(inline, items))}"
            return [line] if _fits(line) else _opened("return (", [("", item) for item in items], ")", indent)
        case ast.Return(value=ast.expr() as value):
            return fitted("return ", value, indent)
        case ast.Raise(exc=ast.expr() as value):
            return fitted("raise ", value, indent)
        case ast.Expr(value=value):
            return fitted("", value, indent)
        case ast.If():
            return _choice(node, indent, "if ")
        case ast.Pass():
            return [f"{' ' * indent}pass"]
        case _:
            raise TypeError(f"programs have no {type(node).__name__}")


def _choice(node: ast.If, indent: int, word: str) -> list[str]:
    lines = _test(word, node.test, indent)
    lines += [line for inner in node.body for line in statement(inner, indent + _STEP)]
    match node.orelse:
        case [ast.If() as further]:
            lines += _choice(further, indent, "elif ")
        case [_, *_] as other:
            lines += [f"{' ' * indent}else:", *(line for inner in other for line in statement(inner, indent + _STEP))]
        case _:
            pass
    return lines


def _test(word: str, test: ast.expr, indent: int) -> list[str]:
    """The line of a condition; one that is too long is put in brackets."""
    if not isinstance(test, ast.BoolOp) or _fits(f"{' ' * indent}{word}{inline(test)}:"):
        return fitted(word, test, indent, ":")
    return _alternatives(word, test, indent, ":")


def _alternatives(head: str, value: ast.BoolOp, indent: int, tail: str = "") -> list[str]:
    """``a and b`` in brackets, each operand on lines of its own, which begin with the word."""
    space, inner = " " * indent, indent + _STEP
    lines = [f"{space}{head}("]
    for at, one in enumerate(value.values):
        word = "" if at == 0 else "and " if isinstance(value.op, ast.And) else "or "
        text = _operand(one, value)
        if isinstance(one, ast.BoolOp) and text.startswith("(") and not _fits(" " * inner + word + text):
            lines += _alternatives(word, one, inner)
        else:
            lines.append(" " * inner + word + text)
    return [*lines, f"{space}){tail}"]


def _operand(value: ast.expr, of: ast.expr) -> str:
    """An operand of a condition, in brackets where Python would read it otherwise."""
    text = inline(value)
    looser = isinstance(value, ast.BoolOp) and (isinstance(value.op, ast.Or) or isinstance(of, ast.UnaryOp))
    same = isinstance(value, ast.BoolOp) and isinstance(of, ast.BoolOp) and type(value.op) is type(of.op)
    return f"({text})" if looser or same else text


def _assignment(targets: Sequence[str], value: ast.expr, indent: int, *, listed: bool) -> list[str]:
    head = f"({targets[0]},) = " if listed and len(targets) == 1 else f"{', '.join(targets)} = "
    space, text = " " * indent, inline(value)
    opening, items, _ = _parts(value)
    if _fits(space + head + text) or (items and _fits(space + head + opening)):
        return fitted(head, value, indent)
    if _fits(f"{space}{head}(") and _fits(" " * (indent + _STEP) + text):
        return [f"{space}{head}(", " " * (indent + _STEP) + text, f"{space})"]
    if len(targets) > 1:
        return [f"{space}(", *(f"{space}    {target}," for target in targets), *fitted(") = ", value, indent)]
    return fitted(head, value, indent)


def fitted(head: str, value: ast.expr, indent: int, tail: str = "") -> list[str]:
    """The lines of `value` between `head` and `tail`, opened at its brackets as far as the length of lines wants it."""
    line = f"{' ' * indent}{head}{inline(value)}{tail}"
    opening, items, closing = _parts(value)
    return [line] if not items or _fits(line) else _opened(head + opening, items, closing + tail, indent)


def definition(name: str, parameters: Mapping[str, ast.expr | None]) -> list[str]:
    """The first lines of a function whose parameters have these defaults, or none."""
    items = [("", ast.Name(one)) if default is None else (f"{one}=", default) for one, default in parameters.items()]
    line = f"def {name}({', '.join(head + inline(item) for head, item in items)}):"
    if not items or _fits(line):
        return [line]
    if len(items) == 1:  # of functions, even the only parameter gets a comma
        return [f"def {name}(", *fitted(items[0][0], items[0][1], _STEP, ","), "):"]
    return _opened(f"def {name}(", items, "):", 0)


def _opened(head: str, items: Sequence[tuple[str, ast.expr]], tail: str, indent: int) -> list[str]:
    inner = indent + _STEP
    body = " " * inner + ", ".join(name + inline(item) for name, item in items)
    listed = head.endswith(("[", "{")) or head == "return ("
    if listed or not _fits(body):  # of lists, tuples and dictionaries, items never share a line
        comma = "," if len(items) > 1 else ""
        lines = [line for name, item in items for line in fitted(name, item, inner, comma)]
    else:
        lines = [body]
    return [f"{' ' * indent}{head}", *lines, f"{' ' * indent}{tail}"]


def _parts(value: ast.expr) -> tuple[str, list[tuple[str, ast.expr]], str]:
    """What may be opened: the text up to the bracket, the items with their names, the closing bracket."""
    match value:
        case ast.Call(func=function, args=args, keywords=keywords):
            named = [(f"{word.arg}=", word.value) for word in keywords]
            return f"{inline(function)}(", [*(("", item) for item in args), *named], ")"
        case ast.List(elts=elements):
            return "[", [("", item) for item in elements], "]"
        case ast.Dict(keys=keys, values=values):
            pairs = [(key, item) for key, item in zip(keys, values, strict=True) if key is not None]
            return "{", [(f"{inline(key)}: ", item) for key, item in pairs], "}"
        case _:
            return "", [], ""


def inline(value: ast.expr) -> str:
    """An expression on one line."""
    match value:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=owner, attr=name):
            return f"{_atom(owner)}.{name}"
        case ast.Constant(value=constant):
            return _literal(constant)
        case ast.BoolOp(op=sign, values=parts):
            return (" and " if isinstance(sign, ast.And) else " or ").join(_operand(one, value) for one in parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"not {_operand(operand, value)}"
        case ast.BinOp() | ast.Compare() | ast.UnaryOp():
            return _operation(value)
        case ast.Subscript(value=owner, slice=ast.Tuple(elts=items)):
            return f"{_atom(owner)}[{', '.join(map(inline, items))}]"
        case ast.Subscript(value=owner, slice=item):
            return f"{_atom(owner)}[{inline(item)}]"
        case ast.Slice(lower=lower, upper=upper, step=step):
            ends = [inline(lower) if lower else "", inline(upper) if upper else ""]
            return ":".join([*ends, inline(step)] if step else ends)
        case ast.Call() | ast.List() | ast.Dict():
            opening, items, closing = _parts(value)
            return opening + ", ".join(name + inline(item) for name, item in items) + closing
        case _:
            raise TypeError(f"programs have no {type(value).__name__}")


def _operation(value: ast.BinOp | ast.Compare | ast.UnaryOp) -> str:
    """An operation; negative bases, and operations that are operands, stand in brackets."""
    match value:
        case ast.UnaryOp(op=sign, operand=operand):
            return f"{'~' if isinstance(sign, ast.Invert) else '-'}{_atom(operand)}"
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, exponent = _atom(left), _atom(right)
            base = f"({base})" if base.startswith("-") else base
            simple = all(isinstance(one, ast.Name | ast.Constant) for one in (left, right)) and not base.startswith("(")
            return f"{base}**{exponent}" if simple else f"{base} ** {exponent}"
        case ast.BinOp(left=left, op=sign, right=right):
            written = next(text for text, kind in SIGNS.items() if isinstance(sign, kind))
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            written = next(text for text, kind in COMPARED.items() if isinstance(sign, kind))
            sides = [inline(one) if isinstance(one, ast.BinOp) else _atom(one) for one in (left, right)]
            return f"{sides[0]} {written} {sides[1]}"
        case _:
            raise TypeError(f"programs have no {type(value).__name__}")
    return f"{_atom(left)} {written} {_atom(right)}"


def _atom(value: ast.expr) -> str:
    """An expression of which something is taken or with which something is computed."""
    text = inline(value)
    return f"({text})" if isinstance(value, ast.BinOp | ast.Compare | ast.UnaryOp | ast.BoolOp) else text


def _literal(value: object) -> str:
    if value is ...:
        return "..."
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, float) and math.isinf(value):
        return "1e309" if value > 0 else "-1e309"  # Python has no literal for infinity, but overflows to it
    if value is None or isinstance(value, bool | int | float):
        return repr(value).replace("e+", "e")
    raise TypeError(f"programs hold no {type(value).__name__}")


def _string(value: str) -> str:
    """In double quotes unless that takes more escapes. `repr` escapes whatever does not print, line ends included."""
    body = repr(value + '"')[1:-2]  # with both kinds of quotes, or only double ones, it takes single ones
    if value.count('"') > value.count("'"):
        return f"'{body}'"
    return '"' + body.replace("\\'", "'").replace('"', '\\"') + '"'


def _fits(line: str) -> bool:
    return _width(line) <= LINE_LENGTH


def _width(line: str) -> int:
    """Columns that a terminal takes: two for wide characters of East Asia, none for accents of their own."""
    if line.isascii():
        return len(line)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in line)
