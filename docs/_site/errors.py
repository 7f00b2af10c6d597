"""The page on errors, from the codes of diagnostics and the places in the code where each is made."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from dali_studio.core.diagnostics import CODES

PACKAGE = Path(__file__).resolve().parents[2] / "dali_studio"
#: Messages of a code that the page has, at most: some have dozens.
_SHOWN = 8
_HEAD = """# Errors and what to do

Each finding has a code, says what was given and what is accepted, and what to do: in Python as a
`DaliStudioError` with `diagnostics`, in the designer on the node, on the command line with the file. A
notebook shows it with the lines of your own program; `traceback.print_exception(error)` has those of the
package, too. This page is made from the code; `…` stands for names and numbers of the case at hand.
`dali-studio doctor` says what is installed, and what is missing for a GPU.
"""


def write(path: Path) -> None:
    """Write the page."""
    path.write_text("\n".join(_page(found())), encoding="utf-8")


def found() -> dict[str, list[tuple[str, str]]]:
    """By code: messages and hints, as the code writes them."""
    made: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = _assigned(tree.body)
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            names = constants | _assigned(ast.walk(function))
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and (told := _told(call, names)):
                    code, message, hint = told
                    if (message, hint) not in made[code]:
                        made[code].append((message, hint))
    return made


def _assigned(nodes: Iterable[ast.AST]) -> dict[str, ast.expr]:
    """Texts that are given names."""
    names: dict[str, ast.expr] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=False))
                texts = (ast.Constant, ast.JoinedStr)
                names.update({t.id: v for t, v in pairs if isinstance(t, ast.Name) and isinstance(v, texts)})
    return names


def _told(call: ast.Call, names: dict[str, ast.expr]) -> tuple[str, str, str] | None:
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    code = given.get("code")
    code = names.get(code.id) if isinstance(code, ast.Name) else code
    message, hint = given.get("message") or (call.args[0] if call.args else None), given.get("hint")
    for place, argument in enumerate(call.args):  # findings: node, code, message, hint
        if isinstance(argument, ast.Constant) and argument.value in CODES:
            code, message, hint, *_ = [*call.args[place:], None, None, None]
    if not isinstance(code, ast.Constant) or code.value not in CODES:
        return None
    text = _text(message, names)
    return (str(code.value), text, _text(hint, names)) if text else None


def _text(node: ast.expr | None, names: dict[str, ast.expr]) -> str:
    """A text with … for what is filled in; empty if nothing of it is known."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in values]
            return "".join(map(str, parts))
        case ast.Name(id=name) if name in names:
            return _text(names[name], {})
        case _:
            return ""


def _page(made: dict[str, list[tuple[str, str]]]) -> Iterator[str]:
    yield _HEAD
    for code, meaning in CODES.items():
        yield f"## {code}: {meaning}\n"
        rows = [(message, hint) for message, hint in made.get(code, []) if len(message) > len("… ….")]
        if rows:
            yield "| what is said | what to do |\n|---|---|"
            yield from (f"| {_cell(message)} | {_cell(hint)} |" for message, hint in rows[:_SHOWN])
            yield ""


def _cell(text: str) -> str:
    plain = text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
    return plain if "_" in plain.partition(" ")[0] else plain[:1].upper() + plain[1:]
