"""Whether a wire fits: what a port gives against what an input or an argument takes."""

from __future__ import annotations

from contextlib import suppress

import msgspec
from msgspec.structs import replace

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.dtypes import ENUMERATIONS
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import KINDS, Kind, TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.graph.node import Node
from dali_studio.schema.arguments import Args
from dali_studio.schema.model import ArgumentSchema, Catalog, InputSchema, OperatorSchema
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import AnyElement
from dali_studio.schema.values import canonical, wire_dtype

#: What each kind of input takes. Only what can never make sense is left out: encoded bytes are opaque to everything but
#: decoders, while spectrograms are filtered like images and random numbers stand in for any tensor.
_PIXELS: tuple[Kind, ...] = ("image", "video", "mask", "audio", "label", "scalar")
_NUMBERS: tuple[Kind, ...] = ("boxes", "points", "label", "scalar")
_TAKES: dict[Kind, tuple[Kind, ...]] = {
    "encoded": ("encoded",),
    "image": _PIXELS,
    "video": _PIXELS,
    "mask": _PIXELS,
    "audio": ("audio", "label", "scalar"),
    "boxes": _NUMBERS,
    "points": _NUMBERS,
    "label": _NUMBERS,
    "scalar": _NUMBERS,
}


#: Kinds that feed no argument.
_OPAQUE: tuple[Kind, ...] = ("encoded",)


#: What each kind is called in a sentence.
_WORDS: dict[Kind, str] = {
    "encoded": "encoded bytes", "image": "images", "video": "video", "audio": "audio", "boxes": "boxes",
    "points": "points", "mask": "masks", "label": "labels", "scalar": "numbers", "any": "data",
}  # fmt: skip


def kinds_fit(source: Kind, target: Kind) -> bool:
    """Whether data of kind `source` may enter an input of kind `target`."""
    return "any" in (source, target) or source in _TAKES[target]


def catalog(registry: Registry) -> Catalog:
    """Every operator that a palette shows, and what may be wired to what."""
    return Catalog(
        operators=tuple(map(_plain, registry.shown())),
        inputs_take={target: tuple(source for source in KINDS if kinds_fit(source, target)) for target in KINDS},
        arguments_take=tuple(kind for kind in KINDS if kind not in _OPAQUE),
        keep_kind=tuple(one.name for one in registry.shown() if _keeps_kind(one, registry)),
    )


def _plain(schema: OperatorSchema) -> OperatorSchema:
    """An operator whose words are without the marks of names in docstrings."""
    summary, doc = (text.replace("`", "") for text in (schema.summary, schema.doc))
    arguments = tuple(replace(one, doc=one.doc.replace("`", "")) for one in schema.arguments)
    return replace(schema, summary=summary, doc=doc, arguments=arguments)


def _keeps_kind(schema: OperatorSchema, registry: Registry) -> bool:
    """Whether an operator that takes any data gives the same kind, a picture for a picture: its inference says so."""
    takes, gives = schema.inputs[:1], schema.outputs
    if [one.kind for one in (*takes, *gives)] != ["any", "any"] or takes[0].shape_only:
        return False
    examples = registry.operator(schema.name).examples
    given = examples[0].arguments if examples else {}
    values = {one.name: canonical(one, given[one.name]) for one in schema.arguments if one.name in given}
    picture = TensorMeta(DALIDataType.UINT8, 3, "HWC", "image")
    with suppress(Exception):  # it takes more than a picture, or other data
        return [meta.kind for meta in registry.infer(schema.name, Args(schema, values), [picture])] == ["image"]
    return False


