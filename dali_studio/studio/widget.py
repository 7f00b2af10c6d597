"""The designer's widget."""

from __future__ import annotations

import builtins
import keyword
import os
import threading
import uuid
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import anywidget
import msgspec
import traitlets
from IPython.core.getipython import get_ipython
from IPython.display import DisplayHandle
from IPython.display import display as _display  # pyright: ignore[reportUnknownVariableType]

from dali_studio.api.default import default_registry
from dali_studio.api.pipeline import Pipeline
from dali_studio.api.pipeline_files import read_serialized
from dali_studio.api.reading.composed.whole import compose_program, is_compose, read_compose
from dali_studio.api.reading.program import read, text_of_source
from dali_studio.codegen.emit import Emitted
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, errors
from dali_studio.graph import document
from dali_studio.graph.model import Graph
from dali_studio.samples import photos
from dali_studio.studio import front_end, gallery, insertion
from dali_studio.studio.autosave import FOLDER, MARK, Autosave, program_of
from dali_studio.studio.data.files import typed_path
from dali_studio.studio.data.paths import is_picture
from dali_studio.studio.data.portable import portable
from dali_studio.studio.drawing.picture import Picture
from dali_studio.studio.nodes import Nodes
from dali_studio.studio.programs.own_text import boxes_in, in_view, opened_view
from dali_studio.studio.protocol import requests
from dali_studio.studio.protocol.comms import prepare
from dali_studio.studio.protocol.transmit import transmitter
from dali_studio.studio.session import Session
from dali_studio.studio.timing.profile import Profile
from dali_studio.studio.view import differing, target_of

display = cast("Callable[..., object]", _display)
#: Seconds for which a picture waits for its photos, and without edits until the notebook's is brought up to date:
#: with the photos that still hold, since the notebook may be saved right after an edit, and with all.
_TIMEOUT, _SOON, _REST = 30.0, 0.3, 2.0
#: Operators up to which the notebook's picture has photos at once.
_FEW = 40
#: What names the picture of a designer, before the designer's own name (`extension/packages/lab/src/pictures.ts`).
_PICTURE = "dali-studio-"


