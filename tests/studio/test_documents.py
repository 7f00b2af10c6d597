"""Documents that nobody trusts, opened in the designer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from studio.clients import Client, only, rotating

from dali_studio import __version__, samples
from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.document import loads
from dali_studio.graph.model import Graph
from dali_studio.studio import widget
from dali_studio.studio.protocol import messages
from dali_studio.studio.session import Session
from dali_studio.studio.view import positions_of

SOURCES = Path(__file__).resolve().parents[2] / "extension" / "packages" / "designer" / "src"


@pytest.mark.parametrize("places", [5, "ab", [1], {"a": 5}, {"a": [1]}, {"a": [10**400, 1]}, {"a": ["x", 1]}, {"a": [1e999, 0]}])
def test_damaged_places_cost_the_place(places: Any) -> None:
    assert positions_of({"positions": places}) == {}
    assert positions_of({"positions": {"b": [1, 2]}}) == {"b": messages.Position(x=1.0, y=2.0)}


def opened(graph: Graph) -> tuple[Session, list[messages.KernelMessage]]:
    received: list[messages.KernelMessage] = []
    session = Session(graph, default_registry(), lambda message, _: received.append(message), images=samples.photos)
    session.receive({"type": "ready", "preview_width": 160})
    assert session.worker.wait(60)
    return session, received


def test_the_code_pane_shows_what_may_run() -> None:
    nodes = [{"key": "images", "operator": "_b.sysconfig.os.system", "arguments": {"command": "id > x"}}]
    text = json.dumps(
        {"format": "dali-studio", "version": 1, "pipeline": {"nodes": nodes, "outputs": [["images", 0]]}}
    )
    session, received = opened(loads(text)[0])
    (code, *_) = [message for message in received if isinstance(message, messages.Code)]
    assert "system(" not in code.source and "raise NotImplementedError(" in code.source
    assert [(d.code, d.severity) for d in code.diagnostics] == [("DS101", "error")]
    session.close()


def test_the_browser_hears_of_a_document_that_a_cell_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []

    def send(self: widget.Designer, content: Any, buffers: Any = None) -> None:
        del self, buffers
        told.append(content)

    monkeypatch.setattr(widget.Designer, "send", send)
    designer = widget.Designer(Graph())
    designer.save(tmp_path / "mine.dali.json")
    (now, *_) = [one for one in reversed(told) if one["type"] == "revision_changed"]
    assert now["saved"] and now["document"].endswith("mine.dali.json")


def test_a_cell_writes_over_what_somebody_else_has_written_when_told_to(tmp_path: Path) -> None:
    path = tmp_path / "mine.dali.json"
    path.write_text("old")
    designer = widget.Designer(Graph())
    with pytest.raises(DaliStudioError, match=r"(?s)is there already.*overwrite=True"):
        designer.save(path)
    path.unlink()
    for _ in range(2):
        designer.save(path)
    again = widget.Designer(Graph())  # the cell is run again: the same text is no loss
    again.save(path)
    again.close()
    path.write_text("theirs")
    with pytest.raises(DaliStudioError, match=r"(?s)changed by somebody else since.*overwrite=True"):
        designer.save(path)
    assert path.read_text() == "theirs"
    designer.save(str(path), overwrite=True)
    assert path.read_text() != "theirs"
    designer.save(path)
    designer.close()


def test_texts_without_a_form_in_utf_8_reach_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"format": "dali-studio", "version": 1, "pipeline": {"nodes": [{"key": "a\\udcff", "operator": "cast"}]}}'
    sent: list[bytes] = []

    def send(self: widget.Designer, content: Any, buffers: Any = None) -> None:
        del self, buffers
        sent.append(json.dumps(content, ensure_ascii=False).encode())

    monkeypatch.setattr(widget.Designer, "send", send)
    designer = widget.Designer(loads(text)[0])
    designer.session.receive({"type": "ready", "preview_width": 160})
    assert designer.session.worker.wait(60)
    assert any(b'"key": "a?"' in message for message in sent)
    designer.session.receive({"type": "choose_sample", "sample": "\ud800", "iteration": 0})
    assert b"refused" in sent[-1]
    designer.close()


def test_the_front_end_shows_texts_as_texts() -> None:
    """React escapes what it shows; these would not."""
    ways = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "srcdoc", "eval(", "new Function")
    sources = [path for path in SOURCES.rglob("*") if path.suffix in (".ts", ".tsx")]
    assert len(sources) > 20
    assert [(path.name, way) for path in sources for way in ways if way in path.read_text(encoding="utf-8")] == []


def test_a_document_of_another_engine_is_opened_says_so_once_and_is_saved_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mine.dali.json"
    Client(rotating().graph).session.save(path)
    raw = json.loads(path.read_text())
    raw["written_by"]["dali_studio"], raw["written_by"]["operators"]["rotate"] = "0.0.9", "1-00000000"
    graph, view, _ = loads(json.dumps(raw), default_registry())
    client = Client(graph, view=view, path=path)
    (said,) = only(client.send("ready", preview_width=160), messages.Refused)
    (found,) = said.diagnostics
    assert (found.code, found.severity) == ("DS403", "warning") and "defaults of rotate than" in found.message
    assert not only(client.send("ready", preview_width=160), messages.Refused)  # another view
    client.session.save(path)
    assert json.loads(path.read_text()) == raw
    before = path.read_bytes()
    client.session.save(path)
    assert path.read_bytes() == before
    edit = {"type": "set_argument", "key": "rotate", "argument": "fill_value", "value": 3.0}
    client.send("apply_edits", base_revision=client.session.revision, edits=[edit], gesture="")
    client.session.save(path)
    assert json.loads(path.read_text())["written_by"]["dali_studio"] == __version__
    client.send("undo")
    client.session.save(path)
    assert path.read_bytes() == before
    client.session.close()


def test_what_is_found_while_a_document_is_read_is_told_in_a_cell_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.dali.json"
    Client(rotating().graph).session.save(path)
    raw = json.loads(path.read_text())
    next(node for node in raw["pipeline"]["nodes"] if node["operator"] == "rotate")["version"] = 99
    path.write_text(json.dumps(raw))
    (expected,) = loads(path.read_text(), default_registry())[2]
    designer = widget.Designer(path)
    sent: list[object] = []

    def send(message: object, *_: object) -> None:
        sent.append(message)

    monkeypatch.setattr(designer.session, "send", send)
    for _ in range(2):  # two views
        designer.session.receive({"type": "ready", "preview_width": 160})
    designer.close()
    assert [one.diagnostics for one in sent if isinstance(one, messages.Refused)] == [(expected,)]
