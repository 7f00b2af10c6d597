"""Pages of the operators, from the registry: what each does to a photo, its arguments, what is verified, its speed."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from pathlib import Path

import speed

from dali_studio.api.default import default_registry
from dali_studio.runtime import thumbnails
from dali_studio.samples import photos
from dali_studio.schema.model import ArgumentSchema, OperatorSchema
from dali_studio.schema.registry import Registry
from dali_studio.studio.outputs import images
from dali_studio.studio.protocol.gallery_messages import Tile
from dali_studio.studio.tile_gallery import tiles
from dali_studio.studio.tile_gallery.pictures import Pictures
from dali_studio.studio.tile_gallery.renderer import TileRenderer

#: Extents of the pictures.
_SIZE = (480, 320)
_VERIFIED = {
    "nvidia.dali": "equal to nvidia.dali, on the CPU", "gpu": "on a GPU equal to the CPU",
    "storage": "the same bytes in each form of storage", "sequences": "sequences are their frames",
    "states": "go on after being saved and restored", "programs": "exported programs give the same bytes",
    "refusals": "refused as declared",
}  # fmt: skip


def write(source: Path, *, pictures: bool = True) -> None:
    """Write ``operators/*.md`` and an index of them."""
    registry = default_registry()
    folder = source / "operators"
    folder.mkdir(parents=True)
    shown = [registry.schema(name) for name in registry.functions() if not registry.schema(name).hidden]
    drawn = _draw(folder, registry) if pictures else set[str]()
    results, speeds = _results(source / "verified.json"), speed.speeds()
    for schema in shown:
        page = (*_page(schema, results.get(schema.name, {}), drawn), *speed.section(speeds.get(schema.name, [])), "")
        text = "\n".join(page)
        (folder / f"{schema.name}.md").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text("\n".join(_index(shown, drawn)), encoding="utf-8")


def _results(path: Path) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for part in json.loads(path.read_text(encoding="utf-8")).values():
        for name, row in part["operators"].items():
            found.setdefault(name, {}).update(row)
    return found


def _draw(folder: Path, registry: Registry) -> set[str]:
    """Pictures before and after; names of the operators that have some."""
    given = Pictures.of(photos() / "animals" / "chelsea.jpg")
    (folder / "photo.jpg").write_bytes(images.jpeg(thumbnails.fitted(given.picture(), *_SIZE)))
    renderer = TileRenderer(registry)
    made: set[str] = set()
    try:
        for tile in tiles.tiles(registry):
            if not tile.example and _draw_one(folder, tile, renderer, given):
                made.add(tile.name)
    finally:
        renderer.close()
    return made


def _draw_one(folder: Path, tile: Tile, renderer: TileRenderer, given: Pictures) -> bool:
    result = renderer.result(tile, (), given, _SIZE)
    if result.picture.size:
        (folder / f"{tile.name}.jpg").write_bytes(images.jpeg(result.picture))
    return bool(result.picture.size)


def _index(shown: list[OperatorSchema], drawn: set[str]) -> Iterator[str]:
    yield "# Operators\n"
    yield "Made from the declarations. [What is supported](../support.md) has all of them in one table.\n"
    for category in sorted({schema.category for schema in shown}):
        yield f"## {category.capitalize()}\n"
        ours = [schema for schema in shown if schema.category == category]
        pictured = [schema for schema in ours if schema.name in drawn]
        if pictured:
            cards = "".join(
                f'<a href="{s.name}.html"><img src="../_images/{s.name}.jpg" alt="{s.name} on a photo">{s.name}</a>'
                for s in pictured
            )
            yield f'<div class="cards">{cards}</div>\n'
        yield "| operator | |\n|---|---|"
        for schema in ours:
            yield f"| [`fn.{schema.name}`]({schema.name}.md) | {_cell(schema.summary)} |"
        yield ""
    yield "```{toctree}\n:hidden:\n"
    yield from (schema.name for schema in shown)
    yield "```"


def _page(schema: OperatorSchema, verified: dict[str, object], drawn: set[str]) -> Iterator[str]:
    yield f"# fn.{schema.name}\n\n{schema.summary}\n"
    if schema.name in drawn:
        given = ", ".join(f"{name}={_value(value)}" for name, value in (schema.shown or {}).items())
        yield f"| the photo | `{schema.node_name}({given})` |\n|---|---|"
        yield f"| ![a cat](photo.jpg) | ![the cat after {schema.name}]({schema.name}.jpg) |\n"
    if schema.doc:
        yield f"{schema.doc}\n"
    devices = ", ".join(f"`{device}`" for device in schema.devices)
    yield f"Runs on {devices}.\n"
    for entry in schema.dialects:
        if entry.absent:
            yield f"In {entry.dialect}: {entry.absent}. {entry.instead}\n"
        elif entry.name and entry.name != schema.name:
            yield f"In {entry.dialect}: `fn.{entry.name}`.\n"
        elif entry.gpu_only:
            yield f"{entry.dialect} has it on the GPU alone.\n"
    if schema.inputs:
        yield "## Inputs\n\n| name | what | layouts |\n|---|---|---|"
        for one in schema.inputs:
            optional = " (optional)" if one.optional else ""
            yield f"| `{one.name}`{optional} | {_cell(one.doc) or one.kind} | {', '.join(one.layouts) or 'any'} |"
        yield ""
    yield "## Arguments\n\n| name | default | what |\n|---|---|---|"
    for argument in sorted(schema.arguments, key=lambda a: (not a.required, not a.common)):
        yield f"| `{argument.name}` | {_default(argument)} | {_cell(_described(argument))} |"
    counted = [f"| {words} | {verified[key]} |" for key, words in _VERIFIED.items() if verified.get(key)]
    if counted:
        yield "\n## Verified\n\n| cases that passed | |\n|---|---|"
        yield from counted
        yield "\n[How](../adding_an_operator.md#how-it-is-proven); tolerances are in [the table](../support.md)."


def _described(argument: ArgumentSchema) -> str:
    parts = [argument.doc]
    if argument.unit:
        parts.append(f"Unit: {argument.unit}.")
    if argument.choices and argument.type == "string":
        parts.append(f"One of {', '.join(argument.choices)}.")
    low, high = argument.minimum, argument.maximum
    if low is not None and high is not None:
        parts.append(f"From {low:g} to {high:g}.")
    elif low is not None or high is not None:
        parts.append(f"{low:g} or more." if low is not None else f"{high:g} or less.")
    if argument.tensor:
        parts.append("A wire may bring a value for each sample.")
    if argument.support != "used":
        parts.append(f"{argument.support.capitalize()}: {argument.reason}.")
    return " ".join(filter(None, parts))


def _default(argument: ArgumentSchema) -> str:
    return "needed" if argument.required else "–" if argument.default is None else f"`{_value(argument.default)}`"


def _value(value: object) -> str:
    return repr(list(value)) if isinstance(value, tuple) else repr(value)


def _cell(text: str) -> str:
    return html.escape(text, quote=False).replace("|", "\\|").replace("\n", " ")
