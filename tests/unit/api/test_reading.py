"""Programs are read into graphs, and nothing of them is run."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from gallery_examples import WRITTEN_AS_THEY_ARE, name_of
from public_programs import HEAD, PROGRAMS
from same_graphs import assert_same, traced_graph

from dali_studio import DaliStudioError, read
from dali_studio.api.default import default_registry
from dali_studio.api.sample_readers import with_samples
from dali_studio.codegen.emit import emit
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.difference import pairs
from dali_studio.graph.document import load
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate

REGISTRY = default_registry()


def findings(source: str, **options: Any) -> tuple[Graph, list[Diagnostic]]:
    found: list[Diagnostic] = []
    return read(HEAD + source, found=found, **options), found


def pipeline(body: str, decorator: str = "@pipeline_def(batch_size=2)", signature: str = "p()") -> str:
    return f"{decorator}\ndef {signature}:\n" + "".join(f"    {line}\n" for line in body.splitlines())


def tidy(value: Any) -> Any:
    """Programs are written without the noise of binary fractions."""
    if isinstance(value, tuple):
        return tuple(map(tidy, value))
    return float(f"{value:.15g}") if isinstance(value, float) else value


def plain(graph: Graph) -> list[Any]:
    """Everything that decides what a graph computes."""
    rows: list[Any] = []
    for node in graph.nodes():
        schema = REGISTRY.schema(node.operator)
        values = {a.name: node.arguments.get(a.name, a.default) for a in schema.arguments}
        values = {name: tidy(value) for name, value in values.items() if value is not None}
        rows.append((node.operator, node.device, values, graph.inputs(node.key), graph.argument_inputs(node.key)))
    return rows


@pytest.mark.parametrize(("path", "dialect"), WRITTEN_AS_THEY_ARE, ids=name_of)
def test_what_was_emitted_is_read_back(path: Path, dialect: str) -> None:
    graph = with_samples(load(path, REGISTRY)[0], REGISTRY)
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
    assert unknown <= {"readers.video", "readers.video_resize"}
    assert graph.outputs
    assert {one.severity for one in found} <= {"info", "warning"}
    assert all(one.code == "DS502" and one.source.startswith("program:") and one.hint for one in found)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "tfrecord"])
def test_programs_of_public_projects_are_written_and_read_back(name: str) -> None:
    dialect = "nvidia.dali"
    text = emit(findings(PROGRAMS[name])[0], REGISTRY, dialect).source
    graph = read(text, found=[])
    assert "fn._conditional" not in text
    assert pairs(read(emit(graph, REGISTRY, dialect).source, found=[]), graph, REGISTRY) is not None


def test_variables_name_the_nodes_and_lines_are_kept() -> None:
    graph, _ = findings(PROGRAMS["with a pipeline"])
    assert list(graph) == ["reader", "decode", "resize"]  # images is what goes on, and names neither of them
    lines = HEAD.count("\n")
    assert graph.node("decode").origin == f"program:{lines + 5}"


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
        ("def p(:\n    pass\n", "syntax error"),
        ("x = 1\ny = f((x, a=5, b=True)\nz = f(y)\n", r"syntax error: '\(' was never closed\. "),
        ("x = 1\nif x = 2:\n    pass\n", r"syntax error: invalid syntax\. "),
        ("x = 1\ny = 2\n", "has no pipeline"),
        (HEAD + pipeline("return 1" + " + 1" * 5000), "nested too deeply"),
        (HEAD + pipeline("return " + "(" * 900 + ")" * 900), "syntax error"),
        (HEAD + pipeline("for i in range(9999):\n    for j in range(9999):\n        x = i\nreturn x"), "more than is read"),
        (HEAD + "def f(x):\n    return f(x)\n" + pipeline("return f(1)"), "without end"),
        (HEAD + pipeline("a, b = fn.random.uniform()\nreturn a"), "cannot be assigned to 2 names"),
        ("x = '" + "\\0" + "'\n\0", "syntax error"),
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


def test_files_are_decoded_as_python_does_it(tmp_path: Path) -> None:
    text = HEAD + pipeline("größe = fn.random.uniform()\nreturn größe")
    for number, data in enumerate(
        (b"\xef\xbb\xbf" + text.encode(), b"# coding: latin-1\n" + text.encode("latin-1"), text.replace("\n", "\r\n").encode())
    ):
        file = tmp_path / f"{number}.py"
        file.write_bytes(data)
        assert list(read(file)) == ["größe"]
    assert list(read("\ufeff" + text)) == ["größe"]
    (tmp_path / "other.py").write_bytes(text.encode("latin-1"))
    with pytest.raises(DaliStudioError, match=r"DS502.*no text in UTF-8"):
        read(tmp_path / "other.py")
    with pytest.raises(DaliStudioError, match=r"DS302.*null byte"):
        read("a\0b")


def test_chained_comparisons_are_followed() -> None:
    body = "x = fn.random.uniform(range=(0, 4))\nif {}:\n    x = x * 2\nreturn x"
    chained, written = (pipeline(body.format(test), "@pipeline_def(enable_conditionals=True)") for test in ("1 < x <= 2", "1 < x and x <= 2"))
    assert plain(findings(chained)[0]) == plain(findings(written)[0])
    graph, found = findings(pipeline("x = fn.random.uniform()\nif 0 < k < 3:\n    x = x * 2\nreturn x", signature="p(k=2)"))
    assert not found and len(list(graph)) == 2


def test_a_condition_that_cannot_be_is_told() -> None:
    body = "flip = fn.random.coin_flip(dtype=types.BOOL)\nx = fn.random.uniform()\nif {}:\n    x = x * 2\nreturn x"
    _, found = findings(pipeline(body.format("flipp"), "@pipeline_def(enable_conditionals=True)"))
    assert [(one.code, one.message, one.hint) for one in found] == [("DS101", "Nothing is called 'flipp' here.", "Did you mean 'flip'?")]
    _, found = findings(pipeline(body.format("flip")))
    assert [(one.code, one.argument) for one in found] == [("DS102", "enable_conditionals")]
    assert not findings(pipeline(body.format("flip"), "@pipeline_def(enable_conditionals=True)"))[1]


def test_findings_are_warnings_if_nobody_takes_them() -> None:
    with pytest.warns(UserWarning, match="is not known here"):
        read(HEAD + pipeline("return other(fn.random.uniform())"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(HEAD + pipeline("return fn.random.uniform()"))


def test_the_factory_of_a_pipeline_is_read_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_pipeline.py").write_text(HEAD.replace("nvidia.dali", "dali_studio") + pipeline("return fn.random.uniform()"))
    monkeypatch.syspath_prepend(str(tmp_path))
    import own_pipeline

    assert [node.operator for node in read(own_pipeline.p).nodes()] == ["random.uniform"]


AUTOMATIC = """from nvidia.dali.auto_aug import augmentations, auto_augment, rand_augment, trivial_augment
from nvidia.dali.auto_aug.auto_augment import apply_auto_augment
from nvidia.dali.auto_aug.core import Policy

