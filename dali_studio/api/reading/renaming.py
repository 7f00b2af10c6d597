"""Other names in a program's text for nodes that have been renamed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from dali_studio.api.reading.patches import Patches


def renamed(
    text: str, body: Sequence[ast.stmt], variables: Mapping[ast.stmt, tuple[str, str]], calls: Mapping[ast.Call, str]
) -> str:
    """The text with other names.

    Parameters
    ----------
    body
        The statements of the function.
    variables
        Of statements that assign a node: the variable, and what it is to be called.
    calls
        Of calls that are given a name: another one.
    """
    patches, taken = Patches(text), {one.id for node in body for one in _names(node)}
    for call, name in calls.items():
        patches.keyword(call, "name", ast.Constant(name))
    for at, node in enumerate(body):
        old, new = variables.get(node, ("", ""))
        places = list(_places(body[at:], old)) if new.isidentifier() and new not in taken else []
        for place in places:
            patches.replace(place, ast.Name(new))
        taken |= {new} if places else set()
    return patches.applied()


def _places(body: Sequence[ast.stmt], old: str) -> Iterator[ast.Name]:
    """Where the variable of the first statement stands until another one assigns it; nothing if that is uncertain."""
    found: list[ast.Name] = []
    for number, node in enumerate(body):
        own = [one for one in _names(node) if one.id == old]
        stored = [one for one in own if isinstance(one.ctx, ast.Store)]
        plain = isinstance(node, ast.Assign) and all(isinstance(one, ast.Name | ast.Tuple) for one in node.targets)
        if number == 0:
            if not plain or len(stored) != 1:
                return
            found += stored
            continue
        if stored and not plain:
            return
        found += [one for one in own if one not in stored]
        if stored:
            break
    yield from found


def _names(node: ast.AST) -> list[ast.Name]:
    return [one for one in ast.walk(node) if isinstance(one, ast.Name)]
