"""What a designer opens and saves: folders, recipes, documents."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from studio.clients import Client, only, set_argument

from dali_studio import Designer, fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.codegen.names import identifier
from dali_studio.graph import document
from dali_studio.graph.model import Graph
from dali_studio.studio import gallery
from dali_studio.studio.protocol import messages, run_messages


def broken_folder(tmp_path: Path) -> Path:
    photo = sorted(samples.photos().rglob("*.jpg"))[0].read_bytes()
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "1.jpg").write_bytes(photo[: len(photo) // 3])
    (folder / "2.jpg").write_bytes(photo)
    (folder / "3.jpg").write_bytes(b"this is no picture")
    return tmp_path


def test_broken_files_are_told_with_node_sample_and_file(tmp_path: Path) -> None:
    @pipeline_def(batch_size=3, num_threads=2, device_id=None, seed=1)
    def broken() -> Any:
        files, _ = fn.readers.file(file_root=str(broken_folder(tmp_path)))
        return fn.resize(fn.decoders.image(files), resize_x=32, resize_y=32)

    client = Client(broken().graph)
    for sample, name in ((0, "1.jpg"), (2, "3.jpg")):
        (previews,) = only(client.send("choose_sample", sample=sample, iteration=0), messages.Previews)
        (finding,) = previews.failed
        assert (finding.node, finding.sample) == ("decode", sample)
        assert finding.source.endswith(name)
    (previews,) = only(client.send("choose_sample", sample=1, iteration=0), messages.Previews)
    assert not previews.failed
    assert {item.key for item in previews.items} >= {"decode", "resize"}
    (finished,) = only(client.send("run", batches=1), run_messages.RunFinished)
    assert finished.failed[0].node == "decode"
    client.session.close()


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    client = Client(Graph())
    (refused,) = only(client.send("open_folder", path=str(tmp_path)), messages.Refused)
    (found,) = refused.diagnostics
    assert found.code == "DS302" and "no images, sounds, videos or arrays" in found.message and ".npy" in found.hint
    (refused,) = only(client.send("open_folder", path=str(tmp_path / "missing")), messages.Refused)
    assert "missing" in refused.diagnostics[0].message
    client.session.close()


@pytest.mark.parametrize("message", [{"kind": "open_folder", "path": ""}, {"kind": "open_recipe", "name": "resnet50"}])
@pytest.mark.parametrize("emptied", [False, True])
def test_what_is_opened_over_a_graph_is_one_step(client: Client, message: dict[str, str], *, emptied: bool) -> None:
    client.send("ready")
    if emptied:
        client.edit(*({"type": "remove_node", "key": key} for key in client.session.graph))
    before = client.session.graph
    (opened,) = only(client.send(**message), messages.RevisionChanged)
    assert opened.can_undo and opened.origin == opened.revision
    (undone,) = only(client.send("undo"), messages.RevisionChanged)
    assert client.session.graph == before and (undone.can_undo, undone.origin) == (emptied, 0)
    (again,) = only(client.send("redo"), messages.RevisionChanged)
    assert again.graph == opened.graph and again.origin == opened.origin


@pytest.mark.parametrize("nested", [True, False])
def test_a_folder_opens_as_a_reader_and_a_decoder(tmp_path: Path, nested: bool) -> None:
    photo = sorted(samples.photos().rglob("*.jpg"))[0].read_bytes()
    place = tmp_path / "class" if nested else tmp_path
    place.mkdir(exist_ok=True)
    (place / "one.jpg").write_bytes(photo)
    client = Client(Graph())
    got = client.send("open_folder", path=str(tmp_path))
    (previews,) = only(got, messages.Previews)
    assert {item.key for item in previews.items} == {"reader", "decode"}
    assert client.session.graph.options.name == identifier(tmp_path.stem)
    client.session.close()


@pytest.mark.parametrize("given", ["resnet50", Path("resnet50"), gallery.folder() / "resnet50",
                                   gallery.folder() / "resnet50" / gallery.FILE])  # fmt: skip
def test_an_example_that_is_opened_by_its_name_or_path_reads_the_sample_photos(given: Path | str) -> None:

    designer = Designer(given)
    assert designer.graph.node("reader").arguments["file_root"] == str(samples.photos())
    assert designer.session.kept.path is None  # it is saved elsewhere
    designer.close()


def test_every_recipe_opens_and_paints() -> None:
    client = Client(Graph())
    (opened,) = only(client.send("ready"), messages.Opened)
    assert opened.recipes
    for recipe in opened.recipes:
        got = client.send("open_recipe", name=recipe.name)
        assert not only(got, messages.Refused)
        previews = only(got, messages.Previews)[-1]
        assert not previews.failed
        shown = only(got, messages.RevisionChanged)[-1].graph.nodes  # a node with a probability is one card
        assert {item.key for item in previews.items} == {node.key for node in shown}
        assert len(shown) <= recipe.operators
    client.session.close()


def test_documents_are_saved_and_opened_again(client: Client, tmp_path: Path) -> None:
    client.send("move_nodes", positions={"rotate": {"x": 10.0, "y": 20.0}})
    path = tmp_path / "one.dali.json"
    got = client.send("save_document", path=str(path))
    assert only(got, messages.Saved)
    assert only(got, messages.RevisionChanged)[-1].saved
    graph, view, findings = document.load(path, default_registry())
    assert graph == client.session.graph
    assert not findings
    again = Client(graph, view=view, path=path)
    (revision,) = only(again.send("ready"), messages.RevisionChanged)
    assert revision.positions["rotate"] == messages.Position(x=10.0, y=20.0)
    assert revision.saved
    assert only(again.edit(set_argument("rotate", "keep_size", True)), messages.RevisionChanged)[-1].saved is False
    again.session.close()
    got = client.send("save_document", path=str(tmp_path / "code.py"), what="code")
    ast.parse((tmp_path / "code.py").read_text())


def test_what_somebody_else_has_written_is_written_over_when_asked_twice(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "one.dali.json"
    client.send("save_document", path=str(path))
    other = Client(client.session.graph, path=path)
    other.edit(set_argument("rotate", "keep_size", True))
    assert only(other.send("save_document", path=str(path)), messages.Saved)
    for what, file in (("document", path), ("code", tmp_path / "own.py")):
        if what == "code":
            file.write_text("mine = 1\n")
        before = file.read_text()
        (refused,) = only(client.send("save_document", path=str(file), what=what), messages.Refused)
        assert refused.diagnostics[0].message.startswith(str(file))
        assert file.read_text() == before
        for _ in range(2):  # now it is the session's own
            assert only(client.send("save_document", path=str(file), what=what), messages.Saved)
        assert file.read_text() != before
    # what was refused is forgotten where another name is chosen
    assert only(other.send("save_document", path=str(path)), messages.Refused)
    assert only(other.send("save_document", path=str(tmp_path / "two.dali.json")), messages.Saved)
    assert only(other.send("save_document", path=str(path)), messages.Refused)
    assert only(other.send("save_document", path=str(path), over=True), messages.Saved)
    other.session.close()


def test_a_failed_save_loses_nothing(client: Client, tmp_path: Path) -> None:
    target = tmp_path / "missing" / "one.dali.json"
    assert only(client.send("save_document", path=str(target)), messages.Refused)
    assert only(client.send("save_document", path=str(tmp_path / "missing" / "x.py"), what="code"), messages.Refused)
    assert client.send("undo") is not None


def test_a_document_with_an_unknown_operator_opens(tmp_path: Path, client: Client) -> None:
    raw = json.loads(document.dumps(client.session.graph, {}))
    raw["pipeline"]["nodes"][4]["operator"] = "rotate_in_hyperspace"
    (tmp_path / "odd.dali.json").write_text(json.dumps(raw))
    graph, view, _ = document.load(tmp_path / "odd.dali.json", default_registry())
    other = Client(graph, view=view)
    got = other.send("ready")
    (revision,) = only(got, messages.RevisionChanged)
    assert next(n for n in revision.graph.nodes if n.key == "rotate").unknown
    assert "DS101" in [d.code for d in revision.diagnostics]
    (previews,) = only(got, messages.Previews)
    assert {item.key for item in previews.items} == {"reader", "decode", "resize", "uniform"}
    other.session.close()
