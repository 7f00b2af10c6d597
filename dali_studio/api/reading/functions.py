"""The text of a function of a program, with what of its module it needs: code nodes hold such texts."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence


def text_alone(
    function: ast.FunctionDef | ast.Lambda, module: Sequence[ast.stmt], text: str, around: Sequence[str] = ()
) -> str:
    """The text of a module whose last function is `function`.

    Before it stand the imports, functions, classes and values of `module` that it uses, and those that these use, and
    the lines `around` it.

    Parameters
    ----------
    function
        A lambda becomes a function called ``change``; decorators are left out.
    module
        The statements of the program.
    text
        The program, whose comments are kept.
    """
    needed, waiting = set[int](), [*_used(function), *_used(ast.parse("\n".join(around)))]
    while waiting:
        name = waiting.pop()
        for at, statement in enumerate(module):
            if at not in needed and name in _bound(statement) and statement is not function:
                needed.add(at)
                waiting += _used(statement)
    parts = [lines_of(one, text) for at, one in enumerate(module) if at in needed]
    parts += ["\n".join(around)] if around else []
    if isinstance(function, ast.Lambda):
        made = f"def change({ast.unparse(function.args)}):\n    return {ast.unparse(function.body)}"
    else:
        made = lines_of(function, text)
    return "\n\n".join([*parts, made]) + "\n"


def free_names(function: ast.FunctionDef | ast.Lambda) -> list[str]:
    """Names that a function reads and does not give a value."""
    own = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    own |= {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    inner = [one for one in ast.walk(function) if isinstance(one, ast.stmt)]
    own |= {name for one in inner for name in _bound(one)}
    return [name for name in dict.fromkeys(_used(function)) if name not in own]


def lines_of(statement: ast.stmt, text: str) -> str:
    """The lines of a statement, from the margin."""
    lines = text.splitlines()[statement.lineno - 1 : statement.end_lineno]
    return textwrap.dedent("\n".join(lines))


def _used(node: ast.AST) -> Iterator[str]:
    """Names that are read."""
    return (one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))


def _bound(statement: ast.stmt) -> set[str]:
    """Names that a statement of a module gives a value."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    return set()
