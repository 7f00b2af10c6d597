"""The designer's widget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import anywidget
import traitlets
from IPython.core.getipython import get_ipython

from dali_studio.api.default import default_registry
from dali_studio.api.pipeline import Pipeline
from dali_studio.api.reading.program import read
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, errors
from dali_studio.graph import document
from dali_studio.graph.model import Graph
from dali_studio.samples import photos
from dali_studio.studio.nodes import Nodes
from dali_studio.studio.session import Session
from dali_studio.studio.transmit import transmitter

_STATIC = Path(__file__).resolve().parent / "static"


class Designer(anywidget.AnyWidget):
    """Opens a pipeline on a canvas, in a notebook.

    Parameters
    ----------
    pipeline : Pipeline, Graph, path or None
        What to open: a pipeline or its graph (a copy is edited), a ``.dali.json`` document, a ``.py`` program, which is
        read and not run, or nothing.
    height : int
        Height in pixels; the lower edge can be dragged.

    Examples
    --------
    >>> designer = Designer(pipe)  # doctest: +SKIP
    >>> designer.graph             # the edited graph  # doctest: +SKIP
    >>> designer.pipeline()        # a pipeline that runs it  # doctest: +SKIP
    """

    _esm = _STATIC / "widget.js"
    _css = _STATIC / "widget.css"
    _height = traitlets.Int(640).tag(sync=True)

    def __init__(self, pipeline: Pipeline | Graph | str | Path | None = None, *, height: int = 640) -> None:
        if not (_STATIC / "widget.js").exists():
            raise DaliStudioError(
                Diagnostic(
                    code="DS601", message="The designer's front end has not been built.",
                    hint="Install a released wheel, or run make setup in the checkout.",
                )
            )
        graph, view, path = _opened(pipeline)
        super().__init__(_height=height)
        send = transmitter(cast("Callable[[Any, list[bytes]], None]", self.send))
        self.session = Session(graph, default_registry(), send, view=view, path=path, images=photos)
        self.on_msg(self._receive)

    def _receive(self, widget: object, content: Any, buffers: object) -> None:
        self.session.receive(content)

    @property
    def graph(self) -> Graph:
        """A copy of the graph as it is now."""
        return self.session.graph.copy()

    @property
    def node(self) -> Nodes:
        """The nodes by name: ``designer.node["resize"].output()`` is what the canvas shows of it."""
        return Nodes(self.session)

    def pipeline(self) -> Pipeline:
        """A pipeline that runs the graph as it is now."""
        return Pipeline.from_graph(self.session.current().active)

    def code(self, dialect: str | None = None) -> str:
        """The program, in the dialect shown or in another one."""
        return self._emitted(dialect).source

    def _emitted(self, dialect: str | None) -> Emitted:
        return emit(self.session.current().active, self.session.registry, dialect or self.session.dialect)

    def insert_code(self, dialect: str | None = None, *, force: bool = False) -> None:
        """Put the program into a new cell below the one that is being run.

        Parameters
        ----------
        force
            Also a program with errors, which raises where something is missing.

        Raises
        ------
        DaliStudioError
            With what the dialect cannot express and what is unfinished.
        RuntimeError
            Outside of a notebook.
        """
        shell = get_ipython()
        if shell is None:
            raise RuntimeError("There is no notebook to put a cell into. Call code() for the text of the program.")
        made = self._emitted(dialect)
        found = errors(made.diagnostics)
        if found and not force:
            raise DaliStudioError(found)
        shell.set_next_input(made.source, replace=False)

    def save(self, path: str | Path) -> None:
        """Write the document, with the places of the cards."""
        self.session.save(Path(path))

    def close(self) -> None:
        """End the widget and its threads."""
        if "session" in vars(self):  # ipywidgets also closes what could not be opened
            self.session.close()
        super().close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = cast(Any, super()._repr_mimebundle_(**options))
        if bundle:
            _data(bundle)["text/plain"] = repr(self)
        return bundle

    def __repr__(self) -> str:
        graph = self.session.graph
        return f"Designer({graph.options.name!r}, {len(graph)} operators)"


def _data(bundle: Any) -> dict[str, Any]:
    """The data of a MIME bundle, which may come with metadata."""
    return cast("tuple[Any, ...]", bundle)[0] if isinstance(bundle, tuple) else bundle


def _opened(pipeline: Pipeline | Graph | str | Path | None) -> tuple[Graph, dict[str, Any], Path | None]:
    if pipeline is None:
        return Graph(), {}, None
    if isinstance(pipeline, Graph):
        return pipeline.copy(), {}, None
    if isinstance(pipeline, str | Path) and str(pipeline).endswith(".py"):
        return read(Path(pipeline)), {}, None
    if isinstance(pipeline, str | Path):
        graph, view, _ = document.load(pipeline, default_registry())
        return graph, view, Path(pipeline)
    if isinstance(pipeline, Pipeline):
        return pipeline.graph, {}, None
    raise TypeError(
        "Designer opens a Pipeline, a Graph, or the path of a .dali.json document or of a .py program; got "
        f"{type(pipeline).__name__}. "
        "Call the function decorated with @pipeline_def first, for instance Designer(pipe())."
    )
