"""Serialized pipelines: what nvidia.dali writes is read here, and what is written here runs there."""

from __future__ import annotations

import contextlib
import importlib
import runpy
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from chosen import few
from gallery_examples import ON_ITS_CPU, name_of

import dali_studio
from dali_studio import DaliStudioError, Pipeline, tfrecord
from dali_studio.api.default import default_registry
from dali_studio.api.pipeline_files import read_serialized
from dali_studio.cli import verbs
from dali_studio.cli.document import open_document
from dali_studio.codegen.emit import emit
from dali_studio.graph.model import Graph
from dali_studio.schema.record_samples import tf_records


def program(dali: Any, root: Path) -> Any:
    """A pipeline with every sort of argument, conditions, indices and constants."""
    fn, types, math = dali.fn, dali.types, dali.math

    @dali.pipeline_def(batch_size=3, num_threads=2, device_id=None, seed=12, enable_conditionals=True,
                       output_dtype=[types.FLOAT, *[None] * 8], output_ndim=[2, *[None] * 8])  # fmt: skip
    def made() -> Any:
        drawn = fn.random.uniform(range=[-1, 1], shape=[4, 5], seed=3)
        chosen = fn.random.coin_flip(dtype=types.BOOL)
        if not chosen or fn.random.uniform() > 0.5:
            branch = fn.random.normal(shape=2)
        else:
            branch = fn.zeros(shape=2, dtype=types.FLOAT)
        place = fn.random.choice(3)
        fed = fn.external_source(name="fed", dtype=types.UINT8, ndim=3, layout="HWC")
        small = fn.resize(fed, size=[6, 7.5], interp_type=types.INTERP_NN)
        return (
            math.clamp(drawn, types.Constant(7, types.INT64), 2.5), drawn.shape()[0], drawn[place, 1:], drawn[:, :],
            types.Constant([1.5, 2]), fn.random.choice([1.0, 2.0], p=[0.25, 0.75]), branch, small, -drawn // 2,
        )  # fmt: skip

    return made()


def batches(pipe: Any, count: int = 3) -> list[Any]:
    rng = np.random.default_rng(5)
    for _ in range(count):
        pipe.feed_input("fed", [rng.integers(0, 255, (9, 8, 3), dtype=np.uint8) for _ in range(3)])
    return [[[np.array(batch[i]) for i in range(len(batch))] for batch in pipe.run()] for _ in range(count)]


