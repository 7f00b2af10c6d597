"""Programs that are pasted become nodes; nothing of them is run."""

from __future__ import annotations

import pytest

from dali_studio.api.default import default_registry
from dali_studio.api.reading.fragment import read_fragment
from dali_studio.codegen.emit import emit
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph

REGISTRY = default_registry()

PROGRAM = """
from nvidia.dali import fn, pipeline_def, types


@pipeline_def(batch_size=8, num_threads=2, device_id=None)
def pipeline(root="/photos", size=224):
    files, labels = fn.readers.file(file_root=root, random_shuffle=True, name="reader")
    images = fn.resize(fn.decoders.image(files, output_type=types.RGB), size=[size, size])
    angle = fn.random.uniform(range=(-10.0, 10.0)) * 2
    images = fn.rotate(images, angle=angle, fill_value=0)
    images = fn.crop_mirror_normalize(images, mean=[0.485 * 255, 116.0, 104.0], dtype=types.FLOAT)
    return images, labels.gpu()


if __name__ == "__main__":
    pipe = pipeline()
    pipe.build()
"""


def read(text: str, graph: Graph | None = None) -> Graph:
    before = graph or Graph()
    return apply(before, read_fragment(text, before, REGISTRY), REGISTRY)[0]


def test_a_whole_program_becomes_its_graph() -> None:
    graph = read(PROGRAM)
    assert list(graph) == [
        "reader", "decode", "resize", "uniform", "result", "rotate", "normalize", "to_gpu",
    ]  # fmt: skip
    assert graph.node("reader").arguments == {"file_root": "/photos", "random_shuffle": True}
    assert graph.node("decode").arguments["output_type"] == "RGB"
    assert graph.node("resize").arguments["size"] == (224.0, 224.0)
    assert graph.node("result").arguments["expression"] == "a * 2"
    assert graph.argument_inputs("rotate") == {"angle": PortRef(node="result")}
    assert graph.node("normalize").arguments["mean"] == (pytest.approx(123.675), 116.0, 104.0)
    assert graph.inputs("to_gpu") == (PortRef(node="reader", output=1),)
    assert graph.outputs == (PortRef(node="normalize"), PortRef(node="to_gpu"))


def test_what_is_written_is_read_as_the_same_graph() -> None:
    graph = read(PROGRAM)
    again = read(emit(graph, REGISTRY, "nvidia.dali").source)
    assert emit(again, REGISTRY, "nvidia.dali").source == emit(graph, REGISTRY, "nvidia.dali").source


def test_lines_cut_out_of_a_function_join_the_graph_that_is_there() -> None:
    graph = read(PROGRAM)
    more = read("turned = fn.flip(rotate, horizontal=1)\n    bright = fn.brightness_contrast(\n        turned, brightness=2)", graph)
    assert more.inputs("flip") == (PortRef(node="rotate"),)
    assert more.inputs("brightness_contrast") == (PortRef(node="flip"),)
    assert more.outputs == graph.outputs
    assert list(read("x = fn.rotate(images, angle=1)", more)) == [*more, "rotate_2"]


def test_an_input_that_nothing_defines_stays_open() -> None:
    graph = read("images = fn.rotate(images, angle=15)")
    assert graph.inputs("rotate") == ()
    assert graph.node("rotate").arguments["angle"] == 15.0


def test_results_on_the_gpu_are_followed() -> None:
    graph = read("images = fn.decoders.image(files, device='mixed')\nimages = fn.rotate(images, angle=1)")
    assert graph.node("decode").device == "mixed"
    assert graph.node("rotate").device == "gpu"


