"""Dictionaries of features: in programs that are written, read and pasted, and in documents."""

from __future__ import annotations

from pathlib import Path

import black
import pytest

from dali_studio import fn, pipeline_def, read, tfrecord
from dali_studio.api.default import default_registry
from dali_studio.api.reading.fragment import read_fragment
from dali_studio.codegen.emit import emit
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.features import features_of, parsed, texts_of, written
from dali_studio.graph.apply import apply
from dali_studio.graph.document import load, loads, save
from dali_studio.graph.edits import Connect, SetArgument
from dali_studio.graph.encode import dumps
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate

REGISTRY = default_registry()
FEATURES = {
    "image/encoded": tfrecord.FixedLenFeature((), tfrecord.string, ""),
    "label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1),
    "w": tfrecord.VarLenFeature([2], tfrecord.float32, float("nan")),
    "e'q\"": tfrecord.VarLenFeature(tfrecord.float32, float("-inf")),
}
TEXTS = (
    "'image/encoded': FixedLenFeature([], string, '')", "'label': FixedLenFeature([1], int64, -1)",
    "'w': VarLenFeature([2], float32, nan)", "'e\\'q\"': VarLenFeature(float32, -inf)",
)  # fmt: skip


@pipeline_def(batch_size=4, num_threads=2, device_id=None)
def pipeline(path: str = "a.tfrecord"):
    inputs = fn.readers.tfrecord(path=path, index_path="a.idx", features=FEATURES, name="reader")
    return fn.decoders.image(inputs["image/encoded"]), inputs["label"], inputs["w"], inputs["e'q\""]


def graph() -> Graph:
    return pipeline().graph


def test_arguments_are_texts_and_ports_have_the_names_of_features() -> None:
    assert graph().node("reader").arguments["features"] == TEXTS
    assert [one.name for one in REGISTRY.outputs("readers.tfrecord", {"features": TEXTS}, 0)] == list(FEATURES)
    assert texts_of(features_of(TEXTS)) == TEXTS


@pytest.mark.parametrize("dialect", ["nvidia.dali", "dali_studio"])
def test_programs_name_outputs_by_their_features(dialect: str) -> None:
    source = emit(graph(), REGISTRY, dialect).source
    assert f"from {dialect} import fn, pipeline_def, tfrecord\n" in source
    assert '"label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1),' in source
    assert 'fn.decoders.image(reader["image/encoded"])' in source
    assert black.format_str(source, mode=black.Mode()) == source
    found: list[Diagnostic] = []
    assert emit(read(source, found=found), REGISTRY, dialect).source == source
    assert not found
    pasted, _ = apply(Graph(), read_fragment(source, Graph(), REGISTRY), REGISTRY)[:2]
    assert emit(pasted, REGISTRY, dialect).source == source.replace("batch_size=4", "batch_size=8")


def test_one_feature_is_a_dictionary_as_well() -> None:
    text = "x = fn.readers.tfrecord(path=['a'], index_path=['b'], features={'a': tfrec.VarLenFeature(tfrec.int64, 0)})\n"
    pasted, _ = apply(Graph(), read_fragment(f"{text}y = fn.cast(x['a'], dtype=types.FLOAT)", Graph(), REGISTRY), REGISTRY)[:2]
    assert [port.output for port in pasted.inputs("cast") if port] == [0]
    program = f"from nvidia.dali import *\n@pipeline_def\ndef p():\n  {text}  return x['a']".replace("tfrec.", "tfrecord.")
    assert 'return x["a"]' in emit(read(program), REGISTRY, "nvidia.dali").source
    (key,) = (node.key for node in pasted.nodes() if node.operator == "readers.tfrecord")
    again = read_fragment(f"z = fn.cast({key}['a'], dtype=types.FLOAT)", pasted, REGISTRY)
    assert [one.source.node for one in again if isinstance(one, Connect)] == [key]
    with pytest.raises(DaliStudioError, match=r"Line 1: .*there is no output 'b'"):
        read_fragment(f"z = fn.cast({key}['b'], dtype=types.FLOAT)", pasted, REGISTRY)
    with pytest.raises(DaliStudioError, match="Line 2: there is no output 'b'"):
        read_fragment(f"{text}y = fn.cast(x['b'], dtype=types.FLOAT)", Graph(), REGISTRY)


def test_documents_hold_features(tmp_path: Path) -> None:
    save(graph(), None, tmp_path / "a.dali.json")
    back, _, found = load(tmp_path / "a.dali.json", REGISTRY)
    assert not found
    assert back.node("reader").arguments == graph().node("reader").arguments
    assert validate(back, REGISTRY).diagnostics == validate(graph(), REGISTRY).diagnostics


@pytest.mark.parametrize("text", [
    "", "label", "'label': 3", "label: FixedLenFeature([1], int64, -1)", "'a': FixedLenFeature([1], int64)", "'a': open('/etc/passwd')",
    "'a': FixedLenFeature([1], int64, -1), 'b': FixedLenFeature([1], int64, -1)", "'a': FixedLenFeature([-1], int64, -1)",
    "'a': FixedLenFeature([1], int32, -1)", "'a': VarLenFeature([0], int64, 1)", "'a': FixedLenFeature([1], int64, 2.5)",
    "'a': FixedLenFeature([65536, 65536], int64, 2)", "'a': FixedLenFeature(1, int64, 2)", "'a': VarLenFeature(string, '')",
    "'a': FixedLenFeature([1], int64, 99999999999999999999)", "'a': FixedLenFeature([1], int64, -'x')", "(" * 3000, "'" + "a" * 5000,
    "'a': FixedLenFeature(['x'], string, '')",
])  # fmt: skip
def test_what_is_no_feature_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parsed(text)
    assert features_of([text, "'good': VarLenFeature(int64, 0)"]).keys() == {"good"}


def test_a_wrong_feature_in_a_document_is_a_finding() -> None:
    text = dumps(graph(), None).replace("'label': FixedLenFeature([1], int64, -1)", "label")
    found = validate(loads(text, REGISTRY)[0], REGISTRY).diagnostics
    assert ("DS104", "features") in [(one.code, one.argument) for one in found]
    wrong = SetArgument(key="reader", argument="features", value=("label",))
    with pytest.raises(DaliStudioError, match="'label' is no feature such as"):
        apply(graph(), [wrong], REGISTRY)
    with pytest.raises(ValueError, match="two of one name"):
        texts_of([TEXTS[0], TEXTS[0]])


def test_texts_are_read_as_they_are_written() -> None:
    for name, feature in FEATURES.items():
        again = parsed(written(name, feature))
        assert written(*again) == written(name, feature)
