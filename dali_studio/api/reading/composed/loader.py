"""What a training program says of the data beside its ``Compose``: ``ImageFolder`` and ``DataLoader``."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from dali_studio.api.reading.composed.values import last_word

#: Parameters in their order.
_OF_LOADER = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn",
              "pin_memory", "drop_last")  # fmt: skip
_OF_FOLDER = ("root", "transform", "target_transform", "loader", "is_valid_file")
#: Those that change no batch, and those that are read otherwise.
_SILENT = {"dataset", "pin_memory", "pin_memory_device", "persistent_workers", "timeout", "multiprocessing_context",
           "root", "transform", "allow_empty"}  # fmt: skip
#: Most characters of a path.
_MAX_TEXT = 4096
_LOADER, _FOLDER = "DataLoader", "ImageFolder"
_DATASETS = "torchvision.datasets."


@dataclass(slots=True)
class Loader:
    """What the reader and the pipeline get of a program.

    Attributes
    ----------
    place : str
        Which call it is of; empty if there is none.
    arguments : dict
        Those of the reader.
    options : dict
        Those of the pipeline.
    told : list of str
        What was not taken, and of several calls which one was.
    """

    place: str = ""
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    options: dict[str, int] = field(default_factory=dict[str, int])
    told: list[str] = field(default_factory=list[str])


def of_loader(
    tree: ast.Module, compose: ast.Call, packages: Mapping[str, str], label: Callable[[ast.Call], str]
) -> Loader:
    """The loader that `compose` is given to, or else that of the training: only literals and names bound once to some.

    Parameters
    ----------
    packages
        What names stand for that are imported.
    label
        What a call is for.
    """
    held = {**dict(_turns(tree)), **_bound_once(tree)}
    own = {one.name for one in ast.walk(tree) if isinstance(one, ast.ClassDef | ast.FunctionDef)}
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and last_word(one.func) not in own]
    loaders = [one for one in calls if last_word(one.func) == _LOADER]
    several = sorted(loaders or [one for one in calls if _is_dataset(one, packages)], key=lambda one: one.lineno)
    name = label(compose)

    def fed(one: ast.Call) -> bool:
        return any(part is compose or (isinstance(part, ast.Name | ast.Attribute) and last_word(part) == name)
                   for part in ast.walk(_dataset(one, held)))  # fmt: skip

    def trains(one: ast.Call) -> bool:
        of = one if one not in loaders else one.args[0] if one.args else _dataset(one, held)
        return "train" in f"{label(one)} {ast.unparse(of)}".lower()

    few = [one for one in several if fed(one)] or several
    few = [one for one in few if trains(one)] if len(few) > 1 else few
    if not several:
        return Loader()
    what = _LOADER if loaders else "datasets"
    if len(few) != 1:
        lines = ", ".join(str(one.lineno) for one in several)
        told = f"There are {len(several)} {what} (lines {lines}); none is taken, as it is not told which one trains"
        return Loader(place=f"{what} of line {several[0].lineno}", told=[told])
    (one,) = few
    made = Loader(place=f"{last_word(one.func)} of {label(one)} (line {one.lineno})")
    if len(several) > 1:
        rest = ", ".join(f"{label(other)} (line {other.lineno})" for other in several if other is not one)
        this = f"{label(one)} (line {one.lineno})"
        made.told.append(f"There are {len(several)} {what}: that of {this} is read, and not that of {rest}")
    plain = {**held}  # in which values take the place of expressions
    left = [*(_of_loader(one, plain, made) if loaders else ()), *_of_folder(_dataset(one, held), plain, made)]
    if left:
        made.told.append(f"{made.place}: {', '.join(left)} {'is' if len(left) == 1 else 'are'} not taken")
    return made


def _of_loader(call: ast.Call, plain: dict[str, ast.expr], made: Loader) -> Iterator[str]:
    """Note what is read of a ``DataLoader``; what is not."""
    for name, node in _given(call, _OF_LOADER):
        match name, _known(node, plain):
            case "batch_size", int(value) if value > 0:
                made.options["batch_size"] = value
            case "num_workers", int(value) if value >= 0:
                made.options["num_threads"] = max(value, 1)
            case "shuffle", bool(value):
                made.arguments["random_shuffle"] = value
            case _ if name not in _SILENT and not (isinstance(node, ast.Constant) and node.value in (None, False)):
                yield _text(name, node)
            case _:
                pass


def _of_folder(node: ast.expr, plain: dict[str, ast.expr], made: Loader) -> Iterator[str]:
    """Note the folder of an ``ImageFolder``; what is not read, which is all of another dataset."""
    if not isinstance(node, ast.Call) or last_word(node.func) != _FOLDER:
        known = "which is" if isinstance(node, ast.Call) else "of which it is not told that it is"
        yield f"the dataset {_short(node)}, {known} {'no' if known == 'which is' else 'an'} {_FOLDER},"
        return
    for name, value in _given(node, _OF_FOLDER):
        root = _known(value, plain) if name == "root" else None
        if isinstance(root, str):
            made.arguments["file_root"] = root
        elif name == "root" or (name not in _SILENT and not (isinstance(value, ast.Constant) and value.value is None)):
            yield _text(name, value)


def _is_dataset(call: ast.Call, packages: Mapping[str, str]) -> bool:
    root, _, rest = ast.unparse(call.func).partition(".")
    whole = f"{packages.get(root, root)}.{rest}"
    return last_word(call.func) == _FOLDER or (whole.startswith(_DATASETS) and last_word(call.func)[:1].isupper())


def _dataset(call: ast.Call, held: Mapping[str, ast.expr]) -> ast.expr:
    """What a loader reads, as it was made; a dataset itself."""
    if last_word(call.func) != _LOADER:
        return call
    given: ast.expr = dict(_given(call, _OF_LOADER)).get("dataset", call)
    seen = set[str]()
    while (found := held.get(name := ast.unparse(given)) or _entry(given, held)) and name not in seen:
        seen.add(name)
        given = found
    return given


def _entry(node: ast.expr, held: Mapping[str, ast.expr]) -> ast.expr | None:
    """What stands in a dictionary at a key, also in one that is made in a loop."""
    if not isinstance(node, ast.Subscript):
        return None
    match held.get(ast.unparse(node.value)):
        case ast.DictComp(value=value):
            return value
        case ast.Dict(keys=keys, values=values):
            key = held.get(ast.unparse(node.slice), node.slice)
            return next((value for one, value in zip(keys, values, strict=True)
                         if one is not None and ast.dump(one) == ast.dump(key)), None)  # fmt: skip
        case _:
            return None


def _turns(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Variables of loops over the names of data sets, in the turn of the one that trains."""
    for loop in (node for node in ast.walk(tree) if isinstance(node, ast.comprehension)):
        each = loop.iter.elts if isinstance(loop.iter, ast.List | ast.Tuple) else []
        trains = [one for one in each if isinstance(one, ast.Constant) and "train" in str(one.value).lower()]
        if isinstance(loop.target, ast.Name):
            yield from ((loop.target.id, one) for one in trains)


