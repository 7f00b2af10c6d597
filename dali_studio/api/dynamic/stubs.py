"""Stubs of ``experimental.dynamic``, as `dali_studio.api.stubs` writes them."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from dali_studio import math
from dali_studio.api.dynamic.functions import offered
from dali_studio.api.dynamic.reader import path_of
from dali_studio.schema.model import ArgumentSchema, OperatorSchema

_PACKAGE = "dali_studio.experimental.dynamic"
_HEADER = '''"""Generated from the registry. Do not edit: run ``make generated``."""

'''
#: Where the classes are that signatures name.
_NAMED = {"Batch": "batch", "Reader": "reader", "RNG": "rng", "Tensor": "tensor"}
#: Modules that are written by hand, whose names the stub of the package, or of the module, gives again.
_WRITTEN = ("", "random")


def dynamic_stubs(schemas: Sequence[OperatorSchema]) -> dict[Path, str]:
    """The stub files, by path below the package."""
    entries: dict[str, list[str]] = defaultdict(list)
    for schema in filter(offered, schemas):
        folder, _, name = path_of(schema).rpartition(".")
        entries[folder].append(_class(schema, name) if schema.role == "reader" else _function(schema, name))
    entries["math"] = [_operation(name, getattr(math, name)) for name in _functions(math)]
    folders = {"", *entries, *(folder.rpartition(".")[0] for folder in entries)}
    found: dict[Path, str] = {}
    for folder in sorted(folders):
        inside = sorted(one for one in folders if one and one.rpartition(".")[0] == folder)
        owner = f"{_PACKAGE}.{folder}".removesuffix(".")
        names = [one.rpartition(".")[2] for one in inside]
        imports = [f"from {owner} import {name} as {name}\n" for name in names]
        if folder in _WRITTEN:
            imports += [line for line in _given_again(importlib.import_module(owner)) if line not in imports]
        place = Path("experimental", "dynamic", *filter(None, folder.split(".")))
        file = place / "__init__.pyi" if inside or not folder else place.with_suffix(".pyi")
        body = "".join(f"\n{one}" for one in sorted(entries[folder]))
        given = {line.rpartition(" ")[2].strip() for line in imports}
        imports += [
            f"from dali_studio.api.dynamic.{home} import {name}\n"
            for name, home in _NAMED.items()
            if name not in given and re.search(rf"\b{name}\b", body)
        ]
        if re.search(r"\bAny\b", body):
            imports.insert(0, "from typing import Any\n")
        found[file] = _HEADER + "".join(imports) + body
    return found


def _given_again(module: ModuleType) -> Iterable[str]:
    """The imports of a module whose names are public."""
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("dali_studio.api.dynamic", _PACKAGE)):
            for one in node.names:
                public = one.asname or one.name
                if public in vars(module).get("__all__", ()):
                    yield f"from {node.module} import {one.name} as {one.name}\n"
                    yield "" if one.name == public else f"{public} = {one.name}\n"


def _functions(module: ModuleType) -> list[str]:
    own = module.__name__
    return [name for name, one in vars(module).items() if isinstance(one, FunctionType) and one.__module__ == own]


def _operation(name: str, function: Any) -> str:
    names = ", ".join(f"{one}: Any" for one in inspect.signature(function).parameters)
    return f'def {name}({names}) -> Any:\n    """{function.__doc__}"""\n'


def _function(schema: OperatorSchema, name: str) -> str:
    repeats = bool(schema.inputs) and schema.inputs[-1].repeated is not None
    taken = {argument.name for argument in schema.arguments}  # an input may be called as an argument is
    inputs = [
        f"{'*' if entry.repeated else ''}{entry.name}{'_input' if entry.name in taken else ''}: Any"
        f"{' = ...' if entry.optional else ''}"
        for entry in schema.inputs
    ]
    closed = [] if repeats else ["/", "*"] if inputs else ["*"]
    words = ["batch_size: int | None = ...", "device: Any = ...", *(["rng: RNG | None = ..."] if schema.seeded else [])]
    result = "Any" if len(schema.outputs) != 1 else "Tensor | Batch"
    parts = [*inputs, *closed, *words, *_keywords(schema, leave="seed")]
    return f'def {name}({_joined(parts)}) -> {result}:\n    """{schema.summary}"""\n'


def _class(schema: OperatorSchema, name: str) -> str:
    first = ["self", "max_batch_size: int | None = ...", "name: str | None = ...", "device: Any = ...",
             "num_inputs: Any = ...", "*", "enable_checkpointing: bool = ..."]  # fmt: skip
    return (
        f'class {name}(Reader):\n    """{schema.summary}"""\n'
        f"    def __init__({_joined([*first, *_keywords(schema)], 2)}) -> None: ...\n"
    )


def _keywords(schema: OperatorSchema, leave: str = "") -> list[str]:
    return [_keyword(one) for one in schema.arguments if one.support != "refused" and one.name != leave]


def _keyword(argument: ArgumentSchema) -> str:
    return f"{argument.name}: Any{'' if argument.required else ' = ...'}"


def _joined(parts: Sequence[str], depth: int = 1) -> str:
    inside, outside = "    " * depth, "    " * (depth - 1)
    return f"\n{inside}" + f",\n{inside}".join(parts) + f",\n{outside}"
