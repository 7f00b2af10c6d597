"""From the declaration of an operator to its schema: attributes, annotations and marks."""

from __future__ import annotations

import functools
import inspect
import re
import types
import typing
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, get_args, get_origin

import msgspec

from dali_studio.core.enums import DALIDataType, DALIImageType, DALIInterpType
from dali_studio.core.features import Feature
from dali_studio.schema import marks
from dali_studio.schema.model import ArgumentSchema, ArgumentType, InputSchema, OperatorSchema, Value, Widget
from dali_studio.schema.traits import PerFrame
from dali_studio.schema.values import canonical

if TYPE_CHECKING:
    from dali_studio.schema.declare import Operator

_TYPES: dict[Any, ArgumentType] = {
    float: "float", int: "int", bool: "bool", str: "string", object: "object",
    DALIDataType: "data_type", DALIImageType: "image_type", DALIInterpType: "interp_type",
    list[float]: "float_list", list[int]: "int_list", list[str]: "string_list", list[DALIDataType]: "data_type_list",
    dict[str, Feature]: "features",
}  # fmt: skip
_WIDGETS: dict[ArgumentType, Widget] = {
    "float": "number", "int": "number", "bool": "switch", "string": "text", "layout": "text", "data_type": "choice",
    "image_type": "choice", "interp_type": "choice", "float_list": "numbers", "int_list": "numbers",
    "string_list": "files", "data_type_list": "none", "interp_type_list": "none", "features": "files", "object": "none",
}  # fmt: skip
#: Element types that a user can ask for.
_DATA_TYPES = (
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "FLOAT16",
    "FLOAT",
    "FLOAT64",
    "BOOL",
)
_FLAGS = {
    marks.PER_SAMPLE: "tensor", marks.PER_OUTPUT: "per_output", marks.COMMON: "common", marks.ANY_NUMBER: "any_number",
    marks.TRUNCATED: "truncated",
}  # fmt: skip


def schema_of(cls: type[Operator]) -> OperatorSchema:
    """Everything that the declaration of an operator says."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    summary, _, rest = doc.partition("\n\n")
    if not doc:
        raise TypeError(f"{cls.__name__} has no docstring; its first sentence is the operator's summary")
    path = cls.path or _snake(cls.__name__)
    module = path.rpartition(".")[0]
    arguments = tuple(_arguments(cls))
    return OperatorSchema(
        name=path,
        class_name=f"{module}.{cls.__name__}" if module else cls.__name__,
        category=cls.category,
        summary=" ".join(summary.split()),
        doc=rest.strip(),
        version=cls.version,
        devices=cls.devices,
        inputs=_inputs(cls),
        outputs=cls.outputs,
        arguments=arguments,
        traits=tuple(t.__name__ for t in cls.traits),
        seeded=cls.seeded,
        stateful=cls.stateful,
        keep=cls.keep,
        role=cls.role,
        by_name=cls.by_name,
        icon=cls.icon,
        node_name=cls.node_name or path.rpartition(".")[2],
        keywords=tuple(cls.keywords.split()),
        hidden=cls.hidden,
        deprecated=cls.deprecated,
        dialects=cls.dialects,
        movement=cls.movement,
        former=cls.former,
        shown=None if cls.shown is None else _shown(cls.shown.arguments, arguments),
    )


def _shown(given: Mapping[str, Any], arguments: Sequence[ArgumentSchema]) -> dict[str, Value]:
    known = {argument.name: argument for argument in arguments}
    return {name: canonical(known[name], value) for name, value in given.items()}


def _inputs(cls: type[Operator]) -> tuple[InputSchema, ...]:
    """The inputs as declared; operators with `PerFrame` take each layout with frames before it, too.

    What a functor reads is said of its image.
    """
    inputs = cls.inputs
    if cls.functor is not None:
        read = ", ".join(dtype.name for dtype in cls.functor.inputs)
        inputs = (msgspec.structs.replace(inputs[0], doc=f"Element types: {read}."), *inputs[1:])
    if PerFrame not in cls.traits:
        return inputs
    return tuple(
        msgspec.structs.replace(i, layouts=(*i.layouts, *(f"F{layout}" for layout in i.layouts if "F" not in layout)))
        for i in inputs
    )


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _arguments(cls: type[Operator]) -> list[ArgumentSchema]:
    found: dict[str, ArgumentSchema] = {}
    for base in cls.__mro__:  # the class first, then its mixins: the inspector shows them in this order
        if base is object or "__annotations__" not in vars(base):
            continue
        hints = _hints(base)
        for attribute in vars(base)["__annotations__"]:
            name = attribute.rstrip("_")  # an argument called as an attribute of operators, such as path_
            if name not in found and get_origin(hints[attribute]) is not ClassVar:
                found[name] = _argument(cls, attribute, hints[attribute])
    return list(found.values())


@functools.cache  # mixins are asked for by each operator that has them
def _hints(base: type) -> dict[str, Any]:
    return inspect.get_annotations(base, eval_str=True)


def _argument(cls: type[Operator], name: str, hint: Any) -> ArgumentSchema:
    metadata: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        metadata = tuple(rest)
    kind = _type_of(hint, f"{cls.__name__}.{name}")
    required = not hasattr(cls, name)
    fields: dict[str, Any] = {"name": name.rstrip("_"), "type": kind, "required": required, "widget": _WIDGETS[kind]}
    if kind in ("data_type", "data_type_list"):
        fields["choices"] = _DATA_TYPES
    elif kind in ("image_type", "interp_type"):
        enum = DALIImageType if kind == "image_type" else DALIInterpType
        fields["choices"] = tuple(enum.__members__)
    for mark in metadata:
        fields.update(_mark(mark))
    argument = ArgumentSchema(**fields)
    default = None if required else canonical(argument, getattr(cls, name))
    fields["default"] = default
    return ArgumentSchema(**fields)


def _type_of(hint: Any, where: str) -> ArgumentType:
    if get_origin(hint) in (typing.Union, types.UnionType):
        options = [a for a in get_args(hint) if a is not type(None)]
        if len(options) == 1:
            hint = options[0]
    if hint is marks.Layout:
        return "layout"
    if hint in _TYPES:
        return _TYPES[hint]
    raise TypeError(f"{where}: annotation {hint!r} has no argument type; use one of {[str(t) for t in _TYPES]}")


def _mark(mark: Any) -> dict[str, Any]:
    match mark:
        case marks.Doc(text):
            return {"doc": text}
        case marks.Unit(text):
            return {"unit": text}
        case marks.Range(low, high):
            return {"minimum": low, "maximum": high}
        case marks.Ui(widget, span):
            return {"widget": widget, "span": span}
        case marks.Start(value):
            return {"start": value}
        case marks.Choices(words, spellings):
            return {"choices": words, "spellings": dict(spellings), "widget": "choice"}
        case marks.Length(lengths):
            return {"length": lengths}
        case marks.Ignored(reason):
            return {"support": "ignored", "reason": reason}
        case marks.Refused(reason):
            return {"support": "refused", "reason": reason}
        case marks.Deprecated(instead):
            return {"deprecated": instead}
        case marks.PER_SAMPLE | marks.PER_OUTPUT | marks.COMMON | marks.ANY_NUMBER | marks.TRUNCATED:
            return {_FLAGS[mark]: True}
        case _:
            raise TypeError(f"unknown argument mark {mark!r}")
