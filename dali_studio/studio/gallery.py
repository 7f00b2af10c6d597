"""Graphs to begin with: the gallery's examples, and a reader for a folder of images."""

from __future__ import annotations

import os
from pathlib import Path

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import document
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import PortRef, SetArgument
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions, Node
from dali_studio.kernels.cpu.file_discovery import DEFAULT_FILE_FILTERS
from dali_studio.schema.registry import Registry
from dali_studio.studio.messages import RecipeInfo

_HERE = Path(__file__).resolve().parent
#: Inside a wheel the gallery lies beside this file, in a checkout at the top.
_PLACES = (_HERE / "gallery", _HERE.parent.parent / "gallery")
_FILE = "pipeline.dali.json"


def folder() -> Path:
    """Where the examples lie."""
    return next((place for place in _PLACES if place.is_dir()), _PLACES[0])


def recipes(registry: Registry) -> tuple[RecipeInfo, ...]:
    """All examples; one that cannot be read is left out."""
    found: list[RecipeInfo] = []
    for path in sorted(folder().glob(f"*/{_FILE}")):
        try:
            graph, _, _ = document.load(path, registry)
        except DaliStudioError:
            continue
        found.append(RecipeInfo(name=path.parent.name, title=_title(path.parent), operators=len(graph)))
    return tuple(found)


def _title(place: Path) -> str:
    readme = place / "README.md"
    first = readme.read_text(encoding="utf-8").partition("\n")[0] if readme.exists() else ""
    return first.lstrip("# ").strip() or place.name.replace("_", " ")


def open_recipe(name: str, registry: Registry, images: str) -> tuple[Graph, dict[str, object]]:
    """An example that reads the images of `images`.

    Raises
    ------
    DaliStudioError
        DS302 if there is no such example.
    """
    path = folder() / Path(name).name / _FILE
    if not path.exists():
        known = ", ".join(recipe.name for recipe in recipes(registry)) or "none"
        raise DaliStudioError(
            Diagnostic(code="DS302", message=f"There is no example called {name!r}.", hint=f"Examples: {known}.")
        )
    graph, view, _ = document.load(path, registry)
    return with_images(graph, registry, images), view


def with_images(graph: Graph, registry: Registry, images: str) -> Graph:
    """The graph with every reader of a folder pointed at `images`."""
    edits = [
        SetArgument(key=key, argument="file_root", value=images)
        for key in graph
        if graph.node(key).operator in registry
        and registry.schema(graph.node(key).operator).role == "reader"
        and registry.schema(graph.node(key).operator).argument("file_root") is not None
    ]
    return apply(graph, edits, registry)[0] if edits else graph


def folder_graph(path: str) -> Graph:
    """A graph that reads and decodes the images of a folder.

    Sub-folders are classes; a flat folder's images are listed one by one.

    Raises
    ------
    DaliStudioError
        DS302 if the folder is missing or holds no image.
    """
    root = Path(os.path.expanduser(path))
    if not root.is_dir():
        what = "is a file" if root.exists() else "does not exist"
        raise DaliStudioError(
            Diagnostic(code="DS302", message=f"{path} {what}; a folder of images is needed.", hint="Check the path.")
        )
    endings = tuple(pattern.lstrip("*") for pattern in DEFAULT_FILE_FILTERS[:12])
    flat = sorted(entry.name for entry in root.iterdir() if entry.is_file() and entry.name.lower().endswith(endings))
    nested = any(
        file.is_file() and file.name.lower().endswith(endings) for entry in root.iterdir() if entry.is_dir() for file in entry.iterdir()
    )
    if not flat and not nested:
        raise DaliStudioError(
            Diagnostic(
                code="DS302", message=f"{path} holds no images, neither itself nor in sub-folders.",
                hint=f"Images end with {', '.join(endings)}.",
            )  # fmt: skip
        )
    count = len(flat) if not nested else 8
    graph = Graph(GraphOptions(name="pipeline", batch_size=min(max(count, 1), 8), seed=1))
    where = {"file_root": str(root)}
    graph.add_node(
        Node(key="reader", operator="readers.file", arguments=where if nested else {**where, "files": tuple(flat)})
    )
    graph.add_node(Node(key="decode", operator="decoders.image"))
    graph.connect(PortRef(node="reader"), "decode", 0)
    graph.set_outputs([PortRef(node="decode"), PortRef(node="reader", output=1)])
    return graph
