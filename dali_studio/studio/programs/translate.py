"""Programs as documents and documents as programs, for the commands of JupyterLab.

A kernel is asked by user expressions, such as ``to_program("...")``, and answers in JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import msgspec

from dali_studio.api.default import default_registry
from dali_studio.api.reading.program import read
from dali_studio.api.sample_readers import with_samples
from dali_studio.codegen.benchmark import with_benchmark
from dali_studio.codegen.dialects import find
from dali_studio.codegen.emit import Emitted
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import document
from dali_studio.graph.model import Graph
from dali_studio.samples import photos
from dali_studio.studio.programs.own_text import in_view
from dali_studio.studio.session import Session


class Answer(msgspec.Struct, frozen=True):
    """A text, and what is to be said of it.

    Attributes
    ----------
    text : str
        Empty if there is none.
    name : str
        What the pipeline is called.
    problems : tuple of str
        Why there is no text, or what is not in it, one sentence each.
    """

    text: str = ""
    name: str = ""
    problems: tuple[str, ...] = ()

    def _repr_json_(self) -> object:
        return msgspec.to_builtins(self)


_P = ParamSpec("_P")


def _answering(translate: Callable[_P, Answer]) -> Callable[_P, Answer]:
    @wraps(translate)
    def answer(*args: _P.args, **kwargs: _P.kwargs) -> Answer:
        try:
            return translate(*args, **kwargs)
        except DaliStudioError as error:
            return Answer(problems=_sentences(error.diagnostics))

    return answer


@_answering
def to_document(program: str, function: str = "") -> Answer:
    """The document of a program's pipeline; the program is read and not run.

    Parameters
    ----------
    function
        Which pipeline; empty for the first one.
    """
    found, program = list[Diagnostic](), program.removeprefix("\ufeff")
    graph = read(f"{program}\n", function=function, found=found)
    # of a cell, what stands above it came with it
    view = {} if function else in_view(program)
    return Answer(document.dumps(graph, view, default_registry()), graph.options.name, _sentences(found))


@_answering
def to_program(text: str, dialect: str = "", file: str = "") -> Answer:
    """The program of a document as a new file: the one that its designer shows, which measures itself.

    Parameters
    ----------
    dialect
        For which library; empty for one that is installed.
    file
        The path of the document.
    """
    registry = default_registry()
    graph, view, found = document.loads(text, registry)
    made = program_of(with_samples(graph, registry), view, find(dialect).name if dialect else None, file)
    return Answer(with_benchmark(made.source), graph.options.name, _sentences((*found, *made.diagnostics)))


def program_of(graph: Graph, view: Mapping[str, Any], dialect: str | None, file: str = "") -> Emitted:
    """The program that the designer of a document shows, in its own dialect if none is given."""
    place = Path(Path(file).name) if file else None
    session = Session(graph, default_registry(), lambda message, buffers: None, view=view, images=photos, file=place)
    try:
        return session.code(dialect)
    finally:
        session.close()


def _sentences(found: tuple[Diagnostic, ...] | list[Diagnostic]) -> tuple[str, ...]:
    return tuple(f"{one.message} {one.hint}".strip() for one in found)
