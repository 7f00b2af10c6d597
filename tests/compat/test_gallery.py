"""Every example of the gallery: it runs, gives what nvidia.dali gives at every node, and is read back from its program."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import msgspec
import pytest
from gallery_examples import GALLERY, ON_ITS_CPU, WRITTEN_AS_THEY_ARE, name_of

from dali_studio import read
from dali_studio.api.default import default_registry
from dali_studio.cli import verify
from dali_studio.cli.document import open_document
from dali_studio.cli.peer import run_program
from dali_studio.codegen.emit import emit
from dali_studio.graph.document import load
from dali_studio.graph.labels.guard import CODE
from dali_studio.graph.validate import validate
from dali_studio.studio import gallery

EXAMPLES = [name_of(path) for path in GALLERY]
REGISTRY = default_registry()


@pytest.mark.parametrize("name", [name_of(path) for path in ON_ITS_CPU])
def test_every_node_gives_what_nvidia_dali_gives(
    nvidia: object, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = open_document(name, samples=True)
    graph.options = msgspec.structs.replace(graph.options, batch_size=min(graph.options.batch_size, 8))
    monkeypatch.setattr(verify, "peer_batches", lambda source, function, count: list(islice(run_program(source, function), count)))
    assert verify.verify_graph(graph, 1, None), capsys.readouterr().out


@pytest.mark.parametrize(("path", "dialect"), WRITTEN_AS_THEY_ARE, ids=name_of)
def test_programs_are_read_back(path: Path, dialect: str) -> None:
    emitted = emit(open_document(name_of(path), samples=True), REGISTRY, dialect)
    assert [one for one in emitted.diagnostics if one.severity == "error"] == []
    assert emit(read(emitted.source, found=(found := [])), REGISTRY, dialect).source == emitted.source
    assert found == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_says_what_it_is_and_has_no_fault(name: str) -> None:
    folder = gallery.folder() / name
    text = (folder / "README.md").read_text()
    assert re.match(r"# .{4,60}\n\n(Tags: [a-z0-9 ,-]+\n\n)?[A-Z]", text)
    assert f"dali-studio run {name}" in text
    graph, _, found = load(folder / gallery.FILE, REGISTRY)
    assert found == ()
    assert [one for one in validate(graph, REGISTRY).diagnostics if one.code == CODE] == []
    assert "/" not in re.sub(r'"expression": "[^"]*"', "", (folder / gallery.FILE).read_text())  # no path of anybody


def test_there_are_many() -> None:
    assert len(EXAMPLES) >= 55
    assert not [name for name in EXAMPLES if not (Path(gallery.folder()) / name / "README.md").exists()]
