"""A ``Compose`` in the source of a program, which is read and not run."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from dali_studio.api.reading.composed.rules import Rule, Transform, Unread, Word, named

#: What packages are called where a part of a program does not import them.
_USUAL = {"transforms": "torchvision.transforms", "T": "torchvision.transforms", "v2": "torchvision.transforms.v2",
          "A": "albumentations", "nn": "torch.nn"}  # fmt: skip
#: What holds transforms, by the last word of its name; of `torch.nn`, too.
HOLDERS = ("Compose", "Sequential", "RandomApply", "OneOf", "RandomChoice", "RandomOrder")
_SIGNS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "int": int, "float": float, "round": round, "tuple": list, "list": list, "min": min, "max": max, "array": list,
    "tensor": list, "InterpolationMode": str, "AutoAugmentPolicy": str,
}  # fmt: skip
_MAX_ITEMS = 1000
#: Positional parameters of albumentations 1, where a number stands at a place.
_FORMER = {
    "RandomResizedCrop": (0, ("height", "width", "scale", "ratio", "interpolation")),
    "RandomSizedCrop": (1, ("min_max_height", "height", "width", "w2h_ratio", "interpolation")),
    "CoarseDropout": (0, ("max_holes", "max_height", "max_width", "min_holes", "min_height", "min_width", "fill")),
    "ImageCompression": (0, ("quality_lower", "quality_upper")),
    "Downscale": (0, ("scale_min", "scale_max")),
}  # fmt: skip


@dataclass(slots=True)
class _Added:
    """Items that are added to a list later: in front or behind, and what was taken for granted."""

    front: bool
    items: ast.expr
    told: Sequence[str]


@dataclass(slots=True)
class _Names:
    """What the imports, the constants and the lists of a source stand for where a ``Compose`` is.

    Attributes
    ----------
    fields : dict
        Attributes of classes and of ``self``.
    told : list of str
        What was taken for granted.
    open : set of str
        Names that are being looked up.
    """

    libraries: Mapping[str, Mapping[str, Rule]]
    packages: dict[str, str] = field(default_factory=lambda: dict(_USUAL))
    constants: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    fields: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    added: dict[str, list[_Added]] = field(default_factory=dict[str, list[_Added]])
    told: list[str] = field(default_factory=list[str])
    open: set[str] = field(default_factory=set[str])

    def of(self, node: ast.expr) -> tuple[str, ast.expr] | None:
        """A variable, or an attribute of an object or a class of the source, and what it was last assigned."""
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        held = self.constants if isinstance(node, ast.Name) else self.fields
        return (name, held[name]) if name in held and name not in self.open else None


def of_source(tree: ast.Module, libraries: Mapping[str, Mapping[str, Rule]]) -> tuple[Transform, list[str]] | None:
    """The first ``Compose`` that is not a part of another one, and what was taken for granted; none: ``None``."""
    names = _Names(libraries)
    _packages(tree, names)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    calls = sorted((one for one in ast.walk(tree) if isinstance(one, ast.Call)), key=lambda one: one.lineno)
    found = [one for one in calls if _called(one, names) in [(library, "Compose") for library in libraries]]
    found = found or [one for one in calls if _called(one, names)[1] == "Sequential" and any(
        isinstance(item, ast.Call) and _called(item, names)[0] in libraries for item in one.args)]  # fmt: skip
    if not found:
        return None
    inner = {one for call in found for one in ast.walk(call) if one is not call}
    read = {one.id for one in inner if isinstance(one, ast.Name)}
    whole = [one for one in found if one not in inner and not read.intersection(_targets(parents.get(one)))] or found
    chosen, *others = whole
    if others:
        rest = ", ".join(f"{_label(one, parents)} (line {one.lineno})" for one in others)
        which = f"{_label(chosen, parents)} (line {chosen.lineno})"
        names.told.append(f"There are {len(whole)} Compose: that of {which} is read, and not that of {rest}")
    _Scope(tree, chosen, parents, names).read()
    return _of_call(chosen, names), names.told


def _packages(tree: ast.Module, names: _Names) -> None:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                names.packages |= {a.asname: a.name for a in aliases if a.asname}
                names.packages |= {one: one for a in aliases if not a.asname and (one := a.name.partition(".")[0])}
            case ast.ImportFrom(module=str(module), names=aliases):
                names.packages |= {a.asname or a.name: f"{module}.{a.name}" for a in aliases}
            case _:
                pass
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    bare = called - own - names.packages.keys()  # of `import *`, or of a part of a program
    library = max(names.libraries, key=lambda one: len(bare & names.libraries[one].keys()))
    if bare & names.libraries[library].keys():
        names.packages |= {one: f"{library}.{one}" for one in bare}


def _targets(node: ast.AST | None) -> list[str]:
    """The variables that a statement assigns."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [one.id if isinstance(one, ast.Name) else one.attr for one in targets
            if isinstance(one, ast.Name | ast.Attribute)]  # fmt: skip


