"""Docstrings, made from the schema."""

from __future__ import annotations

from dali_studio.schema.model import ArgumentSchema, OperatorSchema

_TYPES = {
    "float": "float", "int": "int", "bool": "bool", "string": "str", "data_type": "DALIDataType", "layout": "str",
    "image_type": "DALIImageType", "interp_type": "DALIInterpType", "float_list": "list of float",
    "int_list": "list of int", "string_list": "list of str", "data_type_list": "list of DALIDataType",
    "interp_type_list": "list of DALIInterpType", "features": "dict of str to tfrecord.Feature",
    "object": "object",
}  # fmt: skip


def signature_doc(schema: OperatorSchema) -> str:
    """A numpydoc docstring for an operator."""
    lines = [schema.summary, ""]
    if schema.doc:
        lines += [schema.doc, ""]
    lines += ["Parameters", "----------"]
    for entry in schema.inputs:
        optional = ", optional" if entry.optional else ""
        if entry.repeated is not None:
            optional = ", {} to {} of them".format(*entry.repeated)
        layouts = f", layout {' or '.join(entry.layouts)}" if entry.layouts else ""
        lines += [f"{entry.name} : DataNode{layouts}{optional}", *([f"    {entry.doc}"] if entry.doc else [])]
    for argument in schema.arguments:
        lines += [f"{argument.name} : {_type(argument)}", f"    {_describe(argument)}"]
    several = "dict of DataNode" if schema.by_name else "list of DataNode"
    single = len(schema.outputs) == 1 and not schema.by_name
    lines += ["", "Returns", "-------", "DataNode" if single else several]
    lines += [f"    {', '.join(output.name for output in schema.outputs)}"]
    return "\n".join(lines)


def _type(argument: ArgumentSchema) -> str:
    kind = _TYPES[argument.type] + (" or DataNode" if argument.tensor else "")
    return (
        kind
        if argument.required
        else f"{kind}, default {argument.default!r}"
        if argument.default is not None
        else f"{kind}, optional"
    )


def _describe(argument: ArgumentSchema) -> str:
    parts = [argument.doc]
    if argument.unit:
        parts.append(f"Unit: {argument.unit}.")
    if argument.choices and argument.type == "string":
        parts.append(f"One of {', '.join(argument.choices)}.")
    if argument.minimum is not None or argument.maximum is not None:
        low = "" if argument.minimum is None else f"from {argument.minimum:g} "
        parts.append(f"Accepted: {low}{'' if argument.maximum is None else f'to {argument.maximum:g}'}".rstrip() + ".")
    if argument.support == "ignored":
        parts.append(f"Accepted without effect: {argument.reason}.")
    elif argument.now:
        parts.append(f"The former name of {argument.now}.")
    elif argument.support == "refused":
        parts.append(f"Not available: {argument.reason}.")
    return " ".join(part for part in parts if part)
