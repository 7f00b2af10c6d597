"""A ``Compose`` in the source of a program, which is read and not run."""

from __future__ import annotations

import ast
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from dali_studio.api.reading.composed.loader import Loader, of_loader
from dali_studio.api.reading.composed.rules import PASSED, Rule, Transform, Unread, named
from dali_studio.api.reading.composed.values import (
    MAX_ITEMS,
    Added,
    Names,
    bound,
    chosen,
    if_holds,
    last_word,
    value_of,
)

#: What holds transforms, by the last word of its name; of `torch.nn`, too.
HOLDERS = ("Compose", "ReplayCompose", "Sequential", "RandomApply", "OneOf", "RandomChoice", "RandomOrder", "SomeOf")
#: What follows the transforms in their parameters, by package and class.
_PARAMETERS = {
    ("albumentations", "Compose"): ("bbox_params", "keypoint_params", "additional_targets", "p"),
    ("albumentations", "ReplayCompose"): ("bbox_params", "keypoint_params", "additional_targets", "p"),
    ("albumentations", "SomeOf"): ("n", "replace", "p"), ("albumentations", "RandomOrder"): ("n", "replace", "p"),
}  # fmt: skip
#: What gives the items that it gets.
_LISTS = ("list", "tuple", "ModuleList")
#: Positional parameters of albumentations 1, where a number stands at a place.
_FORMER = {
    "RandomResizedCrop": (0, ("height", "width", "scale", "ratio", "interpolation")),
    "RandomSizedCrop": (1, ("min_max_height", "height", "width", "w2h_ratio", "interpolation")),
    "CoarseDropout": (0, ("max_holes", "max_height", "max_width", "min_holes", "min_height", "min_width", "fill")),
    "ImageCompression": (0, ("quality_lower", "quality_upper")),
    "Downscale": (0, ("scale_min", "scale_max")),
}  # fmt: skip
#: What is read if it is a part of no other one.
_WHOLE = (("torchvision", "Compose"), ("albumentations", "Compose"), ("albumentations", "ReplayCompose"))


def of_source(
    tree: ast.Module, libraries: Mapping[str, Mapping[str, Rule]]
) -> tuple[Transform, list[str], Loader] | None:  # fmt: skip
    """The first ``Compose`` that is not a part of another one, what was taken for granted, and of what data it is.

    ``None`` if there is none.
    """
    names = Names(libraries)
    _packages(tree, names)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    calls = sorted((one for one in ast.walk(tree) if isinstance(one, ast.Call)), key=lambda one: one.lineno)
    found = [one for one in calls if _called(one, names) in _WHOLE]
    found = found or [one for one in calls if _called(one, names)[1] == "Sequential" and _has_rules(one, tree, names)]
    if not found:
        return None
    inner = {one for call in found for one in ast.walk(call) if one is not call}
    read = {call: {one.id for one in ast.walk(call) if isinstance(one, ast.Name)} for call in found}
    whole = [one for one in found if one not in inner and not any(
        known.intersection(_targets(parents.get(one))) for call, known in read.items() if call is not one
        and call.lineno > one.lineno)] or found  # fmt: skip
    first, *others = whole
    if others:
        rest = ", ".join(f"{_label(one, parents)} (line {one.lineno})" for one in others)
        which = f"{_label(first, parents)} (line {first.lineno})"
        names.told.append(f"There are {len(whole)} Compose: that of {which} is read, and not that of {rest}")
    _Scope(tree, first, parents, names).read()
    added: ast.expr = first  # Compose([...]) + [...]
    while isinstance(above := parents.get(added), ast.BinOp) and isinstance(above.op, ast.Add):
        other = above.right if above.left is added else above.left
        items = ast.List(elts=[other], ctx=ast.Load()) if isinstance(other, ast.Call) else other
        names.after.setdefault(first, []).append(Added(above.right is added, items, ()))
        added = above
    loader = of_loader(tree, first, names.packages, lambda call: _label(call, parents))
    return _of_call(first, names), names.told, loader