def _label(call: ast.Call, parents: Mapping[ast.AST, ast.AST]) -> str:
    """What a ``Compose`` is for: a key, a variable or a function."""
    child: ast.AST = call
    at = parents.get(call)
    while at is not None:
        if isinstance(at, ast.Dict):
            pairs = zip(at.keys, at.values, strict=True)
            return next((ast.unparse(key) for key, value in pairs if key and value is child), "a dict")
        if targets := _targets(at):
            return targets[0]
        if isinstance(at, ast.FunctionDef):
            return at.name
        child, at = at, parents.get(at)
    return "the module"


class _Scope:
    """What variables hold at a call: what was last assigned above it, in its functions before others."""

    def __init__(
        self, tree: ast.Module, call: ast.Call, parents: Mapping[ast.AST, ast.AST], names: _Names
    ) -> None:  # fmt: skip
        self._tree, self._call, self._parents, self._names = tree, call, parents, names
        self._around = [call, *self._above(call)]

    def read(self) -> None:
        """Note it."""
        for one in self._around:
            if isinstance(one, ast.FunctionDef):
                self._defaults(one.args)
        every = [one for one in ast.walk(self._tree) if isinstance(one, ast.stmt)]
        for one in sorted(every, key=self._order):
            match one:
                case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                    self._assign(one, value)
                case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                    self._add(one, name, value)
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=given)):
                    if given and attr in ("append", "extend", "insert"):
                        part = given[-1] if attr == "extend" else ast.List(elts=given[-1:], ctx=ast.Load())
                        self._add(one, name, part, front=attr == "insert")
                case _:
                    pass

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self._parents:
            node = self._parents[node]
            yield node

    def _order(self, node: ast.stmt) -> tuple[bool, bool, int]:
        scope = next(one for one in self._above(node) if isinstance(one, ast.FunctionDef | ast.ClassDef | ast.Module))
        before = node.lineno < self._call.lineno
        return scope in self._around, before, node.lineno if before else -node.lineno

    def _defaults(self, given: ast.arguments) -> None:
        every = [*given.posonlyargs, *given.args]
        pairs = [*zip(every[len(every) - len(given.defaults) :], given.defaults, strict=True),
                 *zip(given.kwonlyargs, given.kw_defaults, strict=True)]  # fmt: skip
        self._names.constants |= {argument.arg: value for argument, value in pairs if value is not None}

    def _assign(self, node: ast.Assign | ast.AnnAssign, value: ast.expr) -> None:
        names, target = self._names, node.targets[0] if isinstance(node, ast.Assign) else node.target
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            pairs = [*zip(target.elts, value.elts, strict=True)]
        in_class = isinstance(self._parents.get(node), ast.ClassDef)
        otherwise = self._side(node) == "orelse"
        for to, of in pairs:
            held = names.fields if isinstance(to, ast.Attribute) else names.constants
            name = to.attr if isinstance(to, ast.Attribute) else to.id if isinstance(to, ast.Name) else ""
            own = any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(of))  # x = x + ...
            if not name or own or (otherwise and name in held):
                continue
            held[name] = of
            names.fields |= {name: of} if in_class else {}
            names.added.pop(name, None)

    def _side(self, node: ast.AST) -> str:
        """In which part of the innermost ``if`` a statement stands."""
        above = self._parents.get(node)
        return "orelse" if isinstance(above, ast.If) and node in above.orelse else "body"

    def _add(self, node: ast.stmt, name: str, items: ast.expr, *, front: bool = False) -> None:
        told, child = list[str](), cast("ast.AST", node)
        for above in self._above(node):
            if isinstance(above, ast.If) and above not in self._around:
                holds, granted = _holds(above.test, self._names)
                if (child in above.orelse) == holds:
                    return
                told += granted
            child = above
        self._names.added.setdefault(name, []).append(_Added(front, items, told))


