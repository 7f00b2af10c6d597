"""Emitted programs: their text, their lines, and what they cannot say."""

from __future__ import annotations

import ast
from dataclasses import replace
from itertools import pairwise

import black
import pytest
from toy import photo_graph, port, toy_registry

from dali_studio.codegen import dialects
from dali_studio.codegen.dialects.base import Dialect
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.codegen.parameters import module_parameters
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.model import Graph, GraphOptions, Node
from dali_studio.graph.objects import MISSING
from dali_studio.schema.model import Value

REGISTRY = toy_registry()

PHOTO = """\
from nvidia.dali import fn, pipeline_def


@pipeline_def(batch_size=8, num_threads=2, device_id=None)
def pipeline():
    jpegs, labels = fn.readers.file(
        file_root="images", random_shuffle=True, name="reader"
    )
    images = fn.decoders.image(jpegs)
    angle = fn.random.uniform(range=[-10, 10])
    turned = fn.rotate(images, angle=angle, fill_value=0)
    return turned, labels


if __name__ == "__main__":
    pipe = pipeline()
    pipe.build()
    outputs = pipe.run()
"""


def body(graph: Graph, dialect: str = "nvidia.dali") -> list[str]:
    """The statements of the pipeline function."""
    function = next(n for n in ast.parse(emit(graph, REGISTRY, dialect).source).body if isinstance(n, ast.FunctionDef))
    return [ast.unparse(statement) for statement in function.body]


def codes(emitted: Emitted) -> list[tuple[str, str, str, str]]:
    return [(d.code, d.node, d.argument, d.severity) for d in emitted.diagnostics]


def chain(*nodes: Node) -> Graph:
    graph = Graph()
    for node in nodes:
        graph.add_node(node)
    for before, after in pairwise(nodes):
        graph.connect(port(before.key), after.key, 0)
    graph.set_outputs([port(nodes[-1].key)])
    return graph


def test_whole_program() -> None:
    emitted = emit(photo_graph(), REGISTRY, "nvidia.dali")
    assert emitted.source == PHOTO and emitted.diagnostics == ()
    assert emit(photo_graph(), REGISTRY, "dali_studio").source == PHOTO.replace("nvidia.dali", "dali_studio")
    assert list(dialects.DIALECTS) == ["nvidia.dali", "dali_studio"]


def test_lines_come_from_the_tree() -> None:
    assert emit(photo_graph(), REGISTRY, "nvidia.dali").lines == {
        "reader": (6, 7, 8), "images": (9,), "angle": (10,), "turned": (11,),
    }  # fmt: skip


def test_options_that_differ_are_written() -> None:
    graph = photo_graph()
    graph.options = GraphOptions(
        name="my photos!", batch_size=4, num_threads=1, device_id=0, seed=42, prefetch_queue_depth=3
    )
    source = emit(graph, REGISTRY, "nvidia.dali").source
    assert "def my_photos():" in source and "pipe = my_photos()" in source
    decorator = "batch_size=4, num_threads=1, device_id=0, seed=42, prefetch_queue_depth=3"
    assert decorator in " ".join(source.split())


def test_defaults_are_left_out_and_enumerations_have_names() -> None:
    arguments = {
        "angle": 0.0,
        "interp_type": "INTERP_LINEAR",
        "keep_size": False,
        "fill_value": None,
        "size": (1.0, 2.0),
    }
    graph = chain(
        Node(key="images", operator="decoders.image", arguments={"output_type": "YCbCr"}),
        Node(key="turned", operator="rotate", arguments=arguments),
        Node(key="nearest", operator="rotate", arguments={"angle": 1.0, "interp_type": "INTERP_NN"}),
        Node(key="small", operator="cast", arguments={"dtype": "UINT8"}),
    )
    assert body(graph)[1:] == [
        "turned = fn.rotate(images, angle=0, size=[1, 2])",
        "nearest = fn.rotate(turned, angle=1, interp_type=types.INTERP_NN)",
        "small = fn.cast(nearest, dtype=types.UINT8)",
        "return small",
    ]
    assert "from nvidia.dali import fn, pipeline_def, types\n" in emit(graph, REGISTRY, "nvidia.dali").source


