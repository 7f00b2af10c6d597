"""Stubs of ``fn``, ``ops`` and dynamic mode for editors and checkers: ``python -m dali_studio.api.stubs [--check]``.

The modules are made from the registry when they are imported, so that a static tool sees nothing in them. These files
tell it what is there; they follow from the schemas alone.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from dali_studio.api.default import default_registry
from dali_studio.api.dynamic.stubs import dynamic_stubs
from dali_studio.core.generated import VERB, write_or_check
from dali_studio.schema.declare import Operator, overrides
from dali_studio.schema.model import ArgumentSchema, OperatorSchema

_PACKAGE = Path(__file__).resolve().parents[1]
_TYPES = {
    "float": "float", "int": "int", "bool": "bool", "string": "str", "layout": "str", "object": "Any",
    "data_type": "DALIDataType", "image_type": "DALIImageType", "interp_type": "DALIInterpType",
    "float_list": "float | _Sequence[float]", "int_list": "int | _Sequence[int]", "string_list": "str | _Sequence[str]",
    "data_type_list": "DALIDataType | _Sequence[DALIDataType]",
    "interp_type_list": "DALIInterpType | _Sequence[DALIInterpType]", "features": "dict[str, Feature]",
}  # fmt: skip
_HEADER = f'''"""Generated from the registry. Do not edit: run ``{VERB}``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

