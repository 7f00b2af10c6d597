"""Documents: the same graph back, whole files, and clear words about what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toy import photo_graph, port, toy_registry

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import document as documents
from dali_studio.graph.document import dumps, load, loads, save
from dali_studio.graph.migrations import migrate_document
from dali_studio.graph.model import Graph, GraphOptions, Node
from dali_studio.graph.objects import MISSING
from dali_studio.schema.model import Value

VIEW: dict[str, Any] = {"positions": {"turned": {"x": 10.0, "y": -3.25}}, "zoom": 1}
TEXT = """\
{
  "format": "dali-studio",
  "pipeline": {
    "batch_size": 8,
    "device_id": null,
    "name": "pipeline",
    "nodes": [
      {"arguments": {"file_root": "images", "random_shuffle": true}, "device": "cpu", "key": "reader", "operator": "readers.file", "version": 1},
      {"device": "cpu", "inputs": [["reader", 0]], "key": "images", "operator": "decoders.image", "version": 1},
      {"arguments": {"range": [-10.0, 10.0]}, "device": "cpu", "key": "angle", "operator": "random.uniform", "version": 1},
      {"argument_inputs": {"angle": ["angle", 0]}, "arguments": {"fill_value": 0.0}, "device": "cpu", "inputs": [["images", 0]], "key": "turned", "operator": "rotate", "version": 1}
    ],
    "num_threads": 2,
    "outputs": [["turned", 0], ["reader", 1]],
    "prefetch_queue_depth": 2,
    "seed": null
  },
  "version": 1,
  "view": {
    "positions": {
      "turned": {"x": 10.0, "y": -3.25}
    },
    "zoom": 1
  }
}
"""


def failure(text: str) -> Diagnostic:
    with pytest.raises(DaliStudioError) as error:
        loads(text)
    return error.value.diagnostics[0]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def document(**pipeline: Any) -> str:
    return json.dumps({"format": "dali-studio", "version": 1, "pipeline": pipeline})


def test_text_is_what_is_promised_and_leads_back() -> None:
    assert dumps(photo_graph(), VIEW) == TEXT
    graph, view, found = loads(TEXT)
    assert (graph, view, found) == (photo_graph(), VIEW, ())


def test_options_and_special_values() -> None:
    graph = Graph(GraphOptions(name="é", batch_size=1, seed=2**40, device_id=0))
    arguments: dict[str, Value] = {
        "a": float("inf"),
        "b": -float("inf"),
        "c": 1e-7,
        "d": (),
        "e": 'ü\n"',
        "f": None,
        "g": 2**60,
    }
    graph.add_node(Node(key="x", operator="cast", arguments=arguments, version=3, device="mixed"))
    assert loads(dumps(graph))[0] == graph


def test_view_numbers_are_rounded() -> None:
    text = dumps(photo_graph(), {"positions": {"a": {"x": 1 / 3, "y": 2}}, "selection": ("a",)})
    assert loads(text)[1] == {"positions": {"a": {"x": 0.33, "y": 2}}, "selection": ["a"]}


def test_what_is_not_known_is_kept() -> None:
    text = """{"format": "dali-studio", "version": 1, "licence": "MIT", "pipeline": {"color": [1, {"b": 2}],
        "nodes": [{"key": "odd", "operator": "of.the.future", "arguments": {"w": 3}, "note": {"deep": [null]}}]}}"""
    graph, view, found = loads(text)
    again = json.loads(dumps(graph, view))
    assert found == ()
    assert again["licence"] == "MIT" and again["pipeline"]["color"] == [1, {"b": 2}]
    assert again["pipeline"]["nodes"][0]["note"] == {"deep": [None]}
    assert again["pipeline"]["nodes"][0]["operator"] == "of.the.future"


def test_what_is_nested_deep_is_kept_as_far_as_it_is_opened() -> None:
    text = document(nodes=[{"key": "a", "operator": "b", "note": nested(96)}])
    graph, view, _ = loads(text)
    assert json.loads(dumps(graph, view))["pipeline"]["nodes"][0]["note"] == nested(96)
    with pytest.raises(DaliStudioError, match=r"DS401: document cannot be written: values are nested too deep"):
        dumps(graph, {"x": nested(5000)})


def test_names_of_files_that_are_not_utf_8_are_kept(tmp_path: Path) -> None:
    graph = Graph()
    graph.add_node(Node(key="a\udcff", operator="readers.file", arguments={"file_root": "photos\udcff\u00e9"}))
    save(graph, None, tmp_path / "graph.json")
    assert load(tmp_path / "graph.json")[0] == graph
    assert "photos\\udcff\u00e9" in (tmp_path / "graph.json").read_text(encoding="utf-8")


def test_objects_are_named_and_must_be_given_again() -> None:
    graph = Graph()
    graph.add_node(Node(key="data", operator="external_source", objects={"source": print}))
    text = dumps(graph)
    again, _, (found,) = loads(text)
    assert again.node("data").objects == {"source": MISSING}
    assert (found.code, found.node, found.argument, found.severity) == ("DS304", "data", "source", "warning")
    assert dumps(again) == text


def test_wires_from_nowhere_are_left_out_with_findings() -> None:
    nodes = [{"key": "a", "operator": "cast", "inputs": [["gone", 0]], "argument_inputs": {"dtype": ["gone", 1]}}]
    graph, _, found = loads(document(nodes=nodes, outputs=[["a", 0], ["gone", 0]]))
    assert [d.code for d in found] == ["DS209"] * 3
    assert graph.inputs("a") == () and graph.outputs == (port("a"),)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ('{"format": "dali-studio",\n  "version": }', "DS401", "line 2, column 14"),
        ("[]", "DS401", "dali-studio"),
        ('{"format": "other"}', "DS401", "dali-studio"),
        ('{"format": "dali-studio"}', "DS401", "version is None"),
        ('{"format": "dali-studio", "version": 0}', "DS401", "no version 0"),
        ('{"format": "dali-studio", "version": 2}', "DS402", "version 2; this release reads up to version 1"),
        ('{"format": "dali-studio", "version": 1}', "DS401", "pipeline"),
        (document(batch_size="8"), "DS401", "pipeline.batch_size"),
        (document(batch_size=0), "DS401", "pipeline.batch_size"),
        (document(nodes=[{"key": "a"}]), "DS401", "pipeline.nodes[0]"),
        (document(nodes=[{"key": "a", "operator": "b", "device": "tpu"}]), "DS401", "pipeline.nodes[0].device"),
        (document(nodes=[{"key": "a", "operator": "b", "inputs": [["x", -1]]}]), "DS401", "pipeline.nodes[0].inputs"),
        (document(nodes=[{"key": "a", "operator": "b"}] * 2), "DS401", "pipeline.nodes[1].key"),
        (document(batch_size=2**20 + 1), "DS401", "pipeline.batch_size is 1048577; a whole number from 1 to 1048576"),
        (document(num_threads=10**400), "DS401", "pipeline.num_threads is 1000"),
        (document(prefetch_queue_depth=2**31), "DS401", "pipeline.prefetch_queue_depth is 2147483648"),
        (document(seed=2**63), "DS401", "pipeline.seed is 9223372036854775808"),
        (document(seed="\ud800"), "DS401", "the text '\\ud800' where another value"),
        (document(name=""), "DS401", "pipeline.name is ''"),
        (document(outputs=[["a", 256]]), "DS401", "pipeline.outputs[0][1]"),
        (document(nodes=[{"key": "a", "operator": "b", "version": -(10**18)}]), "DS401", "pipeline.nodes[0].version"),
        (document(nodes=[{"key": "a", "operator": "b", "note": nested(97)}]), "DS401", "more than 100 deep"),
        ('{"format": "dali-studio", "version": 1, "pipeline": {"seed": 1, "seed": 2}}', "DS401", "'seed' is there twice"),
        (f'{{"format": "dali-studio", "version": 1, "seed": {"9" * 5000}}}', "DS401", "4300 digits"),
        ('{"format": "dali-studio", "version": NaN}', "DS401", "NaN"),
        ("[" * 100_000, "DS401", "Not a document"),
    ],
)  # fmt: skip
def test_faulty_documents(text: str, code: str, words: str) -> None:
    found = failure(text)
    assert found.code == code and words in found.message and found.hint


@pytest.mark.parametrize("value", [float("nan"), (1.0, float("nan"))])
def test_what_json_cannot_hold_is_refused_before_the_file_is_touched(value: Value, tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text("before")
    graph = Graph()
    graph.add_node(Node(key="x", operator="cast", arguments={"scale": value}))
    with pytest.raises(DaliStudioError, match=r"nodes\[0\].arguments.scale"):
        save(graph, {}, path)
    assert path.read_text() == "before"


def test_save_is_atomic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "graph.json"
    save(photo_graph(), VIEW, path)
    path.chmod(0o640)
    save(photo_graph(), VIEW, path)
    assert path.stat().st_mode & 0o777 == 0o640
    assert load(path) == (photo_graph(), VIEW, ())

    def crash(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(DaliStudioError, match=r"DS302.*No space left"):
        save(Graph(), None, path)
    assert path.read_text() == TEXT
    assert [p.name for p in tmp_path.iterdir()] == ["graph.json"]


def test_save_follows_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("")
    link.symlink_to(real)
    save(photo_graph(), VIEW, link)
    assert link.is_symlink() and real.read_text() == TEXT


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DaliStudioError, match="DS302"):
        load(tmp_path / "none.json")
    (tmp_path / "latin.json").write_bytes(b"\xff{")
    with pytest.raises(DaliStudioError, match=r"DS401.*UTF-8"):
        load(tmp_path / "latin.json")
    with pytest.raises(DaliStudioError, match="DS302"):
        save(Graph(), None, tmp_path / "no" / "folder.json")


def test_what_is_wrong_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "größe 1.json").write_text("no json")
    with pytest.raises(DaliStudioError) as raised:
        load(tmp_path / "größe 1.json")
    assert raised.value.diagnostics[0].source == str(tmp_path / "größe 1.json")


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes that Windows does not have")
def test_what_might_never_end_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    for path in ("/dev/zero", tmp_path / "pipe.json", tmp_path):
        with pytest.raises(DaliStudioError, match=r"DS302.*could not be read: it is no file"):
            load(path)
    monkeypatch.setattr(documents, "MAX_DOCUMENT_BYTES", 1000)
    (tmp_path / "long.json").write_text(TEXT + " " * 1000)
    with pytest.raises(DaliStudioError, match=r"DS302.*more than 1,000 bytes"):
        load(tmp_path / "long.json")


def test_document_migrations_run_in_order() -> None:
    def rename_blocks(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "nodes": data["blocks"]}

    def count(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "count": len(data["nodes"])}

    steps = {5: rename_blocks, 6: count}
    assert migrate_document({"version": 5, "blocks": [1, 2]}, steps, 7) == {
        "version": 7, "blocks": [1, 2], "nodes": [1, 2], "count": 2,
    }  # fmt: skip
    with pytest.raises(DaliStudioError, match="DS401"):
        migrate_document({"version": 4}, steps, 7)


def test_operator_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = toy_registry()
    rotate = registry.operator("rotate")
    monkeypatch.setattr(rotate, "schema", msgspec.structs.replace(rotate.schema, version=3))

    def to_degrees(values: dict[str, Value]) -> dict[str, Value]:
        return {**values, "angle": 90.0}

    text = document(
        nodes=[{"key": f"v{v}", "operator": "rotate", "version": v, "arguments": {"angle": 1.0}} for v in (1, 2, 3, 4)]
    )
    graph, _, found = loads(text, registry, {"rotate": {2: to_degrees}})
    assert [(graph.node(k).version, graph.node(k).arguments["angle"]) for k in graph] == [
        (3, 90.0),
        (3, 90.0),
        (3, 1.0),
        (4, 1.0),
    ]
    assert [(d.code, d.node, d.severity) for d in found] == [("DS402", "v4", "warning")]


LEFT = f".graph.json.{'a' * 32}.tmp"


def test_what_killed_saves_left_behind_is_removed(tmp_path: Path) -> None:
    others = [".graph.json.tmp", f".other.json.{'a' * 32}.tmp", ".graph.json.notes.tmp", f"graph.json.{'a' * 32}.tmp"]
    for name in (LEFT, *others):
        (tmp_path / name).write_text("half a")
    save(Graph(), None, tmp_path / "graph.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["graph.json", *others])


@pytest.mark.skipif(sys.platform == "win32", reason="there an open file cannot be deleted anyway")
def test_the_file_of_a_save_that_goes_on_in_another_process_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    during: list[list[str]] = []

    def fsync(stream: int, fsync: Callable[[int], None] = os.fsync) -> None:
        fsync(stream)
        if not during:
            during.append([])
            program = (
                "import sys; from dali_studio.graph.document import save; from dali_studio.graph.model import Graph; "
                "save(Graph(), None, sys.argv[1])"
            )
            subprocess.run([sys.executable, "-c", program, str(tmp_path / "graph.json")], check=True, timeout=60)
            during[0] += sorted(path.name for path in tmp_path.iterdir())

    monkeypatch.setattr(os, "fsync", fsync)
    save(Graph(), None, tmp_path / "graph.json")
    ((mine, theirs),) = during
    assert mine.endswith(".tmp") and theirs == "graph.json"
    assert [path.name for path in tmp_path.iterdir()] == ["graph.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
def test_a_pipe_is_not_replaced_by_a_document(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DaliStudioError, match=r"pipe could not be written: it is no file") as caught:
        save(Graph(), None, tmp_path / "pipe")
    assert caught.value.diagnostics[0].code == "DS302"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