def _holds(condition: ast.expr, names: _Names) -> tuple[bool, list[str]]:
    """Whether a condition holds; if the source does not tell, it is taken to, and that is said."""
    value = _value(condition, names)
    if isinstance(value, Unread | Word):
        return True, [f"`if {value.text}` is taken to hold"]
    return bool(value), []


def _called(node: ast.Call, names: _Names) -> tuple[str, str]:
    """Library and name of what is called; empty if it is of neither. The library of `torch.nn` is ``torch``."""
    path: list[str] = []
    at: ast.expr = node.func
    while isinstance(at, ast.Attribute):
        path.insert(0, at.attr)
        at = at.value
    if not isinstance(at, ast.Name):
        return "", ""
    whole = ".".join([names.packages.get(at.id, at.id), *path])
    library, name = whole.partition(".")[0], whole.rpartition(".")[2]
    if library == "torch" and name == "Sequential":
        return "torchvision", name
    return (library, name) if library in names.libraries else ("", "")


def _of_call(node: ast.Call, names: _Names) -> Transform:
    library, name = _called(node, names)
    if not library:
        return _unknown(node.func)
    if name == "Lambda" and node.args and _does_nothing(node.args[0]):
        name = "Identity"
    rule = names.libraries[library].get(name)
    order = ("transforms", "p") if name in HOLDERS else rule.parameters if rule else ()
    place, former = _FORMER.get(name, (len(node.args), ())) if library == "albumentations" else (len(node.args), ())
    if place < len(node.args) and isinstance(_value(node.args[place], names), int | float):
        order = former
    given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    several = name in HOLDERS and len(node.args) > 1 and all(isinstance(one, ast.Call) for one in node.args)
    positional = [ast.Tuple(elts=node.args, ctx=ast.Load())] if several else node.args
    given |= dict(zip(order, positional, strict=False))
    held = given.pop("transforms", None) if name in HOLDERS else None
    inner = [one for item in _items(held, names) for one in _of_item(item, names)]
    values = {key: _value(value, names) for key, value in given.items()}
    return named(Transform(library=library, name=name, values=values, inner=tuple(inner), told=frozenset(values)), rule)


def _unknown(node: ast.expr) -> Transform:
    return Transform(library="torchvision", name=ast.unparse(node), values={}, inner=())


def _does_nothing(node: ast.expr) -> bool:
    """Whether a function gives what it gets, or a picture of three channels."""
    match node:
        case ast.Lambda(args=ast.arguments(args=[one]), body=ast.Name(id=name)):
            return name == one.arg
        case ast.Lambda(body=ast.Call(func=ast.Attribute(attr="convert"), args=[ast.Constant(value="RGB")])):
            return True
        case _:
            return False


