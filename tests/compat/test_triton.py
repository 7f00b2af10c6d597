"""Models for Triton's DALI backend: Triton's own schema reads the configuration, nvidia.dali serializes the program."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import encoded, pictures

from dali_studio import DaliStudioError, Pipeline, cli, pipeline_def, read
from dali_studio.graph.document import save
from dali_studio.plugin.triton import autoserialize

OPTIONS = "batch_size=3, num_threads=2, device_id=None"
HEAD = f"""
from nvidia.dali import fn, pipeline_def, types


@pipeline_def({OPTIONS})
def served():
"""
FROM_REQUESTS = HEAD + """
    data = fn.external_source(name="INPUT", dtype=types.UINT8, ndim=1)
    scale = fn.external_source(name="SCALE", dtype=types.FLOAT, ndim=0)
    images = fn.resize(fn.decoders.image(data), size=[8.0, 8.0])
    return images * scale, fn.cast(scale, dtype=types.INT32)
"""
FROM_FILES = HEAD + """
    files, labels = fn.readers.file(file_root="/photos", name="reader")
    return fn.resize(fn.decoders.image(files), size=[8.0, 8.0]), labels
"""


def export(folder: Path, program: str, *more: str) -> int:
    document = folder / "served.dali.json"
    save(read(program), {}, document)
    return cli.main(["export", str(document), "--triton", str(folder / "models"), *more])


@pytest.fixture
def schema() -> Any:
    """Triton's classes of protobuf, from the file of its client: the package itself would import gRPC."""
    pytest.importorskip("google.protobuf", reason="Triton's schema needs protobuf, which is not installed")
    found = importlib.util.find_spec("tritonclient")
    if found is None or not found.submodule_search_locations:
        pytest.skip("Triton's schema is that of tritonclient, which is not installed")
    path = Path(found.submodule_search_locations[0]) / "grpc" / "model_config_pb2.py"
    spec = importlib.util.spec_from_file_location("model_config_pb2", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_configuration(tmp_path: Path) -> None:
    assert export(tmp_path, FROM_REQUESTS) == 0
    assert (tmp_path / "models" / "served" / "config.pbtxt").read_text() == """\
name: "served"
backend: "dali"
max_batch_size: 3
input [
  {
    name: "INPUT"
    data_type: TYPE_UINT8
    dims: [ -1 ]
  }
]
input [
  {
    name: "SCALE"
    data_type: TYPE_FP32
    dims: [ 1 ]
    reshape: { shape: [ ] }
  }
]
output [
  {
    name: "OUTPUT_0"
    data_type: TYPE_FP32
    dims: [ -1, -1, -1 ]
  }
]
output [
  {
    name: "OUTPUT_1"
    data_type: TYPE_INT32
    dims: [ 1 ]
    reshape: { shape: [ ] }
  }
]
instance_group [
  {
    kind: KIND_CPU
  }
]
"""


@pytest.mark.parametrize("program", [FROM_REQUESTS, FROM_FILES])
def test_triton_reads_the_configuration(tmp_path: Path, schema: Any, program: str) -> None:
    assert export(tmp_path, program) == 0
    text = (tmp_path / "models" / "served" / "config.pbtxt").read_text()
    config = importlib.import_module("google.protobuf.text_format").Parse(text, schema.ModelConfig())
    assert (config.name, config.backend, config.max_batch_size) == ("served", "dali", 3)
    first = config.input[0]
    assert (first.name, first.data_type, list(first.dims)) == (
        "reader" if program is FROM_FILES else "INPUT", schema.TYPE_UINT8, [-1],
    )  # fmt: skip
    assert config.output[-1].data_type == (schema.TYPE_UINT8 if program is FROM_FILES else schema.TYPE_INT32)
    assert config.instance_group[0].kind == schema.ModelInstanceGroup.KIND_CPU


def loaded(folder: Path) -> Any:
    """The module of a model's program."""
    spec = importlib.util.spec_from_file_location("dali_model", folder / "1" / "dali.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.usefixtures("nvidia")
@pytest.mark.parametrize("program", [FROM_REQUESTS, FROM_FILES])
def test_nvidia_dali_serializes_and_runs_the_program(tmp_path: Path, program: str) -> None:
    assert export(tmp_path, program) == 0
    model = tmp_path / "model.dali"
    serialize = importlib.import_module("nvidia.dali._utils.autoserialize").invoke_autoserialize
    serialize(loaded(tmp_path / "models" / "served"), str(model))
    theirs = importlib.import_module("nvidia.dali").Pipeline.deserialize(filename=str(model))
    files = [encoded(one) for one in pictures(((20, 30), (21, 30), (22, 30)))]
    inputs: dict[str, Any] = {"reader" if program is FROM_FILES else "INPUT": files}
    if program is FROM_REQUESTS:
        inputs["SCALE"] = [np.float32(number) for number in range(3)]
    theirs.build()
    ours = Pipeline.from_graph(read((tmp_path / "models" / "served" / "1" / "dali.py").read_text()))
    for pipe in (theirs, ours):
        pipe.build()
        for name, data in inputs.items():
            pipe.feed_input(name, data)
    for mine, other in zip(ours.run(), theirs.run(), strict=True):
        for number in range(3):
            difference = np.asarray(mine.at(number)).astype(float) - np.array(other.at(number))
            assert np.abs(difference).max() <= 2  # one level of a pixel, scaled


def test_what_the_reader_alone_knows_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(tmp_path, FROM_FILES) == 0
    assert "Requests bring the files that reader reads; without 1 output of it." in capsys.readouterr().err
    program = (tmp_path / "models" / "served" / "1" / "dali.py").read_text()
    assert "fn.readers" not in program and "/photos" not in program and "__main__" not in program
    assert read(program).outputs == read(program).outputs[:1]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("    return fn.random.uniform(range=[0.0, 1.0])", "takes nothing from requests"),
        ('    return fn.external_source(name="INPUT")', "Type and number of axes of INPUT are not known"),
        ('    return fn.readers.numpy(file_root="/arrays", name="reader")', "reads what no request brings"),
        (
            ('    files, labels = fn.readers.file(file_root="/photos", name="reader")\n'
            "    return fn.decoders.image(files), fn.cast(labels, dtype=types.FLOAT)"),
            "takes an output of reader that no request brings",
        ),
    ],
)
def test_what_cannot_be_served(tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str, message: str) -> None:
    assert export(tmp_path, HEAD + body) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "models").exists()


def test_a_model_that_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(tmp_path, FROM_FILES) == 0
    config = tmp_path / "models" / "served" / "config.pbtxt"
    assert export(tmp_path, FROM_FILES) == 0
    config.write_text("mine")
    assert export(tmp_path, FROM_FILES) == 1 and config.read_text() == "mine"
    assert "is left as it is" in capsys.readouterr().err
    assert export(tmp_path, FROM_FILES, "--force") == 0 and config.read_text() != "mine"


def test_a_place_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "models").write_text("")
    assert export(tmp_path, FROM_FILES) == 1
    assert "could not be written" in capsys.readouterr().err


def test_the_mark() -> None:
    from dali_studio import fn

    @autoserialize
    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipe() -> Any:
        return fn.constant(idata=1)

    assert vars(pipe)["_is_autoserialize"] and pipe().run()[0].as_array().tolist() == [[1]]
    with pytest.raises(DaliStudioError, match="is not decorated by pipeline_def"):
        autoserialize(test_the_mark)
