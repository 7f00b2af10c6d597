"""``dali-studio lab``: its folder, its options, and who may run it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dali_studio import cli
from dali_studio.api.default import default_registry
from dali_studio.api.sample_readers import idle_words
from dali_studio.cli.lab import FIRST, TOUR, starter
from dali_studio.graph import document

REPOSITORY = Path(__file__).resolve().parents[3]


def test_starters_are_put_once_and_never_overwritten(tmp_path: Path) -> None:
    notebook = starter(tmp_path / "mine")
    assert notebook.name == FIRST and (tmp_path / "mine" / TOUR).read_text().count("A tour of the designer") == 1
    assert TOUR in notebook.read_text() and (tmp_path / "mine" / "gallery" / "resnet50" / "README.md").exists()
    documents = {path.parent.name: path for path in (tmp_path / "mine" / "gallery").glob("*/*.dali.json")}
    for name, path in documents.items():  # they open with pictures, in tabs with their names
        assert path.name == f"{name}.dali.json"
        graph, _, _ = document.load(path, default_registry())
        assert not idle_words(graph, default_registry()) and str(REPOSITORY) not in path.read_text()
    assert '"file_root": "${samples}"' in documents["image_and_mask"].read_text()
    notebook.write_text("changed")
    assert starter(tmp_path / "mine").read_text() == "changed"


def test_starters_of_a_checkout_stay_where_they_are() -> None:
    assert starter(REPOSITORY / "notebooks") == REPOSITORY / "notebooks" / FIRST
    assert not (REPOSITORY / "notebooks" / "gallery").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there is no root")
@pytest.mark.parametrize(
    ("user", "given", "passed", "told"),
    [(0, [], 1, True), (0, ["--allow-root"], 1, False), (1000, [], 0, False), (1000, ["--allow-root"], 1, False)],
)
def test_jupyterlab_may_run_as_root_only_if_that_is_told(
    user: int, given: list[str], passed: int, told: bool, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    labapp = pytest.importorskip("jupyterlab.labapp")
    started: list[list[str]] = []
    monkeypatch.setattr(labapp.LabApp, "launch_instance", lambda argv: started.append(argv))
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert cli.main(["lab", str(tmp_path), "--no-browser", *given]) == 0
    (arguments,) = started
    assert arguments.count("--allow-root") == passed and "--no-browser" in arguments
    assert ("You are root" in capsys.readouterr().err) == told


@pytest.mark.parametrize(
    ("given", "folder", "options"),
    [
        ([], None, []),
        (["--port", "8889"], None, ["--port", "8889"]),
        (["mine", "--no-browser", "--port", "8889"], "mine", ["--no-browser", "--port", "8889"]),
        (["mine", "--", "--port=8889"], "mine", ["--port=8889"]),
    ],
)
def test_values_of_jupyters_options_are_no_folders(
    given: list[str], folder: str | None, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str | None, list[str]]] = []
    monkeypatch.setattr("dali_studio.cli.lab.open_lab", lambda *told: opened.append(told) or 0)
    assert cli.main(["lab", *given]) == 0
    assert opened == [(folder, options)]