WIDE = augmentations.shear_x.augmentation((0, 0.5), True)
POLICY = Policy("mine", 11, [[(WIDE, 0.8, 7), (augmentations.equalize, 0.5, None)], [(augmentations.invert, 0.1, None)]])


@pipeline_def(batch_size=8, num_threads=2, device_id=None, enable_conditionals=True)
def augmented(root="/photos", n=2):
    files, labels = fn.readers.file(file_root=root)
    shapes = fn.peek_image_shape(files)
    images = fn.decoders.image(files)
    images = CALL
    return images, labels
"""
CALLS = [
    "auto_augment.auto_augment(images, shape=shapes, seed=3)", "auto_augment.auto_augment_image_net(images)",
    "rand_augment.rand_augment(images, n=n, m=9, fill_value=None, excluded=['posterize'])",
    "trivial_augment.trivial_augment_wide(images, num_magnitude_bins=11)", "apply_auto_augment(POLICY, images, fill_value=0)",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_automatic_augmentations_are_the_operators_that_they_append(call: str) -> None:
    source = AUTOMATIC.replace("CALL", call)
    graph, found = findings(source)
    assert found == []
    traced = traced_graph((HEAD + source).replace("nvidia.dali", "dali_studio"))
    assert_same(graph, traced)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("rand_augment.rand_augment(images, n=200, m=9)", "rand_augment.rand_augment asks for more than is read"),
        ("rand_augment.rand_augment(images, n=2, m=99)", "99 is no magnitude"),
        ("apply_auto_augment(somewhere.POLICY, images)", "does not tell `somewhere.POLICY` in `apply_auto_augment`"),
        ("apply_auto_augment(Policy('x', 3, [[(labels, 1, 2)]]), images)", "is no"),
    ],
)  # fmt: skip
def test_policies_that_the_source_does_not_tell_are_a_node(call: str, said: str) -> None:
    graph, found = findings(AUTOMATIC.replace("CALL", call))
    assert any(said in one.message for one in found)
    assert len(graph) <= 5
    assert 1 <= sum(node.operator not in REGISTRY for node in graph.nodes()) <= 2
    assert graph.outputs[0].node in graph


def test_objects_that_are_called_formatted_texts_and_arrays() -> None:
    source = """