def assert_equal(some: list[Any], others: list[Any]) -> None:
    for one, other in zip(some, others, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            for a, b in zip(mine, theirs, strict=True):
                assert a.dtype == b.dtype
                np.testing.assert_array_equal(a, b)


def nodes(graph: Graph) -> list[Any]:
    """What a graph computes, by the names of its nodes."""

    def plain(value: Any) -> Any:
        return tuple(map(plain, cast("tuple[Any, ...]", value))) if isinstance(value, tuple) else np.float32(value) if isinstance(value, float) else value

    return [
        (key, node.operator, node.device, {name: plain(value) for name, value in node.arguments.items() if value is not None},
         graph.inputs(key), graph.argument_inputs(key))
        for key in sorted(graph) for node in [graph.node(key)]
    ]  # fmt: skip


def test_what_nvidia_dali_writes_is_read(nvidia: Any, tmp_path: Path) -> None:
    theirs, file = program(nvidia, tmp_path), tmp_path / "model.dali"
    theirs.serialize(filename=str(file))
    expected = batches(theirs, 2)
    assert_equal(batches(Pipeline.deserialize(filename=file), 2), expected)
    again = Pipeline(batch_size=3, num_threads=1, device_id=None, seed=12)
    again.deserialize_and_build(file.read_bytes())
    assert_equal(batches(again, 2), expected)
    wider = Pipeline.deserialize(file.read_bytes(), batch_size=4, seed=7)
    assert (wider.max_batch_size, wider.seed, wider.num_threads) == (4, 7, 2)


def test_what_is_written_here_runs_there(nvidia: Any, tmp_path: Path) -> None:
    ours = program(dali_studio, tmp_path)
    data = ours.serialize()
    assert_equal(batches(nvidia.Pipeline.deserialize(data), 2), batches(ours, 2))
    assert nodes(Pipeline.deserialize(data).graph) == nodes(ours.graph)
    assert Pipeline.deserialize(data).serialize() == data


@pytest.mark.parametrize("name", few([name_of(path) for path in ON_ITS_CPU], 15))
def test_examples_there_and_back(nvidia: Any, name: str, tmp_path: Path) -> None:
    graph = open_document(name, samples=True)
    data = Pipeline.from_graph(graph).serialize()
    assert nodes(Pipeline.deserialize(data).graph) == nodes(graph)
    source = emit(graph, default_registry(), "nvidia.dali").source
    (tmp_path / "program.py").write_text(source)
    function = source.split("\ndef ")[1].split("(")[0]
    program = runpy.run_path(str(tmp_path / "program.py"))[function]()
    mine, theirs = (
        [[np.array(batch[i]) for i in range(len(batch))] for batch in pipe.run()]
        for pipe in (nvidia.Pipeline.deserialize(data), program)
    )
    assert_equal([mine], [theirs])


def test_a_tfrecord_reader(nvidia: Any, tmp_path: Path) -> None:

    @nvidia.pipeline_def(batch_size=2, num_threads=1, device_id=None)
    def made() -> Any:
        tfrecord = importlib.import_module("nvidia.dali.tfrecord")
        features = {
            "image": tfrecord.FixedLenFeature((), tfrecord.string, ""),
            "label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1),
            "weights": tfrecord.VarLenFeature(tfrecord.float32, 0.5),
        }
        read = nvidia.fn.readers.tfrecord(path=["a.tfrecord"], index_path=["a.idx"], features=features)
        return read["label"], read["weights"]

    file = tmp_path / "model.dali"
    made().serialize(filename=str(file))
    graph = read_serialized(file)
    (reader,) = graph.nodes()
    assert reader.arguments["features"] == (
        "'image': FixedLenFeature([], string, '')", "'label': FixedLenFeature([1], int64, -1)",
        "'weights': VarLenFeature(float32, 0.5)",
    )  # fmt: skip
    assert [port.output for port in graph.outputs] == [1, 2]
    assert nodes(read_serialized(_written(tmp_path, Pipeline.from_graph(graph).serialize()))) == nodes(graph)


def test_records_are_read_there_by_what_is_written_here(nvidia: Any, tmp_path: Path) -> None:
    case = tf_records("records.tfrecord").files()
    for name, content in case.items():
        (tmp_path / name).write_bytes(content)

    @dali_studio.pipeline_def(batch_size=2, num_threads=1, device_id=None)
    def made() -> Any:
        features = {"label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1), "image/encoded": tfrecord.FixedLenFeature([], tfrecord.string, "")}
        read = dali_studio.fn.readers.tfrecord(
            path=[str(tmp_path / "records.tfrecord")], index_path=[str(tmp_path / "records.idx")], features=features
        )
        return read["label"], read["image/encoded"]

    ours = made()
    mine, theirs = ([[np.array(batch[i]) for i in range(2)] for batch in pipe.run()] for pipe in (ours, nvidia.Pipeline.deserialize(ours.serialize())))
    assert_equal([mine], [theirs])


def _written(folder: Path, data: bytes) -> Path:
    path = folder / "written.dali"
    path.write_bytes(data)
    return path


def test_copies_to_a_gpu_are_where_tensors_are_read(tmp_path: Path) -> None:
    @dali_studio.pipeline_def(batch_size=2, num_threads=1, device_id=0)
    def made() -> Any:
        drawn = dali_studio.fn.random.uniform(shape=[3])
        return (drawn.gpu() * 2).cpu(), drawn.gpu(), drawn

    graph = read_serialized(_written(tmp_path, made().serialize()))
    assert [node.operator for node in map(graph.node, graph.order())].count("to_gpu") == 1
    assert graph.options.device_id == 0
    assert [graph.node(port.node).operator for port in graph.outputs] == ["to_cpu", "to_gpu", "random.uniform"]


def test_the_command_line_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _written(tmp_path, Pipeline.from_graph(open_document("first_pipeline", samples=True)).serialize())
    assert verbs.main(["import", str(path), "-o", str(tmp_path / "made.dali.json")]) == 0
    assert verbs.main(["run", str(path), "--out", str(tmp_path / "result")]) == 0
    assert "samples/s" in capsys.readouterr().out


def test_a_function_has_no_form(tmp_path: Path) -> None:
    def same(array: Any) -> Any:
        return array

    @dali_studio.pipeline_def(batch_size=2, num_threads=1, device_id=None)
    def made() -> Any:
        return dali_studio.fn.python_function(dali_studio.fn.random.uniform(), function=same)

    with pytest.raises(DaliStudioError, match="Python object, which has no form in a file"):
        made().serialize(filename=str(tmp_path / "none.dali"))
    assert not (tmp_path / "none.dali").exists()


def test_other_bytes_are_refused(tmp_path: Path) -> None:
    data = Pipeline.from_graph(open_document("first_pipeline", samples=True)).serialize()
    for wrong in (b"", b"no pipeline", data[:-20], data.replace(b"readers__File", b"readers__Fale"), bytes(300)):
        with pytest.raises(DaliStudioError, match=r"DS401|DS502"):
            Pipeline.deserialize(filename=_written(tmp_path, wrong))
    with pytest.raises(ValueError, match="either"):
        Pipeline.deserialize()
    rng = np.random.default_rng(1)
    for _ in range(300):  # any mutation gives a pipeline or this error
        mutated = bytearray(data)
        for at in rng.integers(0, len(data), 3):
            mutated[at] = rng.integers(256)
        with contextlib.suppress(DaliStudioError):
            read_serialized(_written(tmp_path, bytes(mutated)))


def test_a_picture_of_the_graph_and_a_sink(tmp_path: Path) -> None:
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        drawn = dali_studio.fn.random.uniform()
        unused = drawn * 2
        pipe.add_sink(unused)
        pipe.set_outputs(drawn)
    pipe.save_graph_to_dot_file(tmp_path / "graph.dot")
    assert "fn.random.uniform" in (tmp_path / "graph.dot").read_text()
    pipe.run()
    assert "arithmetic" in pipe.explain()
