"""Statements of a program's text that become a function of it; they are moved as they are, with their comments."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from dali_studio.api.reading.patches import NotWritable
from dali_studio.api.reading.text import ProgramText, Step
from dali_studio.codegen.functions import Function
from dali_studio.codegen.names import Names

#: Columns by which a function's statements are indented.
_INDENT = 4


def boxed(text: ProgramText, function: Function) -> ProgramText:
    """The text with the statements that make the nodes of `function` in one; as it is if they are in one already.

    Raises
    ------
    NotWritable
        If they cannot be: what lies between them needs them, or a statement makes other nodes, too.
    """
    others = "a statement makes other nodes, too"
    keys = {key for key in function.keys if not text.is_helper(key)}
    for place in text.functions:
        steps = text.steps_of(place)
        if any(keys == {key for key in step.made if not text.is_helper(key)} and _is_call(text, step)
               for step in steps):  # fmt: skip
            return text
        members = [step for step in steps if keys & set(step.made)]
        made = {key for step in members for key in step.made if not text.is_helper(key)}
        if not members:
            continue
        if len(members) == 1 and not made <= keys:
            continue  # perhaps a call of the function in which they are
        whole = place is not text.function and len(members) == sum(bool(step.made) for step in steps)
        if whole and made == keys:
            return text
        if whole and made < keys:
            continue  # a function that is called in it
        if made != keys or any(not isinstance(step.node, ast.Assign) for step in members):
            raise NotWritable(others)
        return ProgramText(_moved(text, function, place, members))
    raise NotWritable(others)


def _is_call(text: ProgramText, step: Step) -> bool:
    """Whether a statement is a call of a function of the text, or of another one that makes several nodes."""
    call = step.followed.value if isinstance(step.followed, ast.Assign) else None
    own = [key for key in step.made if text.spans.get(key) is call and not text.is_helper(key)]
    known = isinstance(call, ast.Call) and ast.unparse(call.func) in {one.name for one in text.functions}
    return known or len(own) > 1


def _moved(text: ProgramText, function: Function, place: ast.FunctionDef, members: Sequence[Step]) -> str:
    lines = text.text.split("\n")
    inner = [step.node for step in members]
    if place.body[0].col_offset != _INDENT:
        raise NotWritable(f"its statements are not indented by {_INDENT}")
    last = _checked(place, inner)
    local = _names(place.body, ast.Store) | {one.arg for one in place.args.args + place.args.kwonlyargs}
    stored: set[str] = set()
    taken: dict[str, None] = {}
    for node in inner:
        loaded = [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
        taken |= dict.fromkeys(name for name in loaded if name in local - stored)
        stored |= _names([node], ast.Store)
    returned = sorted(_live(place.body[last + 1 :]) & stored, key=lambda name: _first(inner, name))
    if not returned:
        raise NotWritable("nothing of what it makes is used")
    exposed = _exposed(text, function, lines, {*taken, *stored})
    name, given = _free_name(text, function.title), ", ".join(returned)
    spans = [_lines(lines, node) for node in inner]
    made = [
        f"def {name}({', '.join([*taken, *exposed])}):", *(line for begin, end in spans for line in lines[begin:end]),
        f"{' ' * _INDENT}return {given}", "", "",
    ]  # fmt: skip
    values = [*taken, *(f"{one}={value}" for one, value in exposed.items())]
    call = f"{' ' * _INDENT}{given} = {name}({', '.join(values)})"
    top = min([place.lineno, *(one.lineno for one in place.decorator_list)]) - 1
    while top and lines[top - 1].startswith("#"):
        top -= 1
    gone = {number for begin, end in spans for number in range(begin, end)}
    written: list[str] = []
    for number, line in enumerate(lines):
        written += made if number == top else []
        written += [] if number in gone else [line]
        written += [call] if number == spans[-1][1] - 1 else []
    return "\n".join(written)


def _checked(place: ast.FunctionDef, inner: Sequence[ast.stmt]) -> int:
    """Where the last of the statements is, to which the others go; refused if what lies between does not allow it."""
    first, last = place.body.index(inner[0]), place.body.index(inner[-1])
    for at in range(first, last):
        if (other := place.body[at]) not in inner:
            before = [node for node in place.body[first:at] if node in inner]
            if _names(before, ast.Store) & _names([other]) or _names(before) & _names([other], ast.Store):
                raise NotWritable("other nodes lie between its nodes")
    return last


def _free_name(text: ProgramText, title: str) -> str:
    names = Names()
    for one in ast.walk(ast.parse(text.text)):
        if isinstance(one, ast.Name | ast.FunctionDef):
            names.unused(one.id if isinstance(one, ast.Name) else one.name)
    return names.unused(title)


def _exposed(text: ProgramText, function: Function, lines: list[str], taken: set[str]) -> dict[str, str]:
    """Values of arguments that are parameters of the function, by these; `lines` read the parameters then."""
    found: dict[str, ast.expr] = {}
    for key, argument in function.exposed:
        call = text.span(key)
        given = [one.value for one in call.keywords if one.arg == argument] if isinstance(call, ast.Call) else []
        # others stay where they are
        if given and argument not in taken and not _names(given) and given[0].lineno == given[0].end_lineno:
            found.setdefault(argument, given[0])
    values: dict[str, str] = {}
    for argument, value in sorted(found.items(), key=lambda one: -one[1].col_offset):
        line = lines[value.lineno - 1].encode()
        values[argument] = line[value.col_offset : value.end_col_offset].decode()
        changed = line[: value.col_offset] + argument.encode() + line[value.end_col_offset :]
        lines[value.lineno - 1] = changed.decode()
    return {argument: values[argument] for argument in found}


def _lines(lines: Sequence[str], node: ast.stmt) -> tuple[int, int]:
    """The lines of a statement, from 0, with the comments right above it."""
    begin, end = node.lineno - 1, node.end_lineno or node.lineno
    if lines[begin][: node.col_offset].strip() or ";" in lines[end - 1].partition("#")[0]:
        raise NotWritable("a line has several statements")
    while begin and lines[begin - 1].lstrip().startswith("#"):
        begin -= 1
    return begin, end


def _names(nodes: Collection[ast.AST], kind: type[ast.expr_context] = ast.expr_context) -> set[str]:
    found = [one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)]
    return {one.id for one in found if isinstance(one.ctx, kind)}


def _first(nodes: Sequence[ast.stmt], name: str) -> int:
    return next(i for i, node in enumerate(nodes) if name in _names([node], ast.Store))


def _live(nodes: Sequence[ast.stmt]) -> set[str]:
    """Variables that statements read which they have not written before."""
    found: set[str] = set()
    written: set[str] = set()
    for node in nodes:
        found |= _names([node], ast.Load) - written
        if isinstance(node, ast.AugAssign):
            found |= _names([node], ast.Store) - written
        written |= _names([node], ast.Store) if isinstance(node, ast.Assign) else set()
    return found
