"""Graphs to begin with: the gallery's examples, and a reader for a folder of images."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from dali_studio.api.folders import folder_readers, point_at
from dali_studio.api.sample_readers import with_samples
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import document
from dali_studio.graph.checks import output_schemas
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions, Node
from dali_studio.schema.registry import Registry
from dali_studio.studio.data.files import typed_path
from dali_studio.studio.data.paths import Source, source_at
from dali_studio.studio.protocol.messages import RecipeInfo

_HERE = Path(__file__).resolve().parent
#: Inside a wheel the gallery lies beside this file, in a checkout at the top.
_PLACES = (_HERE / "gallery", _HERE.parent.parent / "gallery")
#: The document of an example, in the folder that has its name.
FILE = "pipeline.dali.json"
#: How masks are decoded: their numbers are classes.
_CLASSES = {"output_type": "GRAY"}
#: Shown before the others, which follow by their titles.
_FIRST = ("getting_started", "resnet50", "augmentations")


def folder() -> Path:
    """Where the examples lie."""
    return next((place for place in _PLACES if place.is_dir()), _PLACES[0])


def is_example(path: Path) -> bool:
    """Whether a file is the document of one of the examples."""
    return path.name == FILE and path.resolve().parent.parent == folder().resolve()


def example_at(path: Path) -> Path:
    """The document of an example for its folder and, where there is no such path, for its name; else the path."""
    if path.is_dir():
        inner = path / FILE
        return inner if is_example(inner) else path
    named = folder() / path.name / FILE
    return named if path.name == str(path) and not path.exists() and named.is_file() else path


def recipes(registry: Registry) -> tuple[RecipeInfo, ...]:
    """All examples, those for the first steps before the others; one that cannot be read is left out."""
    found: list[RecipeInfo] = []
    for path in sorted(folder().glob(f"*/{FILE}")):
        try:
            graph, _, _ = document.load(path, registry)
        except DaliStudioError:
            continue
        found.append(RecipeInfo(name=path.parent.name, title=_title(path.parent), operators=len(graph)))
    return tuple(sorted(found, key=_place))


def _place(recipe: RecipeInfo) -> tuple[int, str]:
    return _FIRST.index(recipe.name) if recipe.name in _FIRST else len(_FIRST), recipe.title


def _title(place: Path) -> str:
    readme = place / "README.md"
    first = readme.read_text(encoding="utf-8").partition("\n")[0] if readme.exists() else ""
    return first.lstrip("# ").strip() or place.name.replace("_", " ")


def open_recipe(name: str, registry: Registry, images: str) -> tuple[Graph, dict[str, object]]:
    """An example that reads the images of `images`; readers of other files read samples.

    Raises
    ------
    DaliStudioError
        DS302 if there is no such example, DS601 if the package for videos is not installed.
    """
    path = {found.parent.name: found for found in folder().glob(f"*/{FILE}")}.get(name)
    if path is None:
        known = ", ".join(recipe.name for recipe in recipes(registry)) or "none"
        raise DaliStudioError(
            Diagnostic(code="DS302", message=f"There is no example called {name!r}.", hint=f"Examples: {known}.")
        )
    graph, view, _ = document.load(path, registry)
    readers = folder_readers(graph, registry)
    return with_samples(point_at(graph, readers, Path(images)) if readers else graph, registry), view


def give_samples(copy: Path, registry: Registry) -> None:
    """Let the examples in a copy of `folder` read sample data, as far as it is there: videos need a package.

    Each is called as its folder then, since tabs have the names of their files.
    """
    for example in copy.glob(f"*/{FILE}"):
        path = example.rename(example.with_name(f"{example.parent.name}.dali.json"))
        graph, view, _ = document.load(path, registry)
        with suppress(DaliStudioError):  # then it opens with a button that says what is missing
            document.save(with_samples(graph, registry), view, path)


def folder_graph(path: str, registry: Registry) -> Graph:
    """A graph that reads and decodes what is at a path, as `source_at` finds it.

    Sub-folders are classes; a flat folder's files are listed one by one.

    Raises
    ------
    DaliStudioError
        DS302 if nothing is there, or no image.
    """
    return reading_graph(source_at(typed_path(path)), registry)


def reading_graph(source: Source, registry: Registry) -> Graph:
    """A graph that reads what `source` tells."""
    reader = registry.schema(source.operator)
    files = source.arguments.get("files")
    graph = Graph(GraphOptions(batch_size=min(len(files), 8) if isinstance(files, tuple) else 8, seed=1))
    read = last = reader.node_name
    graph.add_node(Node(key=read, operator=reader.name, arguments=source.arguments, version=reader.version))
    for name, arguments in source.then:
        schema = registry.schema(name)
        graph.add_node(Node(key=schema.node_name, operator=name, arguments=arguments, version=schema.version))
        graph.connect(PortRef(node=last), schema.node_name, 0)
        last = schema.node_name
    if source.masks is not None:  # whose readers have the same order
        for key, name, arguments in (("mask_reader", reader.name, source.masks), ("mask", "decoders.image", _CLASSES)):
            graph.add_node(Node(key=key, operator=name, arguments=arguments, version=registry.schema(name).version))
        graph.connect(PortRef(node="mask_reader"), "mask", 0)
        graph.set_outputs([PortRef(node=last), PortRef(node="mask")])
        return graph
    given = len(output_schemas(graph, read, registry) or ())
    graph.set_outputs([PortRef(node=last), *(PortRef(node=read, output=i) for i in range(1, given))])
    return graph