def _of_item(node: ast.expr, names: _Names) -> Iterator[Transform]:
    """What stands in a list of transforms."""
    if found := names.of(node):
        name, value = found
        names.open.add(name)
        yield from _of_item(value, names)
        names.open.discard(name)
    elif isinstance(node, ast.Call):
        yield _of_call(node, names)
    elif isinstance(node, ast.IfExp):
        yield from _of_item(_side(node, names), names)
    elif not isinstance(node, ast.Constant):
        yield _unknown(node)


def _side(node: ast.IfExp, names: _Names) -> ast.expr:
    """What a condition gives."""
    holds, granted = _holds(node.test, names)
    names.told += granted
    return node.body if holds else node.orelse


def _items(node: ast.expr | None, names: _Names) -> Iterator[ast.expr]:
    """The items of a list of transforms."""
    if node is None:
        return
    if found := names.of(node):
        name, value = found
        names.open.add(name)
        more = names.added.get(name, [])
        names.told += [text for one in more for text in one.told]
        front = [one.items for one in more if one.front]
        for one in (*reversed(front), value, *(one.items for one in more if not one.front)):
            yield from _items(one, names)
        names.open.discard(name)
        return
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            for one in items:
                yield from _items(one.value, names) if isinstance(one, ast.Starred) else [one]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _items(left, names)
            yield from _items(right, names)
        case ast.IfExp():
            yield from _items(_side(node, names), names)
        case ast.Call(args=[held]) if not _called(node, names)[0]:  # nn.ModuleList([...])
            yield from _items(held, names)
        case _:
            yield node


# -------------------------------------------------------------------------------------------------------------- values


def _value(node: ast.expr, names: _Names) -> Any:
    """A literal, what is computed of some, a constant, or the last word of a name such as ``BILINEAR``."""
    if found := names.of(node):
        name, value = found
        names.open.add(name)
        try:
            return _value(value, names)
        finally:
            names.open.discard(name)
    unread = Unread(ast.unparse(node))
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Attribute(attr=word):
            return Word(word.lower(), unread.text)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, names) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_value(key, names): _value(one, names) for key, one in zip(keys, values, strict=True) if key}
        case ast.IfExp():
            return _value(_side(node, names), names)
        case ast.UnaryOp(op=sign, operand=inner):
            value = _value(inner, names)
            if isinstance(sign, ast.USub) and isinstance(value, int | float):
                return -value
            return unread if isinstance(value, Unread) or not isinstance(sign, ast.Not) else not value
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _SIGNS:
            return _computed(_SIGNS[type(sign)], _value(left, names), _value(right, names), unread)
        case ast.ListComp(elt=item, generators=[one]) | ast.GeneratorExp(elt=item, generators=[one]):
            return _each(item, one, names, unread)
        case _:
            return _taken(node, names, unread)


def _taken(node: ast.expr, names: _Names, unread: Unread) -> Any:
    """An item, or what a known function gives."""
    try:
        match node:
            case ast.Subscript(value=of, slice=at):
                held = _value(of, names)
                return unread if isinstance(held, str | Unread) else held[_value(at, names)]
            case ast.Call(func=ast.Name(id=word) | ast.Attribute(attr=word), args=arguments):
                return _FUNCTIONS[word](*(_value(one, names) for one in arguments))
            case _:
                return unread
    except (LookupError, TypeError, ValueError, OverflowError):
        return unread


def _each(item: ast.expr, loop: ast.comprehension, names: _Names, unread: Unread) -> Any:
    over = _value(loop.iter, names)
    if not isinstance(over, list) or not isinstance(loop.target, ast.Name) or loop.ifs:
        return unread
    name = loop.target.id
    before, made = names.constants.get(name), list[Any]()
    for one in cast("list[Any]", over)[:_MAX_ITEMS]:
        names.constants[name] = ast.Constant(value=one)
        made.append(_value(item, names))
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
        len(cast("list[Any]", one)) > _MAX_ITEMS if isinstance(one, list) else one > _MAX_ITEMS for one in parts
    ):
        return unread
    try:
        return sign(left, right)
    except (TypeError, ArithmeticError):
        return unread