def input_misfits(
    node: Node, port: PortRef, meta: TensorMeta, declared: InputSchema, registry: Registry, name: str, *,
    layouts: bool = True,
) -> list[Diagnostic]:  # fmt: skip
    """What is wrong with feeding `port` into the input `name`: kind, type, and (with `layouts`) layout or rank."""
    if not kinds_fit(meta.kind, declared.kind):
        takes = "encoded bytes" if declared.kind == "encoded" else f"{declared.kind} data"
        return [_misfit(node, name, f"{port.node} gives {meta.kind} data; {name} takes {takes}.",
                        _converter(meta.kind, declared.kind, registry))]  # fmt: skip
    if declared.dtypes and meta.dtype is not None and meta.dtype.name not in declared.dtypes:
        message = f"{port.node} gives {meta.dtype.name}; {name} takes {' or '.join(declared.dtypes)}."
        return [_misfit(node, name, message, _cast_to(declared.dtypes[0]))]
    if meta.dtype in ENUMERATIONS and not (declared.shape_only or registry.has_trait(node.operator, AnyElement)):
        message = f"{port.node} gives {meta.dtype.name}; {name} takes numbers."
        return [_misfit(node, name, message, _cast_to("INT32"))]
    if meta.kind == "audio" and declared.of_sound:  # it would run, with moments for frequencies
        message = f"{port.node} gives a sound; {node.key} takes what {declared.of_sound} makes of one."
        hint = f"Put {declared.of_sound} between."
        return [msgspec.structs.replace(_misfit(node, name, message, hint), severity="warning")]
    return _layout_misfit(node, port, meta, declared, name) if layouts else []


def _layout_misfit(
    node: Node, port: PortRef, meta: TensorMeta, declared: InputSchema, name: str
) -> list[Diagnostic]:
    accepted = " or ".join(declared.layouts)
    if not declared.layouts:
        return []
    if meta.layout:
        if meta.layout in declared.layouts:
            return []
        message = f"{port.node} gives layout {meta.layout}; {name} takes {accepted}."
        same_letters = [layout for layout in declared.layouts if sorted(layout) == sorted(meta.layout)]
        hint = f"Feed data of layout {accepted}."
        if same_letters:
            wanted = same_letters[0]
            hint = f'Order the axes as {wanted} where the data is made, or there by output_layout="{wanted}".'
        return [_misfit(node, name, message, hint)]
    ranks = sorted({len(layout) for layout in declared.layouts})
    if meta.ndim is None or meta.ndim in ranks:
        return []
    dimensions = " or ".join(map(str, ranks))
    if meta.kind != declared.kind:
        message = f"{port.node} gives {_WORDS[meta.kind]} here; {node.key} takes {_WORDS[declared.kind]}."
        return [_misfit(node, name, message, f"Feed {_WORDS[declared.kind]}, of {dimensions} dimensions.")]
    message = f"{port.node} gives {meta.ndim} dimensions; {name} takes {dimensions} ({accepted})."
    return [_misfit(node, name, message, f"Feed data of {dimensions} dimensions.")]


def argument_misfits(node: Node, port: PortRef, meta: TensorMeta, argument: ArgumentSchema) -> list[Diagnostic]:
    """What is wrong with feeding `port` into an argument: not wirable, kind, exact data type, or not on the CPU."""
    if not argument.tensor:
        return [
            Diagnostic(
                code="DS107", node=node.key, argument=argument.name, source=node.origin,
                message=f"{argument.name} takes one value for the whole run and cannot be fed by a wire.",
                hint="Set a value instead.",
            )
        ]  # fmt: skip
    if meta.kind in _OPAQUE:
        return [_misfit(node, argument.name, f"{port.node} gives encoded bytes; {argument.name} takes numbers.",
                        "Feed numbers, one tensor per sample.")]  # fmt: skip
    wanted = wire_dtype(argument)
    if wanted is not None and meta.dtype is not None and meta.dtype is not wanted:
        message = f"{port.node} gives {meta.dtype.name}; {argument.name} takes {wanted.name} exactly."
        return [_misfit(node, argument.name, message, _cast_to(wanted.name))]
    if meta.device == "gpu":
        return [
            Diagnostic(
                code="DS207", node=node.key, argument=argument.name, source=node.origin,
                message=f"{port.node} lies on the GPU; argument inputs are read on the CPU.",
                hint=f"Copy {port.node} to the CPU with .cpu(), or place it there.",
            )
        ]  # fmt: skip
    return []


def _cast_to(dtype: str) -> str:
    return f"Insert a cast to {dtype}."


def _converter(source: Kind, target: Kind, registry: Registry) -> str:
    """Names operators that lead from one kind to the other."""
    found: list[str] = []
    for name in registry:
        schema = registry.schema(name)
        takes = bool(schema.inputs) and schema.inputs[0].kind == source
        if takes and not schema.hidden and any(output.kind == target for output in schema.outputs):
            found.append(name)
    return f"Put {' or '.join(found[:3])} between." if found else f"Feed {target} data."


def _misfit(node: Node, argument: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code="DS203", message=message, hint=hint, node=node.key, argument=argument, source=node.origin)