def test_numbers_are_written_as_people_do() -> None:
    """Where floats are meant, 224 is no less one, and noise of binary fractions says nothing; all other digits stay."""
    values = {0.224 * 255: "57.12", 0.1 + 0.2: "0.3", 2.0: "2", -0.0: "-0.0"}
    for value, written in {**values, **{v: repr(v) for v in (1 / 3, 1.5e12, 0.12345678901234, 1.1e39)}}.items():
        graph = chain(
            Node(key="images", operator="decoders.image"),
            Node(key="turned", operator="rotate", arguments={"angle": value}),
        )
        assert body(graph)[1] == f"turned = fn.rotate(images, angle={written})"


def test_devices_are_written_where_they_are_not_the_default() -> None:
    graph = photo_graph()
    graph.replace_node(replace(graph.node("images"), device="mixed"))
    graph.replace_node(replace(graph.node("turned"), device="gpu"))
    assert body(graph)[1] == "images = fn.decoders.image(jpegs, device='mixed')"
    assert body(graph)[3] == "turned = fn.rotate(images, angle=angle, fill_value=0)"
    graph.replace_node(replace(graph.node("turned"), device="cpu"))
    assert body(graph)[3] == "turned = fn.rotate(images, device='cpu', angle=angle, fill_value=0)"


def test_copies_are_methods() -> None:
    graph = chain(
        Node(key="data", operator="external_source"), Node(key="up", operator="copy", device="gpu"),
        Node(key="again", operator="copy", device="gpu"), Node(key="down", operator="copy"),
    )  # fmt: skip
    assert body(graph) == [
        "data = fn.external_source(name='data')", "up = data.gpu()", "again = up.gpu()", "down = again.cpu()",
        "return down",
    ]  # fmt: skip
    assert body(chain(Node(key="up", operator="copy", device="gpu")))[0] == "up = ....gpu()"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"fdata": (1.0, 2.0)}, "types.Constant([1.0, 2.0])"),
        ({"fdata": (1.0,)}, "types.Constant([1.0])"),
        ({"fdata": (1.0,), "shape": ()}, "types.Constant(1.0, shape=[], device='cpu')"),
        (
            {"idata": (3,), "shape": (2, 2), "dtype": "UINT8"},
            "types.Constant(3, shape=[2, 2], dtype=types.UINT8, device='cpu')",
        ),
        ({"idata": (1, 2), "shape": (1, 2), "layout": "HW"}, "types.Constant([1, 2], shape=[1, 2], layout='HW')"),
        ({"shape": (2,)}, "fn.constant(shape=[2])"),
    ],
)
def test_constants(arguments: dict[str, tuple[float, ...]], text: str) -> None:
    assert body(chain(Node(key="value", operator="constant", arguments=arguments)))[0] == f"value = {text}"


def test_constants_that_are_scalars_by_inference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(REGISTRY.operator("constant"), "infer", lambda *_: TensorMeta(DALIDataType.INT32, 0, ""))
    graph = chain(Node(key="value", operator="constant", arguments={"idata": (3,)}))
    assert body(graph)[0] == "value = types.Constant(3, device='cpu')"


def test_constant_on_the_gpu() -> None:
    node = Node(key="value", operator="constant", device="gpu", arguments={"fdata": (1.0, 2.0)})
    assert body(chain(node))[0] == "value = types.Constant([1.0, 2.0], device='gpu')"


