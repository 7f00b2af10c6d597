"""What the gallery shows: operators that say how to show them, and the examples; and the graphs behind them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import msgspec

from dali_studio.api.folders import folder_readers
from dali_studio.api.sample_readers import with_samples
from dali_studio.graph import document
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import PortRef, SetArgument
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.schema.model import ArgumentSchema, OperatorSchema, Value
from dali_studio.schema.registry import Registry
from dali_studio.studio import gallery
from dali_studio.studio.data.paths import Source
from dali_studio.studio.protocol.gallery_messages import Setting, Tile, TileControl

#: Controls of a tile, those by which an operator's arguments are set, and those for examples, which have many.
_MAX_CONTROLS = 8
_SET_BY_HAND = ("slider", "dial", "number", "switch", "choice", "numbers", "range")
_TELLING = ("slider", "dial", "range")
#: In front of the names of examples: some are called like operators.
EXAMPLES = "gallery/"


def tiles(registry: Registry) -> tuple[Tile, ...]:
    """All tiles: operators by category, then the examples."""
    schemas = [schema for schema in registry.shown() if schema.shown is not None]
    ordered = sorted(schemas, key=lambda schema: (schema.category, schema.name))
    return (*map(_of_operator, ordered), *_of_examples(registry))


def _of_operator(schema: OperatorSchema) -> Tile:
    shown = schema.shown or {}
    offered = [one for one in schema.arguments if one.widget in _SET_BY_HAND and one.support == "used"]
    offered = [one for one in offered if one.name in shown or (one.common and _has_value(one))]
    offered.sort(key=lambda one: (one.name not in shown, one.widget not in ("slider", "dial")))
    controls = [
        TileControl(node=schema.node_name, argument=one, value=shown.get(one.name, one.default))
        for one in offered[:_MAX_CONTROLS]
    ]
    return Tile(
        name=schema.name, title=schema.name.removeprefix("experimental."), summary=schema.summary,
        category=schema.category, icon=schema.icon, tags=schema.keywords,
        geometric=schema.movement is not None, gpu="gpu" in schema.devices, example=False,
        controls=tuple(controls),
    )  # fmt: skip


def _has_value(argument: ArgumentSchema) -> bool:
    return argument.default is not None or bool(argument.span)


@lru_cache(maxsize=2)
def _of_examples(registry: Registry) -> tuple[Tile, ...]:
    return tuple(_of_example(recipe.name, recipe.title, registry) for recipe in gallery.recipes(registry))


def _of_example(name: str, title: str, registry: Registry) -> Tile:
    graph, _, _ = document.load(gallery.folder() / name / gallery.FILE, registry)
    steps = [(node, registry.schema(node.operator)) for node in graph.nodes() if node.operator in registry]
    work = [(node, schema) for node, schema in steps if schema.role == "" and "encoded" not in _kinds(schema)]
    controls = [
        TileControl(node=node.key, argument=argument, value=value)
        for node, schema in work
        for key, value in node.arguments.items()
        if (argument := schema.argument(key)) is not None and argument.widget in _TELLING
    ]  # fmt: skip
    text, tags = _told(name)
    return Tile(
        name=EXAMPLES + name, title=title, summary=text, category="examples", icon="",
        tags=(*tags, *sorted({schema.name for _, schema in work})),
        geometric=any(schema.movement is not None and schema.movement.scales is None for _, schema in steps),
        gpu=all({"gpu", "mixed"} & {*schema.devices} for _, schema in steps if schema.role != "reader"), example=True,
        controls=tuple(controls[:_MAX_CONTROLS]),
    )  # fmt: skip


def _kinds(schema: OperatorSchema) -> list[str]:
    return [port.kind for port in schema.inputs]


def _told(name: str) -> tuple[str, tuple[str, ...]]:
    """What an example's page says of it, in one paragraph of plain text, and its tags."""
    page = gallery.folder() / name / "README.md"
    parts = page.read_text(encoding="utf-8").split("\n\n")[1:] if page.exists() else []
    tags = re.match(r"Tags: (.*)", parts[0]) if parts else None
    words = parts[1:] if tags else parts
    told = tuple(tag.strip() for tag in tags.group(1).split(",")) if tags else ()
    return " ".join(words[0].replace("`", "").split()) if words else "", told


def graph_of(tile: Tile, settings: Sequence[Setting], read: Mapping[str, Value], registry: Registry) -> Graph:
    """The pipeline of a tile.

    Parameters
    ----------
    tile
        As `tiles` gives it.
    settings
        Values that differ from those of the tile.
    read
        Arguments by which a reader is told what to read; with ``files`` alone it reads them in their order.

    Raises
    ------
    DaliStudioError
        If a setting is not acceptable.
    """
    graph = _example(tile, read, registry) if tile.example else _around(tile, read, registry)
    edits = [SetArgument(key=one.node, argument=one.argument, value=one.value) for one in settings]
    return apply(graph, edits, registry)[0]


def _around(tile: Tile, read: Mapping[str, Value], registry: Registry) -> Graph:
    """The operator behind a reader and a decoder."""
    schema = registry.schema(tile.name)
    graph = gallery.reading_graph(Source("readers.file", read), registry)
    graph.options = msgspec.structs.replace(graph.options, name=schema.node_name)
    source, key = graph.outputs[0], schema.node_name
    graph.add_node(Node(key=key, operator=schema.name, arguments=dict(schema.shown or {}), version=schema.version))
    graph.connect(source, key, 0)
    graph.set_outputs([PortRef(node=key), *graph.outputs[1:]])
    return graph


def _example(tile: Tile, read: Mapping[str, Value], registry: Registry) -> Graph:
    graph, _, _ = document.load(gallery.folder() / tile.name.removeprefix(EXAMPLES) / gallery.FILE, registry)
    for node in folder_readers(graph, registry):
        kept = node.arguments if "files" not in read else dict[str, Value]()
        graph.replace_node(replace(node, arguments={**kept, **read}))
    return with_samples(graph, registry)
