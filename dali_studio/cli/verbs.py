"""The verbs of the command line and their options."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from dali_studio import __version__
from dali_studio.cli.text import called, note, report, say, table, waiting
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

#: Exit codes: findings that prevent what was asked for; interrupted by Ctrl-C. argparse itself leaves with 2.
FAILED, INTERRUPTED = 1, 130
_DOCUMENT = (
    "a .dali.json document, a .py program, which is read and not run, a serialized .dali pipeline, or the name of an "
    "example of the gallery, such as resnet50"
)
#: What `run` shows to whoever gives it nothing, and where its pictures go.
_FIRST, RESULT = "getting_started", "dali-studio-result"
#: Where the lists of `check` go.
_CHECKED = "dali-studio-check"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb.

    Returns
    -------
    int
        0 if all went well, 1 if findings prevented it (2 of `diff`, whose 1 says that there are differences), 130 after
        Ctrl-C.
    """
    parser = make_parser()
    options, unknown = parser.parse_known_args(arguments)
    if options.verb is lab:  # in `lab --port 8889` the number is no folder
        given = list(sys.argv[1:] if arguments is None else arguments)
        options.options = [item for item in given[given.index("lab") + 1 :] if item != "--"]
        named = bool(options.options) and not options.options[0].startswith("-")
        options.folder = options.options.pop(0) if named else None
    elif unknown:
        options.parser.error(f"unknown: {' '.join(unknown)}")
    try:
        return options.verb(options)
    except DaliStudioError as error:
        report(error.diagnostics)
        return FAILED if options.verb is not diff else 2  # 1 says that they differ
    except KeyboardInterrupt:
        note("Interrupted.")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough
        return 0