def test_variables_never_collide() -> None:
    graph = Graph()
    for key in ("labels", "one", "two", "class", "fn", "7 up", "7_up"):
        graph.add_node(Node(key=key, operator="readers.file" if key in ("one", "two") else "random.uniform"))
    graph.set_outputs([port(key, n) for key in graph for n in ((0, 1) if key in ("one", "two") else (0,))])
    *statements, returned = body(graph)
    assert [s.partition(" = ")[0] for s in statements] == [
        "labels", "jpegs, one_labels", "two_jpegs, two_labels", "class_", "fn_", "_7_up", "_7_up_2",
    ]  # fmt: skip
    assert returned == "return (labels, jpegs, one_labels, two_jpegs, two_labels, class_, fn_, _7_up, _7_up_2)"


def test_what_is_not_in_the_run_is_left_out_and_preserved_nodes_stay() -> None:
    graph = photo_graph()
    graph.add_node(Node(key="idle", operator="random.uniform"))
    graph.add_node(Node(key="kept", operator="random.uniform", arguments={"preserve": True}))
    emitted = emit(graph, REGISTRY, "nvidia.dali")
    assert codes(emitted) == [("DS501", "idle", "", "info")] and "idle" not in emitted.lines
    assert "fn.random.uniform(preserve=True)" in body(graph)
    assert emitted.lines["kept"] == (12,)


def test_external_source_with_a_count_returns_a_list() -> None:
    one = chain(Node(key="data", operator="external_source", arguments={"num_outputs": 1}))
    assert "    (data,) = fn.external_source(" in emit(one, REGISTRY, "nvidia.dali").source
    assert body(chain(Node(key="data", operator="external_source", arguments={"num_outputs": 2})))[0] == (
        "data_0, data_1 = fn.external_source(num_outputs=2)"
    )


@pytest.mark.parametrize(
    ("count", "arguments", "text"),
    [
        (1, {"layout": ("HWC",)}, "layout='HWC'"),
        (2, {"layout": ("HWC",)}, "layout=['HWC']"),  # of the first output alone
        (2, {"layout": ("HWC", "HW")}, "layout=['HWC', 'HW']"),
        (2, {"ndim": (None, 1)}, "ndim=[None, 1]"),
    ],
)
def test_promises_of_external_sources(count: int, arguments: dict[str, Value], text: str) -> None:
    node = Node(key="data", operator="external_source", arguments={"num_outputs": count, **arguments})
    assert text in body(chain(node))[0]


@pytest.mark.parametrize("held", [print, MISSING])
def test_objects_become_parameters(held: object) -> None:
    graph = chain(Node(key="data", operator="external_source", objects={"source": held}))
    emitted = emit(graph, REGISTRY, "nvidia.dali")
    assert "def pipeline(data_source):" in emitted.source and "pipeline(data_source=...)" in emitted.source
    assert body(graph)[0] == "data = fn.external_source(source=data_source, name='data')"
    assert codes(emitted) == [("DS501", "data", "source", "warning")]


def test_wires_win_over_values_that_sleep_under_them() -> None:
    graph = photo_graph()
    graph.replace_node(replace(graph.node("turned"), arguments={"angle": 5.0}))
    assert body(graph)[3] == "turned = fn.rotate(images, angle=angle)"


def test_unfinished_graphs_have_placeholders_and_findings() -> None:
    graph = Graph()
    graph.add_node(
        Node(key="turned", operator="rotate", arguments={"fill_value": "red", "interp_type": "X"}, origin="a.py:1")
    )
    graph.add_node(Node(key="odd", operator="not here!"))
    graph.add_node(Node(key="alien", operator="of.the.future", arguments={"speed": 3, "not a name": 1}))
    graph.connect(port("turned", 1), "alien", 0)
    graph.connect(port("odd"), "alien", 2)
    graph.set_outputs([port("alien", 1), port("turned")])
    emitted = emit(graph, REGISTRY, "nvidia.dali")
    assert body(graph) == [
        "turned = fn.rotate(..., angle=..., fill_value='red', interp_type='X')",
        "raise NotImplementedError(\"odd: There is no operator called 'not here!'.\")",
        "raise NotImplementedError(\"alien: There is no operator called 'of.the.future'.\")",
        "return (output_1, turned)",
    ]
    assert [code for code, *_ in codes(emitted)] == ["DS103", "DS201", "DS101", "DS101"]
    assert emitted.diagnostics[0].source == "a.py:1"


