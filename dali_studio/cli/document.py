"""Documents on the command line: opening them, and giving their readers a folder to read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dali_studio.api.default import default_registry
from dali_studio.api.folders import KINDS, folder_readers, point_at
from dali_studio.api.pipeline_files import read_serialized
from dali_studio.api.reading.program import read
from dali_studio.api.sample_readers import with_samples
from dali_studio.cli.text import note, report, waiting
from dali_studio.codegen.functions import Function
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.wording import nearest
from dali_studio.graph.apply import apply
from dali_studio.graph.bypass import rerouted
from dali_studio.graph.cards import cards_in
from dali_studio.graph.document import load
from dali_studio.graph.edits import SetArgument
from dali_studio.graph.model import Graph
from dali_studio.graph.record import written_otherwise


def _example(name: str) -> Path | None:
    """The document of the gallery's example `name`; ``None`` if that is the path of a file.

    Raises
    ------
    DaliStudioError
        DS302 if `name` is one word that neither a file nor an example is called.
    """
    if not name.isidentifier() or Path(name).exists():
        return None
    from dali_studio.studio import gallery  # noqa: PLC0415 - most documents are files

    documents = {path.parent.name: path for path in sorted(gallery.folder().glob(f"*/{gallery.FILE}"))}
    if name not in documents:
        message = f"There is neither a file nor an example called {name!r}."
        near = nearest(name, documents)
        hint = f"Give a .dali.json document, or one of the examples: {', '.join(documents)}."
        hint = f"Did you mean {near!r}?" if near else hint
        raise DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint))
    return documents[name]


def view_of(path: str) -> dict[str, Any]:
    """Where the nodes of a document stand, its notes and groups; of a program there is nothing."""
    return {} if path.endswith((".py", ".dali")) else load(_example(path) or path)[1]


def functions_of(view: Mapping[str, Any], graph: Graph) -> tuple[Function, ...]:
    """The subgraphs of a document with this graph, which programs have as functions."""
    from dali_studio.studio.view import functions_in, marks_of  # noqa: PLC0415 - of documents alone

    return functions_in(marks_of(view).values(), cards_in(graph, default_registry()))


def open_document(
    path: str, images: str | None = None, *, samples: bool = False, bypassed: bool = False
) -> Graph:
    """The graph of a document.

    Parameters
    ----------
    path
        A ``.dali.json`` file, a program, which is read and not run, a serialized ``.dali`` pipeline, or the name of an
        example of the gallery.
    images
        Folder that every reader of images, of videos or of sounds is to read instead of its own.
    samples
        Let readers that have nothing to read take sample data.
    bypassed
        Leave the wires of bypassed nodes as they are, in place of those that run.

    Raises
    ------
    DaliStudioError
        If the document or the folder cannot be read.
    """
    registry = default_registry()
    with waiting(f"Opening {path}"):
        if path.endswith(".py"):
            found = list[Diagnostic]()
            graph = read(path, found=found)
        elif path.endswith(".dali"):
            graph, found = read_serialized(path), []
        else:
            graph, _view, found = load(_example(path) or path, registry)
    report((*found, *written_otherwise(graph, registry)))
    graph = graph if bypassed else rerouted(graph)
    if images is not None:
        readers = {kind: folder_readers(graph, registry, kind) for kind in KINDS}
        if not any(readers.values()):
            note(f"note: no node of {path} reads a folder of images, videos or sounds, so that --images has no effect.")
        for kind, nodes in readers.items():
            graph = point_at(graph, nodes, Path(images), kind) if nodes else graph
    return with_samples(graph, registry) if samples else graph


def with_on_error(graph: Graph, action: str) -> Graph:
    """The graph with another `on_error` of all nodes that have one.

    Raises
    ------
    DaliStudioError
        If that is none of its values.
    """
    registry = default_registry()
    nodes = [key for key in graph if registry.schema(graph.node(key).operator).argument("on_error") is not None]
    edits = [SetArgument(key=key, argument="on_error", value=action) for key in nodes]
    return apply(graph, edits, registry)[0]
