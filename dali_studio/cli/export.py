"""``dali-studio export``: programs from documents, and whether both still say the same.

A program is the one that the designer shows; with parameters it is written anew, as its function takes them.
The first line of a program that is written holds a checksum of the others, so that it is known whether somebody has
edited it since. Such a file is overwritten only by force; what would change is shown.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dali_studio.api.default import default_registry
from dali_studio.api.reading.program import read
from dali_studio.api.sample_readers import sample_arguments, with_samples
from dali_studio.cli.document import functions_of
from dali_studio.cli.text import note, report, say, waiting
from dali_studio.codegen import triton
from dali_studio.codegen.benchmark import with_benchmark
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.codegen.functions import Function
from dali_studio.codegen.names import identifier
from dali_studio.codegen.parameters import module_parameters
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, errors
from dali_studio.core.limits import MAX_DOCUMENT_BYTES
from dali_studio.graph.bypass import rerouted
from dali_studio.graph.files import read_file, replace_file
from dali_studio.graph.model import Graph
from dali_studio.studio.programs.left_out import with_comments
from dali_studio.studio.programs.translate import program_of

_MARK, _DIGITS = "# Written by `dali-studio export`, which keeps edits. Checksum: ", 16


def export_program(
    graph: Graph, view: Mapping[str, Any], source: str, path: Path | None, dialect: str, *,
    parameters: bool, force: bool,
) -> bool:  # fmt: skip
    """Write the program of a document.

    Parameters
    ----------
    view
        The document's view part, with its subgraphs and the text that its user has written.
    source
        The document, as the user has named it.
    path
        Where the program goes; ``None``: to standard output.
    parameters
        Let the program's function take where its readers find their data, and the shard.
    force
        Write it in spite of errors, and over a file that was edited by hand.

    Returns
    -------
    bool
        Whether it was written, and has no errors.
    """
    emitted = _program(graph, view, source, dialect, parameters=parameters)
    program = with_benchmark(emitted.source, path if "program" in view else None)
    report(emitted.diagnostics)
    failed = bool(errors(emitted.diagnostics))
    if failed and not force:
        note("Nothing was written. With --force, a program is written that raises an error where something is missing.")
        return False
    if path is None:
        say(program, end="")
        return not failed
    text = _text_of(path) if path.exists() else None
    if text is not None and not force and _is_edited(text) and _plain(text) != program:
        say("\n".join(_difference(text, program, str(path), source)))
        note(f"{path} was edited by hand, and is left as it is. With --force, it is overwritten.")
        return False
    write(path, f"{_MARK}{_checksum(program)}\n{program}")
    note(f"Wrote {path}.")
    return not failed


def export_model(graph: Graph, repository: Path, functions: Sequence[Function], *, force: bool) -> bool:
    """Write a document as a model of Triton's DALI backend: its folder, its configuration and its program.

    Parameters
    ----------
    repository
        The model repository; the model's folder has the name of the pipeline.
    force
        Write over a model that is there.

    Returns
    -------
    bool
        Whether it was written.
    """
    model, found = triton.served(graph, default_registry())
    config, lacking = triton.model_config(model, default_registry())
    emitted = emit(model, default_registry(), "nvidia.dali", {}, functions, autoserialize=True)
    found += [*lacking, *emitted.diagnostics]
    report(found)
    if errors(found):
        note("Nothing was written.")
        return False
    folder = repository / identifier(model.options.name)
    files = {folder / triton.CONFIG: config, folder / triton.PROGRAM: emitted.source}
    other = [path for path, text in files.items() if path.exists() and _text_of(path) != text]
    if other and not force:
        note(f"{other[0]} is there already, and is left as it is. With --force, it is overwritten.")
        return False
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _not_written(path, error) from error
        write(path, text)
    say(f"Wrote {folder}.")
    return True


def check_program(
    graph: Graph, view: Mapping[str, Any], source: str, path: Path, dialect: str, *, parameters: bool
) -> bool:  # fmt: skip
    """Whether a program does what a document says; what differs is shown.

    A program that is laid out otherwise, has comments, or has its functions elsewhere, is read and compared by what it
    does.
    """
    made, text = _program(graph, view, source, dialect, parameters=parameters), _plain(_text_of(path))
    expected = with_benchmark(made.source, path)
    if text == expected:
        return True
    found = read(text, found=[])
    for functions in (functions_of(view, graph), ()):
        if _with_parameters(found, dialect, functions).source == _with_parameters(graph, dialect, functions).source:
            return True
    say("\n".join(_difference(text, expected, str(path), "the document")))
    note(f"{path} and the document disagree.")
    return False


def write(path: Path, text: str) -> None:
    """Write a file.

    Raises
    ------
    DaliStudioError
        DS302 if that cannot be done.
    """
    try:
        replace_file(path, text)
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: Path, error: OSError) -> DaliStudioError:
    message = f"{path} could not be written: {error.strerror or error}."
    return DaliStudioError(Diagnostic(code="DS302", message=message, hint="Give another place."))


def _program(graph: Graph, view: Mapping[str, Any], source: str, dialect: str, *, parameters: bool) -> Emitted:
    for key, what in sample_arguments(graph, default_registry()).items():
        note(f"note: {key} reads samples: {what['file_root']}")
    with waiting(f"Writing the program of {len(graph)} nodes"):
        if parameters:
            made = _with_parameters(graph, dialect, functions_of(view, graph))
            return with_comments(made, graph, default_registry(), dialect)
        return program_of(with_samples(graph, default_registry()), view, dialect, source)


def _with_parameters(graph: Graph, dialect: str, functions: Sequence[Function]) -> Emitted:
    graph, registry = rerouted(graph), default_registry()
    given = module_parameters(graph, registry, sample_arguments(graph, registry))
    return emit(graph, registry, dialect, given, functions)


def _text_of(path: Path) -> str:
    try:
        return read_file(path, MAX_DOCUMENT_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else "it is no text in UTF-8"
        found = Diagnostic(code="DS302", message=f"{path} could not be read: {reason}.", hint="Give -o a program.")
        raise DaliStudioError(found) from error


def _checksum(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()[:_DIGITS]


def _plain(text: str) -> str:
    """A program without the line that holds its checksum; line ends of Windows are no edits."""
    first, _, rest = text.replace("\r\n", "\n").partition("\n")
    return rest if first.startswith(_MARK) else text.replace("\r\n", "\n")


def _is_edited(text: str) -> bool:
    first = text.partition("\n")[0].rstrip("\r")
    return not first.startswith(_MARK) or first.removeprefix(_MARK) != _checksum(_plain(text))


def _difference(text: str, other: str, name: str, other_name: str) -> Sequence[str]:
    lines = (_plain(text).splitlines(), other.splitlines())
    return list(difflib.unified_diff(*lines, fromfile=name, tofile=other_name, lineterm=""))