def of_others(tree: ast.Module) -> str:
    """What is said of the first `Compose` that is of another package; empty if there is none."""
    names = Names({})
    _packages(tree, names)
    for one in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
        path = ast.unparse(one.func).split(".")
        of = ".".join([names.packages.get(path[0], path[0]), *path[1:]]).rpartition(".")
        if of[2] == "Compose" and of[0]:
            return f" That of line {one.lineno} is of {of[0]}."
        if of[2] == "create_transform":
            return f" What create_transform (line {one.lineno}) gives can be read where timm is installed: the object."
    return ""


def _has_rules(call: ast.Call, tree: ast.Module, names: Names) -> bool:
    """Whether transforms are among what is given to a call, or in a variable there."""
    held = {name: one.value for one in ast.walk(tree) if isinstance(one, ast.Assign) for name in _targets(one)}
    given = [one.value if isinstance(one, ast.Starred) else one for one in call.args]
    every = [part for one in given for part in ast.walk(held.get(last_word(one), one))]
    parts = [_called(one, names) for one in every if isinstance(one, ast.Call)]
    return any(name in names.libraries.get(library, {}) for library, name in parts)


def _packages(tree: ast.Module, names: Names) -> None:
    imported = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                imported |= {one.name.partition(".")[0] for one in aliases}
                names.packages |= {a.asname: a.name for a in aliases if a.asname}
                names.packages |= {one: one for a in aliases if not a.asname and (one := a.name.partition(".")[0])}
            case ast.ImportFrom(module=str(module), names=aliases):
                imported.add(module.partition(".")[0])
                names.packages |= {a.asname or a.name: f"{module}.{a.name}" for a in aliases}
            case ast.FunctionDef(name=name, args=given, body=[*before, ast.Return(value=ast.expr() as value)]):
                if all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in before):
                    names.functions[name] = given, value
            case _:
                pass
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    bare = called - own - names.packages.keys()  # of `import *`, or of a part of a program
    library = max(names.libraries, key=lambda one: len(bare & names.libraries[one].keys()), default="")
    whole = any(name.rpartition(".")[2] == "*" for name in names.packages.values())
    if library and bare & names.libraries[library].keys() and (whole or not imported & names.libraries.keys()):
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
        self, tree: ast.Module, call: ast.Call, parents: Mapping[ast.AST, ast.AST], names: Names
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
                case _ if added := _addition(one):
                    to, items, front = added
                    if not _of_compose(to) and (new := self._added(one, items, front)):
                        self._names.added.setdefault(last_word(to), []).append(new)
                case _:
                    pass
        self._additions(sorted(every, key=lambda one: one.lineno))

    def _additions(self, every: Sequence[ast.stmt]) -> None:
        """What is added to a ``Compose`` that a variable holds."""
        held = dict[str, ast.expr]()
        for one in every:
            if not self._order(one)[0]:
                continue
            if isinstance(one, ast.Assign):
                held |= dict.fromkeys(_targets(one), one.value)
            elif (added := _addition(one)) and isinstance(to := _of_compose(added[0]), ast.expr):
                made = held.get(last_word(to))
                if made and (new := self._added(one, added[1], added[2])):
                    self._names.after.setdefault(made, []).append(new)

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

    def _added(self, node: ast.stmt, items: ast.expr, front: int) -> Added | None:
        told, child = list[str](), cast("ast.AST", node)
        if front > 0:
            told.append(f"`{ast.unparse(node)}` is taken to add it at the end")
        for above in self._above(node):
            if isinstance(above, ast.If) and above not in self._around:
                holds, granted = if_holds(above.test, self._names)
                if (child in above.orelse) == holds:
                    told = f"`{ast.unparse(node)}` is left out, as `if {ast.unparse(above.test)}` tells"
                    self._names.told.append(told)
                    return None
                told += granted
            if isinstance(above, ast.For | ast.While) and above not in self._around:
                told.append(f"`{ast.unparse(above).partition(':')[0]}` is taken to run once")
            child = above
        return Added(front == 0, items, told)


