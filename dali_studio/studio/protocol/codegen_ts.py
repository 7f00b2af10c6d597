"""TypeScript from the Python messages: ``python -m dali_studio.studio.protocol.codegen_ts [--check]``.

Python is the only truth. The structs of `studio.requests`, `studio.messages` and `studio.gallery_messages` (and all
that they refer to) become interfaces, tagged unions become discriminated unions by ``type``, and the closed sets of
words (`Kind`, `Widget` ...) become unions of literals, so that a consumer that forgets one does not compile.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from msgspec import inspect

from dali_studio.core.diagnostics import Severity
from dali_studio.core.generated import write_or_check
from dali_studio.core.meta import Kind
from dali_studio.graph.edits import CardEdit
from dali_studio.schema.model import ArgumentType, Device, Support, Value, Widget
from dali_studio.studio.protocol.bodies import PreviewBody
from dali_studio.studio.protocol.gallery_messages import GalleryAnswer, GalleryRequest
from dali_studio.studio.protocol.messages import KernelMessage, Mark
from dali_studio.studio.protocol.requests import ClientMessage

#: What writes the file.
VERB = "python -m dali_studio.studio.protocol.codegen_ts"
#: Where the generated file lives in a source checkout.
_PACKAGES = Path(__file__).resolve().parents[3] / "extension" / "packages"
TARGET = _PACKAGES / "designer" / "src" / "protocol" / "generated.ts"

#: Named sets of words, each emitted as one alias.
_WORDS: dict[str, Any] = {
    "Kind": Kind,
    "ArgumentType": ArgumentType,
    "Widget": Widget,
    "Device": Device,
    "Support": Support,
    "Severity": Severity,
}
#: Named unions of structs.
_UNIONS: dict[str, Any] = {
    "Edit": CardEdit,
    "Mark": Mark,
    "PreviewBody": PreviewBody,
    "ClientMessage": ClientMessage,
    "KernelMessage": KernelMessage,
    "GalleryRequest": GalleryRequest,
    "GalleryAnswer": GalleryAnswer,
}

_SCALARS: dict[type[inspect.Type], str] = {
    inspect.BoolType: "boolean",
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.StrType: "string",
    inspect.NoneType: "null",
}

_HEADER = f"""// Generated from the messages in dali_studio/studio. Do not edit: run
//   {VERB}
"""


class _Printer:
    """Prints types by name where they have one."""

    def __init__(self) -> None:
        self.structs: dict[str, inspect.StructType] = {}
        self._names = {repr(inspect.type_info(alias)): name for name, alias in _WORDS.items()}
        self._names[repr(inspect.type_info(Value))] = "Value"
        self._names |= {repr(inspect.type_info(union)): name for name, union in _UNIONS.items()}

    def ref(self, kind: inspect.Type) -> str:
        """The TypeScript expression for a type; structs met on the way are remembered."""
        named = self._names.get(repr(kind))
        text = self.expand(kind)
        return text if named is None else named

    def expand(self, kind: inspect.Type) -> str:
        """As `ref`, but spelled out even if the type has a name."""
        match kind:
            case inspect.Metadata():
                return self.ref(kind.type)
            case inspect.StructType():
                self._remember(kind)
                return kind.cls.__name__
            case inspect.UnionType():
                return " | ".join(dict.fromkeys(self.ref(member) for member in kind.types))
            case inspect.LiteralType():
                return " | ".join(f'"{value}"' for value in _in_order(kind))
            case inspect.VarTupleType() | inspect.ListType():
                return f"readonly {self._element(kind.item_type)}[]"
            case inspect.TupleType():
                return f"readonly [{', '.join(map(self.ref, kind.item_types))}]"
            case inspect.DictType():
                return f"Readonly<Record<{self.ref(kind.key_type)}, {self.ref(kind.value_type)}>>"
            case _ if type(kind) in _SCALARS:
                return _SCALARS[type(kind)]
            case _:
                raise TypeError(f"codegen_ts cannot express {kind!r} in TypeScript; use another type in the message")

    def _element(self, kind: inspect.Type) -> str:
        text = self.ref(kind)
        return f"({text})" if "|" in text or text.startswith("readonly ") else text

    def _remember(self, kind: inspect.StructType) -> None:
        name = kind.cls.__name__
        known = self.structs.get(name)
        if known is not None:
            if known.cls is not kind.cls:
                raise TypeError(f"two structs are called {name}: rename one, TypeScript has a single namespace")
            return
        self.structs[name] = kind
        for field in kind.fields:
            self.ref(field.type)


def _in_order(kind: inspect.LiteralType) -> tuple[object, ...]:
    """The words as they were written (msgspec sorts them)."""
    for alias in _WORDS.values():
        if set(get_args(alias)) == set(kind.values):
            return get_args(alias)
    return tuple(kind.values)


def _doc(text: str | None, indent: str = "") -> Iterator[str]:
    first = (text or "").strip().split("\n\n")[0]
    words = " ".join(line.strip() for line in first.splitlines())
    if words:
        yield f"{indent}/** {words} */"


def _interface(printer: _Printer, kind: inspect.StructType, optional_defaults: bool) -> Iterator[str]:
    """One interface. A field is optional if Python leaves it out, or if the browser writes it and it has a default."""
    yield from _doc(kind.cls.__doc__)
    yield f"export interface {kind.cls.__name__} {{"
    if kind.tag_field is not None:
        yield f'  readonly {kind.tag_field}: "{kind.tag}";'
    for field in kind.fields:
        may_miss = not field.required and (optional_defaults or bool(kind.cls.__struct_config__.omit_defaults))
        yield f"  readonly {field.encode_name}{'?' if may_miss else ''}: {printer.ref(field.type)};"
    yield "}"


def _structs_of(union: Any) -> set[str]:
    """Names of all structs that can occur in a union."""
    printer = _Printer()
    printer.ref(inspect.type_info(union))
    return set(printer.structs)


def generate() -> str:
    """The text of ``generated.ts``.

    Returns
    -------
    str
        Ends with a newline. The same for the same Python sources.
    """
    printer = _Printer()
    unions = {name: printer.expand(inspect.type_info(union)) for name, union in _UNIONS.items()}
    # Structs that only the browser writes have optional fields; those that Python writes are complete,
    # except where Python itself omits defaults.
    sent = _structs_of(KernelMessage) | _structs_of(GalleryAnswer)
    browser_only = (_structs_of(ClientMessage) | _structs_of(GalleryRequest)) - sent
    lines = [_HEADER]
    for name, alias in _WORDS.items():
        lines += [f"export type {name} = {printer.expand(inspect.type_info(alias))};", ""]
    lines += [f"export type Value = {printer.expand(inspect.type_info(Value))};", ""]
    for name, kind in printer.structs.items():
        lines += [*_interface(printer, kind, optional_defaults=name in browser_only), ""]
    for name, text in unions.items():
        members = "".join(f"\n  | {member}" for member in text.split(" | "))
        lines += [f"export type {name} ={members};", ""]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the file."""
    if not TARGET.parents[2].is_dir():
        sys.stderr.write("The front-end sources are not here. Run this in a source checkout.\n")
        return 1
    return write_or_check("Write the TypeScript of the designer's messages.", lambda: {TARGET: generate()}, arguments)


if __name__ == "__main__":
    sys.exit(main())