def make_parser() -> argparse.ArgumentParser:
    """The parser of all verbs."""
    parser = argparse.ArgumentParser(prog="dali-studio", description="Design and run data pipelines.")
    parser.add_argument("--version", action="version", version=f"dali-studio {__version__}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)

    def verb(name: str, function: Callable[[argparse.Namespace], int], summary: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(name, help=summary, description=summary)
        made.set_defaults(verb=function, parser=made)
        return made

    add = verb("lab", lab, "Open JupyterLab with the designer. Other options go to jupyter lab.").add_argument
    add("folder", nargs="?", metavar="NOTEBOOK_DIR", help="where the notebooks lie, or are put; it stands first")
    add = verb("run", run, "Run a document and show what comes out and what it costs.").add_argument
    add("file", metavar="FILE", nargs="?", help=f"{_DOCUMENT}; the example getting_started if not given")
    add("--images", metavar="DIR", help="folder that its readers read: images, videos or sounds, or classes of them")
    add("--batches", metavar="N", type=_positive, help="how many batches; one epoch if not given")
    what = "what becomes of damaged files: raise, skip or placeholder; as in the document if not given"
    add("--on-error", metavar="ACTION", help=what)
    add("--out", metavar="DIR", help=f"folder for the contact sheet and the report; {RESULT} for the example")
    add = verb("export", export, "Write a document as a Python program, a picture or a diagram.").add_argument
    add("file", metavar="FILE", help=_DOCUMENT)
    add("--dialect", default="nvidia.dali", help="nvidia.dali (the default) or dali_studio")
    add("--images", metavar="DIR", help="folder that its readers read instead")
    where = "where it goes: .svg or .png is a picture, .md, .mmd or .dot a diagram; standard output if not given, or -"
    add("-o", "--output", metavar="FILE", help=where)
    add("--parameters", action="store_true", help="let the program's function take its readers' folders and the shard")
    add("--force", action="store_true", help="write it in spite of errors, and over a program that was edited by hand")
    add("--triton", metavar="DIR", help="write it as a model of this repository of Triton, for its DALI backend")
    add("--check", action="store_true", help="write nothing: compare the document with the program -o (FILE with .py)")
    add = verb("import", import_, "Read a program, which is not run, as a document.").add_argument
    add("file", metavar="FILE", help="a .py file with a pipeline or a Compose, or a serialized .dali pipeline")
    add("--function", metavar="NAME", default="", help="which of its pipelines; the first if not given")
    add("-o", "--output", metavar="FILE", help="where the document goes; FILE with .dali.json if not given")
    add = verb("verify", verify, "Run a pipeline in nvidia.dali and here, and compare every node.").add_argument
    add("file", metavar="FILE", help=_DOCUMENT)
    add("--images", metavar="DIR", help="folder that its readers read instead")
    add("--batches", metavar="N", type=_positive, default=3, help="how many batches; 3 if not given")
    add("--report", metavar="FILE", help="an HTML page with the table and pictures of what is not equal")
    add = verb("diff", diff, "Show how two pipelines differ; exits with 1 if they do, 2 after errors.").add_argument
    add("before", metavar="BEFORE", help=f"{_DOCUMENT}; COMMIT:PATH is a file as Git has it")
    add("after", metavar="AFTER", help="the same")
    add("--pixels", action="store_true", help="run both, and compare what nodes of the same names give")
    add("--images", metavar="DIR", help="folder that their readers read instead")
    add = verb("explain", explain, "Show the plan by which a document runs.").add_argument
    add("file", metavar="FILE", help=_DOCUMENT)
    add("--images", metavar="DIR", help="folder that its readers read instead")
    add("--cuda", action="store_true", help="the sources of the kernels that are generated for it as well")
    add("--json", action="store_true", help="as JSON, for other programs")
    add = verb("catalog", catalog, "List the operators, or describe one.").add_argument
    add("operator", nargs="?", metavar="OPERATOR", help="such as rotate or decoders.image")
    _add_data_verbs(verb)
    verb("support", support, "List what of nvidia.dali is supported: pipelines, operators, their arguments.")
    verb("doctor", doctor, "Show versions, processor and what is missing.")
    return parser


def _add_data_verbs(verb: Callable[..., argparse.ArgumentParser]) -> None:
    """Those that are about files of data."""
    add = verb("check", check, "Find what of a data set cannot be read or decoded, and what stands out.").add_argument
    what = "images, sub-folders with images, a list with a path and a label a line, or an image"
    add("target", metavar="FOLDER|FILE", help=what)
    where = "folder for the lists, the page and the state that the next call goes on from"
    add("--out", metavar="DIR", default=_CHECKED, help=f"{where}; {_CHECKED} if not given")
    add("--headers", action="store_true", help="read the headers alone: decode nothing, and find no copies")
    add("--json", action="store_true", help="write the result as JSON")
    indices = (
        ("rec2idx", rec2idx, "Write the index that readers.mxnet needs of a RecordIO file.", ".rec"),
        ("tfrecord2idx", tfrecord2idx, "Write the index that readers.tfrecord needs of a file.", ".tfrecord"),
    )
    for name, function, summary, ending in indices:
        add = verb(name, function, summary).add_argument
        add("file", metavar="FILE", help=f"a {ending} file")
        add("index", metavar="INDEX", help="where the index goes, such as FILE.idx")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


# Each verb imports what it needs, so that the others start at once.


def lab(options: argparse.Namespace) -> int:
    """Open JupyterLab."""
    from dali_studio.cli.lab import open_lab  # noqa: PLC0415

    return open_lab(options.folder, options.options)


def run(options: argparse.Namespace) -> int:
    """Run a document."""
    from dali_studio.cli.document import open_document, with_on_error  # noqa: PLC0415
    from dali_studio.cli.run import run_document  # noqa: PLC0415

    graph = open_document(options.file or _FIRST, options.images, samples=True)
    if options.on_error is not None:
        graph = with_on_error(graph, options.on_error)
    run_document(graph, options.batches, options.out or (None if options.file else RESULT))
    if options.file is None:
        program = called()
        say(f"\nNext: `{program} lab` opens the designer, `{program} run --images DIR` takes photos of yours.")
    return 0


def export(options: argparse.Namespace) -> int:
    """Write a document as a program, a picture or a diagram, or compare it with a program."""
    from dali_studio.api.default import default_registry  # noqa: PLC0415
    from dali_studio.cli.document import functions_of, open_document, view_of  # noqa: PLC0415
    from dali_studio.cli.export import check_program, export_model, export_program  # noqa: PLC0415
    from dali_studio.graph.bypass import rerouted  # noqa: PLC0415
    from dali_studio.studio.drawing.exports import write_alone  # noqa: PLC0415

    whole = open_document(options.file, options.images, bypassed=True)
    graph = rerouted(whole)
    output = None if options.output in (None, "-") else Path(options.output)
    view = view_of(options.file)
    if output is not None and output.suffix not in ("", ".py") and not options.check:
        with waiting(f"Drawing {len(graph)} nodes"):
            write_alone(graph, view, default_registry(), output)
        say(f"Wrote {output}.")
        return 0
    if options.triton:
        functions = functions_of(view, graph)
        return 0 if export_model(graph, Path(options.triton), functions, force=options.force) else FAILED
    dialect, parameters = options.dialect, options.parameters
    if options.check:
        program = output or _program_of(options.file)
        return 0 if check_program(whole, view, options.file, program, dialect, parameters=parameters) else FAILED
    done = export_program(whole, view, options.file, output, dialect, parameters=parameters, force=options.force)
    return 0 if done else FAILED


def _program_of(document: str) -> Path:
    """The program that lies beside a document."""
    path = Path(document)
    return path.with_name(path.name.removesuffix(".json").removesuffix(".dali") + ".py")


def import_(options: argparse.Namespace) -> int:
    """Write the pipeline of a program as a document."""
    from dali_studio.api.default import default_registry  # noqa: PLC0415
    from dali_studio.api.pipeline_files import read_serialized  # noqa: PLC0415
    from dali_studio.api.reading.composed.whole import read_compose  # noqa: PLC0415
    from dali_studio.api.reading.program import read, text_of_source  # noqa: PLC0415
    from dali_studio.graph.document import save  # noqa: PLC0415
    from dali_studio.studio.programs import code_nodes  # noqa: PLC0415
    from dali_studio.studio.programs.own_text import in_view  # noqa: PLC0415
    from dali_studio.studio.view import differing  # noqa: PLC0415

    found, view = list[Diagnostic](), dict[str, Any]()
    with waiting(f"Reading {options.file}"):
        try:
            if options.file.endswith(".dali"):
                graph = read_serialized(options.file)
            else:
                graph = read(Path(options.file), function=options.function, found=found)
                view |= in_view(text_of_source(Path(options.file))[0]) | code_nodes.in_view(graph)
        except DaliStudioError as error:
            if options.file.endswith(".dali"):
                raise
            try:
                graph = read_compose(Path(options.file), found=found)
                view |= differing(found)
            except DaliStudioError:
                raise error from None
    report(found)
    path = Path(options.output) if options.output else Path(options.file).with_suffix(".dali.json")
    save(graph, view, path, default_registry())
    lost = sum(key not in default_registry() for key in (node.operator for node in graph.nodes()))
    note(f"{path}: {len(graph)} nodes{f', {lost} of operators that are not known' if lost else ''}.")
    return 0


def verify(options: argparse.Namespace) -> int:
    """Compare a pipeline in nvidia.dali and here."""
    from dali_studio.cli.document import open_document  # noqa: PLC0415
    from dali_studio.cli.verify import verify_graph  # noqa: PLC0415

    graph = open_document(options.file, options.images, samples=True)
    return 0 if verify_graph(graph, options.batches, options.report) else FAILED


def check(options: argparse.Namespace) -> int:
    """Check a data set."""
    from dali_studio.cli.check import check as check_files  # noqa: PLC0415

    clean = check_files(options.target, options.out, headers=options.headers, as_json=options.json)
    return 0 if clean else FAILED


def diff(options: argparse.Namespace) -> int:
    """Compare two documents."""
    from dali_studio.cli.diff import diff_documents  # noqa: PLC0415

    return 0 if diff_documents(options.before, options.after, options.images, pixels=options.pixels) else FAILED


def rec2idx(options: argparse.Namespace) -> int:
    """Write the index of a RecordIO file."""
    from dali_studio.kernels.cpu.record_io import places_of_records  # noqa: PLC0415

    lines = (f"{number}\t{place}\n" for number, place in enumerate(places_of_records(options.file)))
    return _write_index(options, lines, "RecordIO")


def tfrecord2idx(options: argparse.Namespace) -> int:
    """Write the index of a TFRecord file."""
    from dali_studio.kernels.cpu.example import places_of_records  # noqa: PLC0415

    lines = (f"{place} {size}\n" for place, size in places_of_records(options.file))
    return _write_index(options, lines, "TFRecord")


def _write_index(options: argparse.Namespace, lines: Iterable[str], kind: str) -> int:
    """Write an index, the lines of which are made while the file is read."""
    from dali_studio.cli.export import write  # noqa: PLC0415

    try:
        with waiting(f"Reading {options.file}"):
            made = list(lines)
    except (OSError, ValueError) as error:
        reason = f"{options.file} cannot be read: {error.strerror}" if isinstance(error, OSError) else str(error)
        raise DaliStudioError(Diagnostic(code="DS302", message=f"{reason}.", hint=f"Give a {kind} file.")) from error
    write(Path(options.index), "".join(made))
    note(f"{options.index}: {len(made)} records.")
    return 0


def explain(options: argparse.Namespace) -> int:
    """Show a plan."""
    from dali_studio.api.default import default_registry  # noqa: PLC0415
    from dali_studio.cli.document import open_document  # noqa: PLC0415
    from dali_studio.compiler.explain import described  # noqa: PLC0415
    from dali_studio.compiler.explain import explain as explain_plan  # noqa: PLC0415
    from dali_studio.compiler.pipeline import compile_graph  # noqa: PLC0415
    from dali_studio.core.random import resolve_pipeline_seed  # noqa: PLC0415
    from dali_studio.graph.validate import refusals, validate  # noqa: PLC0415
    from dali_studio.runtime.forecast import forecast  # noqa: PLC0415

    graph, registry = open_document(options.file, options.images, samples=True), default_registry()
    if found := refusals(graph, registry, validate(graph, registry)):
        raise DaliStudioError(found)
    with waiting(f"Planning {len(graph)} nodes"):
        plan = compile_graph(graph, registry, devices=True)
        seed, batch_size = resolve_pipeline_seed(graph.options.seed), graph.options.batch_size
        memory = forecast(plan, registry, seed, batch_size)
    say(json.dumps(described(plan, memory), indent=2) if options.json else explain_plan(plan, memory))
    if options.cuda:
        from dali_studio.api.kernels import generated  # noqa: PLC0415

        kernels = generated(graph, plan, registry)
        if not kernels:
            note("No kernel is generated: no node is placed on a GPU and has a part that a kernel is made of.")
        for names, text in kernels:
            say(f"\n// {' -> '.join(names)}\n{text.rstrip()}")
    return 0


def catalog(options: argparse.Namespace) -> int:
    """List the operators, or describe one."""
    from dali_studio.api.default import default_registry  # noqa: PLC0415
    from dali_studio.api.reference import signature_doc  # noqa: PLC0415
    from dali_studio.api.support_page import counted  # noqa: PLC0415

    registry = default_registry()
    if options.operator is not None:
        name = options.operator.removeprefix("fn.")
        say(f"fn.{name}\n\n{signature_doc(registry.schema(name))}")
        return 0
    shown = sorted(registry.shown(), key=lambda s: (s.category, s.name))
    rows = [(s.name, s.category, " ".join(s.devices), s.summary) for s in shown]
    say(table(("operator", "category", "devices", "what it does"), rows))
    say(f"\n{counted(registry)}")
    return 0


def support(options: argparse.Namespace) -> int:
    """Write the page of what is supported."""
    del options
    from dali_studio.api.support_page import generate  # noqa: PLC0415

    say(generate(), end="")
    return 0


def doctor(options: argparse.Namespace) -> int:
    """Show what the installation runs on."""
    del options
    from dali_studio.cli.doctor import examine  # noqa: PLC0415

    return examine()