def _addition(node: ast.stmt) -> tuple[ast.expr, ast.expr, int] | None:
    """To what a statement adds items, which, and at which place: 0 is in front, -1 the end."""
    match node:
        case ast.AugAssign(target=to, op=ast.Add(), value=items):
            return to, items, -1
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=to, attr="extend"), args=[items])):
            return to, items, -1
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=to, attr="append"), args=[item])):
            return to, ast.List(elts=[item], ctx=ast.Load()), -1
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=to, attr="insert"), args=[at, item])):
            front = isinstance(at, ast.Constant) and at.value == 0
            return to, ast.List(elts=[item], ctx=ast.Load()), 0 if front else 1
        case _:
            return None


def _of_compose(node: ast.expr) -> ast.expr | None:
    """What may be a ``Compose``, where its list of transforms is named."""
    match node:
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr="transforms"):
            return None
        case ast.Attribute(value=of, attr="transforms"):
            return of
        case _:
            return None


def _called(node: ast.Call, names: Names) -> tuple[str, str]:
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


def _of_call(node: ast.Call, names: Names) -> Transform:
    library, name = _called(node, names)
    if not library:
        return _unknown(node.func)
    if name == "Lambda" and node.args and _does_nothing(node.args[0]):
        name = "Identity"
    if name == "Lambda" and node.args and (each := _of_each(node.args[0])) is not None:
        inner = tuple(one for item in each for one in _of_item(item, names))
        return Transform(library=library, name="Sequential", values={}, inner=inner)
    rule = names.libraries[library].get(name)
    order = rule.parameters if rule else ()
    if name in HOLDERS:
        order = ("transforms", *_PARAMETERS.get((library, name), ("p",)))
    place, former = _FORMER.get(name, (len(node.args), ())) if library == "albumentations" else (len(node.args), ())
    if place < len(node.args) and isinstance(value_of(node.args[place], names), int | float):
        order = former
    given = dict[str, ast.expr]()
    values = dict[str, Any]()
    for keyword in node.keywords:
        parts = {keyword.arg: keyword.value} if keyword.arg else _pairs(keyword.value, names)
        if parts is None:
            values[PASSED] = Unread(f"**{ast.unparse(keyword.value)}")
        given |= parts or {}
    if name in HOLDERS:
        several = (library, name) == ("torchvision", "Sequential")  # which is that of torch.nn
        positional = [ast.Tuple(elts=node.args, ctx=ast.Load())] if several else node.args
    else:
        positional = [] if name == "Identity" else [*_positional(node.args, names)]
    order = (*order, *(f"argument {at + 1}" for at in range(len(order), len(positional))))
    given |= dict(zip(order, positional, strict=False))
    held = given.pop("transforms", None) if name in HOLDERS else None
    added = names.after.get(node, [])
    inner = [one for item in _with(held, added, names) for one in _of_item(item, names)] if name in HOLDERS else []
    values |= {key: value_of(value, names) for key, value in given.items()}
    made = Transform(
        library=library, name=name, values=values, inner=tuple(inner), told=frozenset(values), line=node.lineno
    )  # fmt: skip
    return named(made, rule)


def _pairs(node: ast.expr, names: Names) -> dict[str, ast.expr] | None:
    """The items of a dict by their names; ``None`` where the source does not tell."""
    found = names.of(node)
    match found[1] if found else node:
        case ast.Dict(keys=keys, values=values) if all(isinstance(key, ast.Constant) for key in keys):
            return {str(cast("ast.Constant", key).value): one for key, one in zip(keys, values, strict=True)}
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=pairs) if all(one.arg for one in pairs):
            return {str(one.arg): one.value for one in pairs}
        case _:
            return None


def _positional(given: Sequence[ast.expr], names: Names) -> Iterator[ast.expr]:
    """Arguments, and those of a list that is unpacked; what does not tell how many stands for the first of them."""
    for one in given:
        items = value_of(one.value, names) if isinstance(one, ast.Starred) else None
        if isinstance(items, list):
            yield from (ast.Constant(value=item) for item in cast("list[Any]", items))
        else:
            yield one


def _unknown(node: ast.expr) -> Transform:
    return Transform(library="torchvision", name=ast.unparse(node), values={}, inner=(), foreign=True, line=node.lineno)


