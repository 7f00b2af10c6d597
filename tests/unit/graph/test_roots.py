"""Data roots: documents without folders of this machine, and the same graph back where the roots are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from toy import port

from dali_studio import samples
from dali_studio.graph.document import dumps, load, loads, save
from dali_studio.graph.model import Graph, Node
from dali_studio.schema.model import Value


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that knows nothing but its home."""
    monkeypatch.setenv("DALI_STUDIO_CONFIG", str(tmp_path / "settings"))
    monkeypatch.delenv("DALI_STUDIO_ROOTS", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "settings" / "roots.json"


def reading(**arguments: Value) -> Graph:
    graph = Graph()
    graph.add_node(Node(key="reader", operator="readers.file", arguments=arguments))
    graph.set_outputs([port("reader")])
    return graph


@pytest.mark.parametrize(
    ("name", "there", "written"),
    [
        ("home", "home/photos", "${home}/photos"),
        ("home itself", "home", "${home}"),
        ("a folder", "data/cats and dogs", "${cats_and_dogs}"),
        ("no folder", "data/is/not/there", "${not}/there"),
    ],
)
def test_a_folder_is_a_root_and_comes_back(name: str, there: str, written: str, tmp_path: Path) -> None:
    if "not" not in there:
        (tmp_path / there).mkdir(parents=True)
    graph = reading(file_root=str(tmp_path / there))
    text = dumps(graph, {"program": f"root = '{tmp_path / there}'"})
    assert json.loads(text)["pipeline"]["nodes"][0]["arguments"]["file_root"] == written
    assert str(tmp_path) not in text
    again, view, found = loads(text)
    assert again == graph and view["program"] == f"root = '{tmp_path / there}'" and not found


def test_many_files_have_one_root(tmp_path: Path, settings: Path) -> None:
    files = tuple(str(tmp_path / "data" / folder / f"{i}.jpg") for folder in "ab" for i in range(3))
    (tmp_path / "data").mkdir()
    graph = reading(files=files)
    text = dumps(graph)
    assert "${data}/a/0.jpg" in text and str(tmp_path) not in text and loads(text)[0] == graph
    assert json.loads(settings.read_text()) == {"data": str(tmp_path / "data")}
    other = tmp_path / "other" / "data"
    other.mkdir(parents=True)
    assert "${data_2}" in dumps(reading(file_root=str(other)))


def test_samples_are_known_everywhere() -> None:
    assert '"${samples}/animals"' in dumps(reading(file_root=str(samples.photos() / "animals")))


@pytest.mark.parametrize("value", ["images", "images/a.jpg", "/", "", "/(&0 &1)", "a /b/c", 3])
def test_what_is_no_absolute_path_stays(value: Value) -> None:
    graph = reading(file_root=value)
    assert json.loads(dumps(graph))["pipeline"]["nodes"][0]["arguments"]["file_root"] == value
    assert loads(dumps(graph))[0] == graph


def test_another_machine_says_which_root_it_lacks(tmp_path: Path, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    save(reading(file_root=str(tmp_path / "data")), None, tmp_path / "one.dali.json")
    settings.unlink()
    graph, _, (found,) = load(tmp_path / "one.dali.json")
    assert (found.code, found.node, found.argument, found.severity) == ("DS302", "reader", "file_root", "warning")
    assert "data" in found.message and "DALI_STUDIO_ROOTS" in found.hint
    assert "${data}" in dumps(graph)  # as it was, for those who know it
    monkeypatch.setenv("DALI_STUDIO_ROOTS", f"other=/x:data={tmp_path}/elsewhere/")
    graph, _, found = load(tmp_path / "one.dali.json")
    assert graph.node("reader").arguments["file_root"] == f"{tmp_path}/elsewhere" and not found


def test_settings_that_cannot_be_read_are_left_alone(tmp_path: Path, settings: Path) -> None:
    (tmp_path / "data").mkdir()
    settings.parent.mkdir()
    settings.write_text("{")
    graph = reading(file_root=str(tmp_path / "data"))
    assert loads(dumps(graph))[0] == graph and settings.read_text() == "{"
