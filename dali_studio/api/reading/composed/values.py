"""What expressions in the source of a program stand for, as far as it tells: nothing of it is run."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from dali_studio.api.reading.composed.rules import Rule, Unread, Word

#: What packages are called where a part of a program does not import them.
_USUAL = {"transforms": "torchvision.transforms", "T": "torchvision.transforms", "v2": "torchvision.transforms.v2",
          "A": "albumentations", "nn": "torch.nn"}  # fmt: skip
_SIGNS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "int": int, "float": float, "round": round, "tuple": list, "list": list, "min": min, "max": max, "array": list,
    "tensor": list, "InterpolationMode": str, "AutoAugmentPolicy": str, "len": len, "bool": bool,
}  # fmt: skip
#: Most items of a list.
MAX_ITEMS = 1000


@dataclass(slots=True)
class Added:
    """Items that are added to a list later: in front or behind, and what was taken for granted."""

    front: bool
    items: ast.expr
    told: Sequence[str]


@dataclass(slots=True)
class Names:
    """What the imports, the constants and the lists of a source stand for where a ``Compose`` is.

    Attributes
    ----------
    fields : dict
        Attributes of classes and of ``self``.
    after : dict
        What is added to the transforms of a ``Compose`` once it is made, by its call.
    functions : dict
        What functions give that do nothing else.
    told : list of str
        What was taken for granted.
    open : set of str
        Names that are being looked up.
    """

    libraries: Mapping[str, Mapping[str, Rule]]
    packages: dict[str, str] = field(default_factory=lambda: dict(_USUAL))
    constants: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    fields: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    added: dict[str, list[Added]] = field(default_factory=dict[str, list[Added]])
    after: dict[ast.expr, list[Added]] = field(default_factory=dict[ast.expr, list[Added]])
    functions: dict[str, tuple[ast.arguments, ast.expr]] = field(
        default_factory=dict[str, tuple[ast.arguments, ast.expr]]
    )
    told: list[str] = field(default_factory=list[str])
    open: set[str] = field(default_factory=set[str])

    def of(self, node: ast.expr) -> tuple[str, ast.expr] | None:
        """A variable, or an attribute of an object or a class of the source, and what it was last assigned."""
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        held = self.constants if isinstance(node, ast.Name) else self.fields
        return (name, held[name]) if name in held and name not in self.open else None


@contextmanager
def bound(names: Names, given: Mapping[str, ast.expr]) -> Generator[None]:
    """Variables hold other values for a while."""
    before = names.constants
    names.constants = {**before, **given}
    try:
        yield
    finally:
        names.constants = before


def if_holds(condition: ast.expr, names: Names) -> tuple[bool, list[str]]:
    """Whether a condition holds; if the source does not tell, it is taken to, and that is said."""
    value = value_of(condition, names)
    if isinstance(value, Unread | Word):
        return True, [f"`if {value.text}` is taken to hold"]
    return bool(value), []


def chosen(node: ast.IfExp, names: Names) -> ast.expr:
    """What a condition gives."""
    holds, granted = if_holds(node.test, names)
    names.told += granted
    return node.body if holds else node.orelse


def last_word(node: ast.expr) -> str:
    """A variable, or the last word of an attribute."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def value_of(node: ast.expr, names: Names) -> Any:
    """A literal, what is computed of some, a constant, or the last word of a name such as ``BILINEAR``."""
    if found := names.of(node):
        name, value = found
        names.open.add(name)
        try:
            return value_of(value, names)
        finally:
            names.open.discard(name)
    unread = Unread(ast.unparse(node))
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Attribute(attr=word) | ast.Name(id=word) if isinstance(node, ast.Attribute) or word.isupper():
            return Word(word.lower(), unread.text)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [value_of(item, names) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {value_of(key, names): value_of(one, names) for key, one in zip(keys, values, strict=True) if key}
        case ast.IfExp():
            return value_of(chosen(node, names), names)
        case ast.UnaryOp(op=sign, operand=inner):
            value = value_of(inner, names)
            if isinstance(sign, ast.USub) and isinstance(value, int | float):
                return -value
            return unread if isinstance(value, Unread) or not isinstance(sign, ast.Not) else not value
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _SIGNS:
            return _computed(_SIGNS[type(sign)], value_of(left, names), value_of(right, names), unread)
        case ast.ListComp(elt=item, generators=[one]) | ast.GeneratorExp(elt=item, generators=[one]):
            return _each(item, one, names, unread)
        case _:
            return _taken(node, names, unread)


def _taken(node: ast.expr, names: Names, unread: Unread) -> Any:
    """An item, or what a known function gives."""
    try:
        match node:
            case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _COMPARED:
                parts = (value_of(left, names), value_of(right, names))
                return unread if any(isinstance(one, Unread | Word) for one in parts) else _COMPARED[type(sign)](*parts)
            case ast.Subscript(value=of, slice=at):
                held = value_of(of, names)
                return unread if isinstance(held, str | Unread) else held[value_of(at, names)]
            case ast.Call(func=ast.Name(id=word) | ast.Attribute(attr=word), args=arguments):
                return _FUNCTIONS[word](*(value_of(one, names) for one in arguments))
            case _:
                return unread
    except (LookupError, TypeError, ValueError, OverflowError):
        return unread


def _each(item: ast.expr, loop: ast.comprehension, names: Names, unread: Unread) -> Any:
    over = value_of(loop.iter, names)
    if not isinstance(over, list) or not isinstance(loop.target, ast.Name) or loop.ifs:
        return unread
    name = loop.target.id
    before, made = names.constants.get(name), list[Any]()
    for one in cast("list[Any]", over)[:MAX_ITEMS]:
        names.constants[name] = ast.Constant(value=one)
        made.append(value_of(item, names))
    names.constants.pop(name, None)
    names.constants |= {} if before is None else {name: before}
    return made


def _computed(sign: Callable[[Any, Any], Any], left: Any, right: Any, unread: Unread) -> Any:
    """Of numbers; of lists as Python does it, and a list that is divided or subtracted from as an array."""
    parts = (left, right)
    if any(isinstance(one, str | dict | Unread) for one in parts):
        return unread
    if isinstance(left, list) and sign in (operator.truediv, operator.sub):
        return [_computed(sign, one, right, unread) for one in cast("list[Any]", left)]
    if any(isinstance(one, list) for one in parts) and any(
        len(cast("list[Any]", one)) > MAX_ITEMS if isinstance(one, list) else one > MAX_ITEMS for one in parts
    ):
        return unread
    try:
        return sign(left, right)
    except (TypeError, ArithmeticError):
        return unread