def test_indices_are_nodes_and_outputs_are_numbers() -> None:
    graph = read(
        "jpegs = fn.readers.file(file_root='x')[0]\n"
        "images = fn.decoders.image(jpegs)\n"
        "top = fn.random.uniform(dtype=types.INT32)\n"
        "rows = images[top:-1, ::2]\n"
        "row = rows[0]"
    )
    assert graph.inputs("decode") == (PortRef(node="reader", output=0),)
    assert graph.node("subscript").arguments["index"] == "a:-1, ::2"
    assert graph.argument_inputs("subscript") == {"a": PortRef(node="uniform")}
    assert graph.node("subscript_2").arguments["index"] == "0"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("while True:\n    fn.rotate(x, angle=1)", "Line 1: `while True:` is not read"),
        ("for i in open('x'):\n    fn.rotate(x, angle=i)", "Line 1: 'open' is not called"),
        ("x = fn.rotate(images, angle=1)\ny = open('/etc/passwd')", "Line 2: 'open' is not called"),
        ("x = fn.rotate(my_helper(images), angle=1)", "Line 1: 'my_helper' is not known here."),
        ("x = fn.rotat(images)", "Line 1: there is no fn.'rotat'"),
        ("x = fn.rotate(images, angle=__import__('os').getpid())", "Line 1:"),
        ("x = fn.rotate(**given)", "Line 1: `**given` is not read"),
        ("x = (fn.rotate(", "Line 1: syntax error: '(' was never closed."),
        ("x = 3", "calls no function"),
        ("x = fn.rotate(images, angle=1 / 0)", "Line 1: angle is '1 / 0', of which nothing is known"),
        ("x = fn.rotate(images, angle=9 ** 9 ** 9)", "Line 1: angle is '9 ** 9 ** 9'"),
        ("x = fn.rotate(images, angle=1, angel=2)", "Line 1: fn.rotate has no argument 'angel'"),
        ("x = fn.rotate(images, angle=1, device='tpu')", "Line 1: fn.rotate has no 'tpu' backend"),
    ],
)  # fmt: skip
def test_what_is_no_straight_line_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(DaliStudioError) as caught:
        read(text)
    assert said in caught.value.diagnostics[0].message


def test_loops_functions_and_branches_are_followed() -> None:
    graph = read(PROGRAM)
    more = read(
        "def turned(x, angle):\n    return fn.rotate(x, angle=angle)\n\n"
        "for angle in (1, 2):\n    rotate = turned(rotate, angle)\n"
        "if fn.random.coin_flip(dtype=types.BOOL):\n    rotate = fn.flip(rotate)",
        graph,
    )
    assert list(more)[len(graph) :] == ["rotate_2", "rotate_3", "coin_flip", "split", "flip", "merge"]
    assert [more.node(key).arguments["angle"] for key in ("rotate_2", "rotate_3")] == [1.0, 2.0]
    assert more.inputs("rotate_2") == (PortRef(node="rotate"),)
    assert more.argument_inputs("merge") == {"predicate": PortRef(node="coin_flip")}


def test_outputs_of_a_node_that_is_there_are_named_by_numbers_and_unpacked() -> None:
    graph = read(PROGRAM)
    assert read("x = fn.cast(reader[1], dtype=types.FLOAT)", graph).inputs("cast") == (PortRef(node="reader", output=1),)
    more = read("files, labels = reader\nx = fn.cast(labels, dtype=types.FLOAT)", graph)
    assert more.inputs("cast") == (PortRef(node="reader", output=1),)


def test_what_is_open_in_a_program_stays_open() -> None:
    graph = read("images = fn.rotate(..., angle=...)\nmixed = images + more")
    assert graph.inputs("rotate") == () and dict(graph.node("rotate").arguments) == {}
    assert graph.inputs("result") == (PortRef(node="rotate"),)
    assert list(graph) == ["rotate", "result"]


def test_pipelines_give_their_outputs() -> None:
    graph = read(
        "pipe = Pipeline(batch_size=4)\nwith pipe:\n    x = fn.random.uniform()\n    pipe.set_outputs(x)\npipe.build()"
    )
    assert graph.outputs == (PortRef(node="uniform"),)
    again = read("with pipe:\n    x = fn.random.uniform()\n    pipe.set_outputs(x)\nout = pipe.run()")
    assert again.outputs == (PortRef(node="uniform"),)