def test_nothing_at_all() -> None:
    emitted = emit(Graph(), REGISTRY, "dali_studio")
    assert "return ..." in emitted.source and codes(emitted) == [("DS205", "", "", "error")]


def test_circles_are_cut_with_a_finding() -> None:
    graph = chain(Node(key="a", operator="slice"), Node(key="b", operator="slice"))
    graph.connect(port("b"), "a", 0)
    assert body(graph) == ["a = fn.slice(...)", "b = fn.slice(a)", "return b"]
    assert codes(emit(graph, REGISTRY, "nvidia.dali")) == [("DS204", "a", "data", "error")]


def test_a_constant_that_feeds_itself() -> None:
    graph = chain(Node(key="a", operator="constant", arguments={"fdata": (1.0,)}))
    graph.connect(port("a"), "a", 0)
    assert "types.Constant(" in emit(graph, REGISTRY, "nvidia.dali").source


def test_what_a_dialect_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    poor = Dialect(
        name="poor", title="Poor", module="poor", operators={"rotate": "it only stands still"},
        arguments={("readers.file", "random_shuffle"): "order is fixed", ("*", "range"): "numbers are what they are"},
    )  # fmt: skip
    monkeypatch.setitem(dialects._ALL, "poor", poor)
    emitted = emit(photo_graph(), REGISTRY, "poor")
    assert codes(emitted) == [
        ("DS501", "reader", "random_shuffle", "error"), ("DS501", "angle", "range", "error"),
        ("DS501", "turned", "", "error"),
    ]  # fmt: skip
    assert "Poor cannot express rotate: it only stands still." in str(emitted.diagnostics[2])


def test_unknown_dialect() -> None:
    with pytest.raises(DaliStudioError, match=r"DS501.*'tf.data'.*nvidia.dali, dali_studio"):
        emit(photo_graph(), REGISTRY, "tf.data")


def test_special_numbers() -> None:
    arguments = {"angle": float("inf"), "size": (float("nan"), -1e-9)}
    graph = chain(Node(key="data", operator="external_source"), Node(key="x", operator="rotate", arguments=arguments))
    text = body(graph)[1]
    assert text == "x = fn.rotate(data, angle=1e309, size=[float('nan'), -1e-09])"


@pytest.mark.parametrize("root", ["photos", "/a/folder/whose/name/is/" + "long/" * 12 + "photos"], ids=["short", "long"])
def test_readers_that_read_nothing_take_a_folder_as_a_parameter(root: str) -> None:
    graph = photo_graph()
    read = next(node for node in graph.nodes() if node.operator == "readers.file")
    kept = {name: value for name, value in read.arguments.items() if name != "file_root"}
    graph.replace_node(replace(read, arguments=kept))
    emitted = emit(graph, REGISTRY, "nvidia.dali", module_parameters(graph, REGISTRY, {read.key: {"file_root": root}}))
    function = next(n for n in ast.parse(emitted.source).body if isinstance(n, ast.FunctionDef))
    (parameter,), (default,) = function.args.args, function.args.defaults
    assert parameter.arg == f"{read.key}_file_root" and ast.literal_eval(default) == root
    assert f"file_root={parameter.arg}" in emitted.source and "pipe = pipeline()" in emitted.source
    assert black.format_str(emitted.source, mode=black.Mode()) == emitted.source


def test_a_folder_that_a_reader_has_is_not_replaced() -> None:
    graph = photo_graph()
    emitted = emit(graph, REGISTRY, "nvidia.dali", module_parameters(graph, REGISTRY, {"reader": {"file_root": "elsewhere"}}))
    assert "elsewhere" not in emitted.source
