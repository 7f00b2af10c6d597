"""The text that a user has written for the pipeline, beside the graph."""

from __future__ import annotations

from collections.abc import Sequence

from dali_studio.api.reading.patches import NotWritable
from dali_studio.api.reading.text import ProgramText
from dali_studio.codegen.emit import Emitted
from dali_studio.codegen.functions import Function
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.difference import edits_between, matched
from dali_studio.graph.edits import Edit
from dali_studio.graph.model import Graph
from dali_studio.studio.revision import Revision


def taken(source: str, graph: Graph) -> tuple[ProgramText, tuple[Edit, ...]]:
    """An edited program, whose nodes are called as those of `graph` that they are, and the edits to its graph.

    Raises
    ------
    DaliStudioError
        DS502 if the text is no Python, or has no pipeline.
    """
    text = ProgramText(source)
    text.rename(matched(graph, text.graph))
    return text, edits_between(graph, text.graph)


def shown(text: ProgramText | None, revision: Revision, dialect: str, functions: Sequence[Function] = ()) -> Emitted:
    """The program of a revision: the user's text with what has changed since, or a program that is written anew.

    Parameters
    ----------
    functions
        Subgraphs, which a program that is written anew has as functions.
    """
    if text is None or text.dialect != dialect:
        return revision.code(dialect, functions)
    try:
        made, same = text.changed(revision.active)
    except NotWritable as error:
        emitted = revision.code(dialect, functions)
        found = Diagnostic(
            code="DS501", message=f"This change cannot be written into your text: {error}.", severity="info",
            hint="The program is written anew; undo brings your text back.",
        )  # fmt: skip
        return Emitted(emitted.source, emitted.lines, (*emitted.diagnostics, found))
    lines = {same[key]: numbers for key, numbers in made.lines().items() if key in same}
    return Emitted(made.text, lines, tuple(made.found))