class Turn:
    def __init__(self, angle):
        self.angle = angle

    def __call__(self, images, scale=1):
        return fn.rotate(images, angle=self.angle * scale)

turn = Turn(15)
PATHS = ["/data/%03d.tar" % i for i in range(2)] + [f"/data/{i:04d}.tar" for i in (7, 8)]
MEAN = np.array([1, 2, 3], dtype=np.float32).reshape(1, 1, 3)

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def p():
    images = fn.decoders.image(fn.readers.webdataset(paths=PATHS, ext=["jpg"]))
    return fn.normalize(turn(images, scale=2), mean=MEAN, stddev=2.0)
"""
    graph, found = findings(source)
    assert found == []
    reader = next(node for node in graph.nodes() if node.operator == "readers.webdataset")
    assert reader.arguments["paths"] == ("/data/000.tar", "/data/001.tar", "/data/0007.tar", "/data/0008.tar")
    assert next(node for node in graph.nodes() if node.operator == "rotate").arguments["angle"] == 30.0


def test_paths_and_settings_that_a_class_holds() -> None:
    source = """
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/data") / "photos"

class Base:
    root = ROOT

class Settings(Base):
    class crop:
        height = 32
    side: int = 2 * 32

@dataclass
class Turned:
    angle: float
    fill: int = 3

Settings.crop.width = 48
turned = Turned(20.0, fill=7)

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def p(settings=Settings()):
    files, labels = fn.readers.file(file_root=settings.root / "{}_{:02d}".format("train", 1))
    lists, _ = fn.readers.file(file_list=str(ROOT.parent / f"{ROOT.name}.txt"))
    images = fn.crop(fn.decoders.image(files), crop=(Settings.crop.height, Settings.crop.width))
    return fn.resize(fn.rotate(images, angle=turned.angle, fill_value=turned.fill), size=settings.side), lists
"""
    graph, found = findings(source)
    assert found == []
    given = {name: value for node in graph.nodes() for name, value in node.arguments.items()}
    assert given == {
        "file_root": "/data/photos/train_01", "file_list": "/data/photos.txt", "crop": (32.0, 48.0), "angle": 20.0,
        "fill_value": 7.0, "size": (64.0,),
    }  # fmt: skip


@pytest.mark.parametrize("text", ['"{:99999d}".format(3)', '"{:{}d}".format(3, 10**6)', '"{0.real}".format(3)', '"%99999d" % 3', 'f"{3:99999d}"', 'f"{3:{10**6}d}"', '"%*d" % (10**6, 3)', '"%d" % "x"'])
def test_large_fields_of_texts_are_not_formatted(text: str) -> None:
    graph, found = findings(pipeline(f"return fn.readers.file(file_root={text})[0]"))
    assert "file_root" not in graph.node("reader").arguments
    assert len(found) == 1