def _given(call: ast.Call, order: Sequence[str]) -> Iterator[tuple[str, ast.expr]]:
    yield from zip(order, call.args, strict=False)
    yield from ((one.arg or "**", one.value) for one in call.keywords)


def _text(name: str, node: ast.expr) -> str:
    return f"{name}{_short(node)}" if name == "**" else f"{name}={_short(node)}"


def _short(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _bound_once(tree: ast.Module) -> dict[str, ast.expr]:
    """What names and attributes of classes stand for that are assigned once, and are no parameters."""
    held, count = dict[str, ast.expr](), Counter[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Name(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                count[ast.unparse(node)] += 1
            case ast.arg(arg=name):
                count[name] += 2
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as to], value=value):
                held[ast.unparse(to)] = value
            case ast.AnnAssign(target=ast.Name() | ast.Attribute() as to, value=ast.expr() as value):
                held[ast.unparse(to)] = value
            case ast.ClassDef(name=name, body=body):
                for one in body:
                    if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                        held[f"{name}.{one.targets[0].id}"] = one.value
                        count[f"{name}.{one.targets[0].id}"] += 1
            case _:
                pass
    return {name: value for name, value in held.items() if count[name] == 1}


def _known(node: ast.expr, plain: dict[str, ast.expr]) -> Any:
    """A literal, also behind a name or in a path that is put together; ``None`` where it is not told.

    Names in `plain` get their values, so that each is computed once, and none of itself.
    """
    name = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    if name in plain:
        node, plain[name] = plain[name], ast.Constant(value=None)
        value = _known(node, plain)
        plain[name] = ast.Constant(value=value)
        return value
    match node:
        case ast.Constant(value=str() | int() as value):
            return value
        case ast.Call(func=function, args=[*parts], keywords=[]) if last_word(function) in ("join", "Path", "str"):
            return _joined([_known(one, plain) for one in parts], path=True)
        case ast.BinOp(left=left, op=ast.Div() | ast.Add() as sign, right=right):
            return _joined([_known(left, plain), _known(right, plain)], path=isinstance(sign, ast.Div))
        case ast.JoinedStr(values=parts):
            return _joined([_known(one, plain) for one in parts], path=False)
        case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
            return None if (value := _known(inner, plain)) is None else str(value)
        case _:
            return None


def _joined(parts: Sequence[Any], *, path: bool) -> str | None:
    """Parts of a path or a text; ``None`` where one of them is none."""
    if not all(isinstance(one, str) for one in parts) or sum(map(len, parts)) > _MAX_TEXT:
        return None
    return str(PurePosixPath(*parts)) if path else "".join(parts)