def _does_nothing(node: ast.expr) -> bool:
    """Whether a function gives what it gets, or a picture of three channels."""
    match node:
        case ast.Lambda(args=ast.arguments(args=[one]), body=ast.Name(id=name)):
            return name == one.arg
        case ast.Lambda(body=ast.Call(func=ast.Attribute(attr="convert"), args=[ast.Constant(value="RGB")])):
            return True
        case _:
            return False


def _of_each(node: ast.expr) -> list[ast.expr] | None:
    """What a function does to each of the windows that it gets, and stacks; ``None`` if it does something else."""
    if not isinstance(node, ast.Lambda) or len(node.args.args) != 1:
        return None
    body, given = node.body, node.args.args[0].arg
    if isinstance(body, ast.Call) and isinstance(body.func, ast.Attribute) and body.func.attr == "stack" and body.args:
        body = body.args[0]
    match body:
        case ast.ListComp(
            elt=made, generators=[ast.comprehension(target=ast.Name(id=one), iter=ast.Name(id=name), ifs=[])]
        ) if name == given:  # fmt: skip
            done: list[ast.expr] = []
            while isinstance(made, ast.Call) and len(made.args) == 1 and not made.keywords:
                done.insert(0, made.func)
                made = made.args[0]
            return done if isinstance(made, ast.Name) and made.id == one else None
        case _:
            return None


def _of_item(node: ast.expr, names: Names) -> Iterator[Transform]:
    """What stands in a list of transforms."""
    if found := names.of(node):
        name, value = found
        names.open.add(name)
        yield from _of_item(value, names)
        names.open.discard(name)
    elif isinstance(node, ast.Call):
        with _returned(node, names) as given:
            yield from _of_item(given, names) if given else [_of_call(node, names)]
    elif isinstance(node, ast.IfExp):
        yield from _of_item(chosen(node, names), names)
    elif not isinstance(node, ast.Constant):
        yield _unknown(node)


def _items(node: ast.expr | None, names: Names) -> Iterator[ast.expr]:
    """The items of a list of transforms."""
    if node is None:
        return
    if found := names.of(node):
        name, value = found
        names.open.add(name)
        yield from _with(value, names.added.get(name, []), names)
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
            yield from _items(chosen(node, names), names)
        case ast.Attribute(value=of) if _of_compose(node) and names.of(of):
            yield of
        case ast.Call(func=function, args=[held]) if last_word(function) in _LISTS:
            yield from _items(held, names)
        case ast.Call():
            with _returned(node, names) as given:
                yield from _items(given, names) if given else [node]
        case ast.ListComp(elt=item, generators=[ast.comprehension(target=ast.Name(id=name), iter=over, ifs=[])]) if (
            isinstance(each := value_of(over, names), list)
        ):
            for one in cast("list[Any]", each)[:MAX_ITEMS]:
                with bound(names, {name: ast.Constant(value=one)}):
                    yield item
        case _:
            yield node


def _with(node: ast.expr | None, more: Sequence[Added], names: Names) -> Iterator[ast.expr]:
    """The items of a list, and what is added to it later."""
    names.told += [text for one in more for text in one.told]
    front = [one.items for one in more if one.front]
    for one in (*reversed(front), node, *(one.items for one in more if not one.front)):
        yield from _items(one, names)


@contextmanager
def _returned(node: ast.Call, names: Names) -> Generator[ast.expr | None]:
    """What a function of the source gives, while its parameters have values; ``None`` if it does more than that."""
    name = last_word(node.func) if isinstance(node.func, ast.Name) else ""
    if name not in names.functions or any(isinstance(one, ast.Starred) for one in node.args):
        yield None
        return
    parameters, value = names.functions[name]
    every = [one.arg for one in (*parameters.posonlyargs, *parameters.args)]
    told = dict(zip(reversed(every), reversed(parameters.defaults), strict=False))
    told |= {one.arg: given for one, given in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True) if given}
    told |= dict(zip(every, node.args, strict=False)) | {one.arg: one.value for one in node.keywords if one.arg}
    functions, names.functions = names.functions, {k: v for k, v in names.functions.items() if k != name}
    with bound(names, {one: ast.Constant(value=value_of(given, names)) for one, given in told.items()}):
        yield value
    names.functions = functions