{{imports}}from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float
'''


def generate() -> dict[Path, str]:
    """All stub files.

    Returns
    -------
    dict
        Path below the package to text.
    """
    registry = default_registry()
    today = [registry.schema(name) for name in registry.functions()]
    public = [*today, *(schema.called(former) for schema in today for former in schema.former)]
    return {**_modules("fn", public), **_modules("ops", public), **dynamic_stubs(today)}


def _modules(package: str, schemas: Sequence[OperatorSchema]) -> dict[Path, str]:
    entries: dict[str, list[str]] = defaultdict(list)
    for schema in schemas:
        folder, _, name = (schema.name if package == "fn" else schema.class_name).rpartition(".")
        entries[folder].append(_function(schema, name) if package == "fn" else _class(schema, name))
    folders = {"", *entries, *(folder.rpartition(".")[0] for folder in entries)}
    found: dict[Path, str] = {}
    for folder in sorted(folders):
        inside = sorted(one for one in folders if one and one.rpartition(".")[0] == folder)
        owner = f"dali_studio.{package}.{folder}".removesuffix(".")
        names = [one.rpartition(".")[2] for one in inside]
        imports = "".join(f"from {owner} import {name} as {name}\n" for name in names)
        if package == "ops" and not folder:
            imports = f"from dali_studio.api.composed import Compose as Compose\n{imports}"
        place = Path(package, *filter(None, folder.split(".")))
        file = place / "__init__.pyi" if inside or not folder else place.with_suffix(".pyi")
        found[file] = _text(imports, entries[folder])
    return found


def _text(imports: str, entries: Sequence[str]) -> str:
    body = "".join(f"\n{entry}" for entry in sorted(entries))
    enums = [name for name in ("DALIDataType", "DALIImageType", "DALIInterpType") if name in body]
    if enums:
        imports = f"from dali_studio.core.enums import {', '.join(enums)}\n{imports}"
    if "Feature]" in body:
        imports = f"from dali_studio.core.features import Feature\n{imports}"
    return _HEADER.format(imports=imports) + body


def _function(schema: OperatorSchema, name: str) -> str:
    inputs = _inputs(schema)
    keywords, at = _keywords(schema), _by_place(schema)
    star = [] if _repeats(schema) else ["*"]
    parts = [*inputs, *_slash(schema), *keywords[:at], *star, *keywords[at:]]
    return f"def {name}({_joined(parts)}) -> {_result(schema)}:\n{_doc(schema, 1)}"


def _by_place(schema: OperatorSchema) -> int:
    """How many arguments may stand without their names: of an external source, which has no inputs, the first two."""
    return 2 if schema.argument("source") is not None else 0


def _class(schema: OperatorSchema, name: str) -> str:
    inputs = _inputs(schema)
    first = ["self", *inputs, *_slash(schema)]
    keywords, at = _keywords(schema, required=False), _by_place(schema)
    made = _joined(["self", *keywords[:at], "*", *keywords[at:]], 2)
    called = _joined([*first, "**arguments: Any"], 2)
    return (
        f"class {name}:\n{_doc(schema, 1, body=False)}"
        f"    def __init__({made}) -> None: ...\n    def __call__({called}) -> {_result(schema)}: ...\n"
    )


def _inputs(schema: OperatorSchema) -> list[str]:
    """Positional inputs; the last takes as many as are given, if it is repeated."""
    taken = {argument.name for argument in schema.arguments}  # an input may be called as an argument is
    names = [f"{entry.name}_input" if entry.name in taken else entry.name for entry in schema.inputs]
    inputs = [
        f"{name}: _Input{' | None = ...' if entry.optional else ''}"
        for name, entry in zip(names, schema.inputs, strict=True)
    ]
    if _repeats(schema):
        inputs[-1] = f"*{names[-1]}: _Input"
    return inputs


def _repeats(schema: OperatorSchema) -> bool:
    return bool(schema.inputs) and schema.inputs[-1].repeated is not None


def _slash(schema: OperatorSchema) -> list[str]:
    """What closes the positional inputs; a star does so itself."""
    return ["/"] if schema.inputs and not _repeats(schema) else []


def _keywords(schema: OperatorSchema, *, required: bool = True) -> list[str]:
    """Every argument that has an effect, or none but is accepted; what is refused is not offered."""
    taken = [argument for argument in schema.arguments if argument.support != "refused"]
    texts = [_keyword(argument, needed=argument.required and required) for argument in taken]
    return [*texts, "name: str | None = ...", "device: str | None = ..."]


def _keyword(argument: ArgumentSchema, *, needed: bool) -> str:
    kind = _TYPES[argument.type] + (" | DataNode" if argument.tensor else "")
    if needed:
        return f"{argument.name}: {kind}"
    kind = kind if kind == "Any" else f"{kind} | None"
    plain = isinstance(argument.default, bool | int | float) or (argument.type == "string" and argument.default)
    return f"{argument.name}: {kind} = {argument.default!r}" if plain else f"{argument.name}: {kind} = ..."


def _result(schema: OperatorSchema) -> str:
    if schema.by_name:
        return "dict[str, DataNode]"
    if len(schema.outputs) > 1:
        return "list[DataNode]"
    return "Any" if overrides(_operator(schema), "output_schemas") else "DataNode"


def _operator(schema: OperatorSchema) -> type[Operator]:
    registry = default_registry()
    return registry.operator(registry.former().get(schema.name, schema.name))


def _joined(parts: Sequence[str], depth: int = 1) -> str:
    inside, outside = "    " * depth, "    " * (depth - 1)
    return f"\n{inside}" + f",\n{inside}".join(parts) + f",\n{outside}"


def _doc(schema: OperatorSchema, depth: int, *, body: bool = True) -> str:
    indent = "    " * depth
    lines = [schema.summary, "", *schema.doc.split("\n")] if schema.doc else [schema.summary]
    quoted = f"\n{indent}".join(lines).replace(f"\n{indent}\n", "\n\n")
    end = f"\n{indent}" if len(lines) > 1 else ""
    return f'{indent}"""{quoted}{end}"""\n' + (f"{indent}...\n" if body else "")


def files(root: Path = _PACKAGE) -> dict[Path, str | None]:
    """The text of each file, and ``None`` for those that should not be there."""
    left_over = {path: None for package in ("fn", "ops", "experimental") for path in (root / package).rglob("*.pyi")}
    return left_over | {root / path: text for path, text in generate().items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the files."""
    return write_or_check("Write the stubs of fn, ops and dynamic mode.", files, arguments)


if __name__ == "__main__":
    sys.exit(main())
