"""Programs are read into graphs, and nothing of them is run."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from public_programs import HEAD, PROGRAMS

from dali_studio import DaliStudioError, read
from dali_studio.api.default import default_registry
from dali_studio.codegen.emit import emit
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.document import load
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate

REGISTRY = default_registry()
GALLERY = sorted(Path(__file__).parents[3].glob("gallery/*/pipeline.dali.json"))


def findings(source: str, **options: Any) -> tuple[Graph, list[Diagnostic]]:
    found: list[Diagnostic] = []
    return read(HEAD + source, found=found, **options), found


def pipeline(body: str, decorator: str = "@pipeline_def(batch_size=2)", signature: str = "p()") -> str:
    return f"{decorator}\ndef {signature}:\n" + "".join(f"    {line}\n" for line in body.splitlines())


def plain(graph: Graph) -> list[Any]:
    """Everything that decides what a graph computes."""
    rows: list[Any] = []
    for node in graph.nodes():
        schema = REGISTRY.schema(node.operator)
        values = {a.name: node.arguments.get(a.name, a.default) for a in schema.arguments}
        values = {name: value for name, value in values.items() if value is not None}
        rows.append((node.operator, node.device, values, graph.inputs(node.key), graph.argument_inputs(node.key)))
    return rows


@pytest.mark.parametrize("dialect", ["nvidia.dali", "dali_studio"])
@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.parent.name)
def test_what_was_emitted_is_read_back(path: Path, dialect: str) -> None:
    graph, _, _ = load(path, REGISTRY)
    emitted = emit(graph, REGISTRY, dialect)
    found: list[Diagnostic] = []
    back = read(emitted.source, found=found)
    assert found == []
    assert plain(back) == plain(graph)
    assert (list(back), back.outputs, back.options) == (list(graph), graph.outputs, graph.options)
    assert emit(back, REGISTRY, dialect).source == emitted.source


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_public_projects_are_understood(name: str) -> None:
    graph, found = findings(PROGRAMS[name])
    unknown = {node.operator for node in graph.nodes() if node.operator not in REGISTRY}
    assert unknown <= {"readers.video", "dali.auto_aug.rand_augment.rand_augment"}
    assert graph.outputs
    assert {one.severity for one in found} <= {"info", "warning"}
    assert all(one.code == "DS502" and one.source.startswith("program:") and one.hint for one in found)


def test_variables_name_the_nodes_and_lines_are_kept() -> None:
    graph, _ = findings(PROGRAMS["with a pipeline"])
    assert list(graph) == ["reader", "images", "images_2"]
    lines = HEAD.count("\n")
    assert graph.node("images").origin == f"program:{lines + 5}"


def test_options_come_from_the_decorator_and_from_the_call() -> None:
    source = pipeline("return fn.readers.file(file_root=root)[0]", "@pipeline_def(batch_size=3, seed=9)", "p(root)")
    graph, found = findings(source + "pipe = p(root='/x', batch_size=5, num_threads=7, device_id=1)\n")
    assert (graph.options.batch_size, graph.options.seed, graph.options.num_threads, graph.options.device_id) == (5, 9, 7, 1)
    assert graph.node("reader").arguments["file_root"] == "/x"
    assert found == []


def test_arguments_choose_what_a_parameter_decides() -> None:
    source = PROGRAMS["imagenet training"]
    training, _ = findings(source)
    other, found = findings(source, arguments={"is_training": False, "data_dir": "/val"})
    assert "decoders.image_random_crop" in {node.operator for node in training.nodes()}
    assert "decoders.image_random_crop" not in {node.operator for node in other.nodes()}
    assert other.node("Reader").arguments["file_root"] == "/val"
    assert found == []


def test_conditions_on_results_become_branches() -> None:
    graph, found = findings(PROGRAMS["conditionals"])
    operators = [node.operator for node in graph.nodes()]
    assert operators.count("_conditional.merge") == 3  # two of the ifs, one of `and`
    assert found == []
    assert not [one for one in validate(graph, REGISTRY).diagnostics if one.severity == "error"]


def test_unknown_parts_keep_their_places() -> None:
    graph, found = findings(pipeline(
        "files, labels = fn.readers.file(file_root='/x')\n"
        "a, b = third_party.augment(fn.decoders.image(files), strength=3)\n"
        "return a, fn.flip(b), labels"
    ))  # fmt: skip
    node = graph.node("augment")
    assert node.operator == "third_party.augment"
    assert node.arguments == {"strength": 3}
    assert [port.node for port in graph.inputs("augment") if port] == ["decode"]
    assert [port.output for port in graph.inputs("flip") if port] == [1]
    assert [one.node for one in found] == ["augment"]
    assert any(one.code == "DS101" for one in validate(graph, REGISTRY).diagnostics)


@pytest.mark.parametrize(
    "line",
    [
        "__import__('os').system('touch /tmp/dali_studio_was_run')",
        "open('/tmp/dali_studio_was_run', 'w').write('x')",
        "eval('1')",
        "().__class__.__base__.__subclasses__()",
        "fn.__builtins__['exec']('x')",
        "types.np.os.system('x')",
        "x = 10 ** 10 ** 10",
        "x = 'a' * 10 ** 12",
        "x = 1 << 10 ** 12",
        "x = '%1000000000d' % 1",
        "x = list(range(10 ** 12))",
        "x = [0] * 10 ** 10",
        "x = np.zeros((10 ** 6, 10 ** 6))",
        "[[[x for x in range(9999)] for y in range(9999)] for z in range(9999)] if False else 0",
        "x = (lambda: 1).__globals__",
    ],
)
def test_nothing_is_run(line: str, tmp_path: Path) -> None:
    source = pipeline(f"{line}\nfiles, labels = fn.readers.file(file_root='/x')\nreturn files, labels")
    graph, _ = findings(source)
    assert [node.operator for node in graph.nodes()] == ["readers.file"]
    assert not Path("/tmp/dali_studio_was_run").exists()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def p(:\n    pass\n", "no Python"),
        ("x = 1\ny = 2\n", "has no pipeline"),
        (HEAD + pipeline("return 1" + " + 1" * 5000), "nested too deeply"),
        (HEAD + pipeline("return " + "(" * 900 + ")" * 900), "no Python"),
        (HEAD + pipeline("for i in range(9999):\n    for j in range(9999):\n        x = i\nreturn x"), "more than is read"),
        (HEAD + "def f(x):\n    return f(x)\n" + pipeline("return f(1)"), "without end"),
        (HEAD + pipeline("a, b = fn.random.uniform()\nreturn a"), "cannot be assigned to 2 names"),
        ("x = '" + "\\0" + "'\n\0", "no Python"),
    ],
)
def test_what_cannot_be_read_is_one_clear_error(source: str, message: str) -> None:
    with pytest.raises(DaliStudioError, match=message) as caught:
        read(source)
    assert caught.value.diagnostics[0].code == "DS502"
    assert caught.value.diagnostics[0].hint


def test_a_pipeline_is_chosen_by_its_name(tmp_path: Path) -> None:
    both = HEAD + pipeline("return fn.random.uniform()", signature="first()") + pipeline(
        "return fn.random.normal()", signature="second()"
    )
    file = tmp_path / "two.py"
    file.write_text(both)
    found: list[Diagnostic] = []
    assert read(file, found=found).options.name == "first"
    assert "first, second; first is read" in found[0].message
    assert [node.operator for node in read(str(file), function="second").nodes()] == ["random.normal"]
    with pytest.raises(DaliStudioError, match="no pipeline 'third'"):
        read(file, function="third")
    with pytest.raises(DaliStudioError, match="could not be read"):
        read(tmp_path / "none.py")


def test_findings_are_warnings_if_nobody_takes_them() -> None:
    with pytest.warns(UserWarning, match="is no operator of dali_studio"):
        read(HEAD + pipeline("return other(fn.random.uniform())"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(HEAD + pipeline("return fn.random.uniform()"))


def test_the_factory_of_a_pipeline_is_read_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_pipeline.py").write_text(HEAD.replace("nvidia.dali", "dali_studio") + pipeline("return fn.random.uniform()"))
    monkeypatch.syspath_prepend(str(tmp_path))
    import own_pipeline

    assert [node.operator for node in read(own_pipeline.p).nodes()] == ["random.uniform"]