class Designer(anywidget.AnyWidget):
    """Opens a pipeline on a canvas, in a notebook.

    Parameters
    ----------
    pipeline : Pipeline, Graph, path or None
        What to open: a pipeline or its graph (a copy is edited), a ``.dali.json`` document, a ``.py`` program or the
        text of one, which is read and not run, a ``Compose`` of torchvision or albumentations, a folder of images,
        sounds, videos or arrays, a picture, an example of the gallery by its name, or nothing.
    height : int
        Height in pixels; the lower edge can be dragged.
    target : float or None
        Samples a second that the model takes, which speeds are compared with; **Timeline** has a field for it.

    Raises
    ------
    ValueError
        If the target is not a positive number.

    Examples
    --------
    >>> designer = Designer(pipe)  # doctest: +SKIP
    >>> designer.graph             # the edited graph  # doctest: +SKIP
    >>> designer.pipeline()        # a pipeline that runs it  # doctest: +SKIP
    """

    # A notebook may keep the widget's state: the program itself, which is large, comes by a message.
    _esm = front_end.LOADER
    _bundle = traitlets.Unicode().tag(sync=True)
    _height = traitlets.Int(640).tag(sync=True)
    #: That of the model, which anywidget does not tell the browser's program.
    _id = traitlets.Unicode().tag(sync=True)
    _frozen: DisplayHandle | None = None
    _frozen_picture: Picture | None = None
    _timers: Sequence[threading.Timer] = ()

    def __init__(
        self, pipeline: Pipeline | Graph | str | Path | None = None, *, height: int = 640, target: float | None = None
    ) -> None:
        front_end.check()
        if target is not None and target_of({"target": target}) is None:
            raise ValueError(f"target: {target!r} is no number above 0. Give samples a second, such as 4000.")
        found = list[Diagnostic]()
        graph, view, path = _opened(pipeline, found)
        if target is not None:
            view = {**view, "target": target}
        autosave = None
        if _in_notebook():
            autosave = Autosave(Path.cwd() / FOLDER, graph, *_place(), _program(graph))
        self._begin(graph, view, height, autosave, path=path, found=found)

    @classmethod
    def again(
        cls, graph: Graph, view: Mapping[str, Any], *, model_id: str, height: int, revision: int, variable: str,
        path: Path | None = None, saved: bool = True,
    ) -> Designer:  # fmt: skip
        """That of a cell whose kernel is gone, with what the browser kept of it.

        Page and notebook know it by `model_id`, and show and save it as before. `variable` held it, and does so again
        if the name is free.
        """
        made = cls.__new__(cls)
        autosave = Autosave.again(Path.cwd() / FOLDER, view.get(MARK))
        made._begin(  # noqa: SLF001 - its own
            graph, view, height, autosave, path=path, saved=saved, revision=revision, model_id=model_id
        )
        made._keep_picture()  # noqa: SLF001
        names = _names()
        if variable.isidentifier() and not keyword.iskeyword(variable) and not hasattr(builtins, variable):
            names.setdefault(variable, made)
        return made

    def _begin(
        self, graph: Graph, view: Mapping[str, Any], height: int, autosave: Autosave | None, *,
        path: Path | None = None, saved: bool = True, revision: int = 0, model_id: str = "",
        found: Sequence[Diagnostic] = (),
    ) -> None:  # fmt: skip
        name = model_id or uuid.uuid4().hex
        super().__init__(_height=height, _bundle=front_end.bundle("widget")[0], _id=name, model_id=name)
        prepare(self.comm)
        send = transmitter(cast("Callable[[Any, list[bytes]], None]", self.send))
        self.session = Session(
            graph, default_registry(), send, view=view, path=path, saved=saved, images=photos, revision=revision,
            autosave=autosave, found=found,
        )  # fmt: skip
        self.session.variable = self._variable
        insertion.used(self.session)
        self.on_msg(self._receive)
        designers[self.model_id] = self

    def _receive(self, widget: object, content: Any, buffers: object) -> None:
        if content == {"type": "bundle"}:
            self.send(content, list(front_end.bundle("widget")[1]))
        else:
            insertion.used(self.session)
            self.session.receive(content)

    def _variable(self) -> str:
        """The variable of the notebook that holds this designer; empty if none does."""
        return next((name for name, value in list(_names().items()) if value is self and name[0] != "_"), "")

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
        return self.session.code(dialect)

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

    def freeze(self) -> Picture:
        """The graph as a picture that needs no kernel, with the photos that the cards show.

        A notebook keeps one below the designer by itself, a moment after each edit, which shows where the designer
        cannot: on the pages of a repository, and before the cell is run.

        Returns
        -------
        Picture
            Shown by the last line of a cell; ``save`` writes the SVG.
        """
        return self.session.answers.picture(_TIMEOUT)

    def _ipython_display_(self) -> None:
        """Show the designer, and in a notebook a picture below it, which the page hides while the designer is there."""
        display(_data(self._repr_mimebundle_()), raw=True)
        if not _in_notebook():
            return
        few = len(self.session.graph) <= _FEW
        frozen = self.session.answers.picture(1.0) if few else self.session.answers.picture(0.0)
        self._keep_picture()
        display(frozen.bundle(), raw=True, display_id=_PICTURE + self.model_id)
        self._frozen_picture = frozen

    def _keep_picture(self) -> None:
        """Bring the notebook's picture up to date with each edit."""
        self._frozen = DisplayHandle(_PICTURE + self.model_id)
        self.session.begun, self.session.settled = self._cancel, self._freeze_soon

    def _freeze_soon(self) -> None:
        """Bring the picture up to date when no edit has come for a while."""
        self._cancel()
        self._timers = [
            threading.Timer(_SOON, self._freeze_now, (0.0,)), threading.Timer(_REST, self._freeze_now, (_TIMEOUT,))
        ]  # fmt: skip
        for timer in self._timers:
            timer.daemon = True
            timer.start()

    def _cancel(self) -> None:
        for timer in self._timers:
            timer.cancel()

    def _freeze_now(self, seconds: float) -> None:
        frozen = self.session.answers.picture(seconds)
        if self._frozen is not None and frozen != self._frozen_picture:
            self._frozen_picture = frozen
            self._frozen.update(frozen.bundle(), raw=True)

    def profile(self, batches: int | None = None) -> Profile:
        """Run whole batches, as the button Run does, and give the times.

        Parameters
        ----------
        batches : int, optional
            How many are measured, from 1, made one after the other; from 4 on as many are made ahead, too. By default
            as many as fit into about a second, at least 8.

        Returns
        -------
        Profile
            Shown by the last line of a cell; ``plot()`` draws it, ``to_frame()`` makes a table of pandas.

        Raises
        ------
        DaliStudioError
            What a batch failed with.
        """
        if batches is not None and batches < 1:
            found = Diagnostic(
                code="DS105", argument="batches", message=f"batches is {batches}; a whole number from 1 is accepted.",
                hint="Give at least 1.",
            )  # fmt: skip
            raise DaliStudioError(found)
        return self.session.runs.profile(batches or 0)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the document, with the places of the cards.

        Parameters
        ----------
        path : str or Path
        overwrite : bool
            Write also over a file that this designer has neither opened nor saved as it is now.

        Raises
        ------
        DaliStudioError
            DS302 if that is so, or the file cannot be written.
        """
        if not overwrite:
            kept = self.session.kept
            kept.written.keep(typed_path(str(path)), kept.text(self.session.graph))
        self.session.handle(requests.SaveDocument(path=str(path), what="document", over=True))

    def close(self) -> None:
        """End the widget and its threads."""
        if "session" in vars(self):  # ipywidgets also closes what could not be opened
            self._cancel()
            insertion.closed(self.session)
            self.session.close()
            if self.comm is not None:  # it is closed once more when it is forgotten
                designers.pop(self.model_id, None)
        super().close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = cast(Any, super()._repr_mimebundle_(**options))
        if bundle:
            _data(bundle)["text/plain"] = repr(self)
        return bundle

    def __repr__(self) -> str:
        graph = self.session.graph
        return f"Designer({graph.options.name!r}, {len(graph)} operators)"


#: Those of this kernel by the names that pages and notebooks know them by.
designers: weakref.WeakValueDictionary[str, Designer] = weakref.WeakValueDictionary()


def _names() -> dict[str, object]:
    """The variables of the notebook."""
    return cast("dict[str, object]", getattr(get_ipython(), "user_ns", {}))


def _in_notebook() -> bool:
    return hasattr(get_ipython(), "kernel")


def _program(graph: Graph) -> str:
    """What tells a pipeline from others on all machines; empty if it cannot be written."""
    with suppress(DaliStudioError):
        return program_of(document.dumps(portable(graph, default_registry(), Path.cwd())))
    return ""


def _place() -> tuple[str, str]:
    """The notebook, as Visual Studio Code or else the server tells it, and the cell; empty where nobody does."""
    shell = cast(Any, get_ipython())
    notebook = shell.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME", "")
    cell = shell.kernel.get_parent().get("metadata", {}).get("cellId", "")
    return str(notebook), str(cell)


def _data(bundle: Any) -> dict[str, Any]:
    """The data of a MIME bundle, which may come with metadata."""
    return cast("tuple[Any, ...]", bundle)[0] if isinstance(bundle, tuple) else bundle


def _composed(compose: object) -> tuple[Graph, dict[str, Any]]:
    """The graph and the view part of a ``Compose``."""
    found = list[Diagnostic]()
    graph, program = read_compose(compose, found=found), compose_program(compose, [])
    view = differing(found)
    boxes: dict[str, Any] = msgspec.to_builtins(boxes_in(program, graph))
    text = in_view(program) if boxes else {}
    return graph, {"marks": {**view["marks"], **boxes}, **text}


def _opened(
    pipeline: Pipeline | Graph | str | Path | None, found: list[Diagnostic]
) -> tuple[Graph, dict[str, Any], Path | None]:
    if pipeline is None:
        return Graph(), {}, None
    if isinstance(pipeline, Graph):
        return pipeline.copy(), {}, None
    if isinstance(pipeline, str) and ("\n" in pipeline or "(" in pipeline):
        graph = read(pipeline)
        return graph, opened_view(pipeline, graph), None
    if isinstance(pipeline, str | Path) and str(pipeline).endswith(".py"):
        graph = read(Path(pipeline))
        return graph, opened_view(text_of_source(Path(pipeline))[0], graph), None
    if isinstance(pipeline, str | Path) and str(pipeline).endswith(".dali"):
        return read_serialized(pipeline), {}, None
    if isinstance(pipeline, str | Path):
        path, registry = gallery.example_at(typed_path(str(pipeline))), default_registry()
        if path.is_dir() or is_picture(path):
            return gallery.folder_graph(str(path), registry), {}, None
        if gallery.is_example(path):  # a copy of it, which reads the sample photos and is saved elsewhere
            return *gallery.open_recipe(path.parent.name, registry, str(photos())), None
        graph, view, told = document.load(path, registry)
        found += (one for one in told if one.code != "DS302")  # for a folder that is missing its reader asks
        return graph, view, path
    if isinstance(pipeline, Pipeline):
        return pipeline.graph, {}, None
    if is_compose(pipeline):
        return *_composed(pipeline), None
    if any((kind.__module__, kind.__name__) == ("nvidia.dali.pipeline", "Pipeline") for kind in type(pipeline).__mro__):
        return read_serialized(cast("Any", pipeline).serialize()), {}, None
    raise TypeError(
        "Designer opens a Pipeline (of nvidia.dali, too), a Graph, a Compose, the text of a program, the name of an "
        "example, or the path of a folder of data, of a picture, of a .dali.json document, of a .py program or of a "
        "serialized .dali pipeline; got "
        f"{type(pipeline).__name__}. "
        "Call the function decorated with @pipeline_def first, for instance Designer(pipe())."
    )
